"""The stored records of a run as lines of JSONL or CSV, one trial a row."""

import csv
import io
import json
from collections.abc import Generator, Iterator
from contextlib import closing
from dataclasses import asdict
from pathlib import Path
from typing import Literal

from assay.reports.json_values import pick
from assay.store import Run, RunModel, Store, StoredTrial, TrialKey
from assay.text.safe_text import spreadsheet_cell
from assay.types import Answered, Case, ChoiceLikelihoods, Failed, Reply, Suite
from assay.types.conversations import conversation_text
from assay.types.options import DEFAULT_OUT

ExportFormat = Literal["jsonl", "csv"]

COLUMNS = (
    "run", "model", "fingerprint", "suite", "category", "test", "repeat", "method", "outcome",
    "score", "unscored_reason", "prompt", "answer", "reasoning", "predictions", "log_likelihoods",
    "extracted",
    "explanation", "scorer", "scorer_version", "failure", "failure_cause", "attempts", "finish",
    "dropped", "prompt_tokens", "cached_tokens", "output_tokens", "first_token_s",
    "first_answer_s", "total_s", "queue_s", "wall_s", "load_s", "other_s", "prefill_s",
    "decode_s", "cold", "request", "reviews",
)  # fmt: skip


def export(
    run: str = "latest", *, form: ExportFormat = "jsonl", out: str | Path = DEFAULT_OUT
) -> Iterator[str]:
    """A run's records, line by line: `"".join(assay.export("latest", form="csv"))`."""
    with (
        Store(out, read_only=True) as store,
        closing(_records(store, store.find_run(run))) as records,
    ):
        if form == "csv":
            yield from _as_csv(records)
            return
        for record in records:
            whole = {name: record.get(name) for name in COLUMNS}
            yield json.dumps(whole, ensure_ascii=False) + "\n"


def _records(store: Store, run: Run) -> Generator[dict[str, object], None, None]:
    suites = store.read_suites(run)
    cases = {(suite.name, case.id): case for suite in suites for case in suite.cases}
    by_name = {suite.name: suite for suite in suites}
    reviews: dict[tuple[int, TrialKey], list[dict[str, object]]] = {}
    for each in store.read_reviews(run):
        told = {**asdict(each.review), "created": each.created}
        reviews.setdefault((each.model, each.key), []).append(told)
    for model in run.models:
        for kept in store.read_trials(run, model):
            case = cases[kept.suite, kept.test_id]
            record = _record(run, model, kept, case, by_name[kept.suite])
            yield {**record, "reviews": reviews.get((model.position, kept.key), [])}


def _record(
    run: Run, model: RunModel, kept: StoredTrial, case: Case, suite: Suite
) -> dict[str, object]:
    score = kept.score
    return {
        **_of_reply(kept.reply),
        "run": run.id,
        "model": model.spec,
        "fingerprint": model.facts.fingerprint,
        "suite": kept.suite,
        "category": case.category,
        "test": kept.test_id,
        "repeat": kept.repeat + 1,
        "method": case.method,
        "outcome": str(score.outcome(suite.pass_mark)) if score else "failed",
        "score": score.value if score else None,
        "unscored_reason": score.unscored_reason if score else None,
        "prompt": conversation_text(kept.sent or case.turns(suite.system)),
        **(pick(score, "extracted scorer explanation") if score else {}),
        "scorer_version": score.version if score else None,
        "request": kept.request_id,
    }


def _of_reply(reply: Reply) -> dict[str, object]:
    found = {name: getattr(reply, name) for name in COLUMNS if hasattr(reply, name)}
    if isinstance(reply, Failed):
        found |= {"failure": reply.reason, "failure_cause": reply.cause}
    if isinstance(reply, Answered):
        found["answer"] = reply.transcript
    if isinstance(reply, Answered | ChoiceLikelihoods) and reply.timing:
        found |= asdict(reply.timing)
    return found


def _as_csv(records: Iterator[dict[str, object]]) -> Iterator[str]:
    buffer = io.StringIO()
    writer = csv.writer(buffer)  # \r\n at line ends, so that a lone \r in an answer is quoted
    writer.writerow(COLUMNS)
    for record in records:
        writer.writerow([_cell(record.get(name)) for name in COLUMNS])
        yield buffer.getvalue()
        buffer.seek(0)
        buffer.truncate()
    yield buffer.getvalue()


def _cell(value: object) -> object:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, tuple | list):
        return json.dumps(value, ensure_ascii=False) if value else ""
    if isinstance(value, str):  # JSONL has every answer to the letter
        return spreadsheet_cell(value)
    return value

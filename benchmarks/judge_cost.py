"""What judging costs: questions, and tokens read, with a judge that is a rule.

    python benchmarks/judge_cost.py ANSWERS [--json FILE]

Takes a folder of answers (`ANSWERS/MODEL/TEST-ID.md`) to the tests of `coding`, judges them with
Assay's own code in a store that is thrown away, and counts what the judge is asked. Its likelihood
of yes is a hash of the answer's beginning and the question, so that two versions of Assay meet the
same judge. A token is four characters; what a request shares with the one before it is not read
again, as in a server with one slot. Everything is judged three times: by a judge without a card,
which reads the scored examples; by one whose card has the scales that they gave; and by the second
again, asked every question, whatever it can move. Code of the answers is run.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import re
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

from assay import api
from assay.reports.json_documents import run_json
from assay.types import (
    Answered,
    ChoiceLikelihoods,
    ModelFacts,
    Observed,
    Reply,
    Request,
    ToAnswer,
    ToChoose,
)
from assay.workflow.running.judging import panel, stage
from assay.workflow.running.judging.judge_scales import JudgeScales

CHARACTERS_A_TOKEN = 4
_BEGINNING = re.compile(r"BEGINS ===\n(.{0,200})", re.DOTALL)
_QUESTION = re.compile(r"^Question: (.*)$", re.MULTILINE)
WORDS = json.dumps(
    {
        "reasons": dict.fromkeys(("correctness", "completeness", "code_quality"), "It is so."),
        "quotes": [], "strengths": ["It is there."], "weaknesses": ["It is short."],
        "assessment": "An answer.", "verdict": "It will do.",
    }
)  # fmt: skip


class RuleJudge:
    """A judge that answers by a hash, and remembers what it was asked."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, str]] = []  # kind, whole prompt
        self.facts = ModelFacts(
            spec="rule:judge",
            name="judge",
            fingerprint="rule:1",
            capabilities=frozenset({"generate", "structured_output", "top_logprobs"}),
        )

    def probe(self) -> None: ...

    def stop(self) -> None: ...

    def close(self) -> None: ...

    def observed(self) -> Observed:
        return Observed()

    def answer(self, requests: Sequence[Request]) -> Iterator[Reply]:
        for request in requests:
            work = request.work
            assert isinstance(work, ToAnswer | ToChoose)
            prompt = "\n".join(message.content for message in work.messages)
            kind = "example" if "/" in request.test_id else "question"
            kind = "reasons" if isinstance(work, ToAnswer) else kind
            self.asked.append((kind, prompt))
            if isinstance(work, ToAnswer):
                yield Answered(request_id=request.id, text=WORDS)
            else:
                yes, no = _likelihoods(prompt)
                yield ChoiceLikelihoods(request_id=request.id, log_likelihoods=(yes, no))


def _likelihoods(prompt: str) -> tuple[float, float]:
    beginning, question = _BEGINNING.findall(prompt)[0], _QUESTION.findall(prompt)[-1]
    level = _hash(beginning)
    share = 0.02 + 0.96 * min(1.0, max(0.0, level + 0.5 * (_hash(beginning + question) - 0.5)))
    return math.log(share), math.log(1 - share)


def _hash(text: str) -> float:
    return int(sha256(text.encode()).hexdigest()[:8], 16) / 0xFFFFFFFF


def read_by_kind(asked: Sequence[tuple[str, str]]) -> Counter[str]:
    """Characters that are read: what follows the beginning that the prompt before it had."""
    read: Counter[str] = Counter()
    before = ""
    for kind, prompt in asked:
        read[kind] += len(prompt) - len(os.path.commonprefix([before, prompt]))  # noqa: RUF071
        before = prompt
    return read


def measure_all(answers: Path) -> dict[str, Any]:
    """Without a card, with one, and asked everything."""
    found: list[JudgeScales] = []
    read_examples = stage.find_scales

    def remember(*words: Any) -> JudgeScales:
        found.append(read_examples(*words))
        return found[-1]

    stage.find_scales = remember  # type: ignore[assignment]
    without = measure(answers)
    stage.find_scales = lambda *_: found[-1]  # type: ignore[assignment]
    with_card = measure(answers)
    sparing = stage.open_questionnaire
    stage.open_questionnaire = lambda about: sparing(replace(about, calibration=None))  # type: ignore[attr-defined]
    return {"without a card": without, "with a card": with_card, "everything": measure(answers)}


def measure(answers: Path) -> dict[str, Any]:
    """Judge the answers; what was asked, and the scores."""
    judge = RuleJudge()
    panel.open_model = lambda *_: judge  # type: ignore[assignment,attr-defined]
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        for file in sorted(answers.glob("*/CT-*.md")):
            copy = home / "outputs" / file.parent.name / f"{file.stem}.txt"
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_bytes(file.read_bytes())
        document = run_json(
            api.judge(
                str(home),
                suites=["coding"],
                judges=[judge.facts.spec],
                out=home / "out",
                allow_code_execution=True,
            )
        )
    read = read_by_kind(judge.asked)
    return {
        "requests": Counter(kind for kind, _ in judge.asked),
        "tokens_sent": sum(len(prompt) for _, prompt in judge.asked) // CHARACTERS_A_TOKEN,
        "tokens_read": {kind: count // CHARACTERS_A_TOKEN for kind, count in read.items()},
        "overall": {
            f"{model['model'].rsplit('/', 1)[-1]} {test['test']}": test["overall"]
            for model in document["judged"]["models"]
            for test in model["tests"]
        },
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("answers", type=Path)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    found = measure_all(options.answers)
    print(json.dumps(found, indent=1))
    if options.json:
        options.json.write_text(json.dumps(found, indent=1), "utf-8")


if __name__ == "__main__":
    main()

"""A judge beside published grades: both forms of asking, on snippets that programmers graded.

    python benchmarks/judge_agreement.py openai:NAME@http://127.0.0.1:8080/v1

Takes `conala_items.jsonl` (`--items`; snippets of CoNaLa with the grades that programmers
gave them in a study, Evtikhiev et al. 2023, no part of this project) and asks the judge with
Assay's own code. Every reply is kept in `--cache`, so that it can be stopped and goes on. Prints a
table, and writes the figures as JSON where `--json` says so. Not part of `make bench`: it needs a
judge and the data.

Samples are seeded: as many snippets of each human grade as asked for; those of several seeds are
put together. Calibration is cross-validated over them, by the intent of a snippet, so that no
answer is graded on a scale that it helped to make.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from judge_agreement_figures import (
    GRADES,
    Asked,
    Item,
    as_markdown,
    figures_of,
)

from assay.ask_loop import ask
from assay.checks.judge import Judge
from assay.judge.forms import open_questionnaire
from assay.judge.questionnaire import Assignment, Questionnaire
from assay.models.opening import open_model
from assay.request_identity import example_key
from assay.types import Answered, Case, ChoiceLikelihoods, Failed, Message, Model, Reply
from assay.types.judging.judgements import (
    Anchor,
    Judgement,
    Rubric,
    RubricCriterion,
)
from assay.types.options import ServerOptions

DATA = Path(__file__).resolve().parents[2] / "shared" / "data" / "judge" / "conala_items.jsonl"
# Two, put together: one of 100 moves the recorded judge's figure by 0.04, and seed 0 is among the
# hardest (docs/decisions/judging.md).
SEEDS = (0, 2)
RECORDED = ("score_only", "score_only_ref", "steps", "steps_ref")

RUBRIC = Rubric(
    name="snippet",
    title="Usefulness of a snippet",
    version=1,
    criteria=(
        RubricCriterion(
            key="usefulness",
            label="Usefulness",
            weight=10,
            anchors=(
                Anchor(low=9, high=10, text="The snippet does what is asked, as it stands."),
                Anchor(low=7, high=8, text="A small change makes it do what is asked."),
                Anchor(low=4, high=6, text="It points the right way, and needs real changes."),
                Anchor(low=1, high=3, text="Starting anew is easier than mending it."),
                Anchor(low=0, high=0, text="It has nothing to do with what is asked."),
            ),
            questions=(
                "Does the code do what the task asks?",
                "Is the code correct, so that it runs without an error?",
                "Would this code help a programmer who has this task?",
            ),
        ),
    ),
)


# -------------------------------------------------------------------------------------- the data


def read_items(path: Path) -> list[Item]:
    """All graded snippets that models wrote; two that are empty are left out."""
    items = []
    for line in path.read_text("utf-8").splitlines():
        row = json.loads(line)
        if row["system"] != "reference" and row["snippet"].strip():
            grades = row["human_grades"]
            human = math.fsum(grades) / len(grades)
            items.append(Item(row["item_id"], row["group"], row["intent"], row["snippet"], human))
    return items


def sample(items: Sequence[Item], per_grade: int, seed: int) -> list[Item]:
    """As many of each grade, mixed, so that the first ones are a sample too."""
    drawn = random.Random(seed)
    by_grade = [[item for item in items if item.grade == grade] for grade in range(GRADES)]
    picked = [drawn.sample(some, per_grade) for some in by_grade]
    return [item for row in zip(*picked, strict=True) for item in row]


def samples(items: Sequence[Item], per_grade: int, seeds: Sequence[int]) -> list[Item]:
    """The samples of all seeds, each snippet once."""
    drawn = [item for seed in seeds for item in sample(items, per_grade, seed)]
    return list({item.id: item for item in drawn}.values())


def recorded(path: Path, items: Sequence[Item]) -> Iterator[Asked]:
    """What GPT-3.5 said of the same items in 2023, from 0 to 4, as 0 to 1."""
    wanted = {item.id for item in items}
    forms = {form: Asked(f"recorded GPT-3.5, {form}") for form in RECORDED}
    for line in path.read_text("utf-8").splitlines() if path.exists() else ():
        row = json.loads(line)
        if row["item_id"] in wanted:
            told = row["judge_score"]
            value = None if told is None else told / (GRADES - 1)
            forms[row["prompt_form"]].values[row["item_id"]] = value
    return (asked for asked in forms.values() if asked.values)


# ------------------------------------------------------------------------------------ the asking


class Kept:
    """Replies by request id, in a file that grows by a line for each."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._replies: dict[str, Reply] = {}
        for line in path.read_text("utf-8").splitlines() if path.exists() else ():
            reply = _reply_of(json.loads(line))
            self._replies[reply.request_id] = reply

    def ask(self, model: Model, inquiry: Questionnaire) -> float:
        """Until nothing is pending; the seconds that the judge took, now or when it was asked."""
        seconds = 0.0
        while pending := inquiry.pending():
            for request in pending:
                if request.id in self._replies:
                    continue
                started = time.perf_counter()
                for reply in ask(model, [request]):
                    self._keep(reply, time.perf_counter() - started)
            for request in pending:
                reply = self._replies[request.id]
                inquiry.take(request, reply)
                seconds += getattr(reply, "total_s", None) or 0.0
        return seconds

    def _keep(self, reply: Reply, seconds: float) -> None:
        document = {**asdict(reply), "total_s": seconds}
        self._replies[reply.request_id] = _reply_of(document)
        if not isinstance(reply, Failed):  # asked again when it goes on
            with self._path.open("a", encoding="utf-8") as file:
                file.write(json.dumps(document) + "\n")


def _reply_of(document: Mapping[str, Any]) -> Reply:
    kinds: dict[str, type[Answered | ChoiceLikelihoods | Failed]] = {
        "answered": Answered, "chosen": ChoiceLikelihoods, "failed": Failed,
    }  # fmt: skip
    kind = kinds[document["kind"]]
    told = {key: tuple(v) if isinstance(v, list) else v for key, v in document.items()}
    return kind(**{**told, "timing": None} if "timing" in told else told)


def case_of(item: Item) -> Case:
    """The snippet's intent as a test."""
    return Case(
        id=item.id,
        suite="snippets",
        category="snippets",
        messages=(Message("user", f"Write Python code for this: {item.intent}"),),
        check=Judge(rubric=RUBRIC.name),
    )


def answer_of(item: Item) -> str:
    """The snippet as a model would reply with it; bare, some are too short to be judged at all."""
    return f"```python\n{item.snippet}\n```"


def by_likelihood(model: Model, item: Item) -> Questionnaire:
    """Three questions; no words afterwards, which change no score."""
    return open_questionnaire(replace(_assignment(model, item), form="likelihood", explain=False))


def by_reasons(model: Model, item: Item) -> Questionnaire:
    """Reasons, then a score."""
    return open_questionnaire(_assignment(model, item))


def _assignment(model: Model, item: Item) -> Assignment:
    return Assignment(
        judge=model.facts,
        key=example_key(RUBRIC.name, item.id),
        case=case_of(item),
        rubric=RUBRIC,
        answer=answer_of(item),
    )


def value_of(judgement: Judgement) -> float | None:
    """0 to 1: the mean likelihood where it was read, else the points."""
    for score in judgement.scores:
        return score.raw if score.raw is not None else score.score / 10
    return None


def asked_of(
    model: Model, items: Sequence[Item], way: str, kept: Kept, most_seconds: float | None
) -> Asked:
    """One way of asking on all items; a line of progress for every tenth."""
    found = Asked(way)
    started = time.monotonic()
    for number, item in enumerate(items, 1):
        if most_seconds is not None and time.monotonic() - started > most_seconds:
            break
        inquiry = (by_likelihood if way == "likelihood" else by_reasons)(model, item)
        found.seconds.append(kept.ask(model, inquiry))
        found.values[item.id] = value_of(inquiry.judgement())
        if number % 10 == 0:
            print(f"{way}: {number} of {len(items)}", flush=True)
    return found


# ---------------------------------------------------------------------------------------- running


def options() -> argparse.Namespace:
    """What was typed."""
    reader = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    reader.add_argument("judge", help="a model spec")
    reader.add_argument("--items", type=Path, default=DATA)
    reader.add_argument("--forms", nargs="+", default=["likelihood", "reasoned"])
    reader.add_argument("--per-grade", type=int, default=20)
    reader.add_argument("--seeds", type=int, nargs="+", default=list(SEEDS))
    reader.add_argument("--cache", type=Path, default=Path("judge_agreement.jsonl"))
    reader.add_argument("--json", type=Path)
    reader.add_argument("--timeout", type=float, default=600.0, help="seconds for one answer")
    reader.add_argument("--most-seconds", type=float, help="for each way of asking")
    return reader.parse_args()


def main() -> None:
    """Ask, compare, print."""
    chosen = options()
    items = samples(read_items(chosen.items), chosen.per_grade, chosen.seeds)
    kept = Kept(chosen.cache)
    settings = ServerOptions(timeout=chosen.timeout, connections=1)
    model = open_model(chosen.judge, settings)
    try:
        model.probe()
        found = [asked_of(model, items, way, kept, chosen.most_seconds) for way in chosen.forms]
    finally:
        model.close()
    beside = list(recorded(chosen.items.with_name("conala_judgements.jsonl"), items))
    report = {
        "judge": model.facts.name,
        "items": len(items),
        "seeds": chosen.seeds,
        "ways": [figures_of(asked, items) for asked in (*found, *beside)],
    }
    print("\n".join(as_markdown(report)))
    if chosen.json:
        chosen.json.write_text(json.dumps(report, indent=1, ensure_ascii=False) + "\n", "utf-8")


if __name__ == "__main__":
    main()

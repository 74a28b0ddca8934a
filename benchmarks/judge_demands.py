"""Whether demands that an answer makes of its judge reach it, and whether they change its score.

    python benchmarks/judge_demands.py DEMANDS.jsonl [--json FILE]

Each line has `test` (the id of a shipped judged test), `answer` and `demand`; the demand is put
behind the answer, or where the answer says {demand}. Every answer is judged with and without it by
Assay's own code, in a store that is thrown away, by a judge that obeys: it gives 1 of 10, and 10
to an answer in which it sees half of the demand or more, whatever language or encoding that is in.
`visible`: half of the demand or more is in the reading that counts, be the score as it may; bounds
of evidence can hide what a judge was told. Code of the answers is not run, so that no evidence
bounds what the judge gives to code; the checks of data tests run as ever. At most 2 of 40 may
change: docs/decisions/098 and 201.
"""

from __future__ import annotations

import argparse
import json
import re
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import assay
from assay import api
from assay.judge.guards.addressing import second_reading
from assay.judge.guards.fencing import HIDDEN, defused
from assay.judge.likelihood.layouts import task_of
from assay.reports.json_documents import run_json
from assay.suites.load import find, load_suite
from assay.types import Case

PLAIN, OBEDIENT = 1, 10  # points of ten
PIECE = 4  # characters of a demand that are looked for, at every place of it
LEAST_SEEN = 0.5  # of these pieces
_SHOWN = re.compile(r"=== ANSWER \w+ BEGINS ===\n(.*?)\n=== ANSWER \w+ ENDS ===", re.DOTALL)
_CRITERION = re.compile(r"^(\w+) \([\w ]+\), 0 to 10:$", re.MULTILINE)
Demand = list[list[str]]  # the pieces of each form that it may be seen in
_demands: list[Demand] = []


@assay.model("obedient")
class ObedientJudge:
    """Gives full marks wherever it sees a demand that it knows."""

    def __init__(self, name: str) -> None:
        self.fingerprint = f"obedient {name}"

    def generate(self, messages: list[assay.Message], **_: object) -> str:
        prompt = "\n".join(message.content for message in messages)
        shown = "\n".join(_SHOWN.findall(prompt)[-1:])
        obeys = any(_is_seen(demand, shown) for demand in _demands)
        score = {"reason": "As it is.", "score": OBEDIENT if obeys else PLAIN}
        return json.dumps({"criteria": dict.fromkeys(_CRITERION.findall(prompt), score)})


def _letters(text: str) -> str:
    """Without line numbers, blanks and case: what a reader makes out."""
    return "".join(re.sub(r"(?m)^\d+\| ?", "", text).split()).casefold()


def _demand(text: str) -> Demand:
    """Without what is not seen, and as a fence shows that."""
    forms = {_letters(HIDDEN.sub("", text)), _letters(defused(text))} - {""}
    return [[one[at : at + PIECE] for at in range(max(1, len(one) - PIECE + 1))] for one in forms]


def _is_seen(demand: Demand, text: str) -> bool:
    shown = _letters(text)
    return any(
        sum(piece in shown for piece in pieces) >= LEAST_SEEN * len(pieces) for pieces in demand
    )


def _is_visible(said: str, answer: str, case: Case) -> bool:
    """Whether a demand is in what a judge reads of an answer when its score counts."""
    second = second_reading(answer, task_of(case))
    counts = [answer] if second is None else [second.rest, second.blocks]
    return any(_is_seen(_demand(said), defused(text)) for text in counts)


def _with(answer: str, demand: str) -> str:
    place = answer if "{demand}" in answer else answer + "\n\n{demand}"
    return place.replace("{demand}", demand)


def _suite_of(test: str) -> str:
    return "coding" if test.startswith("CT") else "data"


def measure(rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """For each row its overall score without the demand and with it, and whether it is seen."""
    _demands[:] = [_demand(row["demand"]) for row in rows]
    names: dict[tuple[str, str], str] = {}  # one text is one model, however often it is given
    pairs = []
    for row in rows:
        texts = [_with(row["answer"], said) for said in ("", row["demand"])]
        keys = [names.setdefault((row["test"], one), f"text-{len(names)}") for one in texts]
        pairs.append([(key, row["test"]) for key in keys])
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        for (test, text), name in names.items():
            file = home / "outputs" / name / f"{test}.txt"
            file.parent.mkdir(parents=True)
            file.write_text(text, "utf-8")
        suites = sorted({_suite_of(row["test"]) for row in rows})
        judged = api.judge(
            str(home),
            suites=suites,
            judges=["obedient:judge"],
            out=home / "out",
            judge_form="reasoned",
        )
        document = run_json(judged)
    cases = {case.id: case for name in suites for case in load_suite(find(name)).cases}
    found = {
        (model["model"].rpartition(":")[2], test["test"]): test["overall"]
        for model in document["judged"]["models"]
        for test in model["tests"]
    }
    return [
        {
            "test": row["test"],
            "demand": row["demand"],
            "without": found[without],
            "with": found[with_it],
            "changed": found[with_it] != found[without],
            "visible": _is_visible(
                row["demand"], _with(row["answer"], row["demand"]), cases[row["test"]]
            ),
        }
        for row, (without, with_it) in zip(rows, pairs, strict=True)
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("demands", type=Path)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    rows = [json.loads(line) for line in options.demands.read_text("utf-8").splitlines() if line]
    found = measure(rows)
    for one in found:
        mark = "CHANGED" if one["changed"] else "same"
        seen = "visible" if one["visible"] else "unseen"
        scores = f"{one['without']} -> {one['with']}"
        print(f"{mark:8} {seen:8} {one['test']} {scores}  {one['demand'][:60]!r}")
    changed, visible = (sum(one[key] for one in found) for key in ("changed", "visible"))
    print(f"{changed} of {len(found)} demands changed a score")
    print(f"{visible} of {len(found)} demands reach the judge in the reading that counts")
    if options.json:
        options.json.write_text(json.dumps(found, indent=1, ensure_ascii=False), "utf-8")


if __name__ == "__main__":
    main()

"""Scoring an answer: every method of the example suite, beside a plain comparison of two texts."""

from __future__ import annotations

import json
import time
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from measuring import Figure

from assay.checks.scoring import score_reply
from assay.suites.load import find, load_suite
from assay.types import Answered
from assay.workflow.commands.demo import SCRIPTS

TIMES = 30


def figures(folder: Path) -> Iterator[Figure]:
    answers = json.loads((SCRIPTS / "good.json").read_text("utf-8"))["answers"]
    taken: dict[str, list[float]] = defaultdict(list)
    for case in load_suite(find("example")).cases:
        answer = answers[case.id]
        if not isinstance(answer, str):
            answer = "\n".join(next(iter(answer.values())) if isinstance(answer, dict) else answer)
        reply = Answered(request_id="", text=answer)
        score_reply(
            case, reply
        )  # parsers and the language model are loaded before the clock starts
        for _ in range(TIMES):
            started = time.perf_counter()
            score_reply(case, reply)
            taken[case.method].append(time.perf_counter() - started)
    shown = ", ".join(f"{name} {_median(times) * 1e6:.0f}" for name, times in taken.items())
    started = time.perf_counter()
    for _ in range(1000):
        assert answers["arithmetic_001"] != "Something else altogether."
    bare = (time.perf_counter() - started) * 1e3
    yield Figure("scoring an answer, median µs", shown, f"text != text {bare:.2f} µs", "–")


def _median(times: list[float]) -> float:
    return sorted(times)[len(times) // 2]

"""A judged run made by hand: two models, twelve tests, two judges, caps, and one unscored."""

from __future__ import annotations

from dataclasses import replace

from assay.summary.judged import EarlierRun, JudgedModel, judged
from assay.types.judging.judged import Judged
from assay.types.judging.judgements import Deviation, Evidence, FinalJudgement, Judging, Quote
from tests.reports.judged_answers import (
    NAMES,
    categories_of,
    evidence,
    judgement,
    performance,
    verdict,
)

SANDBOX = "bubblewrap"
JUDGES = ("ollama:judge:7b", "openai:other-judge")


def panel(
    test: str, first: tuple[int, int, int], second: tuple[int, int, int], shown: Evidence
) -> FinalJudgement:
    domain = "coding" if test.startswith("CT") else "data"
    told = [
        judgement(
            domain, scores, judge=judge, repeat=0,
            strengths=[f"{NAMES[test][0]}: says what it does."],
            weaknesses=[f"{NAMES[test][0]}: leaves an edge case out."],
            assessment="It does most of what was asked.",
            quotes=[
                Quote(text="def search(items, wanted):", status="exact", start=0, end=26),
                Quote(text="raises ValueError", status="fabricated"),
            ],
        )
        for judge, scores in zip(JUDGES, (first, second), strict=True)
    ]  # fmt: skip
    return verdict(
        test, judgements=told, shown=shown,
        confidence="high" if shown.checks else "medium",
        confidence_reasons=["the judges lie within a point"]
        if shown.checks
        else ["nothing could be run"],
    )  # fmt: skip


def steady() -> list[FinalJudgement]:
    run = [evidence(passed, 12, isolation=SANDBOX) for passed in (12, 11, 10, 9, 12)]
    coding = [
        panel(test, (9, 8, 8), (8, 8, 9), shown)
        for test, shown in zip(list(NAMES)[:5], run, strict=True)
    ]
    late = verdict(
        "CT-06", unscored="unreadable", explanation="No reply of the judge could be read."
    )
    data = [
        panel(test, (6, 7, 5), (6, 6, 6), evidence(passed, 9))
        for test, passed in zip(list(NAMES)[6:], (6, 5, 7, 6, 8, 5), strict=True)
    ]
    return [*coding, late, *data]


def quick() -> list[FinalJudgement]:
    coding = [
        panel(test, (10, 9, 9), (9, 9, 9), evidence(passed, 12, isolation=SANDBOX))
        for test, passed in zip(list(NAMES)[:6], (7, 3, 6, 12, 5, 4), strict=True)
    ]
    missing = Evidence(missing="the data was not at hand")
    data = [
        panel(test, (8, 8, 8), (8, 7, 9), evidence(passed, 9) if passed else missing)
        for test, passed in zip(list(NAMES)[6:], (9, 8, 9, 9, 8, 0), strict=True)
    ]
    return [*coding, *data]


def deviation(judge: str, rubric: str) -> Deviation:
    return Deviation(
        judge=judge, rubric=rubric, form="reasoned", n=10, unscored=0, mean_absolute=0.84,
        bias=0.31, within_one=7, spearman=0.91, same_band=8,
        mean_absolute_interval=(0.5, 1.2), bias_interval=(-0.1, 0.7),
    )  # fmt: skip


def judged_run(first: str = "llama3.2:3b", second: str = "qwen2.5-coder:7b") -> Judged:
    earlier = [replace(each, suite=each.suite) for each in quick()[:6]]
    return judged(
        [
            JudgedModel(
                model=first, answers=tuple(quick()), categories=categories_of(quick()),
                performance=performance(61.5),
                memory_bytes=3 * 2**30,
            ),
            JudgedModel(
                model=second, answers=tuple(steady()), categories=categories_of(steady()),
                performance=performance(24.1),
                memory_bytes=6 * 2**30,
            ),
        ],
        run="20261115T090000Z-abc123",
        when="2026-11-15T09:00:00Z",
        earlier=[
            EarlierRun(
                run="20261101T090000Z-0f0f0f", when="2026-11-01T09:00:00Z", model=second,
                final_judgements=tuple(earlier),
            )
        ],
        judging=Judging(
            judges=(),
            deviations=tuple(deviation(judge, of) for judge in JUDGES for of in ("coding", "data")),
            notes=("The judge and llama3.2:3b are of different families.",),
        ),
    )  # fmt: skip

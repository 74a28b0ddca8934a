"""Small hand-made documents that every renderer must draw, a tame set and a hostile one."""

from __future__ import annotations

from dataclasses import replace

import pytest

from assay.types import Estimate, Machine, Observed, OutcomeKind
from assay.types.measured.performance import Performance, Speeds, TrialFigures
from assay.types.results import (
    Baselines,
    CategoryComparison,
    Comparison,
    Flip,
    Leaderboard,
    LeftOut,
    ModelReport,
    PairComparison,
    Report,
    Side,
    Standing,
    SuiteComparison,
    SuiteRanking,
    SuiteSummary,
    TestRow,
    TrialRow,
)

HOSTILE = (
    "\x1b[2J\x1b]0;owned\x07 [red]markup[/red] <script>alert(1)</script> "
    "```\n# heading | cell | **bold** ![x](http://evil/)\r\n\u202egnp.exe \x9b31m "
    "{{ 7*7 }} \U000e0041 \ud800 end"
)


def points(value: float, low: float, high: float, n: int, unscored: int = 0) -> Estimate:
    return Estimate(
        value=value, low=low, high=high, n=n, unscored=unscored, unit="points", method="mover"
    )


def share(value: float, low: float, high: float, n: int, unscored: int = 0) -> Estimate:
    return Estimate(
        value=value, low=low, high=high, n=n, unscored=unscored, unit="share", method="wilson"
    )


def nothing(unit: str, unscored: int = 0) -> Estimate:
    return Estimate(
        value=None, low=None, high=None, n=0, unscored=unscored, unit=unit, method="none"
    )


def seconds(value: float, high: float | None = 2.0) -> Estimate:
    return Estimate(
        value=value, low=0.5, high=high, n=9, unscored=0, unit="s", method="order statistics"
    )


def speed(value: float, n: int = 8, unscored: int = 0) -> Estimate:
    return Estimate(
        value=value,
        low=value * 0.9,
        high=value * 1.1,
        n=n,
        unscored=unscored,
        unit="tokens/s",
        method="bootstrap",
    )


def not_timed() -> Speeds:
    return Speeds(all=nothing("tokens/s"), cold=nothing("tokens/s"), warm=nothing("tokens/s"))


def row(id: str, outcome: OutcomeKind, score: float | None, explanation: str = "why") -> TestRow:
    return TestRow(
        id=id,
        category="facts",
        outcome=outcome,
        score=score,
        answer="an answer",
        extracted="x",
        explanation=explanation,
        question="a question",
    )


def summary() -> SuiteSummary:
    tests = (
        row("facts_001", OutcomeKind.PASS, 1.0, "the texts are equal"),
        row("facts_002", OutcomeKind.FAIL, 0.25),
        row("facts_003", OutcomeKind.FAILED, None, "timed out after 120 s"),
    )
    return SuiteSummary(
        suite="demo",
        title="A small suite",
        score=points(72.5, 61.0, 81.4, 38, 2),
        categories={
            "facts": share(0.8, 0.49, 0.943, 10),
            "letters": share(0.65, 0.5, 0.78, 28, 2),
            "judged": nothing("share", 5),
        },
        tests=tests,
        outcomes={OutcomeKind.PASS: 1, OutcomeKind.FAIL: 1, OutcomeKind.FAILED: 1},
        weights={"facts": 1.0, "letters": 1.0},
        baselines=Baselines(
            empty=points(0, 0, 8.8, 38),
            echoed=points(12.5, 6.0, 22.0, 38),
            constant=points(25, 15.0, 40.0, 38),
            constant_answer="B",
        ),
    )


def model_report() -> ModelReport:
    return ModelReport(
        spec="scripted:good.json",
        name="good",
        slug="good-abc123",
        fingerprint="f" * 8,
        fingerprint_is_weak=True,
        suites=(summary(),),
        measurements={"answer_s": seconds(1.25)},
        performance=Performance(
            answered=9,
            failed=1,
            seconds_mean=seconds(1.25),
            seconds_sd=seconds(0.75),
            seconds_p50=seconds(1.0),
            seconds_p95=seconds(1.9, None),
            first_token_s=nothing("s"),
            first_answer_s=nothing("s"),
            load_s=nothing("s"),
            other_s=nothing("s"),
            prompt_tokens=nothing("tokens"),
            output_tokens=nothing("tokens"),
            tokens_per_s=nothing("tokens/s"),
            prefill=not_timed(),
            decode=not_timed(),
            client_decode=nothing("tokens/s"),
        ),
        report="/out/runs/r/reports/good.md",
    )


def served_model() -> ModelReport:
    """One that a server told everything about."""
    model = model_report()
    measured = replace(
        model.performance,
        first_token_s=seconds(0.3),
        load_s=replace(seconds(3.5), n=1),
        prefill=Speeds(all=speed(900.0), cold=speed(120.0, 1), warm=speed(950.0, 7)),
        decode=Speeds(all=speed(41.5), cold=speed(40.0, 1), warm=speed(41.8, 7)),
        client_decode=speed(39.9),
        decode_clock="server",
        prefill_at_most=True,
        retries=2,
        finishes={"stop": 7, "length": 1, "": 1},
        failures={"timeout": 1},
    )
    trials = (
        TrialFigures(
            suite="demo",
            test="facts_001",
            repeat=0,
            seconds=4.25,
            first_token_s=0.31,
            load_s=3.5,
            other_s=0.01,
            prefill_tokens_per_s=120.0,
            decode_tokens_per_s=40.0,
            prompt_tokens=1034,
            output_tokens=12,
            cold=True,
            finish="stop",
        ),
        TrialFigures(
            suite="demo",
            test="facts_002",
            repeat=1,
            seconds=0.5,
            prefill_tokens_per_s=9500.0,
            prefill_at_most=True,
            cold=False,
            finish="length",
            attempts=3,
        ),
        TrialFigures(suite="demo", test="facts_003", repeat=0, seconds=120.0, failure="timeout"),
    )
    return replace(
        model,
        spec="ollama:small:1b",
        performance=measured,
        about={"server": "Ollama 0.17.4", "quantisation": "Q4_K_M"},
        observed=Observed(
            memory_bytes=4 * 2**30,
            gpu_bytes=3 * 2**30,
            context_length=4096,
            notes=("The context was cut to 4,096 tokens.",),
        ),
        trials=trials,
    )


def machine() -> Machine:
    return Machine(
        system="Linux 6.1",
        processor="Some CPU",
        cores=8,
        memory_bytes=16 * 2**30,
        gpus=("Some GPU, 24 GiB",),
        versions={"python": "3.11.9", "assay": "0.2.0"},
    )


def report_document() -> Report:
    return Report(
        run="20260102T030405Z-abc123",
        out="/out",
        created="2026-01-02T03:04:05Z",
        finished="2026-01-02T03:05:00Z",
        command="assay run scripted:good.json -s demo",
        version="0.1.0",
        models=(model_report(),),
        exit_code=3,
        notes=("1 request failed.",),
        hints=("assay report latest -v",),
    )


def comparison_document() -> Comparison:
    compared = SuiteComparison(
        suite="demo",
        a=points(60.0, 50.0, 70.0, 40),
        b=points(72.5, 61.0, 81.4, 40),
        difference=points(12.5, -1.0, 24.0, 40, 1),
        p_value=0.0004,
        adjusted_p=0.0386,
        method="mcnemar",
        verdict="better",
        categories=(
            CategoryComparison(
                name="facts",
                a=share(0.6, 0.4, 0.8, 40),
                b=share(0.725, 0.6, 0.8, 40),
                difference=share(0.125, -0.01, 0.24, 40),
                p_value=0.04,
            ),
        ),
        gained=10,
        lost=2,
        flips=(
            Flip(
                id="facts_002",
                category="facts",
                outcome_a=OutcomeKind.FAIL,
                outcome_b=OutcomeKind.PASS,
                score_a=0.25,
                score_b=1.0,
            ),
            Flip(
                id="facts_009",
                category="facts",
                outcome_a=OutcomeKind.PASS,
                outcome_b=OutcomeKind.NO_ANSWER,
                score_a=1.0,
                score_b=0.0,
            ),
        ),
        left_out=(LeftOut(id="facts_003", category="facts", reason="unscored"),),
        detectable=21.6,
    )
    pair = PairComparison(
        a=Side(run="run-a", model="scripted:weak.json"),
        b=Side(run="run-b", model="scripted:good.json"),
        suites=(compared,),
    )
    return Comparison(pairs=(pair,))


def leaderboard_document() -> Leaderboard:
    def standing(model: str, value: float, rank: int | None, tie: bool, unscored: int) -> Standing:
        score = points(value, value - 9, value + 9, 40, unscored)
        when = "2026-01-02T03:04:05Z"
        return Standing(model=model, score=score, run="run-a", when=when, rank=rank, tie=tie)

    rows = (
        standing("good", 72.5, 1, False, 0),
        standing("fair", 70.0, 2, True, 0),
        standing("broken", 90.0, None, False, 10),
    )
    return Leaderboard(out="/out", suites=(SuiteRanking(suite="demo", rows=rows, tests=40),))


@pytest.fixture
def report() -> Report:
    return report_document()


@pytest.fixture
def served_report(report: Report) -> Report:
    """A machine, and a model behind a server."""
    return replace(report, models=(served_model(),), machine=machine())


@pytest.fixture
def compared_report(served_report: Report) -> Report:
    """Two models behind servers: the second quicker, and worse."""
    first = served_report.models[0]
    suite = replace(first.suites[0], score=points(40.0, 30.0, 52.0, 40))
    decode = replace(first.performance.decode, all=speed(83.0))
    second = replace(
        first,
        spec="ollama:tiny",
        suites=(suite,),
        performance=replace(first.performance, decode=decode),
    )
    return replace(served_report, models=(first, second))


@pytest.fixture
def repeated_report(report: Report) -> Report:
    """The first test asked twice."""
    trials = tuple(
        TrialRow(
            repeat=i, outcome=o, score=s, answer=f"try {i}", extracted=None, explanation=f"try {i}"
        )
        for i, (o, s) in enumerate([(OutcomeKind.PASS, 1.0), (OutcomeKind.FAIL, 0.0)])
    )
    model = report.models[0]
    suite = model.suites[0]
    tests = (replace(suite.tests[0], repeats=trials), *suite.tests[1:])
    changed = replace(model, suites=(replace(suite, tests=tests),))
    return replace(report, models=(changed,))


@pytest.fixture
def comparison() -> Comparison:
    return comparison_document()


@pytest.fixture
def leaderboard() -> Leaderboard:
    return leaderboard_document()


@pytest.fixture
def hostile() -> str:
    return HOSTILE


@pytest.fixture
def hostile_report(report: Report) -> Report:
    """Hostile text everywhere a model, a file or a user can put text."""
    model = report.models[0]
    suite = model.suites[0]
    bad = TestRow(
        id=HOSTILE,
        category=HOSTILE,
        outcome=OutcomeKind.FAIL,
        score=0.0,
        answer=HOSTILE,
        extracted=HOSTILE,
        explanation=HOSTILE,
        question=HOSTILE,
    )
    assert suite.baselines is not None
    changed = replace(
        suite,
        suite=HOSTILE,
        title=HOSTILE,
        tests=(bad,),
        categories={HOSTILE: share(0.5, 0.2, 0.8, 4)},
        baselines=replace(suite.baselines, constant_answer=HOSTILE),
    )
    spec = "scripted:" + HOSTILE
    served = served_model()
    changed_model = replace(
        model,
        spec=spec,
        suites=(changed,),
        notes=(HOSTILE,),
        performance=replace(served.performance, finishes={HOSTILE: 9}),
        about={HOSTILE: HOSTILE},
        observed=Observed(memory_bytes=1, gpu_bytes=1, notes=(HOSTILE,)),
        trials=(replace(served.trials[0], suite=HOSTILE, test=HOSTILE, finish=HOSTILE),),
    )
    return replace(
        report,
        models=(changed_model, replace(changed_model, spec=spec + "2")),
        notes=(HOSTILE,),
        hints=(HOSTILE,),
        command=HOSTILE,
        selected=spec,
        machine=Machine(
            system=HOSTILE,
            processor=HOSTILE,
            cores=1,
            memory_bytes=1,
            gpus=(HOSTILE,),
            versions={HOSTILE: HOSTILE},
        ),
    )


@pytest.fixture
def hostile_comparison(comparison: Comparison) -> Comparison:
    pair = comparison.pairs[0]
    suite = pair.suites[0]
    changed = replace(
        suite,
        suite=HOSTILE,
        categories=(replace(suite.categories[0], name=HOSTILE),),
        flips=(replace(suite.flips[0], id=HOSTILE),),
        left_out=(replace(suite.left_out[0], id=HOSTILE),),
    )
    side = Side(run=HOSTILE, model=HOSTILE)
    return Comparison(pairs=(replace(pair, a=side, b=side, suites=(changed,), notes=(HOSTILE,)),))


@pytest.fixture
def hostile_leaderboard(leaderboard: Leaderboard) -> Leaderboard:
    suite = leaderboard.suites[0]
    rows = (replace(suite.rows[0], model=HOSTILE, run=HOSTILE, when=HOSTILE),)
    return replace(leaderboard, suites=(replace(suite, suite=HOSTILE, rows=rows),))

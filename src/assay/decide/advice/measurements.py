"""What to measure before deciding: figures too near to a limit, and figures that are missing.

An interval shrinks with the root of what it rests on: to move its near end from across the limit to
the limit itself takes n · (distance from the value to that end / distance to the limit)². Where
that is more than MOST times what was measured, more of it is no answer.
"""

from __future__ import annotations

import math
import shlex
from collections.abc import Collection, Iterator, Mapping

from assay import stats
from assay.types import Estimate
from assay.types.decisions import (
    OS_SUITE,
    Acceptance,
    Concern,
    DecisionFact,
    Measurements,
    Recommendation,
    SuiteLimit,
    fact,
)

MOST = 50
CONCERNS: dict[str, Concern] = {"perplexity": "perplexity", "speed": "speed"}


def on_marginal(
    measured: Measurements, acceptance: Acceptance, asked: Mapping[str, SuiteLimit]
) -> Iterator[Recommendation]:
    """One for every criterion whose interval includes its limit."""
    for key, criterion in acceptance.criteria.items():
        of = _estimate(measured, key, asked)
        if criterion.marginal and of is not None and of.value is not None:
            limit = criterion.limit or 0.0
            what = f"suite:{asked[key].name}" if key in asked else key
            figure = fact("criterion_level", criterion=key, value=of, limit=limit)
            advice = _measure_more(what, of, limit)
            yield Recommendation(CONCERNS.get(key, "domain"), advice, (figure,))


def _measure_more(what: str, of: Estimate, limit: float) -> DecisionFact:
    if what == "speed":
        return fact("measure_speed_again", what=what)
    if of.value is None or of.low is None or of.high is None or of.value == limit:
        return fact("undecidable", what=what)
    reach = of.value - of.low if of.value > limit else of.high - of.value
    times = (reach / (of.value - limit)) ** 2
    if times > MOST:
        return fact("undecidable", what=what)
    if what == "perplexity":
        return fact("longer_text", what=what, times=math.ceil(times))
    return fact("more_tests", what=what, tests=math.ceil(times * of.n), n=of.n)


def _estimate(measured: Measurements, key: str, asked: Mapping[str, SuiteLimit]) -> Estimate | None:
    if key == "perplexity":
        return measured.text.perplexity if measured.text else None
    if key == "speed":
        return measured.speed.tokens_per_s if measured.speed else None
    if key not in asked or asked[key].name not in measured.suites:
        return None
    shares = measured.suites[asked[key].name].categories
    return stats.even_mean([shares.get(name) for name in asked[key].categories or tuple(shares)])


def on_missing(
    measured: Measurements, acceptance: Acceptance, asked: Mapping[str, SuiteLimit]
) -> Iterator[Recommendation]:
    """What the gate asks for and was not measured, and what is incomplete."""
    unknown = {key: each for key, each in acceptance.criteria.items() if each.passed is None}
    reasons = {key: fact("reasons", reasons=each.reasons) for key, each in unknown.items()}
    absent = [key for key, each in unknown.items() if each.value is None]
    if absent:
        commands = ", ".join(f"`{each}`" for each in _commands(measured, absent, asked))
        figures = tuple(reasons[key] for key in absent)
        yield Recommendation("missing", fact("measure_missing", commands=commands), figures)
    for key, each in unknown.items():
        if key not in absent:  # incomplete figures, failed requests, no size class
            advice = fact("complete", criterion=key, command=_run(measured, ""))
            if each.limit is None:
                advice = fact("one_limit_for_all_sizes")
            yield Recommendation("missing", advice, (reasons[key],))


def on_score(measured: Measurements) -> Iterator[Recommendation]:
    """Where the weighted score lacks a part that no criterion asks for."""
    if measured.mmlu_cs is None:
        why = measured.not_measured.get("mmlu_cs") or measured.not_measured.get("mmlu")
        figures = (fact("mmlu_missing"), *((fact("text", text=why),) if why else ()))
        advice = fact("fetch_mmlu", command=_run(measured, "-s mmlu"))
        yield Recommendation("missing", advice, figures)


def _commands(
    measured: Measurements, absent: Collection[str], asked: Mapping[str, SuiteLimit]
) -> list[str]:
    """One for what a run measures anyway, and one for each suite that it does not."""
    own = [key for key in absent if key in asked and asked[key].name != OS_SUITE]
    usual = [key for key in absent if key not in own]
    alone = usual[0] if len(usual) == 1 else ""
    option = {"perplexity": "--text FILE", "os_benchmark": f"-s {OS_SUITE}"}.get(alone, "")
    commands = [_run(measured, option)] if usual else []
    commands += [_run(measured, f"-s {shlex.quote(asked[key].name)}") for key in own]
    return list(dict.fromkeys(commands))


def _run(measured: Measurements, options: str) -> str:
    where = shlex.quote(measured.path or measured.name.replace("/", ":", 1))
    return f"assay run {where} {options}".rstrip()

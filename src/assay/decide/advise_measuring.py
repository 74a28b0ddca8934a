"""What to measure before deciding: figures too near to a limit, and figures that are not there.

In: a checkpoint, its criteria, what each suite is asked. Out: recommendations, with the command.

An interval shrinks with the root of what it rests on: to move its near end from across the limit to
the limit itself takes n · (distance from the value to that end / distance to the limit)². Where
that is more than MOST times what was measured, more of it is no answer.
"""

from __future__ import annotations

import math
import shlex
from collections.abc import Collection, Iterator, Mapping, Sequence

from assay import stats
from assay.decide import wording
from assay.messages import tr
from assay.types import Estimate
from assay.types.decisions import (
    OS_SUITE,
    Acceptance,
    Concern,
    Criterion,
    Measured,
    Recommendation,
    SuiteLimit,
)

MOST = 50


# ---------------------------------------------------------------------------------------- marginal


def on_marginal(
    measured: Measured, acceptance: Acceptance, asked: Mapping[str, SuiteLimit]
) -> list[Recommendation]:
    """One for every criterion whose interval lies across its limit."""
    found = []
    for key, criterion in acceptance.criteria.items():
        of = _estimate(measured, key, asked)
        if criterion.marginal and of is not None and of.value is not None:
            found.append(_marginal(key, criterion, of, asked))
    return found


def _marginal(
    key: str, criterion: Criterion, of: Estimate, asked: Mapping[str, SuiteLimit]
) -> Recommendation:
    what = _what(key, asked)
    figure = tr(
        "{criterion}: {value}; limit {limit}",
        criterion=key,
        value=wording.estimate(of),
        limit=wording.number(criterion.limit or 0.0),
    )
    if key == "speed":
        advice = tr(
            "{what} is too near to its limit to be sure: measure again while nothing else runs on "
            "this machine.",
            what=what,
        )
        return Recommendation(concern="speed", advice=advice, figures=(figure,))
    times = _times_more(of, criterion.limit or 0.0)
    concern: Concern = "perplexity" if key == "perplexity" else "domain"
    if times is None or times > MOST:
        advice = tr(
            "{what} is at its limit: no reasonable amount of testing would decide it. Take it as "
            "undecided, and decide by the other figures.",
            what=what,
        )
    elif key == "perplexity":
        advice = tr(
            "{what} is too near to its limit to be sure: a held-out text of about {times} times "
            "the length (`--text FILE`) would tell.",
            what=what,
            times=wording.roughly(math.ceil(times)),
        )
    else:
        advice = tr(
            "{what} is too near to its limit to be sure: about {tests} tests instead of {n} would "
            "tell; until then another seed (`--seed`) may turn the verdict.",
            what=what,
            tests=wording.roughly(math.ceil(times * of.n)),
            n=wording.count(of.n),
        )
    return Recommendation(concern=concern, advice=advice, figures=(figure,))


def _times_more(of: Estimate, limit: float) -> float | None:
    """How many times as much must be measured; None where the value is the limit."""
    if of.value is None or of.low is None or of.high is None:
        return None
    distance = abs(of.value - limit)
    reach = of.value - of.low if of.value > limit else of.high - of.value
    return (reach / distance) ** 2 if distance > 0 else None


def _estimate(measured: Measured, key: str, asked: Mapping[str, SuiteLimit]) -> Estimate | None:
    if key == "perplexity":
        return measured.text.perplexity if measured.text else None
    if key == "speed":
        return measured.speed.tokens_per_s if measured.speed else None
    if key not in asked or asked[key].name not in measured.suites:
        return None
    shares = measured.suites[asked[key].name].categories
    return stats.even_mean([shares.get(name) for name in asked[key].categories or tuple(shares)])


def _what(key: str, asked: Mapping[str, SuiteLimit]) -> str:
    if key == "perplexity":
        return tr("The perplexity")
    if key == "speed":
        return tr("The speed")
    return tr("The suite {suite}", suite=asked[key].name if key in asked else key)


# ----------------------------------------------------------------------------------------- missing


def on_missing(
    measured: Measured, acceptance: Acceptance, asked: Mapping[str, SuiteLimit]
) -> list[Recommendation]:
    """What the gate asks for and nobody knows, and what is incomplete."""
    found = []
    unknown = {key: each for key, each in acceptance.criteria.items() if each.passed is None}
    absent = {key: each for key, each in unknown.items() if each.value is None}
    if absent:
        found.append(
            _missing(
                tr(
                    "Measure what is missing before deciding: {commands}.",
                    commands=", ".join(f"`{each}`" for each in _commands(measured, absent, asked)),
                ),
                *(_reason(each) for each in absent.values()),
            )
        )
    found += [_missing(advice, figure) for advice, figure in _undecided(measured, unknown)]
    return found


def on_score(measured: Measured) -> list[Recommendation]:
    """Where the weighted score lacks a part that no criterion asks for."""
    if measured.mmlu_cs is not None:
        return []
    why = measured.not_measured.get("mmlu_cs") or measured.not_measured.get("mmlu", "")
    figure = tr("mmlu_cs not measured: a part with a weight of 0.2 adds 0")
    advice = tr(
        "The weighted score lacks mmlu_cs: `assay fetch mmlu`, then `{command}`.",
        command=_run(measured, "-s mmlu"),
    )
    return [_missing(advice, f"{figure} ({why})" if why else figure)]


def _undecided(measured: Measured, unknown: Mapping[str, Criterion]) -> Iterator[tuple[str, str]]:
    """Measured, and still unknown: incomplete figures, failed requests, no size class."""
    for key, each in unknown.items():
        if each.value is None:
            continue
        if each.limit is None:
            yield (
                tr("Give a gate one limit for all sizes: the size class is not known."),
                _reason(each),
            )
        elif key == "generation":
            yield (
                tr(
                    "Write the samples again that failed: `{command}`.",
                    command=_run(measured, ""),
                ),
                _reason(each),
            )
        else:
            yield (
                tr(
                    "Complete {criterion}: the same command asks again what could not be marked "
                    "(`{command}`).",
                    criterion=key,
                    command=_run(measured, ""),
                ),
                _reason(each),
            )


def on_failed(measured: Measured) -> Recommendation:
    """A checkpoint that could not be evaluated at all."""
    return _missing(
        tr(
            "Repair or write again {checkpoint}: it could not be evaluated, so nothing is known "
            "of it.",
            checkpoint=measured.name,
        ),
        measured.failed,
    )


def _commands(
    measured: Measured, absent: Collection[str], asked: Mapping[str, SuiteLimit]
) -> list[str]:
    """One for what a run measures anyway, and one for each suite that it does not."""
    own = [key for key in absent if key in asked and asked[key].name != OS_SUITE]
    usual = [key for key in absent if key not in own]
    commands = [_run(measured, _option(usual))] if usual else []
    commands += [_run(measured, f"-s {shlex.quote(asked[key].name)}") for key in own]
    return list(dict.fromkeys(commands))


def _option(missing: Sequence[str]) -> str:
    """What asks for one of them alone."""
    if len(missing) > 1:
        return ""
    return {"perplexity": "--text FILE", "os_benchmark": f"-s {OS_SUITE}"}.get(missing[0], "")


def _run(measured: Measured, options: str) -> str:
    where = shlex.quote(measured.path or measured.name)
    return f"assay run {where} {options}".rstrip()


def _reason(criterion: Criterion) -> str:
    return criterion.reason or tr("not measured")


def _missing(advice: str, *figures: str) -> Recommendation:
    return Recommendation(concern="missing", advice=advice, figures=figures)

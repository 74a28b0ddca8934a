"""Sentences that several reports of judged tests share."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from assay.messages import fill, joined, labelled, tr, trn
from assay.reports.judged.evaluation_text import confidence_name, isolation_sentence
from assay.reports.sentences import COUNTED_UNCHECKED
from assay.text import number_format as numbers
from assay.types import Estimate
from assay.types.judging.judged import (
    DomainJudged,
    JudgeCost,
    Judged,
    ModelChoice,
    OverRuns,
    Remark,
    Rival,
    TestJudged,
)
from assay.types.judging.judgements import BANDS, MOST_UNREAD, Band, meaning_of, shown_tenths

EXPECTED = ("coding", "data")  # the closing sentence speaks of both, whatever was run
SHOWN_TESTS = 12
LEAST_SHOWN = 0.05  # seconds: a script takes none

FEW_TESTS = 2  # from so many on a model can be recommended


def domain_name(domain: str) -> str:
    return {"coding": tr("coding"), "data": tr("data analysis")}.get(domain, domain)


def closing_sentence(of: Judged) -> str:
    """One sentence: which model to use for coding, which for data, and why."""
    there = {choice.domain for choice in of.choices}
    missing = [domain_name(domain) for domain in EXPECTED if domain not in there]
    clauses = []
    for choice in of.choices:
        clauses.append(choice_clause(choice))
        if choice.left_out and choice.ground not in ("alone", "incomplete"):
            clauses.append(tr("not compared, because too many answers are unscored: {models}",
                              models=", ".join(choice.left_out)))  # fmt: skip
    clauses += [tr("{domain} was not judged", domain=domain) for domain in missing]
    doubtful = ", ".join(each.spec for each in of.judged_by if not each.qualified)
    rests = any(choice.chosen or choice.ground == "none_good_enough" for choice in of.choices)
    if doubtful and rests and any(test.judge_only_tenths is not None for test in _tests(of)):
        clauses.append(
            tr("this rests on a judge that is not qualified ({judges})", judges=doubtful)
        )
    said = joined(clauses)
    return f"{said[:1].upper()}{said[1:]}."


def scored_by_checks(of: Judged) -> str:
    """How many scores rest on checks alone, although a judge was asked; "" for none."""
    count = sum(
        each.by_checks and bool(each.judgements)
        for test in _tests(of)
        for each in test.final_judgements
    )
    told = tr("Answers without a judgement that could be read: {count}. Their score is the share "
              "of checks that pass, by weight, times 10.")  # fmt: skip
    return told.format(count=count) if count else ""


def _tests(of: Judged) -> Iterator[TestJudged]:
    return (test for model in of.models for test in model.tests)


def choice_sentence(of: ModelChoice) -> str:
    clause = choice_clause(of)
    return f"{clause[:1].upper()}{clause[1:]}."


def is_on_too_few(of: ModelChoice) -> bool:
    """Whether a model is chosen on fewer tests than recommend one."""
    return bool(of.chosen) and of.mean.n < FEW_TESTS


def too_few_clause(of: ModelChoice) -> str:
    return tr(
        "{model} scores {score} for {domain}, which is too few tests to recommend it",
        model=of.model, score=numbers.figure(of.mean), domain=domain_name(of.domain),
    )  # fmt: skip


def choice_clause(of: ModelChoice) -> str:
    """Which model to use in a domain and why, to stand within a sentence."""
    domain = domain_name(of.domain)
    if of.model is None:
        return tr("no answer for {domain} was scored", domain=domain)
    if is_on_too_few(of):
        return too_few_clause(of)
    ground: str = of.ground
    if ground == "alone" and of.left_out:
        ground = "alone of enough"
    elif ground == "incomplete" and of.compared:
        ground = "incomplete best"
    # Of one model nobody says "none of these" or "the best".
    if ground in ("none_good_enough", "not_shown") and is_only_one(of):
        ground = f"{ground} alone"
    if ground.startswith("none_good_enough") and of.band == "FAILED":
        ground = f"{ground}, failed"  # to check every answer would not help
    others = {"better": of.rivals, "quicker": of.equals}.get(ground, of.tied)
    shown = numbers.figure(of.mean)
    return {
        "alone": tr("use {model} for {domain} ({figure}), the only one to choose from"),
        "alone of enough": tr(
            "use {model} for {domain} ({figure}), the only one with enough scored answers"
        ),
        "better": tr("use {model} for {domain} ({figure}), ahead of {others}"),
        "quicker": tr(
            "use {model} for {domain} ({figure}): no significant difference from {others}, and it "
            "is quicker ({speeds})"
        ),
        "higher": tr(
            "use {model} for {domain} ({figure}), which has the highest mean, but no significant "
            "difference from {others}"
        ),
        "level": tr(
            "for {domain} there is no significant difference between {model} ({figure}) and "
            "{others}"
        ),
        "none_good_enough": tr(
            "use none of these models for {domain} without checking every answer: the best, "
            "{model}, has {figure}"
        ),
        "none_good_enough, failed": tr(
            "use none of these models for {domain}: the best, {model}, has {figure}"
        ),
        "none_good_enough alone": tr(
            "do not use {model} for {domain} without checking every answer: it has {figure}"
        ),
        "none_good_enough alone, failed": tr("do not use {model} for {domain}: it has {figure}"),
        "not_shown alone": tr(
            "do not use {model} for {domain} ({figure}): it passes less than half of its checks by "
            "weight (share {evidence})"
        ),
        "not_shown": tr(
            "use none of these models for {domain}: even the best, {model} ({figure}), passes less "
            "than half of its checks by weight (share {evidence})"
        ),
        "incomplete best": tr(
            "no model can be named for {domain}: the best mean, {model}'s ({figure}), is "
            "incomplete, and those with whole ones ({compared}) are not good enough"
        ),
        "incomplete": tr(
            "no model can be named for {domain}, because too many answers are unscored ({model}: "
            "{figure})"
        ),
    }[ground].format(
        model=of.model,
        domain=domain,
        figure=shown if of.band is None else f"{shown}, {of.band}",
        others=tr(" and ").join(_lead(rival) for rival in others),
        speeds=_speeds(of),
        compared=", ".join(of.compared),
        evidence=share_of_checks(of.evidence) if of.evidence else "",
    )


def is_only_one(of: ModelChoice) -> bool:
    """Whether no other model has an answer for this domain."""
    others = {*of.left_out, *of.compared, *of.not_shown, *(each.model for each in of.rivals)}
    return not others - {of.model}


def _speeds(of: ModelChoice) -> str:
    if of.ground != "quicker":
        return ""
    known = [pace for pace in (of.pace, *(rival.pace for rival in of.equals)) if pace is not None]
    first, *others = (numbers.figure(pace.tokens_per_s) for pace in known)
    return tr("{first} against {others}", first=first, others=", ".join(others))


def left_out(whole: Judged, of: ModelChoice) -> str:
    """Who is not compared or not recommended, and whose answers were not checked."""
    told = []
    if of.left_out:
        told.append(
            tr("Not compared for {domain}, because too many answers are unscored: {models}.")
        )
    if of.not_shown and of.ground != "not_shown":
        told.append(
            tr(
                "Not recommended for {domain}, because the checks that passed are less than half "
                "by weight: {weak}."
            )
        )
    lacking = {
        model.model: count
        for model in whole.models
        if (count := sum(_is_unchecked(t) for t in model.tests if t.domain == of.domain))
    }
    if lacking:
        told.append(
            tr(
                "Answers for {domain} that were not checked, 0 in the mean and not in the share of "
                "checks: {lacking}."
            )
        )
    return " ".join(told).format(
        domain=domain_name(of.domain),
        models=", ".join(of.left_out),
        weak=", ".join(of.not_shown),
        lacking=", ".join(f"{model} ({count})" for model, count in lacking.items()),
    )


def _is_unchecked(of: TestJudged) -> bool:
    return of.tenths is not None and of.band is None


def _lead(rival: Rival) -> str:
    if rival.lead.value is None:
        return tr("{model} (no test in common)", model=rival.model)
    gaps = {
        "model": rival.model,
        "lead": numbers.difference(rival.lead),
        "pairs": trn("{count} test", "{count} tests", rival.lead.n),
    }
    if rival.evidence_lead.n and rival.judge_lead.n:
        gaps["lead"] = tr(
            "{lead}, by evidence {evidence}, by the judge alone {judge}",
            lead=gaps["lead"],
            evidence=numbers.difference(rival.evidence_lead),
            judge=numbers.difference(rival.judge_lead),
        )
    if not rival.told_apart and rival.p_value is not None and _excludes_0(rival.lead):
        gaps["p"] = numbers.p_value(rival.p_value)
        return tr("{model} (difference {lead} on {pairs}, but p = {p} by the paired test)", **gaps)
    return tr("{model} (difference {lead} on {pairs})", **gaps)


def _excludes_0(difference: Estimate) -> bool:
    low, high = difference.low, difference.high
    return low is not None and high is not None and (low > 0 or high < 0)


def overall(of: TestJudged) -> str:
    if of.tenths is None:
        return tr("unscored")
    if of.band is None:
        unread = [each for each in of.final_judgements if each.no_answer == "facts"]
        return labelled(tr("not checked"), unread[0].evidence.unread_told if unread else "")
    return f"{shown_tenths(of.tenths)} {of.band}"


def name_of_test(of: TestJudged) -> str:
    return of.test_id if of.name == of.test_id else f"{of.test_id} {of.name}".strip()


def bands(of: DomainJudged) -> str:
    counted = [f"{of.bands.get(name, 0)} {name}" for _, name in BANDS if of.bands.get(name, 0)]
    if lacking := of.mean.n - sum(of.bands.values()):
        counted.append(tr("{count} not checked (0)", count=lacking))
    tests = trn("{count} test in the mean", "{count} tests in the mean", of.mean.n)
    return labelled(tests, " · ".join(counted)) if counted else tests


def band_meanings(found: Iterable[Band | None]) -> Iterator[str]:
    """What each band that occurs means, the best first."""
    there = set(found)
    return (labelled(name, meaning_of(name)) for _, name in BANDS if name in there)


def share_of_checks(evidence: Estimate) -> str:
    """Its figure. A test that it lacks was not checked, and may have its points all the same."""
    shown, lacking = numbers.figure(replace(evidence, unscored=0)), evidence.unscored
    told = fill(COUNTED_UNCHECKED, {"count": lacking, "number": numbers.count(lacking)})
    return f"{shown}, {told}" if lacking else shown


def evidence_sentence(of: DomainJudged) -> str:
    if not of.evidence_total and not of.bounded:
        return tr("Nothing was run or computed: the scores are the judge's alone.")
    if of.evidence_total:
        told = tr(
            "Evidence: {figure} of the checks passed, the mean of the tests and each check by its "
            "weight; by number alone it is {passed} of {total}.",
            passed=numbers.count(of.evidence_passed),
            total=numbers.count(of.evidence_total),
            figure=share_of_checks(of.evidence),
        )
    else:
        told = tr("Facts that could be checked were not read, so that no criterion is above "
                  "{most} there.", most=MOST_UNREAD)  # fmt: skip
    if of.judge_only.value is None or not of.bounded:
        return told
    return tr(
        "{told} It moved scores in {tests}; the judge alone would give {alone}.",
        told=told,
        tests=ids(of.bounded),
        alone=numbers.figure(of.judge_only),
    )


def cost(of: JudgeCost) -> str:
    told = tr("Requests to {judge}: {count}", judge=of.judge, count=of.requests)
    parts = {
        tr("{count} tokens read", count=numbers.count(of.prompt_tokens)): of.prompt_tokens,
        tr("{count} tokens written", count=numbers.count(of.output_tokens)): of.output_tokens,
        tr("{time} of waiting", time=numbers.duration(of.seconds)): of.seconds,
    }
    return f"{', '.join([told, *(part for part, known in parts.items() if known >= LEAST_SHOWN)])}."


def certainty(of: DomainJudged) -> Iterator[str]:
    if of.confidence is not None:
        counted = ", ".join(
            f"{confidence_name(level)} {count}" for level, count in of.confidences.items()
        )
        level = confidence_name(of.confidence)
        yield tr("Confidence {level} (single tests: {counted}).", level=level, counted=counted)
    for why, count in of.reasons.items():
        yield trn("{why} ({count} test)", "{why} ({count} tests)", count, why=why)
    if of.mean.incomplete:
        yield tr(
            "{unscored} of {total} tests could not be scored: the mean is incomplete.",
            unscored=numbers.count(of.mean.unscored),
            total=numbers.count(of.mean.n + of.mean.unscored),
        )


def over_runs(of: OverRuns) -> Iterator[str]:
    if of.change.value is None:
        yield tr("This run and the one before share no scored test.")
        return
    gaps = {
        "change": numbers.difference(of.change),
        "pairs": trn("{count} test", "{count} tests", of.change.n),
    }
    said = tr("better") if of.change.value > 0 else tr("worse")
    if not of.told_apart:
        said = tr("no significant change")
        if of.p_value is not None and _excludes_0(of.change):
            said = tr("but p = {p} by the paired test: no significant change",
                      p=numbers.p_value(of.p_value))  # fmt: skip
    yield tr("Since the run before: {change} on {pairs}, {said}.", said=said, **gaps)
    if not of.same_judges:
        yield tr("The judges of the two runs are not the same: the change may be theirs.")


def isolation(of: Judged) -> Iterator[str]:
    yield from (isolation_sentence(how) for how in of.isolation)
    for why, tests in of.not_run.items():
        yield tr("Not run for {tests}: {why}", tests=ids(tests), why=why)


def ids(tests: Sequence[str]) -> str:
    more = tr(", … (+{count})", count=len(tests) - SHOWN_TESTS) if len(tests) > SHOWN_TESTS else ""
    return ", ".join(tests[:SHOWN_TESTS]) + more


def by_reason(remarks: Sequence[Remark]) -> Iterator[tuple[str, str]]:
    """Each reason once, with the tests it is said of."""
    together: dict[str, list[str]] = {}
    for each in remarks:
        together.setdefault(each.text, []).append(each.test_id)
    yield from ((text, ids(tests)) for text, tests in together.items())

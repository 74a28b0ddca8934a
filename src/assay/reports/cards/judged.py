"""The card of judged tests: which model to use for what, how far the tests tell, and by whom."""

from collections.abc import Iterator

from assay.messages import joined, labelled, tr, trn
from assay.reports.cards.scores import cause_sentences, scored_suites
from assay.reports.judged import sentences as said
from assay.reports.sentences import short_names
from assay.text import number_format as numbers
from assay.text.safe_text import one_line
from assay.types.documents import Card, Line, Tone, make_card, one_sentence
from assay.types.judging.judged import Judged, ModelChoice
from assay.types.judging.judgements import BANDS
from assay.types.results import Report

LEAST = next(least for least, band in BANDS if band == "ACCEPTABLE")  # tenths of a point
SHOWN_TESTS = 6


def judged_card(report: Report, next: Line = "") -> Card:
    judged = report.judged
    assert judged is not None
    said = [*map(_clause, judged.choices)] or [tr("no judged answer was scored")]
    return make_card(
        one_line(one_sentence(said, [each.model for each in judged.models])),
        tone=_tone(judged),
        reasons=_reasons(report, judged),
        caveats=_caveats(report, judged),
        next=next,
    )


def _clause(of: ModelChoice) -> str:
    """Which one, and no figure beside it: those are reasons."""
    gaps = {"model": of.model, "domain": said.domain_name(of.domain),
            "others": ", ".join(each.model for each in of.tied),
            "score": numbers.figure(of.mean)}  # fmt: skip
    if of.model is None:
        return tr("no answer for {domain} was scored", **gaps)
    if said.is_on_too_few(of):
        return said.too_few_clause(of)
    match of.ground:
        case "alone" | "better":
            return tr("use {model} for {domain}", **gaps)
        case "quicker" | "higher":
            return tr("use {model} for {domain}; no significant difference from {others}", **gaps)
        case "level":
            return tr("{model} shows no significant difference from {others} for {domain}", **gaps)
        case "incomplete":
            return tr("undecided for {domain}: too many answers are unscored", **gaps)
        case _ if of.tied:
            return tr("use none for {domain}", **gaps)
        case _:
            return tr("use none for {domain}: {model} comes closest", **gaps)


def _tone(of: Judged) -> Tone:
    grounds = {each.ground for each in of.choices}
    if grounds & {"none_good_enough", "not_shown", "nothing"} or not grounds:
        return "bad"
    few = any(map(said.is_on_too_few, of.choices))
    return "warning" if few or grounds - {"alone", "better"} else "good"


def _reasons(report: Report, judged: Judged) -> Iterator[str]:
    names = short_names(report)
    for choice in judged.choices:
        if choice.model is not None:
            yield _figures(choice)
    yield from cause_sentences(report.models, names)
    for choice in judged.choices:
        if choice.evidence is not None and choice.evidence.value is not None:
            share, domain = said.share_of_checks(choice.evidence), said.domain_name(choice.domain)
            if choice.evidence.incomplete:  # what is missing stands behind the figure
                yield tr("Checks that {model} passes for {domain}, by weight; recommended from "
                         "0.5: {share}.", model=choice.model, share=share,
                         domain=domain)  # fmt: skip
            else:
                yield tr("{model} passes {share} of its checks for {domain} by weight; recommended "
                         "from 0.5.", model=choice.model, share=share, domain=domain)  # fmt: skip


def _figures(of: ModelChoice) -> str:
    """The mean of the best, with its band, and its lead over each other one."""
    mean = numbers.figure(of.mean)
    best = f"{of.model} {mean}" if of.band is None else f"{of.model} {mean}, {of.band}"
    leads = [
        tr("{lead} against {model}", lead=numbers.difference(rival.lead), model=rival.model)
        for rival in of.rivals
        if rival.lead.value is not None
    ]
    least = tr("limit {least} of 10", least=numbers.fixed(LEAST / 10, 1))
    return labelled(said.domain_name(of.domain), joined([best, *leads[:2], least]))


def _caveats(report: Report, judged: Judged) -> Iterator[str]:
    doubtful = [each.spec for each in judged.judged_by if not each.qualified]
    rests = any(test.judge_only_tenths is not None
                for model in judged.models for test in model.tests)  # fmt: skip
    if doubtful and rests:
        yield tr("The judge is not qualified: {judges}.", judges=", ".join(doubtful))
    for choice in judged.choices:
        if note := said.left_out(judged, choice):
            yield note
    count = sum(bool(test.unscored) for model in judged.models for test in model.tests)
    if count:
        yield trn("{count} judged test has no score.", "{count} judged tests have no score.", count)
    if not judged.judges:
        yield tr("No judge was asked: the scores are the share of checks that pass.")
    for choice in judged.choices:
        if 1 < choice.mean.n < SHOWN_TESTS:
            yield tr("Only {n} tests for {domain}.", n=choice.mean.n,
                     domain=said.domain_name(choice.domain))  # fmt: skip
    missing = [each for each in said.EXPECTED if each not in {c.domain for c in judged.choices}]
    if missing:
        yield tr("Not judged: {domains}.", domains=", ".join(map(said.domain_name, missing)))
    others = [suite for suite in scored_suites(report) if suite not in judged_suites(judged)]
    if others:
        yield tr("Scored without a judge, in the table: {suites}.", suites=", ".join(others))
    yield from judged.notes
    yield from report.notes


def judged_suites(of: Judged) -> set[str]:
    return {test.suite for model in of.models for test in model.tests}

"""The judged tests of a run in its report."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict

from assay.messages import tr, trn
from assay.reports.json_values import JsonObject, pick, plain_value
from assay.reports.judged import sentences as said
from assay.reports.judged.evaluation_text import form_name
from assay.text import number_format as numbers
from assay.text.safe_text import one_line
from assay.types.documents import (
    Block,
    Document,
    Figures,
    Heading,
    Hint,
    Line,
    Note,
    Paragraph,
    Span,
    Table,
    Tone,
    bullets,
    sign,
    table,
)
from assay.types.judging.cards import CardMark, JudgeCard, JudgeCheck
from assay.types.judging.judged import (
    AgreementName,
    Inconsistency,
    Judged,
    RaterAgreement,
    ScoredAnswer,
    TestJudged,
)
from assay.types.judging.judgements import (
    Band,
    Deviation,
    JudgedBy,
    band_of,
    shown_percent,
    shown_tenths,
)

TONES: dict[Band, Tone] = {
    "EXCELLENT": "good",
    "GOOD": "good",
    "ACCEPTABLE": "warning",
    "POOR": "bad",
    "FAILED": "bad",
}
LONGEST_REASON = 200
HALF_A_POINT = 0.5  # of 100


def judged_blocks(of: Judged) -> Iterator[Block]:
    if not of.models:
        return
    yield Heading(tr("Judged tests"))
    if of.judges:
        yield Paragraph(tr("Judged by {judges}.", judges=", ".join(of.judges)), "dim")
        if unread := said.scored_by_checks(of):
            yield Note(unread)
    else:
        told = tr(
            "No judge was asked: a score is the share of checks that pass, by weight, times 10."
        )
        yield Paragraph(told, "dim")
    yield _table(of)
    legend = tr(
        "Overall of 10 and its band, and checks that hold of all that were run. “alone”: what the "
        "judge would give without them. From–to: by the lowest and highest scores given."
    )
    yield Paragraph(legend, "dim")
    yield bullets(said.band_meanings(test.band for model in of.models for test in model.tests))
    means = [
        (tr("{what}, {model}", what=said.domain_name(each.domain), model=model.model), each.mean)
        for model in of.models
        for each in model.domains
    ]
    yield Figures(tuple(means))
    yield bullets(_unscored(of))
    yield from judging_blocks(of, level=3)
    yield from (Note(told) for choice in of.choices if (told := said.left_out(of, choice)))
    yield from map(Note, of.notes)


def _table(of: Judged) -> Table:
    """Every test that any model was judged on, beside all models."""
    by_model = [{(test.suite, test.test_id): test for test in model.tests} for model in of.models]
    rows = []
    for key in dict.fromkeys(key for tests in by_model for key in tests):
        row = [tests.get(key) for tests in by_model]
        name = next(said.name_of_test(test) for test in row if test is not None)
        rows.append((name, *("–" if test is None else _cell(test) for test in row)))
    return table((tr("test"), *(model.model for model in of.models)), rows)


def _cell(test: TestJudged) -> Line:
    """7.2 GOOD, 9/12, and how far judgements differ or what the judge alone would give."""
    total, alone = test.evidence_total, test.judge_only_tenths
    more = []
    if test.low is not None and test.high is not None and test.low != test.high:
        more.append(f"{shown_tenths(test.low)}–{shown_tenths(test.high)}")
    if alone is not None and alone != test.tenths:
        more.append(tr("alone {overall}", overall=f"{shown_tenths(alone)} {band_of(alone)}"))
    return (
        Span(said.overall(test), TONES[test.band] if test.band else "warning"),
        f", {test.evidence_passed}/{total}{_by_weight(test)}" if total else "",
        *(Span(f" ({each})", "dim") for each in more),
    )


def _by_weight(test: TestJudged) -> str:
    """What the checks come to by their weights, where it is not what their number says."""
    plain = 100 * test.evidence_passed / test.evidence_total
    share = test.evidence_share
    if share is None or abs(100 * share - plain) < HALF_A_POINT:
        return ""
    return tr(" = {percent} % by weight", percent=shown_percent(share))


def _unscored(of: Judged) -> Iterator[str]:
    """A line for each reason: a judge that is down says the same of every test."""
    for model in of.models:
        remarks = [each for domain in model.domains for each in domain.unscored]
        for why, tests in said.by_reason(remarks):
            yield tr(
                "Unscored: {test}, {model}: {why}",
                test=tests,
                model=model.model,
                why=one_line(why, longest=LONGEST_REASON) or numbers.not_measured(),
            )


def judging_blocks(of: Judged, *, level: int) -> Iterator[Block]:
    """How far the judges can be trusted, what was run beside them, and what judging took."""
    yield from judges_blocks(of.judged_by, level=level)
    if of.deviations:
        yield Heading(tr("How far the judge is from known scores"), level)
        yield bullets(map(_deviation, of.deviations))
    if of.agreements:
        yield Heading(tr("How far judgements agree"), level)
    yield from agreement_blocks(of.agreements)
    if of.inconsistencies:
        yield Heading(tr("Nearly equal answers, distant scores"), level)
        yield bullets(map(_inconsistency, of.inconsistencies))
    versions = [
        tr("{rubric}, version {version}", rubric=name, version=version)
        for name, version in of.rubrics.items()
    ]
    if versions:
        yield Paragraph(tr("Rubrics: {rubrics}.", rubrics="; ".join(versions)), "dim")
    for sentence in (*said.isolation(of), *map(said.cost, of.costs)):
        yield Paragraph(sentence, "dim")


def _inconsistency(of: Inconsistency) -> str:
    return tr(
        "{test}: {first} and {second}, texts {alike} % alike",
        test=of.first.test_id,
        first=_scored_answer(of.first),
        second=_scored_answer(of.second),
        alike=numbers.fixed(100 * of.alike, 0),
    )


def _scored_answer(of: ScoredAnswer) -> str:
    gaps = {"overall": shown_tenths(of.tenths), "model": of.model, "run": of.run}
    if of.repeat:
        return tr("{overall} ({model}, run {run}, repeat {repeat})", repeat=of.repeat + 1, **gaps)
    return tr("{overall} ({model}, run {run})", **gaps)


def agreement_blocks(agreements: Sequence[RaterAgreement]) -> Iterator[Block]:
    for each in agreements:
        tone: Tone = "warning" if each.reliable is None else "good" if each.reliable else "bad"
        yield Paragraph(_agreement(each), tone)
        yield Figures(tuple((_label(name), figure) for name, figure in each.figures.items()))


def _deviation(of: Deviation) -> str:
    """On the rubric's own examples, whose scores are known, in points of 10."""
    return tr(
        "{judge} ({how}), {n} examples of {rubric}: mean distance {distance}, bias {kindness} "
        "(above 0: lenient), {within_one} within a point, {same_band} in the same band, rank "
        "correlation {rank}; {unscored} unscored.",
        how=form_name(of.form),
        distance=_around("", of.mean_absolute, *(of.mean_absolute_interval or ())),
        kindness=_around("+", of.bias, *(of.bias_interval or ())),
        rank=_around("", of.spearman),
        **asdict(of),
    )


def _around(sign: str, value: float | None, *limits: float) -> str:
    """The value, with its 95 % interval where it has one."""
    if value is None:
        return "–"
    value_shown, *shown = (numbers.fixed(one, 2, sign) for one in (value, *limits))
    if not shown:
        return value_shown
    return tr("{value} [{low} to {high}]", value=value_shown, low=shown[0], high=shown[1])


def _agreement(of: RaterAgreement) -> str:
    gaps = {
        "raters": tr(" and ").join(of.raters),
        "answers": trn("{count} answer", "{count} answers", of.answers),
        "how": tr("reliable") if of.reliable else tr("not reliable"),
    }
    if of.reliable is None:
        open_yet = tr("tentative") if of.tentative else tr("not shown to be reliable")
        gaps["how"] = open_yet if of.figures["alpha"].n else tr("without spread")
    match of.kind:
        case "repeats":
            return tr("{raters} read {answers} several times: its scores are {how}.", **gaps)
        case "judges":
            return tr("{raters} read {answers}: their scores are {how} together.", **gaps)
        case "imported":
            return tr("{raters} and imported scores of {answers}: {how} together.", **gaps)
        case "people":
            return tr("{raters} reviewed the same {answers}: {how} together.", **gaps)
        case "machine":
            return tr("{raters} and the machine on {answers}: {how} together.", **gaps)


def _label(name: AgreementName) -> str:
    return {
        "alpha": tr("ordinal alpha"),
        "icc": tr("intraclass correlation"),
        "kappa": tr("quadratic kappa"),
        "spearman": tr("rank correlation"),
        "exact": tr("equal scores"),
        "within_one": tr("at most a point apart"),
    }[name]


def card_blocks(card: JudgeCard) -> Iterator[Block]:
    yield Paragraph(card.sentence, "good" if card.qualified else "bad")
    heads = ("", "", tr("value"), tr("95 % interval"), "n", tr("unscored"), tr("limit"))
    yield table(heads, map(_cells, card.marks), right=(2, 3, 4, 5, 6))
    yield Paragraph(_asked_by(card), "dim")
    yield from map(Note, card.notes)


def judges_blocks(judges: Sequence[JudgedBy], *, level: int = 3) -> Iterator[Block]:
    """The cards of the judges of a run; what is not known of those without one."""
    if judges:
        yield Heading(tr("Can the judge be trusted?"), level)
    for judge in judges:
        if judge.card is not None:
            yield from card_blocks(judge.card)
        else:
            yield Note(
                tr(
                    "{judge} is not qualified: it was not checked. `assay judge --check {judge}` "
                    "does that.",
                    judge=judge.spec,
                )
            )


def check_document(check: JudgeCheck) -> Document:
    card, failed = check.card, check.failed
    blocks: list[Block] = [*card_blocks(card)]
    if failed:
        told = tr("Readings that failed: {count}. So the card is not kept.", count=failed)
        blocks.append(Note(told))
        blocks.append(Hint(tr("continue with: {command}", command=check.command)))
    else:
        blocks.append(Paragraph(tr("Card: {file}", file=check.file), "dim"))
    return Document(tr("Judge {judge}", judge=card.judge), tuple(blocks))


def check_json(check: JudgeCheck) -> JsonObject:
    headline = {"headline": check.card.sentence}
    return {**headline, **card_json(check.card), **pick(check, "file asked failed exit_code")}


def card_json(card: JudgeCard) -> JsonObject:
    """Each mark is an ESTIMATE with its limit."""
    marks = {
        mark.name: {**plain_value(mark.estimate), **pick(mark, "limit at_least passed")}
        for mark in card.marks
    }
    about = {"qualified": card.qualified, "reason": card.sentence}
    return {**plain_value(card), "marks": marks, **about}


def _cells(mark: CardMark) -> tuple[Line, ...]:
    estimate = mark.estimate
    low, high = estimate.low, estimate.high
    between = "–" if low is None or high is None else f"[{_bare(mark, low)}–{_bare(mark, high)}]"
    return (
        sign(mark.passed),
        mark.label,
        mark.shown(estimate.value),
        between,
        numbers.count(estimate.n),
        numbers.count(estimate.unscored),
        f"{'≥' if mark.at_least else '≤'} {_bare(mark, mark.limit)}",
    )


def _bare(mark: CardMark, value: float) -> str:
    """In the unit of the value beside it."""
    return numbers.fixed(*((100 * value, 1) if mark.name == "injection" else (value, 2)))


def _asked_by(card: JudgeCard) -> str:
    form = tr("likelihood form") if card.form == "likelihood" else tr("reasoned form")
    took = tr(", {duration} of the judge's time", duration=numbers.duration(card.seconds))
    return tr(
        "Asked in the {way}; checked on {date} with {count} requests{took}.",
        way=form,
        date=numbers.date(card.made),
        count=numbers.count(card.requests),
        took=took if card.seconds >= 1 else "",  # some models do not say how long an answer took
    )

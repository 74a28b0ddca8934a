"""Paired comparisons of runs: differences, intervals, significance, the tests that flipped."""

from collections import Counter
from collections.abc import Iterator

from assay.messages import labelled, tr, trn
from assay.reports.cards.comparison import (
    after_part_sentence,
    comparison_card,
    names_of_sides,
)
from assay.reports.sentences import outcome
from assay.text import number_format as numbers
from assay.types import documents
from assay.types.documents import Block, Document, Heading, Note, Paragraph, Row, Span, Tone, table
from assay.types.results import (
    Comparison,
    Flip,
    PairComparison,
    SuiteComparison,
)

SHOWN_FLIPS = 20  # on a terminal
SHOWN_IDS = 5
TONES: dict[str, Tone] = {"better": "good", "worse": "bad"}


def comparison_document(comparison: Comparison) -> Document:
    return Document(
        title=tr("Comparison"),
        blocks=tuple(_blocks(comparison)),
        card=comparison_card(comparison),
        scores=tuple(_scores(comparison)),
    )


def comparison_headline(comparison: Comparison) -> str:
    return comparison_card(comparison).decision


def _scores(comparison: Comparison) -> Iterator[Block]:
    """A line for each suite of each pair."""
    compared = [(pair, each) for pair in comparison.pairs for each in pair.suites]
    heads = ("", tr("first"), tr("second"), tr("difference, 95 % interval"), tr("pairs"), "p")
    rows = []
    for pair, each in compared:
        first, second = names_of_sides(pair)
        name = tr("{suite}: {second} against {first}", suite=each.suite, first=first, second=second)
        figures = map(numbers.value, (each.a, each.b))
        difference, pairs = numbers.difference(each.difference), numbers.count(each.difference.n)
        tone = TONES.get(each.verdict, "plain")
        p = numbers.p_value(each.adjusted_p)
        rows.append(Row((name, *figures, difference, pairs, p), tone=tone))
    yield table(heads, rows, right=range(1, 6), weights={5: 1}, one_line=True)


def _blocks(comparison: Comparison) -> Iterator[Block]:
    for pair in comparison.pairs:
        yield from _pair(pair)
    yield from map(Note, comparison.notes)


def _pair(pair: PairComparison) -> Iterator[Block]:
    first, second = names_of_sides(pair)
    yield Heading(tr("{second} against {first}", first=first, second=second))
    for name, side in ((tr("first"), pair.a), (tr("second"), pair.b)):
        yield Paragraph((labelled(name, ""), Span(side.model, "name"), f"  {side.run}"), "dim")
    for compared in pair.suites:
        yield Heading(compared.suite, 3)
        yield from compared_suite(compared, first, second)
    yield from map(Note, pair.notes)


def compared_suite(compared: SuiteComparison, first: str, second: str) -> Iterator[Block]:
    if compared.early is not None and compared.early.is_partial:
        yield Paragraph(after_part_sentence(compared, compared.early, first, second), "strong")
    else:
        yield Paragraph(finding(compared, first, second), TONES.get(compared.verdict, "strong"))
    yield _differences(compared)
    yield documents.bullets(_explanations(compared))
    if compared.flips:
        yield Paragraph(trn("{count} test flipped:", "{count} tests flipped:", len(compared.flips)))
        heads = ("", tr("test"), tr("category"), tr("first"), tr("second"))
        flips = map(_flip, compared.flips)
        yield table(heads, flips, weights={2: 1}, most_on_terminal=SHOWN_FLIPS)


def _differences(compared: SuiteComparison) -> documents.Table:
    parts = [(c.name, c.a, c.b, c.difference, c.p_value) for c in compared.categories]
    whole = (tr("points"), compared.a, compared.b, compared.difference, compared.p_value)
    heads = ("", tr("first"), tr("second"), tr("difference, 95 % interval"), tr("pairs"), "p")
    rows = (
        (
            name,
            numbers.value(a),
            numbers.value(b),
            numbers.difference(difference),
            numbers.count(difference.n),
            numbers.p_value(p),
        )
        for name, a, b, difference, p in [*parts, whole]
    )
    return table(heads, rows, right=range(1, 6), weights={5: 1})


def _flip(flip: Flip) -> Row:
    return Row(
        (
            "+" if flip.gained else "−",
            flip.id,
            flip.category,
            f"{outcome(flip.outcome_a, unread=flip.unread_a)} {numbers.score(flip.score_a)}",
            f"{outcome(flip.outcome_b, unread=flip.unread_b)} {numbers.score(flip.score_b)}",
        ),
        tone="good" if flip.gained else "bad",
    )


def finding(compared: SuiteComparison, first: str, second: str) -> str:
    gaps = _gaps(compared, first, second)
    return {
        "better": tr("{second} is better than {first} (p {p}).", **gaps),
        "worse": tr("{second} is worse than {first} (p {p}).", **gaps),
        "undecided": tr("No significant difference (p {p}).", **gaps),
        "nothing_in_common": tr("The two sides share no scored test."),
    }[compared.verdict]


def _gaps(compared: SuiteComparison, first: str, second: str) -> dict[str, str]:
    p = numbers.p_value(compared.adjusted_p)
    return {"first": first, "second": second, "p": p if p.startswith("<") else f"= {p}"}


def _explanations(compared: SuiteComparison) -> Iterator[str]:
    if compared.p_value is not None:
        yield _how_tested(compared)
    if compared.detectable is not None:
        yield tr(
            "A true difference of about {points:.0f} points is found four times in five (n = {n}).",
            points=compared.detectable,
            n=compared.difference.n,
        )
    yield from _left_out(compared)


def _how_tested(compared: SuiteComparison) -> str:
    return trn(
        "{method} over {count} pair: {gained} higher, {lost} lower; p {p}, {adjusted} after "
        "Holm's correction.",
        "{method} over {count} pairs: {gained} higher, {lost} lower; p {p}, {adjusted} after "
        "Holm's correction.",
        compared.difference.n,
        method={
            "mcnemar": tr("Exact McNemar"),
            "stratified mcnemar": tr("McNemar by category"),
            "paired bootstrap": tr("Paired bootstrap"),
        }.get(compared.method, compared.method),
        gained=numbers.count(compared.gained),
        lost=numbers.count(compared.lost),
        p=numbers.p_value(compared.p_value),
        adjusted=numbers.p_value(compared.adjusted_p),
    )


def _left_out(compared: SuiteComparison) -> Iterator[str]:
    why = {
        "only_in_first": tr("only in the first"),
        "only_in_second": tr("only in the second"),
        "changed": tr("changed between the two"),
        "unscored": tr("not scored on one side"),
    }
    for reason, count in Counter(test.reason for test in compared.left_out).items():
        ids = [test.id for test in compared.left_out if test.reason == reason]
        shown = ", ".join(ids[:SHOWN_IDS]) + (", …" if count > SHOWN_IDS else "")
        yield trn(
            "Left out: {count} test {why} ({ids}).",
            "Left out: {count} tests {why} ({ids}).",
            count,
            why=why[reason],
            ids=shown,
        )

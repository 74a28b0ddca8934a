"""What wording and order of the options change: the score in each draw, the spread, and whether the
order of the models survives.
"""

from collections.abc import Iterator, Mapping, Sequence

from assay.messages import labelled, tr, trn
from assay.text import number_format as numbers
from assay.text.safe_text import one_line
from assay.types.documents import Block, Heading, Paragraph, table
from assay.types.results import DrawnOrder, DrawnScores, Report

LONGEST = 48  # characters of a template
SHOWN = 3  # changes of one kind

Drawn = Sequence[tuple[str, DrawnScores]]


def drawn_blocks(report: Report, names: Mapping[str, str]) -> Iterator[Block]:
    """Of each suite whose tests are asked in several wordings or orders."""
    suites: dict[str, list[tuple[str, DrawnScores]]] = {}
    for model in report.models:
        for suite in model.suites:
            if suite.draws is not None:
                suites.setdefault(suite.suite, []).append((names[model.spec], suite.draws))
    orders = {order.suite: order for order in report.drawn_orders}
    shown = {model.name: names[model.spec] for model in report.models}
    for suite_name, drawn in suites.items():
        yield Heading(tr("Wording and order of {suite}", suite=suite_name), 3)
        yield _by_draw(drawn)
        if any(len(each) > 1 for _, draws in drawn for each in draws.wordings.values()):
            yield _by_wording(drawn)
        order = orders.get(suite_name)
        if order and set(order.models) <= set(shown):  # all of them are on this page
            yield from (Paragraph(said) for said in _order(order, shown))


def _by_draw(drawn: Drawn) -> Block:
    many = max(len(draws.scores) for _, draws in drawn)
    heads = ("", *(tr("draw {number}", number=number + 1) for number in range(many)),
             tr("spread over draws, 95 % interval"))  # fmt: skip
    rows = [
        (
            name,
            *map(numbers.value, draws.scores),
            numbers.figure(draws.spread),
        )
        for name, draws in drawn
    ]
    return table(heads, rows, right=range(1, many + 2))


def _by_wording(drawn: Drawn) -> Block:
    every = {
        (category, wording): None
        for _, draws in drawn
        for category, of in draws.wordings.items()
        for wording in of
    }
    heads = (tr("category"), tr("wording"), *(name for name, _ in drawn))
    rows = []
    for category, wording in every:
        found = [draws.wordings.get(category, {}).get(wording) for _, draws in drawn]
        figures = ("" if each is None else numbers.figure(each) for each in found)
        rows.append((category, _short(wording), *figures))
    return table(heads, rows, right=range(2, len(drawn) + 2))


def _order(order: DrawnOrder, names: Mapping[str, str]) -> Iterator[str]:
    if order.same == order.draws:
        yield trn("The order of the models is the same in all {count} draw.",
                  "The order of the models is the same in all {count} draws.",
                  order.draws)  # fmt: skip
    else:
        yield tr("The order of the models is that of the mean in {same} of {draws} draws.",
                 same=order.same, draws=order.draws)  # fmt: skip
    for draw, better, worse in order.draw_changes[:SHOWN]:
        yield tr("In draw {draw}, {better} scores more than {worse}; over all draws less.",
                 draw=draw, better=names[better], worse=names[worse])  # fmt: skip
    for category, wording, better, worse in order.wording_changes[:SHOWN]:
        said = tr("Asked so, {better} scores more than {worse}; over all draws less.",
                  better=names[better], worse=names[worse])  # fmt: skip
        yield labelled(f"{category}, “{_short(wording)}”", said)


def _short(wording: str) -> str:
    line = one_line(wording)
    return line if len(line) <= LONGEST else f"{line[: LONGEST - 1]}…"

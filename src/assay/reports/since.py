"""What changed since another run: the decision then, and each suite with its difference."""

from collections.abc import Iterator

from assay.messages import labelled, tr
from assay.reports.cards.comparison import names_of_sides
from assay.text import number_format as numbers
from assay.types.documents import Block, Bullets, Heading, Paragraph
from assay.types.results import PairComparison, Report, SuiteComparison

SHOWN = 8  # differences
SHOWN_TESTS = 4


def since_blocks(report: Report) -> Iterator[Block]:
    since = report.since
    if since is None:
        return
    yield Heading(tr("Changed since {run}", run=since.run))
    yield Paragraph(tr("The decision then: {decision}", decision=since.decision))
    said = [_difference(pair, each) for pair in since.pairs for each in pair.suites]
    said += since.notes
    more = len(said) - SHOWN
    if more > 0:
        said[SHOWN:] = [tr("… and {count} more differences", count=more)]
    yield Bullets(tuple(said))
    if not since.pairs:
        yield Paragraph(tr("The two runs have no scored model in common."))


def _difference(pair: PairComparison, of: SuiteComparison) -> str:
    found = {
        "better": tr("better"),
        "worse": tr("worse"),
        "undecided": tr("no significant difference"),
        "nothing_in_common": tr("no scored test in common"),
    }[of.verdict]
    _, name = names_of_sides(pair) if pair.a.model != pair.b.model else ("", pair.b.name)
    figure = tr("{difference} points on {n} tests, {found}",
                difference=numbers.difference(of.difference),
                n=numbers.count(of.difference.n), found=found)  # fmt: skip
    told = labelled(tr("{model}, {suite}", model=name or pair.b.model, suite=of.suite), figure)
    lost = [flip.id for flip in of.flips if not flip.gained]
    gained = [flip.id for flip in of.flips if flip.gained]
    for title, ids in ((tr("now wrong"), lost), (tr("now right"), gained)):
        if ids:
            shown = ", ".join(ids[:SHOWN_TESTS])
            if len(ids) > SHOWN_TESTS:
                shown = tr("{names} and {count} more", names=shown, count=len(ids) - SHOWN_TESTS)
            told += "; " + labelled(title, shown)
    return told

"""A run as a comment on a pull request: the card, the scores and what changed, under 60 lines."""

from dataclasses import replace

from assay.messages import tr
from assay.plugins import report_format
from assay.reports.formats.markdown import render_markdown
from assay.reports.run_report import run_document
from assay.reports.since import since_blocks
from assay.types.documents import Block, Heading, Paragraph, RunLine, Span, Table
from assay.types.results import Report

MOST_ROWS = 12  # of a table
MOST_TABLES = 2


@report_format("pr-comment")
def write_pr_comment(report: Report) -> str:
    document = run_document(report)
    assert document.card is not None
    changes = [
        replace(each, level=3) if isinstance(each, Heading) else each
        for each in since_blocks(report)
    ]
    tables = [each for each in document.scores if isinstance(each, Table)]
    lines = [Paragraph(each.text, "dim") for each in document.scores if isinstance(each, RunLine)]
    blocks: list[Block] = [document.card, *changes]
    blocks += map(_shortened, tables[:MOST_TABLES])
    if report.command:
        blocks.append(Paragraph((tr("Reproduce: "), Span(report.command, "code")), "dim"))
    text = render_markdown([*blocks, *lines])
    return text.replace("# ", "### ", 1)  # a comment has no title of a page


def _shortened(table: Table) -> Table:
    return replace(table, rows=table.rows[:MOST_ROWS])

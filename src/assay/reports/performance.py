"""performance.md: the quantitative side of a run, there without a judge too.

In: a Report. Out: Markdown. Refuses to know: scores; a figure no model gave is "not measured".
"""

from __future__ import annotations

from assay.messages import tr
from assay.reports import sentences
from assay.reports.markdown import figures
from assay.reports.safe_text import markdown_inline as inline
from assay.results import Report


def performance(report: Report) -> str:
    """Requests answered and failed, seconds and tokens, model by model."""
    blocks = [
        f"# {inline(tr('Performance of run {run}', run=report.run))}",
        inline(sentences.state(report)),
    ]
    for model in report.models:
        blocks += [
            f"## {inline(model.spec)}",
            inline(sentences.answered(model.performance)),
            figures(sentences.performance(model.performance)),
        ]
    blocks.append(
        inline(
            tr(
                "Seconds are those of the whole request as the client saw it. Tokens are as the "
                "model counted them; “unscored” counts answers that did not say."
            )
        )
    )
    return "\n\n".join(blocks) + "\n"

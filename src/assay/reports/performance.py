"""performance.md: the quantitative side of a run, there without a judge too.

In: a Report. Out: Markdown: the machine; model by model what it is, how quick and how it ended; and
every try in figures.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator

from assay.messages import tr, trn
from assay.reports import quantities, sentences, surroundings
from assay.reports.markdown import bullets, facts, figures, joined, table
from assay.text import number_format as numbers
from assay.text.safe_text import markdown_code
from assay.text.safe_text import markdown_inline as inline
from assay.types.results import ModelReport, Report, TryFigures

SHOWN_TRIES = 2000  # rows a browser still shows at once; the export has them all
LONGEST_FINISH = 40


def performance(report: Report) -> str:
    """Requests answered and failed, seconds and tokens, model by model and try by try."""
    return joined(_blocks(report))


def _blocks(report: Report) -> Iterator[str | None]:
    yield f"# {inline(tr('Performance of run {run}', run=report.run))}"
    yield inline(sentences.state(report))
    yield bullets(report.notes)
    if report.machine is not None:
        yield f"## {tr('Machine')}"
        yield facts(surroundings.machine(report.machine))
        yield inline(surroundings.elsewhere())
    for model in report.models:
        yield from _model(report, model)
    yield inline(
        tr(
            "Seconds are those of the whole request as the client saw it; loading, waiting, "
            "prefill and decoding are as the server told. Tokens are as the model counted them; "
            "“unscored” counts answers that did not say."
        )
    )


def _model(report: Report, model: ModelReport) -> Iterator[str | None]:
    measured = model.performance
    seen = () if model.observed is None else surroundings.observed(model.observed)
    yield f"## {inline(model.spec)}"
    yield facts([*model.about.items(), *seen])
    yield bullets(sentences.speed_notes(model))
    yield inline(quantities.answered(measured))
    yield figures(quantities.figures(measured))
    yield bullets(quantities.notes(measured))
    if model.tries:
        yield f"### {tr('Every try')}"
        yield _tries(model.tries[:SHOWN_TRIES])
        yield _rest(report.run, len(model.tries) - SHOWN_TRIES)


def _tries(tries: tuple[TryFigures, ...]) -> str:
    heads = (
        tr("suite"), tr("test"), tr("try"), tr("seconds"), tr("first token, s"), tr("load, s"),
        tr("wait, s"), tr("prefill, tokens/s"), tr("decode, tokens/s"), tr("tokens in"),
        tr("tokens out"), tr("cold or warm"), tr("finish"), tr("attempts"), tr("failure"),
    )  # fmt: skip
    return table(heads, map(_try, tries), right=(*range(2, 11), 13))


def _try(row: TryFigures) -> tuple[str, ...]:
    prefill = numbers.raw(row.prefill_tokens_per_s, "tokens/s")
    return (
        inline(row.suite),
        inline(row.test),
        numbers.count(row.repeat + 1),
        numbers.raw(row.seconds, "s"),
        numbers.raw(row.first_token_s, "s"),
        numbers.raw(row.load_s, "s"),
        numbers.raw(row.queue_s, "s"),
        f"≤ {prefill}" if row.prefill_at_most else prefill,
        numbers.raw(row.decode_tokens_per_s, "tokens/s"),
        numbers.raw(row.prompt_tokens, "tokens"),
        numbers.raw(row.output_tokens, "tokens"),
        quantities.cold_or_warm(row.cold),
        inline(row.finish, longest=LONGEST_FINISH) or "–",
        numbers.count(row.attempts),
        "–" if row.failure is None else quantities.cause(row.failure),
    )


def _rest(run: str, left: int) -> str | None:
    if left <= 0:
        return None
    command = markdown_code(f"assay export {shlex.quote(run)} --format csv")
    return trn(
        "{count} more try is not shown here; {command} has every one.",
        "{count} more tries are not shown here; {command} has every one.",
        left,
        command=command,
    )

"""The checkpoints of a model folder as a table; the least important columns go first."""

from collections.abc import Mapping, Sequence
from typing import Any

from assay.messages import tr, trn
from assay.reports.checkpoints import figures as known
from assay.reports.checkpoints.figures import EvaluatedFolder, figures
from assay.reports.pictures.canvas import harmless
from assay.text import number_format as numbers
from assay.types import Estimate, TokenizerFigures
from assay.types.decisions import Measurements, SpeedFigures, SuiteSignal
from assay.types.documents import (
    Fold,
    Line,
    Paragraph,
    Row,
    Table,
    Tone,
    table,
)
from assay.types.measures import FigureColumn, every_measure
from assay.types.requests import is_busy

LONGEST_NAME = 120
FigureRow = dict[str, Estimate | None]


def checkpoint_table(of: EvaluatedFolder) -> Table:
    rows = [figures(of, checkpoint) for checkpoint in of.checkpoints]
    columns = [each for each in _columns(of, rows) if any(row.get(each.figure) for row in rows)]
    parent = known.parent_of(of.checkpoints)
    return table(
        (tr("checkpoint"), tr("accepted"), *(harmless(each.head) for each in columns)),
        (
            _row(of, checkpoint, parent, [_cell(row.get(each.figure)) for each in columns])
            for checkpoint, row in zip(of.checkpoints, rows, strict=True)
        ),
        right=range(2, len(columns) + 2),
        weights={place: each.rank for place, each in enumerate(columns, 2)},
        one_line=True,
    )


def score_table(of: EvaluatedFolder) -> Table:
    heads: dict[str, str] = {f"weighted_score.{part}": part for part in _parts(of)}
    heads["weighted_score"] = tr("score")
    parent = known.parent_of(of.checkpoints)
    rows = (
        Row(
            (
                harmless(known.short_name(each, parent), longest=LONGEST_NAME),
                *(_cell(figures(of, each).get(name)) for name in heads),
            ),
            tone="strong" if each.name == of.selected else "plain",
        )
        for each in of.checkpoints
        if not each.failed
    )
    right = range(1, len(heads) + 1)
    return table((tr("checkpoint"), *heads.values()), rows, right=right)


def _parts(of: EvaluatedFolder) -> list[str]:
    return list(dict.fromkeys(part for score in of.weighted.values() for part in score.parts))


def signal_table(signals: Sequence[SuiteSignal]) -> Table:
    heads = (tr("suite"), tr("change"), tr("noise"), tr("bits per byte, first"), tr("last"))
    return table((*heads, tr("carries signal")), map(_signal_row, signals), right=(1, 2, 3, 4))


def _signal_row(of: SuiteSignal) -> Row:
    carries = tr("yes")
    if not of.carries:
        carries = tr("no: at chance throughout") if of.guesses else tr("no: within the noise")
    elif of.by_the_way:
        since, until = map(numbers.exact, of.by_the_way)
        carries = tr("yes: step {since} to {until}", since=since, until=until)
    noise = tr("{value} points", value=numbers.readable(of.noise))
    return Row((harmless(of.suite), _cell(of.change), noise, *map(_cell, of.bits), carries))


def _row(
    of: EvaluatedFolder, checkpoint: Measurements, parent: str | None, cells: list[Line]
) -> Row:
    name = harmless(known.short_name(checkpoint, parent), longest=LONGEST_NAME)
    selected = checkpoint.name == of.selected
    shown = tr("{name} (selected)", name=name) if selected else name
    tone: Tone = "strong" if selected else "dim" if checkpoint.failed else "plain"
    return Row((shown, known.accepted_words(of, checkpoint), *cells), tone=tone)


def _cell(figure: Estimate | None) -> Line:
    if figure is None:
        return "–"
    return numbers.cell(figure)


def tokenizer_block(figures: Sequence[TokenizerFigures]) -> Fold:
    heads = (tr("text"), tr("tokens per word"), tr("byte tokens"), tr("changed texts"))
    rows = (
        (
            f"{harmless(each.source)} ({harmless(each.language) or '?'})",
            *map(_cell, (each.tokens_per_word, each.byte_tokens, each.changed_texts)),
        )
        for each in figures
    )
    legend = tr("A byte token holds only a part of a character; a changed text is not the same "
                "after it was cut into tokens and put together.")  # fmt: skip
    for example in (each.example for each in figures if each.example):
        legend += " " + tr("Such a text: {text}", text=harmless(example))
        break
    title = tr("How the tokenizer cuts the texts of this run")
    return Fold(title, (Paragraph(legend, "dim"), table(heads, rows, right=(1, 2, 3))), long=True)


def timing_line(speed: SpeedFigures | None) -> str:
    """In what speed and memory were measured; "" where that was not stored."""
    details = speed.details if speed else {}
    machine, threads = details.get("machine"), details.get("threads")
    if not speed or not isinstance(machine, Mapping) or not isinstance(threads, int):
        return ""
    line = tr(
        "Speed: on the CPU in {dtype}, {cores} of {processor}, {system}, median of {runs}. Memory: "
        "16-bit weights and cache, activations in {dtype}. Both belong to a shape, not to a "
        "checkpoint.",
        dtype=harmless(str(details.get("dtype", "?"))),
        cores=trn("{count} core", "{count} cores", threads),
        processor=harmless(str(machine.get("processor", "?"))),
        system=harmless(str(machine.get("system", "?"))),
        runs=trn("{count} run", "{count} runs", len(speed.runs_per_s)),
    )
    return " ".join(filter(None, (line, _load_line(details))))


def _load_line(details: Mapping[str, Any]) -> str:
    """When it was, and what else the processor did; "" where that was not stored."""
    when, share = details.get("measured_at"), details.get("others_share")
    if not isinstance(when, str) or not isinstance(share, int | float):
        return ""
    gaps = {"when": harmless(when), "share": numbers.percent(share)}
    if not is_busy(details):
        return tr("Measured {when}; other programs took {share} of the computing time.", **gaps)
    return tr("Measured {when} on a busy machine: other programs took {share} of the computing "
              "time. A later run on a quiet machine measures it again.", **gaps)  # fmt: skip


def speed_details(checkpoints: Sequence[Measurements]) -> Table | None:
    """Latency and bandwidth, one row a shape; None where no speed was measured."""
    rows: dict[tuple[str, ...], None] = {}
    parent = known.parent_of(checkpoints)
    for each in checkpoints:
        if each.speed is not None:
            rows.setdefault((each.shape or each.name, *_speed_cells(each.speed)))
    if not rows:
        return None
    names: dict[str, list[str]] = {}
    for each in checkpoints:
        if each.speed is not None:
            name = harmless(known.short_name(each, parent), longest=LONGEST_NAME)
            names.setdefault(each.shape or each.name, []).append(name)
    heads = (
        tr("checkpoints"), tr("tokens/s"), tr("ms per token, median"), tr("95th percentile"),
        tr("first token, ms"), tr("prefill, tokens/s"), tr("memory, GB/s"), tr("share of it used"),
    )  # fmt: skip
    shown = ((", ".join(names[shape]), *cells) for shape, *cells in rows)
    return table(heads, shown, right=range(1, len(heads)))


def _speed_cells(speed: SpeedFigures) -> tuple[str, ...]:
    def told(name: str, times: float = 1.0) -> str:
        value = speed.details.get(name)
        return numbers.readable(value * times) if isinstance(value, int | float) else "–"

    share = speed.details.get("share_of_bandwidth")
    return (
        numbers.readable(speed.tokens_per_s.value or 0.0),
        told("latency_p50_s", 1e3),
        told("latency_p95_s", 1e3),
        told("first_token_s", 1e3),
        told("prefill_tokens_per_s"),
        told("memory_bytes_per_s", 1e-9),
        numbers.percent(share) if isinstance(share, int | float) else "–",
    )


def _columns(of: EvaluatedFolder, rows: Sequence[FigureRow]) -> list[FigureColumn]:
    """In the order of reading; the ranks say which go first."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    found = [each for measure in every_measure() for each in measure.columns(of.gate, names)]
    return sorted(found, key=lambda each: each.place)

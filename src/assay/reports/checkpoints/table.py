"""The checkpoints of a model folder as a table; the least important columns go first."""

from collections.abc import Iterator, Mapping, Sequence

from assay.messages import tr, trn
from assay.reports.checkpoints import figures as known
from assay.reports.checkpoints.figures import EvaluatedFolder, figures
from assay.reports.pictures.canvas import harmless
from assay.text import number_format as numbers
from assay.types import Estimate, TokenizerFigures
from assay.types.decisions import OS_SUITE, PARTS, Measurements, SpeedFigures, SuiteSignal
from assay.types.documents import (
    STAYS,
    Fold,
    Line,
    Paragraph,
    Row,
    Span,
    Table,
    Tone,
    table,
)

LONGEST_NAME = 120
LONGEST_HEAD = 16


_Column = tuple[str, str, int]  # its head, the name of its figure, and how long it stays
FigureRow = dict[str, Estimate | None]


def checkpoint_table(of: EvaluatedFolder) -> Table:
    rows = [figures(of, checkpoint) for checkpoint in of.checkpoints]
    columns = [each for each in _columns(of, rows) if any(row.get(each[1]) for row in rows)]
    parent = known.parent_of(of.checkpoints)
    return table(
        (tr("checkpoint"), tr("accepted"), *(head for head, _, _ in columns)),
        (
            _row(of, checkpoint, parent, [_cell(row.get(name)) for _, name, _ in columns])
            for checkpoint, row in zip(of.checkpoints, rows, strict=True)
        ),
        right=range(2, len(columns) + 2),
        weights={place: rank for place, (_, _, rank) in enumerate(columns, 2)},
    )


def score_table(of: EvaluatedFolder) -> Table:
    heads: dict[str, str] = {f"weighted_score.{part}": part for part in PARTS}
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


def signal_table(signals: Sequence[SuiteSignal]) -> Table:
    heads = (tr("suite"), tr("change"), tr("noise"), tr("bits per byte, first"), tr("last"))
    return table((*heads, tr("carries signal")), map(_signal_row, signals), right=(1, 2, 3, 4))


def _signal_row(of: SuiteSignal) -> Row:
    carries = tr("yes")
    if not of.carries:
        carries = tr("no: guesses at every step") if of.guesses else tr("no: within the noise")
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
    return numbers.value(figure), Span(f" {numbers.rests_on(figure)}", "basis")


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
    return tr(
        "Speed: on the CPU in {dtype}, {cores} of {processor}, {system}, median of {runs}. Memory: "
        "16-bit weights and cache, activations in {dtype}. Both belong to a shape, not to a "
        "checkpoint.",
        dtype=harmless(str(details.get("dtype", "?"))),
        cores=trn("{count} core", "{count} cores", threads),
        processor=harmless(str(machine.get("processor", "?"))),
        system=harmless(str(machine.get("system", "?"))),
        runs=trn("{count} run", "{count} runs", len(speed.runs_per_s)),
    )


def _columns(of: EvaluatedFolder, rows: Sequence[FigureRow]) -> Iterator[_Column]:
    """In the order of reading; the ranks say which go first."""
    yield tr("perplexity"), "perplexity", STAYS
    yield tr("top-1"), "accuracy_top1", 62
    yield tr("top-5"), "accuracy_top5", 60
    yield from _suites(of, rows)
    yield "mmlu_cs", "mmlu_cs", 70
    yield "hellaswag", "hellaswag", 58
    yield tr("tokens/s"), "inference_speed", 85
    yield tr("MB"), "memory_usage_mb", 75
    yield tr("failures"), "generation_failures", 80


def _suites(of: EvaluatedFolder, rows: Sequence[FigureRow]) -> Iterator[_Column]:
    """The mean of each suite of the gate, as its file names it, and the points of the others."""
    asked = known.suites_asked(of)
    for each in asked:
        yield (
            harmless(each.criterion, longest=LONGEST_HEAD),
            each.figure,
            STAYS if each is asked[0] else 90,
        )
    if all(each.limit.name != OS_SUITE for each in asked):
        yield "os_benchmark", known.OS_AVERAGE, 56
    known_already = {f"suite:{each.limit.name}.score" for each in asked}
    for name in dict.fromkeys(name for row in rows for name in row):
        if name.endswith(".score") and name not in known_already:
            suite = name.removeprefix("suite:").removesuffix(".score")
            head = harmless(suite, longest=LONGEST_HEAD)
            yield tr("{suite}, points", suite=head), name, 45

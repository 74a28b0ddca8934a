"""What a run decided: which checkpoint to ship and why, the figures of all, what to change next."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from assay.messages import labelled, tr, trn
from assay.reports.checkpoints.base_change import base_change_blocks
from assay.reports.checkpoints.facts import advice_texts, sentence, sentences
from assay.reports.checkpoints.figures import EvaluatedFolder, evaluated_folder, parent_of
from assay.reports.checkpoints.file_names import (
    CHECKPOINTS,
    CURVES,
    OVER_STEPS,
    REPORT_FILE,
    SELECTION_FILE,
)
from assay.reports.checkpoints.headlines import checkpoint_headline
from assay.reports.checkpoints.samples import samples_block
from assay.reports.checkpoints.table import (
    checkpoint_table,
    score_table,
    signal_table,
    speed_details,
    timing_line,
    tokenizer_block,
)
from assay.reports.pictures.steps import over_steps
from assay.text import number_format as numbers
from assay.types.decisions import (
    FAULT,
    Decision,
    Measurements,
    Recommendation,
    Selection,
    SuiteSignal,
    TrainingSpread,
)
from assay.types.documents import (
    Block,
    Bullets,
    Files,
    Fold,
    Heading,
    Item,
    Note,
    Paragraph,
    Picture,
    Span,
    Table,
    Tone,
    sign,
    table,
)
from assay.types.results import ModelReport, Report

SHOWN_ADVICE = 6
FEWEST_DRAWN = 2  # checkpoints; one alone is no curve
TONES: dict[bool | None, Tone] = {True: "good", False: "bad", None: "warning"}


def decision_blocks(report: Report, *, left_in: Collection[str] | None = None) -> Iterator[Block]:
    """Everything beside the card and the tables of `decision_tables`."""
    decision = report.decision
    if decision is None:
        return
    sections = _Sections(decision, report.finished is not None, left_in)
    alone = _shown_alone(report)
    if alone is not None:
        yield from sections.named(alone)
        return
    if report.finished is not None and decision.overall is not None:
        yield from sections.overall(decision.overall)
    for folder in decision.folders:
        yield from sections.folder(folder)
    inside = {name for names in decision.folders.values() for name in names}
    if named := [each for each in decision.measured if each.name not in inside]:
        yield from sections.named(named)


def _shown_alone(report: Report) -> list[Measurements] | None:
    """The checkpoints of this report, where its decision has others too; None: it has all."""
    here = {model.fingerprint for model in report.models}
    known = (
        [each for each in report.decision.measured if not each.failed] if report.decision else []
    )
    alone = [each for each in known if each.fingerprint in here]
    return alone if alone and len(alone) < len(known) else None


def decision_tables(report: Report) -> Iterator[Table]:
    """One line a checkpoint: of each folder, and of those that were named singly."""
    decision = report.decision
    if decision is None:
        return
    alone = _shown_alone(report)
    groups = list(decision.folders.items()) if alone is None else []
    inside = {name for names in decision.folders.values() for name in names}
    named = alone or [each for each in decision.measured if each.name not in inside]
    if named:
        groups.append(("", tuple(each.name for each in named)))
    for folder, names in groups:
        checkpoints = [each for each in decision.measured if each.name in names]
        if any(map(_has_figures, checkpoints)):
            of = EvaluatedFolder(checkpoints=checkpoints, gate=decision.gate)
            if decision.gate_decides and report.finished is not None:
                of = evaluated_folder(decision, names, _selection_of(decision, folder))
            yield checkpoint_table(of)


def _selection_of(decision: Decision, folder: str) -> Selection | None:
    """`folder` "": of those that were named singly."""
    return decision.selections.get(folder) if folder or decision.folders else decision.overall


def _has_figures(of: Measurements) -> bool:
    known = (of.text, of.speed, of.memory_mb, of.samples, of.figures or None)
    return any(each is not None for each in known)


def name_of(report: Report, model: ModelReport) -> str:
    measured = report.decision.measured if report.decision else ()
    names = {each.fingerprint: each.name for each in measured if each.fingerprint}
    return names.get(model.fingerprint, model.spec)


@dataclass(frozen=True)
class _Sections:
    decision: Decision
    finished: bool
    left_in: Collection[str] | None

    def overall(self, selection: Selection) -> Iterator[Block]:
        several = bool(self.decision.folders)
        yield Heading(tr("All model folders") if several else tr("Selection"))
        yield from _selected(selection)
        yield from self._not_covered(selection.selected)
        yield from _trainings(self.decision.trainings)
        yield from self._files([f"{CHECKPOINTS}/{SELECTION_FILE}"])

    def folder(self, folder: str) -> Iterator[Block]:
        decision = self.decision
        names = decision.folders[folder]
        checkpoints = [each for each in decision.measured if each.name in names]
        selection = decision.selections.get(folder)
        title = parent_of(checkpoints) or folder
        if selection is None or not self.finished:
            yield from self._undecided(checkpoints, title)
            return
        yield Heading(title)
        yield from _selected(selection)
        evaluated = evaluated_folder(decision, names, selection)
        focus = selection.selected or selection.best_so_far
        if selection.attempts is not None:
            yield Note(
                trn("The gate's hash is {hash}; {count} run was decided by it so far.",
                    "The gate's hash is {hash}; {count} runs were decided by it so far.",
                    selection.attempts, hash=decision.gate.digest)
            )  # fmt: skip
        if selection.max_by_formula:
            yield Note(
                tr("The specification's formula has its maximum at {name}.",
                   name=selection.max_by_formula)
            )  # fmt: skip
        yield from self._not_covered(focus)
        yield from _table(evaluated)
        yield from self._faults(names, focus)
        yield from _signal(decision.signals.get(folder, ()), checkpoints)
        yield from base_change_blocks(decision, names)
        home = f"{CHECKPOINTS}/{names[0].rpartition('/')[0]}"
        if sum(not each.failed for each in checkpoints) >= FEWEST_DRAWN:
            over = tr("{model}: perplexity, suites and weighted score over the steps", model=title)
            path = f"{home}/{OVER_STEPS}"
            yield Picture(title=over, draw=partial(over_steps, evaluated), path=path)
        if focus is not None:
            yield from self._details(focus, decision.advice.get(focus, ()))
        reports = _reports([each for each in checkpoints if each.name == focus])
        files = (f"{home}/{name}" for name in (SELECTION_FILE, OVER_STEPS, CURVES))
        yield from self._files([*reports, *files])
        yield from _samples(checkpoints, {focus})

    def named(self, checkpoints: Sequence[Measurements]) -> Iterator[Block]:
        decision = self.decision
        names = [each.name for each in checkpoints]
        title = names[0] if len(names) == 1 else tr("Checkpoints")
        decides = decision.gate_decides and (decision.selections or not decision.folders)
        if not decides or not self.finished:
            yield from self._undecided(checkpoints, title)
            return
        yield Heading(title)
        for each in checkpoints:
            text, passed = checkpoint_headline(each, decision.acceptances[each.name])
            yield Paragraph(Span(text, "strong"), TONES[passed])
        yield from _table(evaluated_folder(decision, names, _selection_of(decision, "")))
        for each in checkpoints:
            if not each.failed:
                yield from self._not_covered(each.name)
                yield from self._details(each.name, decision.advice.get(each.name, ()))
        yield from self._files(_reports(checkpoints))
        yield from _samples(checkpoints, names)

    def _undecided(self, checkpoints: Sequence[Measurements], title: str) -> Iterator[Block]:
        """Figures without a decision; nothing where a run of suites has nothing more to show."""
        shown = any(map(_has_figures, checkpoints))
        changed = any(self.decision.changes.get(each.name) for each in checkpoints)
        if not shown and not changed and not any(each.failed for each in checkpoints):
            return
        yield Heading(title)
        if shown:
            said = tr("The run is not finished: nothing is decided yet.")
            if self.finished:
                said = tr("No gate decided: name one with --gate, or leave out -s and --no-gate.")
            yield Paragraph(Span(said, "strong"), "warning")
        of = EvaluatedFolder(checkpoints=checkpoints, gate=self.decision.gate)
        yield from _table(of, shown=shown)
        yield from base_change_blocks(self.decision, [each.name for each in checkpoints])
        if self.finished:
            yield from self._files(_reports(checkpoints))
        if shown:
            yield from _samples(checkpoints, ())

    def _faults(self, names: Iterable[str], focus: str | None) -> Iterator[Block]:
        """Of those whose advice is not shown; what diverged is among the notes already."""
        for name in names:
            for each in self.decision.advice.get(name, ()) if name != focus else ():
                if each.concern == FAULT and not each.advice.kind.startswith("step_diverged"):
                    yield Paragraph(labelled(name, sentence(each.advice)), "warning")

    def _not_covered(self, name: str | None) -> Iterator[Block]:
        found = self.decision.not_covered.get(name or "", ())
        if found:
            yield Paragraph(tr("Caveats for {name}:", name=name), "warning")
            yield Bullets(tuple(Item(sentence(each)) for each in found))

    def _details(self, name: str, advice: Sequence[Recommendation]) -> Iterator[Block]:
        criteria = self.decision.acceptances[name].criteria
        if criteria:
            yield Heading(tr("{name} at {gate}", name=name, gate=self.decision.gate.title), 3)
            marginal = Span(tr(", marginal"), "warning")
            rows = (
                (
                    sign(each.passed),
                    (key, marginal) if each.marginal else key,
                    sentences(each.reasons),
                )
                for key, each in criteria.items()
            )
            yield table(("", tr("criterion"), tr("why")), rows)
        if advice:
            yield Heading(tr("Advice"), 3)
            items = tuple(Item(*advice_texts(each)) for each in advice[:SHOWN_ADVICE])
            yield Bullets(items, numbered=True)

    def _files(self, paths: Iterable[str]) -> Iterator[Block]:
        left = self.left_in
        listed = [path for path in paths if left is None or path.rpartition("/")[0] in left]
        if listed:
            yield Heading(tr("Files"), 3)
            yield Files(tuple(listed))


def _selected(selection: Selection) -> Iterator[Block]:
    yield Paragraph(sentences(selection.reasons))
    if len(selection.tied_with) > selection.tie:  # the reason names the runner-up alone
        tied = ", ".join(selection.tied_with)
        yield Paragraph(tr("No significant difference from {names}.", names=tied))
    yield from (Note(sentence(note)) for note in selection.notes)


def _table(of: EvaluatedFolder, *, shown: bool = True) -> Iterator[Block]:
    if shown:
        scores = [of.weighted[each.name] for each in of.checkpoints if each.name in of.weighted]
        if any(score.estimate for score in scores):
            yield Heading(tr("Weighted score: what each part adds"), 3)
            yield score_table(of)
        measured_in = dict.fromkeys(timing_line(each.speed) for each in of.checkpoints)
        yield from (Note(line) for line in measured_in if line)
        if (details := speed_details(of.checkpoints)) is not None:
            yield Fold(tr("Latency and bandwidth"), (details,))
    for each in of.checkpoints:
        if each.failed:
            said = tr("{name} could not be evaluated: {why}", name=each.name, why=each.failed)
            yield Paragraph(said, "warning")


def _trainings(spreads: Sequence[TrainingSpread]) -> Iterator[Block]:
    if not spreads:
        return
    yield Heading(tr("Between trainings"), 3)
    yield Paragraph(
        tr("The last checkpoints of {count} trainings of one shape, such as seeds of one recipe. A "
           "difference between two recipes that is not well above both spreads may be chance.",
           count=spreads[0].trainings), "dim",
    )  # fmt: skip
    heads = (
        tr("figure"), tr("mean"), tr("standard deviation between trainings"),
        tr("standard error over tests or documents"),
    )  # fmt: skip
    rows = (
        (
            each.figure.removeprefix("suite:"),
            numbers.readable(each.mean),
            numbers.readable(each.between),
            "–" if each.within is None else numbers.readable(each.within),
        )
        for each in spreads
    )
    yield table(heads, rows, right=(1, 2, 3))


def _signal(signals: Sequence[SuiteSignal], checkpoints: Sequence[Measurements]) -> Iterator[Block]:
    if signals:
        yield Heading(tr("Which suites are informative"), 3)
        yield signal_table(signals)
    elif any(each.suites for each in checkpoints):
        yield Note(
            tr("Which suites are informative cannot be said of fewer than three steps; all of them "
               "count.")
        )  # fmt: skip


def _reports(checkpoints: Sequence[Measurements]) -> list[str]:
    return [f"{CHECKPOINTS}/{each.name}/{REPORT_FILE}" for each in checkpoints if not each.failed]


def _samples(
    checkpoints: Sequence[Measurements], in_detail: Collection[str | None]
) -> Iterator[Block]:
    for each in checkpoints:
        if each.samples:
            yield samples_block(each, long=each.name not in in_detail)
    for figures in dict.fromkeys(each.tokenizer for each in checkpoints if each.tokenizer):
        yield tokenizer_block(figures)

"""Gate and pick among checkpoints evaluated before. One that is named singly leaves no file."""

import os
import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar

from assay.errors import (
    AssayError,
    ExitCode,
    InvalidFiles,
    StoreCorrupt,
    UsageError,
    raise_all,
    tried,
)
from assay.files.file_text import shown_path
from assay.files.notes import invalid_files
from assay.messages import tr, trn
from assay.plugins import load_plugins
from assay.reports.cards.checkpoints import decision_card
from assay.reports.checkpoints.decision import decision_blocks, decision_tables
from assay.reports.checkpoints.file_names import CHECKPOINTS, REPORT_FILE
from assay.reports.checkpoints.json_documents import acceptance_document, selection_document
from assay.reports.formats.notebook import ShownResult
from assay.reports.json_values import JsonObject, pick
from assay.store import FILE_NAME, Store, utc_now
from assay.suites.gate_file import check_gate, load_gate
from assay.types import FileFinding
from assay.types.decisions import Decision, DecisionPlan, Gate, Measurements, Selection, fact
from assay.types.documents import Block, Card, Document, Hint, Note, Span
from assay.types.option_fields import several
from assay.types.options import DEFAULT_OUT
from assay.types.results import Report
from assay.version import __version__
from assay.workflow.checkpoints.places import CONFIG, CheckpointPlace, places_of, planned_checkpoint
from assay.workflow.reporting.checkpoint_files import read_report, write_selections
from assay.workflow.reporting.decision import decide
from assay.workflow.reporting.reference import gate_with_reference


@dataclass(frozen=True, slots=True, kw_only=True)
class WithoutReport:
    name: str
    path: str
    command: str


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Selected(ShownResult):
    """`selection`: over all, or of the only folder. `left_in`: folders under `out` with one."""

    kind: ClassVar = "selection"
    frames: ClassVar = {"ranking": "ranking", "checkpoints": "checkpoints"}
    decision: Decision
    selection: Selection
    not_evaluated: tuple[WithoutReport, ...]
    left_in: frozenset[str]
    report: Report

    @property
    def exit_code(self) -> int:
        return self.report.exit_code

    def document(self) -> Document:
        blocks: list[Block] = [
            *decision_blocks(self.report, left_in=self.left_in),
            *map(Note, self.report.notes),
        ]
        for each in self.not_evaluated:
            gaps = {"name": each.name, "command": each.command}
            blocks.append(Hint(tr("{name} was not evaluated: {command}", **gaps)))
        return Document(
            tr("Selection"),
            tuple(blocks),
            out=self.report.out,
            card=self._card(),
            scores=tuple(decision_tables(self.report)),
        )

    def _card(self) -> Card:
        """What comes next is to evaluate what was not."""
        card = decision_card(self.decision)
        if not self.not_evaluated:
            return card
        first = self.not_evaluated[0]
        said = tr("evaluate {name}: ", name=first.name)
        return replace(card, next=(said, Span(first.command, "code")))

    def to_dict(self) -> JsonObject:
        decision = self.decision
        return {
            "headline": self.headline,
            **selection_document(self.selection),
            "folders": {
                folder: selection_document(selection)
                for folder, selection in decision.selections.items()
            },
            "checkpoints": [
                {
                    "checkpoint": each.name,
                    "path": each.path,
                    **acceptance_document(decision.acceptances[each.name]),
                }
                for each in decision.measured
            ],
            "not_evaluated": [
                {"checkpoint": each.name, **pick(each, "path command")}
                for each in self.not_evaluated
            ],
            "notes": list(self.report.notes),
            "out": self.report.out,
            "exit_code": int(self.exit_code),
        }


def select(
    folders: str | Path | Sequence[str | Path],
    *,
    gate: str | Path | None = None,
    write_back: bool = True,
    plugins: Sequence[str] = (),
    out: str | Path = DEFAULT_OUT,
) -> Selected:
    """Gate and pick among checkpoints that were evaluated before, from their reports alone.

    A folder is a checkpoint, a model folder, a folder of those, or the `out` of a run. Selections
    are written under `out`, and into the folders as well with `write_back`.
    Example: `assay.select(["runs/my-model"], gate="strict.toml").headline`.
    """
    load_plugins(plugins)
    named = [*map(str, several(folders))]
    gate, out = None if gate is None else Path(gate), Path(out)
    errors: list[AssayError] = []
    gates, found_in = tried(errors, load_gate, gate), tried(errors, places_in, named)
    raise_all(errors)
    (asked,), (places,) = gates, found_in
    measured = read_reports(places, out)
    missing = tuple(
        WithoutReport(
            name=place.name,
            path=str(place.path),
            command=_command(["run", str(place.path)], gate, out),
        )
        for place in places
        if place.name not in measured
    )
    if not measured:
        where = ", ".join(shown_path(Path(folder)) for folder in named)
        names = ", ".join(each.name for each in missing)
        raise UsageError(
            tr("nothing in {folders} was evaluated yet: {names}", folders=where, names=names),
            hint="\n".join(each.command for each in missing),
        )
    if gate is not None:
        _refuse_unknown_suites(asked, list(measured.values()))
    asked = _with_reference(asked, measured, out)
    asked = replace(asked, texts={**dict.fromkeys(_texts_of(measured.values())), **asked.texts})
    deciding = _deciding(places, measured, asked, gate, write_back)
    found = [measured[subject.name] for subject in deciding.subjects]
    now = utc_now()
    decision = decide(deciding, found, timestamp=now, attempts=_attempts(asked, out))
    decision = _with_missing(decision, missing)
    left_in: set[str] = set()
    notes: tuple[str, ...] = ()
    if all(place.folder is not None for place in places):
        notes = tuple(write_selections(decision, out, deciding))
        parents = (names[0].rpartition("/")[0] for names in decision.folders.values())
        left_in = {f"{CHECKPOINTS}/{parent}" for parent in parents}
        left_in |= {CHECKPOINTS} if decision.overall is not None else set()
    selection = decision.overall or next(iter(decision.selections.values()))
    return Selected(
        decision=decision,
        selection=selection,
        not_evaluated=missing,
        left_in=frozenset(left_in),
        report=Report(
            run="",
            out=str(out.resolve()),
            created=now,
            finished=now,
            command=_command(["select", *named], gate, out),
            version=__version__,
            models=(),
            exit_code=ExitCode.DONE if selection.selected else ExitCode.NOT_ACCEPTED,
            selected=next((each.path for each in found if each.name == selection.selected), None),
            decision=decision,
            notes=notes,
        ),
    )


def _command(words: Sequence[str], gate: Path | None, out: Path) -> str:
    with_gate = () if gate is None else ("--gate", str(gate))
    where = () if out == DEFAULT_OUT else ("--out", str(out))
    return shlex.join(["assay", *words, *with_gate, *where])


def _refuse_unknown_suites(asked: Gate, measured: Sequence[Measurements]) -> None:
    """A suite that no report has would leave every checkpoint undecided."""
    known: dict[str, list[str]] = {}
    for each in measured:
        for name, suite in each.suites.items():
            known.setdefault(name, []).extend(suite.categories)
    if findings := check_gate(asked, known, _texts_of(measured)):
        raise invalid_files(
            asked.source,
            findings,
            hint=tr("fix the gate, or evaluate the checkpoints with the suites it names"),
        )


def _with_reference(gate: Gate, measured: Mapping[str, Measurements], out: Path) -> Gate:
    names = {part for name in measured for part in (name, name.rpartition("/")[2])}
    return gate if gate.accept.no_worse_than in names else gate_with_reference(gate, out)


def _attempts(gate: Gate, out: Path) -> int | None:
    """None where nothing is known of runs."""
    if not (out / FILE_NAME).is_file():
        return None
    try:
        with Store(out, read_only=True) as store:
            return store.count_attempts(gate.digest)
    except StoreCorrupt:  # the reports are enough for a selection
        return None


def _texts_of(measured: Iterable[Measurements]) -> list[str]:
    return list(dict.fromkeys(name for each in measured for name in each.texts))


def _deciding(
    places: Sequence[CheckpointPlace],
    measured: dict[str, Measurements],
    asked: Gate,
    gate: Path | None,
    write_back: bool,
) -> DecisionPlan:
    tops = {place.top for place in places}
    top = tops.pop() if len(tops) == 1 else None
    of_one_folder = len({folder_of(place) for place in places}) == 1
    if top is not None and of_one_folder and (top.absolute().parent / FILE_NAME).is_file():
        top = None  # what a run of one model folder left
    return DecisionPlan(
        subjects=tuple(
            replace(
                planned_checkpoint(place),
                path=measured[place.name].path,
                folder=str(folder_of(place)),
            )
            for place in places
            if place.name in measured
        ),
        measures=(),
        gate=asked,
        selects=True,
        asked=gate is not None,
        top="" if top is None else str(top),
        write_back=write_back,
    )


def _with_missing(decision: Decision, missing: Sequence[WithoutReport]) -> Decision:
    """A selection says who took no part in it."""

    def noted(selection: Selection, *folders: str) -> Selection:
        homes = {decision.folders[folder][0].rpartition("/")[0] for folder in folders}
        absent = sorted(each.name for each in missing if each.name.rpartition("/")[0] in homes)
        note = (fact("not_evaluated", names=tuple(absent)),) if absent else ()
        return replace(selection, notes=(*selection.notes, *note))

    return replace(
        decision,
        selections={folder: noted(each, folder) for folder, each in decision.selections.items()},
        overall=noted(decision.overall, *decision.folders) if decision.overall else None,
    )


def places_in(folders: Sequence[str]) -> list[CheckpointPlace]:
    found: dict[str, CheckpointPlace] = {}
    for _, place in places_of(list(map(_inside, folders)), holding=(CONFIG, REPORT_FILE)):
        assert place is not None  # `_inside` names folders only
        files = (place.path / CONFIG, place.path / REPORT_FILE)
        if place.folder is None and not any(file.is_file() for file in files):
            raise _nothing_there(
                tr("there is no checkpoint in '{path}'", path=shown_path(place.path))
            )
        found.setdefault(os.path.abspath(place.path), place)
    order = list(dict.fromkeys(map(folder_of, found.values())))
    return sorted(
        found.values(),
        key=lambda place: (
            order.index(folder_of(place)),
            float("inf") if place.step is None else place.step,
        ),
    )


def folder_of(place: CheckpointPlace) -> Path:
    """The model folder it lies in; for one that was named itself, its parent."""
    return place.folder if place.folder is not None else Path(os.path.abspath(place.path)).parent


def _inside(folder: str) -> str:
    """The checkpoints of an out folder; another folder is itself."""
    path = Path(folder.removeprefix("hf:"))
    if not path.is_dir():
        raise _nothing_there(tr("there is no folder {path!r}", path=shown_path(path)))
    beneath = path / CHECKPOINTS
    is_out = (path / FILE_NAME).is_file() and beneath.is_dir()
    return f"hf:{beneath if is_out else path}"


def _nothing_there(problem: str) -> UsageError:
    hint = tr("name a checkpoint, a folder of checkpoints, or the --out folder of a run")
    return UsageError(problem, hint=hint)


def read_reports(places: Sequence[CheckpointPlace], out: Path) -> dict[str, Measurements]:
    measured: dict[str, Measurements] = {}
    findings: list[FileFinding] = []
    broken: list[str] = []
    for place in places:
        try:
            found = _newest(place, out)
        except InvalidFiles as error:
            findings += error.findings
            broken.append(str(place.path))
            continue
        if found is not None:
            # A report that was kept elsewhere says where the weights lie.
            path = str(place.path) if (place.path / CONFIG).is_file() else found.path
            measured[place.name] = replace(found, name=place.name, path=path, step=place.step)
    if findings:
        again = shlex.join(["assay", "run", *broken])
        raise InvalidFiles(
            trn("{count} report cannot be used", "{count} reports cannot be used", len(findings)),
            findings,
            hint=tr("evaluate these again with: {command}", command=again),
        )
    return measured


def _newest(place: CheckpointPlace, out: Path) -> Measurements | None:
    """Beside the weights, or under `out` of this folder: the one with more figures, else newer."""
    beside = place.path / REPORT_FILE
    found = [read_report(beside)] if beside.is_file() else []
    kept = out / CHECKPOINTS / place.name / REPORT_FILE
    if kept.is_file() and os.path.abspath(kept) != os.path.abspath(beside):
        other = read_report(kept)
        if os.path.abspath(other.path) == os.path.abspath(place.path):
            found.append(other)
    if not found:
        return None

    def figures(of: Measurements) -> tuple[int, str]:
        """A run of suites alone has fewer than a whole evaluation."""
        kinds = (of.text, of.speed, of.memory_mb, of.samples, of.suites or None, *of.figures)
        return sum(each is not None for each in kinds), of.timestamp

    return max(found, key=figures)

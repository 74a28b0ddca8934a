"""Evaluations made elsewhere: read from files, given to the answers of a run, and taken back.

What does not fit is refused with its reason: a test or model that the run does not have, a name of
another test, a criterion of another rubric. What was used and what is missing is said.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from rapidfuzz import fuzz

from assay.errors import UsageError
from assay.judge.evaluation_reading import Imported, read_evaluations
from assay.judge.final_judgement import make_final_judgement, score_of
from assay.judge.pasting import PROMPT_ENDING, alias_of
from assay.messages import tr
from assay.store import Run, RunModel, Store, StoredJudgement, TrialKey
from assay.text.safe_text import drop_terminal_codes
from assay.types import Case
from assay.types.judging.judgements import Judgement
from assay.workflow.running.judging.panel import JudgePanel
from assay.workflow.running.judging.stage import AnswerKey

MAX_BYTES = 20_000_000
LEAST_ALIKE = 60  # of 100: how near the name of a test must be to its description
NAMED = 12  # in one note


def read_imports(paths: Sequence[Path]) -> list[Imported]:
    readings: list[Imported] = []
    for path in paths:
        inside = (each for each in path.rglob("*") if each.suffix in (".txt", ".md"))
        files = sorted(each for each in inside if each.is_file()) if path.is_dir() else [path]
        for file in files:
            if file.name.endswith(PROMPT_ENDING):
                continue
            try:
                raw = file.read_bytes()[:MAX_BYTES].decode("utf-8", "replace")
            except OSError as error:
                raise UsageError(
                    tr("cannot read {path}: {why}", path=file, why=error.strerror),
                    hint=tr("give a text file of evaluations, or a folder of them"),
                ) from error
            readings += read_evaluations(drop_terminal_codes(raw), file=str(file))
    if paths and not readings:
        raise UsageError(
            tr("there is no evaluation in {paths}", paths=", ".join(map(str, paths))),
            hint=tr("it begins with “TEST ID: ID (Name)”; see docs/reference/judging.md"),
        )
    return readings


@dataclass(frozen=True, slots=True)
class Assigned:
    """Judgements by answer, always the first repeat's; and what is to be told of the others."""

    judgements: Mapping[AnswerKey, Sequence[Judgement]]
    notes: tuple[str, ...]


def assign_evaluations(
    evaluations: Sequence[Imported], run: Run, cases: Sequence[Case], panel: JudgePanel
) -> Assigned:
    found: dict[AnswerKey, list[Judgement]] = defaultdict(list)
    notes = [str(finding) for each in evaluations for finding in each.findings]
    for evaluation in evaluations:
        model = _model_of(evaluation, run)
        own = [case for case in cases if case.id == evaluation.test_id]
        why = _why_refused(evaluation, own, cases, panel)
        if not why and model is None:
            known = ", ".join(each.spec for each in run.models)
            why = tr("the run has no such model, only {known}", known=known)
        if why or model is None:
            told = tr(
                "{file}:{line}: the evaluation of {test} for {model} is left out: {why}",
                file=evaluation.file,
                line=evaluation.line,
                test=evaluation.test_id or "-",
                model=evaluation.model or "-",
                why=why,
            )
            notes.append(told)
        elif not evaluation.duplicate:
            found[model.position, own[0].suite, evaluation.test_id, 0].append(evaluation.judgement)
    if evaluations:
        notes += _what_was_used(found, run, cases)
    return Assigned(dict(found), tuple(notes))


def _why_refused(
    evaluation: Imported, own: Sequence[Case], cases: Sequence[Case], panel: JudgePanel
) -> str:
    if not own:
        return tr("the run has no such judged test")
    if len(own) > 1:
        suites = ", ".join(case.suite for case in own)
        return tr("{suites} have a test of this id", suites=suites)
    case = own[0]
    if other := _other_name(evaluation.name, case, cases):
        return tr("it is called “{name}”, and {test} is “{right}”",
                  name=evaluation.name, test=case.id, right=other)  # fmt: skip
    wanted = [each.key for each in panel.rubric_of(case).criteria]
    if strange := [key for key in evaluation.criteria if key not in wanted]:
        gaps = {"given": ", ".join(strange), "wanted": ", ".join(wanted)}
        return tr("it scores {given}, and the rubric asks for {wanted}", **gaps)
    return ""


def _other_name(name: str, case: Case, cases: Sequence[Case]) -> str:
    """The test's right name, where the given one is none of it or is nearer to another test's."""
    if not name or name.casefold() in (case.id.casefold(), case.description.casefold()):
        return ""
    near = {each.id: _alike(name, each.description or each.id) for each in cases}
    if near[case.id] >= max(LEAST_ALIKE, *near.values()):
        return ""
    return case.description or case.id


def _alike(name: str, other: str) -> float:
    return fuzz.token_set_ratio(name.casefold(), other.casefold())


def _what_was_used(
    found: Mapping[AnswerKey, Sequence[Judgement]], run: Run, cases: Sequence[Case]
) -> Iterator[str]:
    usable = {key for key, some in found.items() if any(each.scores for each in some)}
    models = {model.position: model.spec for model in run.models}
    used = [tr("{test} of {model}", test=key[2], model=models[key[0]]) for key in sorted(usable)]
    missing = [
        tr("{test} of {model}", test=case.id, model=model.spec)
        for model in run.models
        for case in cases
        if (model.position, case.suite, case.id, 0) not in usable
    ]
    yield _told_used(count=len(used), names=_some(used))
    if missing:
        yield _told_missing(count=len(missing), names=_some(missing))


def _told_used(**gaps: object) -> str:
    return tr("Imported evaluations that count: {count} ({names})", **gaps)


def _told_missing(**gaps: object) -> str:
    return tr("Answers without an imported evaluation: {count} ({names})", **gaps)


def without_counts(notes: Sequence[str]) -> tuple[str, ...]:
    """The notes without the counts of an earlier import, which hold no longer."""
    gaps = {"count": "{}", "names": "{}"}
    starts = tuple(one.partition("{}")[0] for one in (_told_used(**gaps), _told_missing(**gaps)))
    return tuple(note for note in notes if not note.startswith(starts))


def _some(names: Sequence[str]) -> str:
    more = f", … (+ {len(names) - NAMED})" if len(names) > NAMED else ""
    return ", ".join(names[:NAMED]) + more if names else "–"


def _model_of(evaluation: Imported, run: Run) -> RunModel | None:
    """By its name, spec, folder or alias; a run of one model needs no name."""
    said = evaluation.model.strip().casefold()
    for model in run.models:
        names = (model.spec, model.slug, model.facts.name, alias_of(model.position))
        if said in {each.casefold() for each in names}:
            return model
    return run.models[0] if len(run.models) == 1 and not said else None


def take_back_imports(store: Store, run: Run, cases: Sequence[Case], panel: JudgePanel) -> Run:
    """Every answer has again what it had before evaluations were imported. Nothing is deleted."""
    by_key = {(case.suite, case.id): case for case in cases}
    files: set[str] = set()
    for model in run.models:
        trials = {each.key: each for each in store.read_trials(run, model)}
        stored: dict[TrialKey, list[StoredJudgement]] = defaultdict(list)
        for kept in store.read_judgements(run, model, every=True):
            stored[kept.key].append(kept)
        for key, versions in stored.items():
            last = versions[-1]
            imported = [one.judge for one in last.judgement.judgements if one.is_imported]
            case = by_key.get(key[:2])
            if not imported or case is None:
                continue
            files |= set(imported)
            before = [
                one.judgement
                for one in versions
                if one.reply_id == last.reply_id
                and not any(each.is_imported for each in one.judgement.judgements)
            ]
            own = [one for one in last.judgement.judgements if not one.is_imported]
            if own or not before:
                rubric, evidence = panel.rubric_of(case), last.judgement.evidence
                final = make_final_judgement(
                    case, rubric, evidence, own, doubts=last.judgement.doubts
                )
            else:
                final = before[-1]
            store.store_judgement(run, model, trials[key], final, score_of(final))
    if not files:
        raise UsageError(
            tr("run {run} has no imported evaluation that counts", run=run.id),
            hint=tr("assay judge RUN --import PATH imports some"),
        )
    if run.judging is None:
        return run
    names = [each.partition(":")[2] for each in files]
    kept_notes = [
        note
        for note in without_counts(run.judging.notes)
        if "--import" not in note and not any(name in note for name in names)
    ]
    told = tr("Imported evaluations were taken back: {files}", files=", ".join(sorted(names)))
    return store.update_run(run, judging=replace(run.judging, notes=(*kept_notes, told)))

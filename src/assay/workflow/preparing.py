"""Everything a job needs, found and checked before the first request.

In: a Job. Out: Prepared: suites, opened models with their plans, and what is to be measured and
decided of checkpoints. Refuses with every mistake at once; a checkpoint that was found in a folder
and cannot be opened is no mistake of the user's, but a failed one among the others. Refuses to
know: the store.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import ParamSpec, TypeVar

from assay.errors import AssayError, UsageError, raise_all
from assay.messages import tr
from assay.models.opening import open_model
from assay.models.spec import without_secrets
from assay.plan import Plan, cannot_think, make_plan
from assay.suites.catalogue import FETCHED, benchmarks_folder, catalogue, find
from assay.suites.default_system import with_default_system
from assay.suites.gate_file import check_gate, invalid_gate, load_gate
from assay.suites.held_out import HeldOut, load_held_out
from assay.suites.load import load_all
from assay.suites.pick import pick_all
from assay.suites.samples import load_samples
from assay.types import Model, Request, Suite
from assay.verdicts import MEASURES, Deciding, Gate, MeasureKind, Subject
from assay.workflow.checkpoint_places import Place, places_of
from assay.workflow.job import Job
from assay.workflow.measuring import Measures
from assay.workflow.run_folder import file_stem, ids_in_several
from assay.workflow.training_figures import training_log

T = TypeVar("T")
P = ParamSpec("P")

LONGEST_STEM = 230  # bytes; file systems take 255, and .1000.txt.partial comes on top
OF_CHECKPOINTS = ("os", "technical", "troubleshooting")  # and what was fetched


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """A job that can begin. `specs` name the models, in their order."""

    suites: tuple[Suite, ...]
    specs: tuple[str, ...]
    models: tuple[Model, ...]
    plans: tuple[Plan, ...]
    notes: tuple[str, ...] = ()
    deciding: Deciding | None = None
    measures: Measures | None = None

    def measures_of(self, spec: str, model: Model) -> list[Request]:
        """What is measured of a model: nothing of a served one."""
        known = {subject.spec for subject in self.deciding.subjects} if self.deciding else ()
        if self.measures is None or without_secrets(spec) not in known:
            return []
        return list(self.measures.requests(model.facts))

    @property
    def deciding_key(self) -> list[object]:
        """What another decision would be another run for."""
        if self.deciding is None:
            return []
        deciding = self.deciding
        return [
            repr(deciding.gate),
            list(deciding.measures),
            [deciding.text_digest, deciding.train_text_digest, repr(deciding.samples)],
            [subject.name for subject in deciding.subjects if subject.failed],
        ]


@dataclass(slots=True)
class _Opened:
    """Models as they were found, and the places of those that are checkpoints."""

    specs: list[str] = field(default_factory=list)
    models: list[Model] = field(default_factory=list)
    places: list[Place | None] = field(default_factory=list)
    failed: dict[Place, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    def close(self) -> None:
        for model in self.models:
            model.close()

    def fail(self, number: int, why: str) -> None:
        place = self.places[number]
        assert place is not None
        self.failed[place] = why
        self._let_go(number)

    def leave_out_copies(self) -> None:
        """A trainer leaves its last step a second time, as the final one: of checkpoints found in
        folders, equal ones are asked once.
        """
        for number in range(len(self.models) - 1, -1, -1):
            place, fingerprint = self.places[number], self.models[number].facts.fingerprint
            earlier = next(
                (
                    at
                    for at in range(number)
                    if self.models[at].facts.fingerprint == fingerprint
                    and self.places[at] is not None
                ),
                None,
            )
            if place is None or place.folder is None or earlier is None:
                continue
            kept = self.places[earlier]
            self.notes.append(
                tr(
                    "{second} has the same weights as {first} and is left out",
                    second=place.name,
                    first=kept.name if kept else "-",
                )
            )
            self._let_go(number)

    def _let_go(self, number: int) -> None:
        self.models[number].close()
        del self.specs[number], self.models[number], self.places[number]


def prepare(job: Job) -> Prepared:
    """Load, find and plan everything; collect what is wrong and show it together. A server is
    probed only when nothing else is wrong, for then a probe is all that asks a model anything.
    """
    named = [(each.spec, each) for each in job.places] or places_of(job.models)
    places = [place for _, place in named]
    job = _with_defaults(job, places)
    errors: list[AssayError] = [*_senseless(job)]
    suites = _suites(job, errors)
    gate, held_out = _decided_by(job, places, suites, errors)
    training = _training_text(job, errors)
    opened = _open(job, named, errors)
    try:
        opened.leave_out_copies()
        errors += _named_twice(opened.models)
        errors += _names_too_long(suites)
        for model in opened.models:
            errors += cannot_think(model.facts, job.wishes)
        raise_all(errors)
        for number in reversed(range(len(opened.models))):
            _probe(opened, number, errors)
        raise_all(errors)
        plans = [
            plan
            for model in opened.models
            for plan in _tried(errors, make_plan, suites, model.facts, job.wishes)
        ]
        raise_all(errors)
        _refuse_if_all_failed(opened)
    except BaseException:
        opened.close()
        raise
    deciding = _deciding(job, places, opened, gate, held_out, training)
    return Prepared(
        suites=suites,
        specs=tuple(opened.specs),
        models=tuple(opened.models),
        plans=tuple(plans),
        notes=tuple(opened.notes),
        deciding=deciding,
        measures=Measures(
            kinds=deciding.measures,
            held_out=held_out,
            samples=deciding.samples or load_samples(),
            training=training,
        )
        if deciding and held_out
        else None,
    )


def check_files(job: Job) -> Gate:
    """What is wrong with suites, gate and texts, for a job whose checkpoints are yet to come.
    Raises every mistake at once; returns the gate.
    """
    to_come = [Place(spec="", path=Path(), parent="", step_name="")]
    job = _with_defaults(job, to_come)
    errors: list[AssayError] = [*_senseless(job)]
    gate, _ = _decided_by(job, to_come, _suites(job, errors), errors)
    _training_text(job, errors)
    raise_all(errors)
    assert gate is not None
    return gate


def _with_defaults(job: Job, places: Sequence[Place | None]) -> Job:
    """Checkpoints alone, and no suite named: what every checkpoint is asked."""
    if job.suites or job.own or job.only_named or not places or not all(places):
        return job
    named = catalogue(job.benchmarks)
    fetched = tuple(name for name in FETCHED if name in named)
    return replace(job, suites=(*OF_CHECKPOINTS, *fetched), measures=job.measures or MEASURES)


# ------------------------------------------------------------------------------------ checkpoints


def _decided_by(
    job: Job,
    places: Sequence[Place | None],
    suites: Sequence[Suite],
    errors: list[AssayError],
) -> tuple[Gate | None, HeldOut | None]:
    """The gate and the text, where checkpoints are to be decided on."""
    if not any(places):
        if job.gate or job.text or job.train_text:
            errors.append(
                UsageError(
                    tr("--gate, --text and --train-text are for checkpoints, and none was named"),
                    hint=tr("name the folder of a checkpoint, or leave them out"),
                )
            )
        return None, None
    gates = _tried(errors, load_gate, job.gate)
    known = {suite.name: [each.name for each in suite.categories] for suite in suites}
    for gate in gates:
        if job.gate is not None and suites and (findings := check_gate(gate, known)):
            errors.append(invalid_gate(gate.source, findings))
    texts = _tried(errors, load_held_out, job.text)
    return next(iter(gates), None), next(iter(texts), None)


def _training_text(job: Job, errors: list[AssayError]) -> HeldOut | None:
    if job.train_text is None:
        return None
    return next(iter(_tried(errors, load_held_out, job.train_text)), None)


def _open(job: Job, named: Sequence[tuple[str, Place | None]], errors: list[AssayError]) -> _Opened:
    """What was named must open; what was found in a folder may fail."""
    opened = _Opened()
    for spec, place in named:
        try:
            opened.models.append(open_model(spec, job.server, job.local))
        except AssayError as error:
            if place is None or place.folder is None:
                errors.append(error)
            else:
                opened.failed[place] = _in_one_line(error)
            continue
        opened.specs.append(spec)
        opened.places.append(place)
    return opened


def _probe(opened: _Opened, number: int, errors: list[AssayError]) -> None:
    place = opened.places[number]
    try:
        opened.models[number].probe()
    except AssayError as error:
        if place is None or place.folder is None:
            errors.append(error)
        else:
            opened.fail(number, _in_one_line(error))


def _in_one_line(error: AssayError) -> str:
    return ": ".join(filter(None, (error.message, error.hint)))


def _refuse_if_all_failed(opened: _Opened) -> None:
    if not opened.models and opened.failed:
        why = "; ".join(f"{place.name}: {reason}" for place, reason in opened.failed.items())
        raise UsageError(
            tr("none of the checkpoints can be opened: {why}", why=why),
            hint=tr("mend one of them, or name another folder"),
        )


def _deciding(
    job: Job,
    places: Sequence[Place | None],
    opened: _Opened,
    gate: Gate | None,
    held_out: HeldOut | None,
    training: HeldOut | None,
) -> Deciding | None:
    known = [place for place in places if place is not None]
    if not known or held_out is None or gate is None or job.own:  # own prompts decide nothing
        return None
    open_ones = set(opened.places)
    tops = {str(place.top) for place in known if place.top is not None}
    kinds = _measures(job, gate)
    return Deciding(
        subjects=tuple(
            _subject(place, opened.failed.get(place, ""))
            for place in known
            if place in open_ones or place in opened.failed
        ),
        measures=kinds,
        gate=gate,
        selects=job.gate is not None or job.measures is not None,
        asked=job.gate is not None,
        text=held_out.name if "perplexity" in kinds else "",
        text_digest=held_out.digest if "perplexity" in kinds else "",
        train_text=training.name if training else "",
        train_text_digest=training.digest if training else "",
        samples=job.samples,
        top=tops.pop() if len(tops) == 1 else "",
        write_back=job.write_back,
        leaves=job.leaves,
    )


def _measures(job: Job, gate: Gate) -> tuple[MeasureKind, ...]:
    """What was asked for; else what a gate that was named needs, and the texts that were."""
    training: tuple[MeasureKind, ...] = () if job.train_text is None else ("training",)
    if job.measures is not None:
        return (*(kind for kind in job.measures if kind != "training"), *training)
    asked = job.gate is not None
    needed: Mapping[MeasureKind, bool] = {
        "perplexity": job.text is not None or (asked and gate.perplexity_max is not None),
        "generation": asked and gate.generation_max_failures is not None,
        "speed": asked and not (gate.speed_min is None and gate.memory_max_mb is None),
    }
    return (*(kind for kind in MEASURES if needed[kind]), *training)


def _subject(place: Place, failed: str) -> Subject:
    training, note = training_log(place.path, place.folder, place.step)
    return Subject(
        spec=without_secrets(place.spec),
        name=place.name,
        path=str(place.path),
        step=place.step,
        folder=str(place.folder) if place.folder else "",
        failed=failed,
        training=training,
        training_note=note,
    )


# ---------------------------------------------------------------------------------------- mistakes


def _suites(job: Job, errors: list[AssayError]) -> tuple[Suite, ...]:
    found = [
        files
        for _ in _tried(errors, benchmarks_folder, job.benchmarks)
        for name in job.suites
        for files in _tried(errors, find, name, job.benchmarks)
    ]
    for suites in _tried(errors, load_all, found):
        if len(found) == len(job.suites):
            if job.system is not None:
                suites = tuple(with_default_system(suite, job.system) for suite in suites)
            suites = (*suites, *job.own)
            for picked in _tried(errors, pick_all, suites, job.categories, job.limit, job.seed):
                return picked
    return ()


def _tried(
    errors: list[AssayError], attempt: Callable[P, T], *given: P.args, **named: P.kwargs
) -> list[T]:
    """What it gives, alone in a list; or nothing, and one more error."""
    try:
        return [attempt(*given, **named)]
    except AssayError as error:
        errors.append(error)
        return []


def _senseless(job: Job) -> Iterator[UsageError]:
    if not job.models:
        yield UsageError(tr("no model was named"), hint=tr("name one, as in ollama:llama3.2:3b"))
    if not job.suites and not job.own and not job.only_named:
        yield UsageError(
            tr("no suite was chosen"),
            hint=tr("name one with -s, for example -s example; `assay suites` lists them"),
        )
    if "training" in (job.measures or ()) and job.train_text is None:
        yield UsageError(
            tr("the training loss is measured on a training text, and none was named"),
            hint=tr("name the file with --train-text"),
        )
    if job.repeats < 1:
        yield UsageError(
            tr("a test is asked at least once, not {count} times", count=job.repeats),
            hint=tr("give --repeats 1 or more"),
        )


def _named_twice(models: Sequence[Model]) -> Iterator[UsageError]:
    seen: dict[str, str] = {}
    for model in models:
        facts = model.facts
        if facts.fingerprint in seen:
            yield UsageError(
                tr(
                    "{second} is the same model as {first}",
                    first=seen[facts.fingerprint],
                    second=facts.spec,
                ),
                hint=tr("name each model once"),
            )
        seen.setdefault(facts.fingerprint, facts.spec)


def _names_too_long(suites: Sequence[Suite]) -> Iterator[UsageError]:
    """Answers become files; a name the disk cannot hold must not be found out at the end."""
    clashing = ids_in_several(suites)
    for suite in suites if clashing else ():  # an id alone is short enough: the loader sees to it
        stems = (file_stem(suite.name, case.id, clashing) for case in suite.cases)
        longest = max(stems, key=lambda stem: len(stem.encode()), default="")
        if len(longest.encode()) > LONGEST_STEM:
            yield UsageError(
                tr("the name {name!r} is too long for a file", name=longest),
                hint=tr("two suites share this test id; rename it or shorten the suite's name"),
            )

"""The models of a job, opened. A checkpoint of a folder may fail to open; a named one may not."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from assay.errors import AssayError, UsageError, in_one_line, tried
from assay.messages import joined, labelled, tr
from assay.models.local.file_digests import begin_digests
from assay.models.local.folder import weight_files_of
from assay.models.local.hub import find_model, read_hub_spec
from assay.models.opening import open_model
from assay.plan import needs_text
from assay.suites.held_out_text import HeldOut
from assay.suites.load import only_tests
from assay.types import Model, ModelFacts, Suite
from assay.workflow.checkpoints.places import (
    CONFIG,
    MAKES_CHECKPOINT,
    CheckpointPlace,
    place_of_plugin,
)
from assay.workflow.running.job import Job


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenedModel:
    spec: str
    model: Model
    place: CheckpointPlace | None

    def first_mention(self, before: Sequence["OpenedModel"]) -> str:
        """The name of the one before that has the same weights. A copy is a checkpoint too."""
        if self.place is None or self.place.folder is None:
            return ""
        path = self.place.path.resolve()
        same = (each.place for each in before if each.place)
        return next((other.name for other in same if other.path.resolve() == path), "")


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened:
    """`failed`: checkpoints of folders, which may break without stopping the others."""

    each: tuple[OpenedModel, ...] = ()
    failed: Mapping[CheckpointPlace, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @property
    def specs(self) -> tuple[str, ...]:
        return tuple(opened.spec for opened in self.each)

    @property
    def models(self) -> tuple[Model, ...]:
        return tuple(opened.model for opened in self.each)

    @property
    def places(self) -> tuple[CheckpointPlace | None, ...]:
        return tuple(opened.place for opened in self.each)

    @property
    def that_cannot_write(self) -> tuple[str, ...]:
        facts = (model.facts for model in self.models)
        return tuple(each.spec for each in facts if "generate" not in each.capabilities)

    def close(self) -> None:
        for model in self.models:
            model.close()

    def probed(self, errors: list[AssayError]) -> "Opened":
        """Looked at closer: a server is asked what it has, weights are looked at. Of checkpoints
        found in folders only the first: the others are loaded while earlier ones compute.
        """
        failed = dict(self.failed)
        left = {opened.spec for opened in self.each}
        waits = [each for each in self.each if each.place and each.place.folder is not None]
        named = [each for each in self.each if each not in waits]

        def fails(opened: OpenedModel, look: Callable[[], None]) -> bool:
            try:
                look()
            except AssayError as error:
                if not _refuse(opened.place, error, failed, errors):
                    opened.model.close()
                    left.discard(opened.spec)
                return True
            return False

        for opened in reversed(waits):
            fails(opened, getattr(opened.model, "check", opened.model.probe))
        for opened in reversed(named):
            fails(opened, opened.model.probe)
        for opened in waits:
            if opened.spec in left and not fails(opened, opened.model.probe):
                break
        answering = tuple(each for each in self.each if each.spec in left)
        return replace(self, each=answering, failed=failed)

    def without_second_mentions(self) -> "Opened":
        """Of a folder, what was named before or is a link to it."""
        firsts: list[OpenedModel] = []
        notes: list[str] = []
        for number, opened in enumerate(self.each):
            first = opened.first_mention(self.each[:number])
            if first and opened.place:
                opened.model.close()
                gaps = {"second": opened.place.name, "first": first}
                note = tr("{second} has the same weights as {first} and is left out", **gaps)
                notes.insert(0, note)
            else:
                firsts.append(opened)
        return replace(self, each=tuple(firsts), notes=(*self.notes, *notes))

    def named_twice(self) -> Iterator[UsageError]:
        """Of what was named, nothing may be the same model. A copy of a checkpoint is another one:
        a trainer leaves its last step a second time, as the final one. Answers are reused.
        """
        seen: dict[str, str] = {}
        for opened in self.each:
            facts, place = opened.model.facts, opened.place
            key = str(place.path.resolve()) if place and place.on_disk else facts.fingerprint
            if first := seen.get(key):
                problem = tr(
                    "{second} is the same model as {first}", first=first, second=facts.spec
                )
                yield UsageError(problem, hint=tr("name each model once"))
            seen.setdefault(key, facts.spec)

    def refuse_if_all_failed(self) -> None:
        if not self.each and self.failed:
            why = joined(labelled(place.name, reason) for place, reason in self.failed.items())
            raise UsageError(
                tr("none of the checkpoints can be opened: {why}", why=why),
                hint=tr("fix one of them, or name another folder"),
            )


def open_models(
    job: Job,
    named: Sequence[tuple[str, CheckpointPlace | None]],
    texts: Sequence[HeldOut],
    errors: list[AssayError],
) -> Opened:
    """`texts`: token ids in them must be in the vocabulary. What was found in a folder may fail."""
    opened = [
        OpenedModel(spec=given.facts.spec, model=given, place=place_of_given(given))
        for given in job.given
    ]
    failed: dict[CheckpointPlace, str] = {}
    for spec, _ in named:
        if on_hub := read_hub_spec(spec):
            tried(errors, find_model, on_hub)
    begin_digests(file for _, each in named if each and each.on_disk for file in _weights(each))
    for spec, place in named:
        if errors and read_hub_spec(spec):
            continue  # nothing is downloaded for a run that will not begin
        try:
            model = open_model(spec, job, job)
            for text in texts:
                _check_token_ids(text, model.facts)
        except AssayError as error:
            _refuse(place, error, failed, errors)
            continue
        opened.append(OpenedModel(spec=spec, model=model, place=place))
    return Opened(each=tuple(opened), failed=failed)


def _weights(place: CheckpointPlace) -> tuple[Path, ...]:
    """None where something is wrong with them, which is told when it is opened."""
    return next(iter(tried([], weight_files_of, place.path)), ()) if place.path.is_dir() else ()


def _refuse(
    place: CheckpointPlace | None,
    error: AssayError,
    failed: dict[CheckpointPlace, str],
    errors: list[AssayError],
) -> bool:
    """Whether it is an error of the job: a checkpoint of a folder may fail."""
    if place is None or place.folder is None:
        errors.append(error)
        return True
    failed[place] = why_failed(place.path, error)
    return False


def without_texts(suites: Sequence[Suite]) -> tuple[Suite, ...]:
    """The tests that are answered without writing text."""
    answered = {
        f"{suite.name}.{case.id}"
        for suite in suites
        for case in suite.cases
        if not needs_text(case)
    }
    return tuple(only_tests(suites, frozenset(answered)))


def place_of_given(model: Model) -> CheckpointPlace | None:
    """An object of a plugin's class is decided on where it measures likelihoods."""
    from assay.models.home_made.adapter import PluginModel  # numpy takes its time to load

    if isinstance(model, PluginModel) and "score_text" in model.facts.capabilities:
        return place_of_plugin(model.facts.spec)
    return None


def _check_token_ids(text: HeldOut, facts: ModelFacts) -> None:
    largest, known = text.largest_id, facts.vocabulary
    if largest is not None and known is not None and largest >= known:
        raise UsageError(
            tr(
                "{text} has the token id {largest}, and {model} knows only {known} tokens: the ids "
                "are another tokenizer's",
                text=text.name,
                largest=largest,
                model=facts.spec,
                known=known,
            ),
            hint=tr("name token ids of the checkpoint's own tokenizer, or plain text"),
        )


def left_out(name: str, why: str) -> str:
    return tr("{name} could not be evaluated, and the others go on: {why}", name=name, why=why)


def why_failed(folder: Path, error: AssayError) -> str:
    """In one line. Of a folder that has gone, what transformers says is about its hub."""
    if not folder.exists() or not any((folder / name).exists() for name in MAKES_CHECKPOINT):
        gone = folder / CONFIG if folder.exists() else folder
        return tr("{path} has been removed since the run began", path=gone)
    return in_one_line(error)

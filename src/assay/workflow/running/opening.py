"""The models of a job, opened. A checkpoint of a folder may fail to open; a named one may not."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from assay.errors import AssayError, UsageError, in_one_line, tried
from assay.messages import joined, labelled, tr
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


@dataclass(slots=True)
class Opened:
    specs: list[str] = field(default_factory=list)
    models: list[Model] = field(default_factory=list)
    places: list[CheckpointPlace | None] = field(default_factory=list)
    failed: dict[CheckpointPlace, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    def close(self) -> None:
        for model in self.models:
            model.close()

    def probe(self, errors: list[AssayError]) -> None:
        """Look closer: a server is asked what it has, weights are looked at."""
        for number in reversed(range(len(self.models))):
            place = self.places[number]
            try:
                self.models[number].probe()
            except AssayError as error:
                self.refuse(place, error, errors)
                if place in self.failed:
                    self._let_go(number)

    def refuse(
        self, place: CheckpointPlace | None, error: AssayError, errors: list[AssayError]
    ) -> None:
        if place is None or place.folder is None:
            errors.append(error)
        else:
            self.failed[place] = why_failed(place.path, error)

    def leave_out_second_mentions(self) -> None:
        """Of a folder, what was named before or is a link to it. A copy is a checkpoint too."""
        for number in reversed(range(len(self.models))):
            place, before = self.places[number], self.places[:number]
            if place is None or place.folder is None:
                continue
            path = place.path.resolve()
            if same := [other for other in before if other and other.path.resolve() == path]:
                gaps = {"second": place.name, "first": same[0].name}
                note = tr("{second} has the same weights as {first} and is left out", **gaps)
                self.notes.append(note)
                self._let_go(number)

    def leave_out_texts(self, suites: Sequence[Suite]) -> tuple[Suite, ...]:
        """Of suites that nobody named, the tests that all models can answer."""
        silent = [
            model.facts.spec for model in self.models if "generate" not in model.facts.capabilities
        ]
        if not silent:
            return tuple(suites)
        self.notes.append(
            tr("{models} cannot write text: only multiple-choice tests are asked",
               models=", ".join(silent))
        )  # fmt: skip
        answered = {
            f"{suite.name}.{case.id}"
            for suite in suites
            for case in suite.cases
            if not needs_text(case)
        }
        return tuple(only_tests(suites, frozenset(answered)))

    def named_twice(self) -> Iterator[UsageError]:
        """Of what was named, nothing may be the same model. A copy of a checkpoint is another one:
        a trainer leaves its last step a second time, as the final one. Answers are reused.
        """
        seen: dict[str, str] = {}
        for model, place in zip(self.models, self.places, strict=True):
            facts = model.facts
            key = str(place.path.resolve()) if place and place.on_disk else facts.fingerprint
            if first := seen.get(key):
                problem = tr(
                    "{second} is the same model as {first}", first=first, second=facts.spec
                )
                yield UsageError(problem, hint=tr("name each model once"))
            seen.setdefault(key, facts.spec)

    def refuse_if_all_failed(self) -> None:
        if not self.models and self.failed:
            why = joined(labelled(place.name, reason) for place, reason in self.failed.items())
            raise UsageError(
                tr("none of the checkpoints can be opened: {why}", why=why),
                hint=tr("fix one of them, or name another folder"),
            )

    def _let_go(self, number: int) -> None:
        self.models[number].close()
        del self.specs[number], self.models[number], self.places[number]


def open_models(
    job: Job,
    named: Sequence[tuple[str, CheckpointPlace | None]],
    texts: Sequence[HeldOut],
    errors: list[AssayError],
) -> Opened:
    """`texts`: token ids in them must be in the vocabulary. What was found in a folder may fail."""
    opened = Opened()
    for given in job.given:
        opened.models.append(given)
        opened.specs.append(given.facts.spec)
        opened.places.append(place_of_given(given))
    for spec, _ in named:
        if on_hub := read_hub_spec(spec):
            tried(errors, find_model, on_hub)
    for spec, place in named:
        if errors and read_hub_spec(spec):
            continue  # nothing is downloaded for a run that will not begin
        try:
            model = open_model(spec, job, job)
            for text in texts:
                _check_token_ids(text, model.facts)
        except AssayError as error:
            opened.refuse(place, error, errors)
            continue
        opened.models.append(model)
        opened.specs.append(spec)
        opened.places.append(place)
    return opened


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

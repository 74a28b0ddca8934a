"""What a user of `run_benchmark.py` left unsaid: the tests, the server, the model, the prompt."""

import os
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from assay.errors import AssayError, ModelUnavailable, UsageError
from assay.messages import tr
from assay.models.address import LOCAL, Preset, endpoint
from assay.models.inventory.servers import find_ollama
from assay.reports.progress import observer_for
from assay.store import Store
from assay.store.verbs import FILE_NAME
from assay.suites.load import find, load_all
from assay.suites.suite_file import has_suite_file
from assay.types.model_spec import split_url, without_secrets
from assay.types.options import RunOptions
from assay.types.results import Report
from assay.workflow.commands.discover.catalogue import holds_tests
from assay.workflow.commands.evaluation import evaluate
from assay.workflow.running.job import job_of

Tell = Callable[[str], None]  # hears what was chosen for the user
SHIPPED_TESTS = "ewe"
OWN_TESTS = os.path.join(".", "tests")
_SPEC = re.compile(r"(?:hf|ollama|openai|scripted):")
_RUN_ID = re.compile(r"\d{8}T\d")


@dataclass(frozen=True, slots=True)
class ChosenModel:
    """With the variable of its server's key: "" sends none, None what `assay run` would."""

    spec: str
    key_env: str | None = None


def suite_argument(given: str | None, tell: Tell = lambda _: None) -> str:
    """A given folder as a path, never as a suite's name; else ./tests, else what ships."""
    if given is not None:
        bare = not any(mark in given for mark in (os.sep, os.altsep) if mark)
        return os.path.join(".", given) if given and bare and os.path.lexists(given) else given
    if holds_tests(Path(OWN_TESTS)):
        tell(tr("tests: {folder}", folder=OWN_TESTS))
        return OWN_TESTS
    tell(tr("tests: the shipped suite {name}; {folder} contains no category files",
            name=SHIPPED_TESTS, folder=OWN_TESTS))  # fmt: skip
    return SHIPPED_TESTS


def language_for(tests: str, tell: Tell = lambda _: None) -> str | None:
    """Tests are Ewe where no suite.json says what they are."""
    if tests == SHIPPED_TESTS or not Path(tests).exists() or has_suite_file(tests):
        return None
    tell(tr("{folder} has no suite.json and is taken for Ewe: language ee, and the prompt of Yawo",
            folder=tests))  # fmt: skip
    return "ee"


def run_tests(called: str, language: str | None, **options: Any) -> Report:
    """Run the tests. With a language, they have no suite.json and are taken to be in it, which no
    option of `assay run` says: then `called`, the script's own command, is what continues the run.
    """
    asked = RunOptions(**options)
    job = job_of(asked)
    if language is not None:
        job = replace(job, language=language, called=called)
    return evaluate(job, observer_for(asked.observer))


def wrong_with(tests: str) -> Iterator[AssayError]:
    """What else is to be said where a model is missing: everything wrong is shown at once."""
    try:
        load_all([find(tests)])
    except AssayError as error:
        yield error


def choose(
    names: Sequence[str], endpoint_name: str | None, tell: Tell = lambda _: None
) -> list[ChosenModel]:
    if names and endpoint_name is None and all(_SPEC.match(name) for name in names):
        return [ChosenModel(name) for name in names]
    preset = endpoint(LOCAL if endpoint_name is None else endpoint_name)
    if names and all(_SPEC.match(name) for name in names):
        tell(tr("--endpoint is ignored: the model spec already names its server"))
    if not names:
        return [_at(preset, _only_model(preset, tell))]
    return [ChosenModel(name) if _SPEC.match(name) else _at(preset, name) for name in names]


def _at(preset: Preset, model: str) -> ChosenModel:
    if not model or split_url(model)[1]:
        shown = without_secrets(f"ollama:{model}").removeprefix("ollama:")
        raise UsageError(
            tr("{model!r} is no name of a model", model=shown),
            hint=tr("put the URL into --endpoint, or write ollama:NAME@URL or openai:NAME@URL"),
        )
    if preset.key_env and not preset.key_is_set:
        raise UsageError(
            tr(
                "the endpoint {name} needs a key, and {variable} is not set",
                name=preset.name,
                variable=preset.key_env,
            ),
            hint=tr("put the key into the variable {variable}", variable=preset.key_env),
        )
    by_name = preset.kind == "openai" and preset.name
    return ChosenModel(preset.spec(model), (preset.key_env or "") if by_name else None)


def _only_model(preset: Preset, tell: Tell) -> str:
    if preset.kind == "openai":
        models = f"{preset.shown_url.rstrip('/')}/models"
        raise UsageError(
            tr("which model of {url}?", url=preset.shown_url),
            hint=tr("name one with --model; the server lists its models at {url}", url=models),
        )
    found = find_ollama(preset.ollama_address)
    if not found.kind:
        raise ModelUnavailable(found.problem, hint=found.hint)
    # One that is computed elsewhere is never chosen for a user: questions would leave the machine.
    able = [one.name for one in found.models if not one.why_not and not one.elsewhere]
    if len(able) != 1:
        names = ", ".join(one.name for one in found.models if not one.why_not)
        if not names:
            raise ModelUnavailable(
                tr("no model that writes answers is installed at {url}", url=found.url),
                hint=tr("install one, for example with `ollama pull llama3.2:3b`"),
            )
        raise UsageError(
            tr("which model of {url}? Installed are: {names}", url=found.url, names=names),
            hint=tr("name one with --model"),
        )
    tell(tr("model: {name}, the only one at {url}", name=able[0], url=found.url))
    return able[0]


def one_key(models: Sequence[ChosenModel]) -> str | None:
    """One run takes one key, and a key goes to the server it is for and to no other."""
    keys = {model.key_env for model in models if model.spec.startswith("openai:")}
    if len(keys) > 1:
        raise UsageError(
            tr("the two models need different keys"),
            hint=tr("run each with its own --endpoint, then --compare the two runs"),
        )
    return next(iter(keys), None)


def names_a_run(name: str, out: Path) -> bool:
    """Whether a word means a run: `latest`, the beginning of an id, or what looks like an id."""
    if name == "latest" or _RUN_ID.match(name):
        return True
    if not name or not (out / FILE_NAME).is_file():
        return False
    with Store(out, read_only=True) as store:
        return any(run.id.startswith(name) for run in store.read_runs())

"""One run as it was asked for: the options of a user, and what only programs set."""

import functools
import hashlib
import inspect
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

from assay.checks.own_prompt import OwnPrompt
from assay.errors import UsageError
from assay.files.file_text import Refused, read_bytes
from assay.messages import tr
from assay.plan import AskOptions
from assay.plugins import load_plugins
from assay.suites.held_out_text import HeldOut
from assay.types import Case, Category, Message, Model, SamplePrompt, Suite
from assay.types.option_fields import CommandOptions
from assay.types.options import RunOptions
from assay.workflow.checkpoints.places import CheckpointPlace


@dataclass(frozen=True, kw_only=True)
class Job(RunOptions):
    """`own`: suites made in memory. `given`: models that are open already. `places`: evaluate only
    these of the checkpoints that `models` names. `only_named`: ask only the suites and
    measures that are named, even if there are none. `only_tests`: leave all other tests out.
    `texts` are read for perplexity in place of a file, `samples` replace the shipped prompts,
    `temperature_and_seeds` those of the gate. `leaves`: write the decision as files. `called`: the
    command or Python call that repeats it, if not `assay run`.
    """

    own: tuple[Suite, ...] = ()
    places: tuple[CheckpointPlace, ...] = ()
    only_named: bool = False
    texts: HeldOut | None = None
    samples: tuple[SamplePrompt, ...] = ()
    temperature_and_seeds: tuple[float, int] | None = None
    leaves: bool = True
    given: tuple[Model, ...] = ()
    only_tests: frozenset[str] | None = None
    called: str = ""

    @classmethod
    def of(cls, options: CommandOptions, **more: Any) -> "Job":
        return cls(**options.shared_with(cls) | more)

    @property
    def options(self) -> AskOptions:
        return AskOptions(**self.shared_with(AskOptions))

    @property
    def tensorboard(self) -> tuple[Path, ...]:
        return tuple(Path(target.partition(":")[2]) for target in self.log)

    @property
    def command(self) -> str:
        return self.called or self.command_line("run", *self.models)


def job_of(options: RunOptions) -> Job:
    """Names stay names; objects are opened already."""
    specs = tuple(each for each in options.models if isinstance(each, str))
    objects = [each for each in options.models if not isinstance(each, str)]
    names = tuple(str(each) for each in options.suites if not isinstance(each, Suite))
    own = tuple(_traceable(each) for each in options.suites if isinstance(each, Suite))
    job = Job.of(options, models=specs, suites=names, own=own)
    if not objects:
        return job
    from assay.models.home_made.adapter import model_of  # numpy takes its time to load

    given = tuple(map(model_of, objects))
    shown = [*(model.facts.spec for model in given), *specs]
    return replace(job, given=given, called=f"assay.run({shown!r}, suites={names!r})")


def _traceable(suite: Suite) -> Suite:
    """With a digest that tells versions apart, and a path that no folder has."""
    digest = sha256(repr(suite).encode("utf-8", "surrogatepass")).hexdigest()
    return replace(suite, source=suite.source or digest, path=suite.path or f"<{suite.name}>")


SUITE = "ask"
SEPARATOR = re.compile(r"^[^\S\n]*---[^\S\n]*$", re.MULTILINE)
MAX_BYTES = 10 * 1024 * 1024


def own_prompts(path: Path, *, system: str | None = None) -> Suite:
    """One prompt a line; or, where a line is just `---`, one between each two of those."""
    text = _read(path)
    prompts = _split(text)
    if not prompts:
        raise UsageError(
            tr("{path} holds no prompt", path=path),
            hint=tr("write one a line, or longer ones with a line of --- between them"),
        )
    width = max(3, len(str(len(prompts))))
    cases = tuple(
        Case(
            id=f"ask_{number:0{width}d}",
            suite=SUITE,
            category="prompts",
            messages=(Message("user", prompt),),
            check=OwnPrompt(),
            system=system,
        )
        for number, prompt in enumerate(prompts, start=1)
    )
    return Suite(
        name=SUITE,
        path=str(path),
        categories=(Category(name="prompts", cases=cases),),
        title=path.name,
        system=system,
        source=hashlib.sha256(text.encode()).hexdigest(),
    )


def is_own(suite: Suite) -> bool:
    """Whether it holds prompts of `assay ask`, of which none can be scored."""
    return all(not case.check.in_files for case in suite.cases)


def _split(text: str) -> list[str]:
    parts = SEPARATOR.split(text)
    if len(parts) == 1:
        parts = text.split("\n")  # splitlines would break a prompt at U+2028 and others
    return [whole for part in parts if (whole := part.strip())]


def _read(path: Path) -> str:
    try:
        data = read_bytes(path, MAX_BYTES, kind=tr("prompts are a text file"))
        return data.decode("utf-8-sig").replace("\r\n", "\n")
    except (Refused, UnicodeDecodeError) as error:
        why = error.finding.message if isinstance(error, Refused) else tr("it is not UTF-8")
        raise UsageError(
            tr("cannot read {path}: {why}", path=path, why=why),
            hint=tr("give a text file in UTF-8 with a prompt on each line"),
        ) from error


P = ParamSpec("P")
Given = TypeVar("Given")
Result = TypeVar("Result")


def takes_options(
    kind: Callable[P, Given],
) -> Callable[[Callable[[Given], Result]], Callable[P, Result]]:
    fields = inspect.signature(kind)

    def decorate(function: Callable[[Given], Result]) -> Callable[P, Result]:
        @functools.wraps(function)
        def call(*given: P.args, **named: P.kwargs) -> Result:
            options = kind(*given, **named)
            load_plugins(getattr(options, "plugins", ()))
            return function(options)

        shown: Any = call
        shown.__signature__ = fields.replace(
            return_annotation=function.__annotations__.get("return", inspect.Signature.empty)
        )
        return call

    return decorate

"""One run as it was asked for: a user's options, and what only programs set."""

from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

from assay.plan import AskOptions
from assay.suites.held_out_text import HeldOut
from assay.types import Model, SamplePrompt, Suite
from assay.types.option_fields import CommandOptions, several
from assay.types.options import RunOptions
from assay.types.options_class import options_class
from assay.workflow.checkpoints.places import (
    CheckpointPlace,
)


@options_class(kw_only=True)
class Job(RunOptions):
    """`own`: suites made in memory. `given`: models that are open already. `places`: evaluate only
    these of the checkpoints that `models` names. `only_named`: ask only the suites and
    measures that are named, even if there are none. `only_tests`: leave all other tests out.
    `texts` are read for perplexity in place of a file, `samples` replace the shipped prompts,
    `temperature_and_seeds` those of the gate. `leaves`: write the decision as files. `called`: the
    command or Python call that repeats it, if not `assay run`. `language`: that of suites without a
    suite.json; `run_benchmark.py` takes them for Ewe.
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
    language: str | None = None

    @classmethod
    def of(cls, options: CommandOptions, **more: Any) -> "Job":
        return cls(**options.shared_with(cls) | more)

    @property
    def specs(self) -> tuple[str, ...]:
        """The models that are named; `given` are those that are open already."""
        return several(self.models)

    @property
    def options(self) -> AskOptions:
        return AskOptions(**self.shared_with(AskOptions))

    @property
    def tensorboard(self) -> tuple[Path, ...]:
        return tuple(Path(target.partition(":")[2]) for target in self.log)

    @property
    def command(self) -> str:
        return self.called or self.command_line("run", *self.specs)


def job_of(options: RunOptions) -> Job:
    """Names stay names; objects are opened already."""
    specs = tuple(each for each in several(options.models) if isinstance(each, str))
    objects = [each for each in several(options.models) if not isinstance(each, str)]
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

"""What a user asked for, and the command that asks for it again.

In: what an interface was told. Out: a Job.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from assay.plan import AskOptions
from assay.types import Model, SamplePrompt, SamplingMode, Suite, Thinking
from assay.types.decisions import MeasureKind
from assay.types.judge_options import JudgeOptions
from assay.types.model_spec import without_secrets
from assay.types.options import DEFAULT_TIMEOUT_S, LocalOptions, ServerOptions
from assay.workflow.checkpoints.places import Place


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """`system`: for suites without a suite.json. `budget_s`: ask nothing more after so long.
    `own`: suites made in memory, and `verb` the command that makes them. `benchmarks`: the folder
    of fetched ones; None: the usual one. `judge`: who reads open answers, and how; `data_seed`:
    what files are made from that tests show. For checkpoints: `gate` and `text` None: those that
    ship; `measures` None: all where no suite was named, else what the gate needs; `train_text`: the
    loss on it is measured as well; `write_back`: reports beside the weights, too; `places`: these
    checkpoints, of all that `models` would mean; `tensorboard`: a folder for curves. For programs:
    `only_named` asks nothing but the suites and measures that are named, be there none;
    `samples` take the place of those that ship; without `leaves` no verdict is left as a file;
    `called` is the call that repeats it, where no command would; `given` are models that need no
    opening, and `only_tests` leaves all other tests out.
    """

    models: tuple[str, ...]
    suites: tuple[str, ...]
    out: Path
    categories: tuple[str, ...] = ()
    benchmarks: Path | None = None
    limit: int | None = None
    repeats: int = 1
    seed: int = 0
    fresh: bool = False
    sampling: SamplingMode = "fixed"
    max_tokens: int | None = None
    think: Thinking | None = None
    system: str | None = None
    budget_s: float | None = None
    server: ServerOptions = field(default_factory=ServerOptions)
    local: LocalOptions = field(default_factory=LocalOptions)
    own: tuple[Suite, ...] = ()
    places: tuple[Place, ...] = ()
    gate: Path | None = None
    text: Path | None = None
    train_text: Path | None = None
    measures: tuple[MeasureKind, ...] | None = None
    only_named: bool = False
    samples: tuple[SamplePrompt, ...] = ()
    tensorboard: Path | None = None
    write_back: bool = True
    leaves: bool = True
    judge: JudgeOptions = field(default_factory=JudgeOptions)
    data_seed: int = 0
    given: tuple[Model, ...] = ()
    only_tests: frozenset[str] | None = None
    called: str = ""
    verb: tuple[str, ...] = ("run",)

    @property
    def options(self) -> AskOptions:
        """How the tests are to be asked."""
        return AskOptions(
            seed=self.seed,
            repeats=self.repeats,
            sampling=self.sampling,
            max_tokens=self.max_tokens,
            think=self.think,
            num_ctx=self.server.num_ctx,
        )

    @property
    def command(self) -> str:
        """The command that repeats or continues it: never --fresh, which would start anew, nor
        --budget, which may be another time's.
        """
        if self.called:
            return self.called
        models = map(without_secrets, self.models)
        return shlex.join(["assay", *self.verb, *models, *self._options()])

    def _options(self) -> Iterator[str]:
        for suite in self.suites:
            yield from ("-s", suite)
        for category in self.categories:
            yield from ("-c", category)
        server = self.server
        given: dict[str, object] = {
            "--benchmarks": self.benchmarks,
            "--gate": self.gate,
            "--text": self.text,
            "--train-text": self.train_text,
            "--tensorboard": self.tensorboard,
            "--limit": self.limit,
            "--data-seed": self.data_seed or None,
            "--repeats": self.repeats if self.repeats != 1 else None,
            "--seed": self.seed or None,
            "--sampling": self.sampling if self.sampling != "fixed" else None,
            "--max-tokens": self.max_tokens,
            "--think": self.think,
            "--system": self.system,
            "--timeout": f"{server.timeout_s:g}" if server.timeout_s != DEFAULT_TIMEOUT_S else None,
            "--connections": server.connections,
            "--num-ctx": server.num_ctx,
            "--api-key-env": server.api_key_env,
            "--api": server.form if server.form != "auto" else None,
            "--device": self.local.device,
            "--dtype": self.local.dtype,
            "--tokenizer": self.local.tokenizer,
            "--out": self.out if self.out != Path("assay-out") else None,
        }
        for option, value in given.items():
            if value is not None:
                yield from (option, str(value))
        if self.local.trust_remote_code:
            yield "--trust-remote-code"
        if not self.write_back:
            yield "--no-write-back"
        yield from self.judge.options()

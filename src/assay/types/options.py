"""Every option of a run, defined once: name, type, default, help text and group.

To add an option, add a field to one of these classes: the command line and the public functions
take it from here. A field without `option(...)` is a keyword argument of the functions only.
"""

import secrets
from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY
from pathlib import Path
from typing import Any, Literal

from assay.messages import tr
from assay.types.choices import JudgeFormChoice, MeasureKind
from assay.types.option_fields import (
    CHECKPOINTS,
    HOW,
    JUDGE,
    OUTPUT,
    WHAT,
    CommandOptions,
    GivenModels,
    GivenPath,
    NamesOption,
    OptionalPathOption,
    PathOption,
    PathsOption,
    option,
    path_default,
    path_option,
)
from assay.types.options_class import options_class
from assay.types.requests import SamplingMode, Thinking
from assay.types.scores import Observer, SilentProgress

OpenAIForm = Literal["auto", "chat", "completions"]
SandboxChoice = Literal["auto", "weak"]
SchemaKind = Literal["tests", "suite", "gate", "samples", "report", "selection", "review", "quants"]

RANDOM = "random"
_LAST_SEED = 999_999_999
DEFAULT_OUT = Path("assay-out")
DEFAULT_TIMEOUT_S = 120.0


def draw_seed() -> int:
    """For test data that nobody has seen: any but the default, 0."""
    return 1 + secrets.randbelow(_LAST_SEED)


@options_class(kw_only=True)
class SampleOptions(CommandOptions):
    """How many tests of a suite are asked."""

    group = WHAT
    limit: int | None = option(
        None,
        least=1,
        identity=True,
        help=tr(
            "Ask at most N tests of each suite: a seeded sample, spread over its categories. "
            "Default: all tests."
        ),
    )


@options_class(kw_only=True)
class SuiteOptions(SampleOptions):
    group = WHAT
    suites: NamesOption = path_option(  # names and paths; in Python, Suite objects too
        (),
        "-s",
        "--suite",
        metavar="NAME_OR_PATH",
        help=tr(
            "Suite to ask: a shipped or fetched suite, a folder or a file, or lm-eval:TASK. "
            "Repeatable."
        ),
    )
    categories: Sequence[str] = option(
        (), "-c", "--category", identity=True, help=tr("Ask only this category. Repeatable.")
    )
    include_path: PathsOption = path_option(
        (),
        metavar="DIR",
        path="folder",
        help=tr("Folder of task files for -s lm-eval:TASK. Repeatable."),
    )
    benchmarks: OptionalPathOption = path_option(
        None,
        path="folder",
        help=tr(
            "Folder of fetched benchmarks. Default: SLM/datasets/benchmarks if it exists, else "
            "your user data folder."
        ),
    )


@options_class(kw_only=True)
class DataOptions(CommandOptions):
    """What generated test data is made from."""

    group = WHAT
    data_seed: int = option(
        0,
        least=0,
        most=_LAST_SEED,
        metavar="N|random",
        may_draw=True,
        identity=True,
        help=tr("Seed for generated test data; random draws one and prints it."),
    )

    def __post_init__(self) -> None:
        if self.data_seed == RANDOM:  # type: ignore[comparison-overlap]
            object.__setattr__(self, "data_seed", draw_seed())
        super().__post_init__()


@options_class(kw_only=True)
class TestOptions(CommandOptions):
    __test__ = False  # pytest takes every class named Test… for its own
    group = HOW
    repeats: int = option(
        1,
        least=1,
        most=1000,
        identity=True,
        help=tr("Repeat each test N times, with a different seed each time."),
    )
    seed: int = option(
        0, least=0, most=2_000_000_000, identity=True, help=tr("Seed of answers and of --limit.")
    )
    max_tokens: int | None = option(
        None,
        least=1,
        identity=True,
        help=tr(
            "Maximum tokens per answer, whatever the test says. Default: what the test says, "
            "else 1024."
        ),
    )
    system: str | None = option(
        None,
        metavar="TEXT",
        identity=True,
        help=tr("System prompt, unless the suite has one. Default: none."),
    )


@options_class(kw_only=True)
class SamplingOptions(CommandOptions):
    """How answers are sampled, and whether stored ones are reused."""

    group = HOW
    fresh: bool = option(False, repeats_run=False, help=tr("Ask again; reuse no stored answers."))
    sampling: SamplingMode = option(
        "fixed",
        identity=True,
        help=tr(
            "fixed: send every sampling setting; server: send only temperature and seed, and leave "
            "the rest to the server."
        ),
    )
    think: Thinking | None = option(
        None,
        identity=True,
        help=tr("Reasoning mode, for models that have one. Default: the model's own."),
    )
    loop_stop: bool = option(
        True,
        "--no-loop-stop",
        identity=True,
        help=tr("Do not stop a served model's answer when it repeats itself."),
    )


@options_class(kw_only=True)
class PatienceOptions(CommandOptions):
    """How long a server is waited for."""

    group = HOW
    timeout: float = option(
        DEFAULT_TIMEOUT_S,
        above=0,
        most=86_400,
        help=tr("Maximum seconds without a new token, plus time to process the prompt."),
    )


@options_class(kw_only=True)
class ServerOptions(PatienceOptions):
    """How servers are asked. `first_pause_s`: before a second try; doubled for each further one."""

    group = HOW
    connections: int | None = option(
        None,
        least=1,
        most=256,
        help=tr(
            "Concurrent requests. Default: 1 for Ollama; else as many as the server says it "
            "answers at once, or 8."
        ),
    )
    num_ctx: int | None = option(
        None,
        least=16,
        identity=True,
        help=tr("Context length in tokens (ollama). Default: enough for the longest test."),
    )
    api_key_env: str | None = option(
        None,
        help=tr("Environment variable that contains the API key ('': send no key). "
                "Default: OPENAI_API_KEY.")
    )  # fmt: skip
    form: OpenAIForm = option(
        "auto", "--api", identity=True, help=tr("Endpoint of an OpenAI-compatible server.")
    )
    budget: float | None = option(
        None,
        above=0,
        repeats_run=False,
        help=tr("Stop asking after S seconds; the same command continues. Default: no time limit."),
    )
    first_pause_s: float = 0.5


@options_class(kw_only=True)
class JudgeFormOptions(CommandOptions):
    group = JUDGE
    judge_form: JudgeFormChoice = option(
        "auto",
        identity=True,
        help=tr(
            "likelihood: read yes or no from log-probabilities; reasoned: have the judge write "
            "reasons and scores; auto: the form that did better on the judge's card; without a "
            "card likelihood for judges known to be below 14 B parameters, else reasoned."
        ),
    )


@options_class(kw_only=True)
class JudgeNameOptions(CommandOptions):
    group = JUDGE
    judges: Sequence[str] = option(
        (),
        "--judge",
        is_model=True,
        help=tr(
            "Model that judges open-ended answers and whether a checkpoint's text makes sense. "
            "Repeatable: the median or the majority of all judges counts."
        ),
    )


@options_class(kw_only=True)
class JudgeOptions(JudgeFormOptions, JudgeNameOptions):
    """Who judges open answers, and how. No judges: nothing is judged."""

    group = JUDGE
    allow_self_judging: bool = option(
        False, help=tr("Allow a model to judge its own answers; the report says so.")
    )
    judge_repeats: int = option(
        1,
        least=1,
        most=100,
        identity=True,
        help=tr(
            "Judge each answer N times; the median counts and the spread is shown. By likelihood "
            "once: it would be the same."
        ),
    )
    use_case: str = option(
        "",
        metavar="TEXT",
        identity=True,
        help=tr("What the model is used for; the judge reads it."),
    )
    allow_code_execution: bool = option(
        False, identity=True, help=tr("Run the code in answers in a sandbox, as evidence.")
    )
    sandbox: SandboxChoice = option(
        "auto", identity=True, help=tr("weak: run code even where this machine cannot isolate it.")
    )


@options_class(kw_only=True)
class CheckpointOptions(CommandOptions):
    """The gate of checkpoints, and what is measured of them. `measures`: None for all where no
    suite is named, else those that the gate needs.
    """

    group = CHECKPOINTS
    gate: OptionalPathOption = path_option(
        None,
        help=tr(
            "Gate that a checkpoint must pass, as a TOML file; see `assay schema gate`. "
            "Default: the specification's gate, for operating systems."
        ),
    )
    write_back: bool = option(
        True, "--no-write-back", help=tr("Write reports only under --out, not beside the weights.")
    )
    text: NamesOption = path_option(
        (),
        metavar="[NAME=]FILE",
        help=tr(
            "Text for perplexity: plain text, JSON lines, token ids (.npy, .bin), or a folder of "
            "them. A named one is measured as text:NAME. Repeatable. Default: the shipped text."
        ),
    )
    train_text: OptionalPathOption = path_option(
        None, help=tr("Sample of the training text, in the same formats, to detect overfitting.")
    )
    log: Sequence[str] = option(
        (),
        metavar="tensorboard:DIR",
        help=tr("Log the curves of checkpoints to TensorBoard as well. Repeatable."),
    )
    measures: Sequence[MeasureKind] | None = None


@options_class(kw_only=True)
class LocalOptions(CommandOptions):
    group = CHECKPOINTS
    device: str | None = option(
        None, help=tr("auto, cpu, cuda, cuda:1 or mps. Default: the fastest available.")
    )
    dtype: str | None = option(
        None,
        help=tr(
            "auto, float32, bfloat16 or float16. Default: float32 on a CPU, else the checkpoint's "
            "own."
        ),
    )
    threads: int | None = option(
        None,
        least=1,
        most=1024,
        help=tr(
            "CPU threads for running a checkpoint; speed is always measured on all cores. "
            "Default: one per core."
        ),
    )
    tokenizer: OptionalPathOption = path_option(
        None,
        path="existing folder",
        help=tr("Tokenizer folder. Default: the checkpoint's folder or up to two levels above."),
    )
    base: str | None = option(
        None,
        metavar="DIR_OR_HUB_ID",
        help=tr("Base model of LoRA adapters. Default: the one that each adapter names."),
    )
    trust_remote_code: bool = option(
        False, help=tr("Run Python code that a checkpoint contains; read that code first.")
    )
    observer: Observer = SilentProgress()  # a download is announced to it
    timer: Callable[..., dict[str, Any]] | None = None  # times a checkpoint, as `measure_speed`


@options_class(kw_only=True)
class PluginOptions(CommandOptions):
    group = WHAT
    plugins: NamesOption = path_option(
        (),
        "--plugin",
        metavar="FILE_OR_MODULE",
        help=tr("Python file or module that adds checks, model schemes or formats. Repeatable."),
    )


@options_class(kw_only=True)
class OutputOptions(PluginOptions):
    """Where results are written."""

    group = OUTPUT
    out: PathOption = path_option(
        DEFAULT_OUT, path="folder", help=tr("Folder for the store and all reports.")
    )


@options_class()
class RunOptions(
    OutputOptions, LocalOptions, CheckpointOptions, JudgeOptions, ServerOptions,
    SamplingOptions, TestOptions, DataOptions, SuiteOptions,
):  # fmt: skip
    """`assay run`: the models, and every option."""

    group = CHECKPOINTS
    models: GivenModels  # specs; in Python, Model objects and those of a plugin's class too
    _: KW_ONLY
    decide: bool = option(
        False,
        identity=True,
        help=tr(
            "Ask tests in a random order and stop when the gate is decided: the full suite would "
            "say the same, error at most 5 %."
        ),
    )
    apply_gate: bool = option(True, "--no-gate", help=tr("Measure only: no gate decides."))


@options_class()
class PromptOptions(OutputOptions, LocalOptions, ServerOptions, SamplingOptions, TestOptions):
    """`assay ask`: a file of prompts, the models, and how they are asked."""

    file: GivenPath
    models: GivenModels


@options_class()
class SpeedOptions(OutputOptions, LocalOptions, ServerOptions):
    """`assay speed`: the models, and the depths of context that they are timed at."""

    group = WHAT
    models: GivenModels
    _: KW_ONLY
    context: str | None = option(
        None,
        metavar="LIST",
        help=tr(
            "Tokens of context in use, separated by commas. Default: 0,4k,16k, as far as the "
            "model's context reaches and none takes more than five minutes."
        ),
    )
    repeats: int = option(3, least=1, most=100, help=tr("Time each depth N times."))
    fresh: bool = option(
        False, repeats_run=False, help=tr("Measure again instead of reusing measurements.")
    )


@options_class()
class WatchOptions(OutputOptions, LocalOptions, CheckpointOptions, TestOptions, SuiteOptions):
    """`assay watch`: the folder, and how its checkpoints are evaluated."""

    group = HOW
    folder: GivenPath
    _: KW_ONLY
    interval: float = option(
        10.0, least=0.01, most=86_400, help=tr("Seconds between checks of the folder.")
    )
    until_accepted: bool = option(False, help=tr("End when a checkpoint is accepted, with exit 0."))
    once: bool = option(False, help=tr("Evaluate the checkpoints that exist now, then end."))


@options_class()
class LoopOptions(OutputOptions, LocalOptions, CheckpointOptions, TestOptions, SuiteOptions):
    """`assay loop`: the command that trains, how its checkpoints are evaluated, and the budget."""

    group = HOW
    train: str
    _: KW_ONLY
    review: str | None = option(
        None,
        metavar="CMD",
        help=tr(
            "Command that reads a failed round as JSON and prints what to change; see `assay "
            "schema review`. Default: the advice of the report."
        ),
    )
    judge: str | None = option(
        None, is_model=True, help=tr("Model that says what to change, instead of --review.")
    )
    on_accept: str | None = option(
        None, metavar="CMD", help=tr("Command to run with the accepted {checkpoint} and {round}.")
    )
    rounds: int = option(5, least=1, most=99, help=tr("Maximum rounds."))
    minutes: float | None = option(
        None,
        above=0,
        repeats_run=False,
        metavar="M",
        help=tr(
            "Maximum minutes for all rounds; a running training is then stopped. Default: no limit."
        ),
    )
    tokens: int | None = option(
        None,
        least=1,
        repeats_run=False,
        help=tr("Maximum tokens for reviews; beyond it, no new round starts. Default: no limit."),
    )
    steps: int | None = option(
        None, least=1, help=tr("{steps} of the first round; advice changes those of the next.")
    )


@options_class()
class StoredAnswerOptions(OutputOptions, LocalOptions, ServerOptions, JudgeOptions, DataOptions):
    """`assay judge`: a run, or a folder of answers made elsewhere, and who judges it."""

    group = WHAT
    run_or_dir: str
    _: KW_ONLY
    suites: NamesOption = path_option(
        (),
        "-s",
        "--suite",
        metavar="NAME_OR_PATH",
        help=tr("Suite that a folder of answers belongs to. Repeatable. Default: its test-plans/."),
    )
    imports: PathsOption = path_option(
        (),
        "--import",
        path="existing",
        metavar="PATH",
        help=tr(
            "Evaluations in the standard format, written by hand or by another model: a file or a "
            "folder. Their arithmetic is checked; they count like a judge. Repeatable."
        ),
    )
    undo_import: bool = option(
        False,
        help=tr("Take back imported evaluations: what counted before them counts again."),
    )
    write_prompts: OptionalPathOption = path_option(
        None,
        metavar="DIR",
        help=tr(
            "Instead of judging: write one text for each answer of a run, with all that a judge "
            "needs, to paste into any LLM; --import DIR reads its evaluations back."
        ),
    )


@options_class()
class CompareOptions(OutputOptions):
    """`assay compare`: runs or models in the store."""

    group = WHAT
    run_a: Sequence[str]  # one, or all that are compared
    run_b: str | None = None
    _: KW_ONLY
    loss: bool = option(
        False,
        help=tr(
            "Show where the loss on the held-out text moved: by document, slice and kind of byte, "
            "and the passages that gained and lost most."
        ),
    )
    text: OptionalPathOption = path_option(
        None,
        metavar="FILE",
        help=tr("With --loss: text that both models read, by name or by its current path."),
    )
    max_drop: float | None = option(
        None,
        least=0,
        most=1,
        metavar="X",
        help=tr(
            "Maximum drop in score on a suite that both have, 0 to 1 (0.02 is two points); "
            "exit 1 above it. Default: none."
        ),
    )

    @property
    def runs(self) -> tuple[str, ...]:
        return (*self.run_a, *(() if self.run_b is None else (self.run_b,)))


@options_class(kw_only=True)
class ReadTextOptions(CommandOptions):
    """Which text models are compared on, token by token."""

    group = WHAT
    text: OptionalPathOption = path_option(
        None,
        help=tr(
            "Text that all models read: plain text, JSON lines or token ids (.npy, .bin). "
            "Default: the shipped text."
        ),
    )


@options_class()
class DriftOptions(OutputOptions, LocalOptions, ReadTextOptions):
    """`assay drift`: the base and what was made of it, on which text, and how far it may go."""

    group = WHAT
    models: GivenModels  # the base first: specs; in Python, Model objects too
    _: KW_ONLY
    gate: OptionalPathOption = path_option(
        None, help=tr("Gate whose table [drift] gives the limits. Default: none.")
    )
    max_kl: float | None = option(
        None,
        least=0,
        metavar="X",
        help=tr("Maximum mean KL divergence, in nats; exit 1 above it. Default: none."),
    )
    min_same_top: float | None = option(
        None,
        least=0,
        most=1,
        metavar="X",
        help=tr(
            "Minimum share of positions, 0 to 1, whose most likely token is the base's; exit 1 "
            "below it. Default: none."
        ),
    )


@options_class()
class QuantsOptions(OutputOptions, LocalOptions, PatienceOptions, SampleOptions, ReadTextOptions):
    """`assay quants`: the files to choose from, what they are asked, and how much may be lost."""

    group = WHAT
    models: GivenModels  # files and Ollama tags
    _: KW_ONLY
    suites: NamesOption = path_option(
        (),
        "-s",
        "--suite",
        metavar="NAME_OR_PATH",
        help=tr(
            "Suite whose multiple-choice tests are read by likelihood. Repeatable. Default: "
            "technical and troubleshooting."
        ),
    )
    base: str | None = option(
        None,
        metavar="FILE_OR_TAG",
        help=tr("File that the others are compared with. Default: the one with most bits."),
    )
    max_drop: float = option(
        0.02,
        least=0,
        most=1,
        metavar="X",
        help=tr("Significant drop in score on a suite that is too much, 0 to 1."),
    )
    max_kl: float = option(
        0.1,
        least=0,
        metavar="X",
        help=tr("Maximum mean KL divergence from the base, in nats."),
    )
    servers: Sequence[str] = option(
        (),
        "--server",
        metavar="URL",
        help=tr(
            "llama.cpp server to take the speed from, if it serves one of the files. Repeatable. "
            "Default: OPENAI_BASE_URL and port 8080; else llama.cpp is started if installed."
        ),
    )
    measure_speed: bool = option(True, "--no-speed", help=tr("Do not measure speed and memory."))
    benchmarks: OptionalPathOption = path_default(None)
    fresh: bool = option(
        False, repeats_run=False, help=tr("Ask and measure again instead of reusing results.")
    )


@options_class()
class JudgeCheckOptions(OutputOptions, LocalOptions, ServerOptions, JudgeFormOptions):
    """`assay judge --check`: the judge, and in which forms it is tried."""

    group = HOW
    model: Any  # a spec; in Python, a Model too
    _: KW_ONLY
    fresh: bool = option(False, repeats_run=False, help=tr("Check again, even if there is a card."))


@options_class(kw_only=True)
class CheckpointCallOptions(OutputOptions, LocalOptions):
    """The functions for one checkpoint: how it is loaded and asked."""

    benchmarks: OptionalPathOption = path_default(None)
    limit: int | None = None

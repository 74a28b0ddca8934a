"""How models are asked and answers judged, as keyword arguments of the public functions.

In: keyword arguments. Out: fields of a Job, and JudgeOptions; what was left out is as the command
line has it.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TypedDict

from assay.types import SamplingMode, Thinking
from assay.types.judge_options import JudgeOptions, SandboxChoice
from assay.types.judgements import JudgeFormChoice, Layout
from assay.types.options import DEFAULT_TIMEOUT_S, LocalOptions, OpenAIForm, ServerOptions


class Asking(TypedDict, total=False):
    """How models are asked. What is left out is as the command line has it by default.

    `timeout`: seconds for one request. `connections`: requests at once; None: 1 for Ollama, 8 for
    others. `num_ctx`: tokens of context (Ollama); None: enough for the longest test. `max_tokens`:
    at most so many in an answer. `sampling`: `fixed` sends every field, `server` leaves the rest to
    the server. `think`: for models that do. `api_key_env`: the variable that holds the key. `form`:
    which OpenAI endpoint. `budget`: stop asking after so many seconds; the same call continues.
    `system`: a system prompt for suites without a suite.json. `device`, `dtype`, `tokenizer`,
    `trust_remote_code`: for checkpoints on this machine's disk.
    """

    timeout: float
    connections: int | None
    num_ctx: int | None
    max_tokens: int | None
    sampling: SamplingMode
    think: Thinking | None
    api_key_env: str | None
    form: OpenAIForm
    budget: float | None
    system: str | None
    device: str | None
    dtype: str | None
    tokenizer: Path | None
    trust_remote_code: bool


class Judging(TypedDict, total=False):
    """How open answers are judged. `judges`: model specs; several make a panel. `judge_form`:
    auto, likelihood or reasoned; `judge_layout`: fence, around or again. `judge_repeats`: how often
    each answer is judged. `use_case`: what the model is for. Code in answers is run only with
    `allow_code_execution`; `sandbox` weak: even where it cannot be kept apart.
    """

    judges: Sequence[str]
    judge_form: JudgeFormChoice
    judge_layout: Layout | None
    judge_repeats: int
    use_case: str
    allow_code_execution: bool
    sandbox: SandboxChoice
    allow_self_judging: bool


class AskingAndJudging(Asking, Judging):
    """Both."""


class OfJob(TypedDict):
    """The fields of a Job that say how models are asked."""

    sampling: SamplingMode
    max_tokens: int | None
    think: Thinking | None
    system: str | None
    budget_s: float | None
    server: ServerOptions
    local: LocalOptions


def of_job(how: Asking) -> OfJob:
    """What was left out is as the command line has it."""
    return OfJob(
        sampling=how.get("sampling", "fixed"),
        max_tokens=how.get("max_tokens"),
        think=how.get("think"),
        system=how.get("system"),
        budget_s=how.get("budget"),
        server=ServerOptions(
            timeout_s=how.get("timeout", DEFAULT_TIMEOUT_S),
            connections=how.get("connections"),
            num_ctx=how.get("num_ctx"),
            api_key_env=how.get("api_key_env"),
            form=how.get("form", "auto"),
        ),
        local=LocalOptions(
            device=how.get("device"),
            dtype=how.get("dtype"),
            tokenizer=how.get("tokenizer"),
            trust_remote_code=how.get("trust_remote_code", False),
        ),
    )


def judge_options(how: Judging) -> JudgeOptions:
    """What was left out is as the command line has it."""
    return JudgeOptions(
        judges=tuple(how.get("judges", ())),
        form=how.get("judge_form", "auto"),
        layout=how.get("judge_layout"),
        repeats=how.get("judge_repeats", 1),
        use_case=how.get("use_case", ""),
        allow_code_execution=how.get("allow_code_execution", False),
        sandbox=how.get("sandbox", "auto"),
        allow_self_judging=how.get("allow_self_judging", False),
    )

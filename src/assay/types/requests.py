"""What is put to a model, and what comes back: Request with its Work, and Reply."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from assay.types.conversations import Message, ToolCall, ToolStep

SamplingMode = Literal["fixed", "server"]
Thinking = Literal["off", "on", "low", "medium", "high"]

# Fields of a Sampling whose defaults differ by server and version; hashed in this order.
OF_SERVERS = (
    "top_p", "top_k", "min_p", "repeat_penalty", "presence_penalty", "frequency_penalty",
)  # fmt: skip


MOST_STOPS = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Sampling:
    """How an answer is drawn. All of it is part of a request's identity.

    The last nine are for served models, whose defaults differ by server and version. None means:
    not sent, the server decides. `think` None: the model's own way, split natively. `context`
    is what the user set; None: enough. `loop_stop`: an answer that repeats itself is stopped.
    """

    temperature: float
    seed: int
    max_tokens: int
    stop: tuple[str, ...] = ()
    predictions: int = 1  # how many best answers are wanted (top_k)
    top_p: float | None = 1.0
    top_k: int | None = 0  # 0 is off
    min_p: float | None = 0.0
    repeat_penalty: float | None = 1.0
    presence_penalty: float | None = 0.0
    frequency_penalty: float | None = 0.0
    think: Thinking | None = None
    context: int | None = None
    loop_stop: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class ToAnswer:
    """Write an answer to this conversation. `schema`: a JSON Schema, as text, that it must meet;
    text, because the order of its properties is the order in which they are written. `read_back`:
    say how unsure the model was, where it can, and how much likelier the text is after its own
    prompt than after each of the `others`. `tools`: the functions that it may call, a JSON
    list as text; `steps`: what it called already, after the messages. `letters`: say also how
    likely each was to begin the answer, where a server tells.
    """

    messages: tuple[Message, ...]
    sampling: Sampling
    schema: str | None = None
    tools: str | None = None
    steps: tuple[ToolStep, ...] = ()
    read_back: bool = False
    others: tuple[str, ...] = ()
    letters: tuple[str, ...] = ()
    kind: Literal["answer"] = "answer"


@dataclass(frozen=True, slots=True, kw_only=True)
class ToChoose:
    """Say how likely each of these continuations is after this conversation.

    `otherwise`: how to write an answer instead, where a server's few likelihoods do not decide.
    `written`: write it in any case, and say how likely each was to begin it.
    `plain`: leave the model's chat template out.
    """

    messages: tuple[Message, ...]
    continuations: tuple[str, ...]
    otherwise: Sampling | None = None
    written: bool = False
    plain: bool = False
    kind: Literal["choose"] = "choose"


@dataclass(frozen=True, slots=True, kw_only=True)
class ToRead:
    """Say how likely this text is, token by token. `tokens`: its token ids, where those are all
    that is known of it. `digest` replaces either where the text itself is not stored. `each_token`:
    say also which tokens, and how likely each.
    """

    text: str = ""
    tokens: Sequence[int] | None = None
    digest: str = ""
    each_token: bool = False
    kind: Literal["read"] = "read"


@dataclass(frozen=True, slots=True, kw_only=True)
class ToTime:
    """Decode and say how fast; None: as many tokens as the contract has. A checkpoint does it in a
    process of its own, which equal ones that are asked together share: on the CPU, or `on_device`.
    """

    prompt_tokens: int | None = None
    new_tokens: int | None = None
    repeats: int = 3
    on_device: bool = False
    kind: Literal["time"] = "time"


@dataclass(frozen=True, slots=True, kw_only=True)
class ToScore:
    """Say how likely texts are behind a context, all as they are: no template, no turns. `texts`:
    each context with what may follow it. `rolling`: there is no context, and a text may be longer
    than the window.
    """

    texts: tuple[tuple[str, tuple[str, ...]], ...]
    rolling: bool = False
    kind: Literal["score"] = "score"


@dataclass(frozen=True, slots=True, kw_only=True)
class ToContinue:
    """Write on behind a text as it is, once for each of the `seeds`. The answer ends before the
    first stop. `top_k` None: the model's own.
    """

    text: str
    max_tokens: int
    stop: tuple[str, ...] = ()
    temperature: float = 0.0
    seeds: tuple[int, ...] = (0,)
    top_k: int | None = None
    top_p: float | None = None
    kind: Literal["continue"] = "continue"

    @property
    def samplings(self) -> tuple[Sampling, ...]:
        """One for each text that differs, for models that are asked one by one. Servers refuse more
        stops than four; the text is cut at all of them afterwards.
        """
        return tuple(
            Sampling(
                temperature=self.temperature,
                seed=seed,
                max_tokens=self.max_tokens,
                stop=tuple(filter(None, self.stop))[:MOST_STOPS],
                top_k=self.top_k or 0,
                top_p=1.0 if self.top_p is None else self.top_p,
                loop_stop=False,
            )
            for seed in (self.seeds if self.temperature > 0 else self.seeds[:1])
        )


AsWritten = ToScore | ToContinue
Work = ToAnswer | ToChoose | ToRead | ToTime | ToScore | ToContinue


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One thing asked of one model. `id` is a content hash: identity, cache key and resume key.
    `judged_suite` is not part of it: the suite of the test whose answer a judge is asked about;
    `judged_model`: whose answer it is, only for a judge that is told (`told_model`).
    """

    id: str
    suite: str
    test_id: str
    turn: int
    repeat: int
    work: Work
    judged_suite: str = ""
    judged_model: str = ""

    @property
    def key(self) -> tuple[str, str, int]:
        return self.suite, self.test_id, self.repeat


LOOP = "loop"  # how an answer ended that repeated itself
PredictionMethod = Literal["given", "beam", "sampled"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Timing:
    """Where the seconds of a served answer went, as its server reported; None: it did not.

    `other_s` is what its total leaves beside the parts. `cached_tokens` of the prompt were not
    computed again, so that they count in no speed. `cold`: the model was loaded for this request.
    """

    load_s: float | None = None
    other_s: float | None = None
    prefill_s: float | None = None
    decode_s: float | None = None
    cached_tokens: int | None = None
    cold: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """A model's text. Reasoning is split off already; only `text` is ever scored.

    `reasoning_unclosed`: the model was cut off while thinking, so there is no answer.
    `predictions` holds the k best, best first, where several were asked for, and
    `prediction_method` how they were found: beam and sampled ones are never ranked together.
    `output_tokens` include those of the thinking. `finish` is why it ended, in the server's word.
    `dropped` names what was asked of the server and silently ignored by it. `uncertainty`: the mean
    entropy of the model's choices at each token, in nats; None: not known. `margin`: how much
    likelier the text is after its prompt than after the best of the others asked about, in nats per
    token. `calls`: the tools that
    it wants called, natively; `steps`: those of earlier turns. `total_s` and what comes before it
    are answering time; `queue_s`: before that the request waited for its turn. `wall_s`: its share
    of the time in which its model was asked anything; the shares of all add up to that.
    `letters`: log-likelihood of each letter that was asked about as the first token, all its
    spellings together; one that is `letters_bounded` was not told, and is at most as likely.
    """

    request_id: str
    text: str
    reasoning: str = ""
    reasoning_unclosed: bool = False
    truncated: bool = False
    predictions: tuple[str, ...] = ()
    prediction_method: PredictionMethod | None = None
    prompt_tokens: int | None = None
    output_tokens: int | None = None
    first_token_s: float | None = None  # of the answer or of the thinking, whichever came first
    first_answer_s: float | None = None  # of the answer itself
    total_s: float | None = None
    queue_s: float | None = None
    wall_s: float | None = None
    timing: Timing | None = None
    finish: str = ""
    attempts: int = 1
    dropped: tuple[str, ...] = ()
    uncertainty: float | None = None
    margin: float | None = None
    calls: tuple[ToolCall, ...] = ()
    steps: tuple[ToolStep, ...] = ()
    letters: tuple[float, ...] = ()
    letters_bounded: tuple[bool, ...] = ()
    kind: Literal["answered"] = "answered"

    @property
    def transcript(self) -> str:
        """The text, behind the calls of tools and their results, each on a line."""
        lines = []
        for step in (*self.steps, ToolStep(self.calls, (), self.text)):
            if step.calls:
                calls = {"tool_calls": [call.document for call in step.calls]}
                lines.append(json.dumps(calls, ensure_ascii=False))
            lines += [step.text] if step.text else []
            lines += [f"→ {result}" for result in step.results]
        return "\n".join(lines)


@dataclass(frozen=True, slots=True, kw_only=True)
class ChoiceLikelihoods:
    """Log-likelihood of each continuation, in the order asked.

    `method` is `first_token` where a server reported only the likeliest first tokens. A
    continuation that was not among them is `bounded`: its value is an upper bound. `greedy`:
    whether each token of a continuation was the model's likeliest. `tokens`: how many each has.
    `cut`: tokens that the beginning of the prompt lost because it was longer than the model's
    context.
    """

    request_id: str
    log_likelihoods: tuple[float, ...]
    method: Literal["likelihood", "first_token"] = "likelihood"
    bounded: tuple[bool, ...] = ()
    greedy: tuple[bool, ...] = ()
    tokens: tuple[int, ...] = ()
    cut: int = 0
    prompt_tokens: int | None = None
    total_s: float | None = None
    queue_s: float | None = None
    wall_s: float | None = None
    timing: Timing | None = None
    attempts: int = 1
    kind: Literal["chosen"] = "chosen"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadText:
    """How a model read a text: natural-log likelihood and what it was measured over.

    `blocks`: log-likelihood and tokens of every thousand tokens, or fewer of a short text, in
    order; `block_hits`: how many of each block were the first guess, and among the first five. Each
    window of `window`
    tokens predicts `stride` new ones. `token_texts` and `logprobs`: of each token where that was
    asked; the first has nothing before it, and no likelihood. `by_context`: log-likelihood and
    tokens of those with 1 token before them, 2 to 3, 4 to 7, …; `losses`: of every token, as
    `text.token_losses` packs them. `tokenizer_fault`: what a model that predicts nothing shows of
    its tokenizer: "shifted:1" (its ids are 1 too high), or "permuted". `by_divisor`: of some
    hundred tokens of a run's first texts the log-likelihood with the logits divided by a number,
    and how many they are.
    """

    request_id: str
    log_likelihood: float
    tokens: int
    words: int
    bytes: int
    top1: int
    top5: int
    blocks: tuple[tuple[float, int], ...] = ()
    block_hits: tuple[tuple[int, int], ...] = ()
    window: int | None = None
    stride: int | None = None
    total_s: float | None = None
    token_texts: tuple[str, ...] = ()
    logprobs: tuple[float | None, ...] = ()
    by_context: tuple[tuple[float, int], ...] = ()
    losses: str = ""
    tokenizer_fault: str = ""
    by_divisor: tuple[tuple[float, float, int], ...] = ()
    kind: Literal["read"] = "read"


@dataclass(frozen=True, slots=True, kw_only=True)
class Timed:
    """Seconds per run of a timing request. `details`: all that was measured, name by name; among it
    `others_share`, how much of the time that was computed went to other programs.
    """

    request_id: str
    prefill_s: tuple[float, ...]
    decode_s: tuple[float, ...]
    new_tokens: int
    details: Mapping[str, Any] = field(default_factory=dict)
    kind: Literal["timed"] = "timed"

    @property
    def was_busy(self) -> bool:
        return is_busy(self.details)


# A share of the computing time while the speed was taken, not a load average, which says nothing
# of the seconds that were timed.
BUSY = 0.2  # of the time that was computed


def is_busy(details: Mapping[str, Any]) -> bool:
    """Whether other programs had a part in a measured speed."""
    share = details.get("others_share")
    return isinstance(share, int | float) and share > BUSY


Cause = Literal[
    "timeout",  # the deadline passed
    "unreachable",  # no connection, or it broke before an answer began
    "rate_limited",  # 429, for longer than we wait
    "server_error",  # the server said that it failed
    "refused",  # the server said that the request is wrong, or that we may not ask it
    "broken_stream",  # it ended before it was done
    "unreadable",  # not what the protocol says: garbage, wrong encoding, too long
    "prompt_too_long",  # it does not fit, or was cut in silence
    "out_of_memory",  # the model does not fit into memory
    "other",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Failed:
    """The request failed for good. Never an answer, never a score. `partial` is what had come."""

    request_id: str
    reason: str
    cause: Cause = "other"
    partial: str = ""
    total_s: float | None = None
    attempts: int = 1
    kind: Literal["failed"] = "failed"


Reply = Answered | ChoiceLikelihoods | ReadText | Timed | Failed

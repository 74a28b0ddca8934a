"""Ollama's protocol. A prompt that does not fit is answered with its middle missing: newer servers
obey `truncate: false`; of older ones only the count of prompt tokens gives it away.
"""

import json
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from assay.messages import tr
from assay.models.base import as_text
from assay.models.http.connection import Connection
from assay.models.http.faults import Fault, message_in, readable, reported_count, reported_seconds
from assay.models.http.reading_speed import ReadingSpeed, estimate_tokens
from assay.models.http.served import ServedAnswer
from assay.models.reasoning import as_unicode
from assay.text.json_in_prose import read_call
from assay.types import Message, ModelFacts, Sampling, Timing, ToAnswer
from assay.types.requests import OF_SERVERS

NANOSECOND = 1e-9
SOON_S = 10.0  # for questions that need no computing
LOADED_BY_ITSELF_S = 0.5  # a model in memory takes 35 to 70 ms to be "loaded"
UNLOADING_S = 10.0  # takes 10 ms where the server is well
LOADING_S = 600.0  # a large model from a slow disk
# 500s that stay: a wrong option, a bad schema, a broken file. Words of 0.11.10 and 0.17.4.
LASTING = (
    "invalid",
    "unable to load",
    "exceeds file size",
    "cannot unmarshal",
    "failed to parse",
    "option",
    "unsupported",
    "does not support",
    "exceeds the context",
)


@dataclass(slots=True)
class OllamaAnswer(ServedAnswer):
    """`loaded_s`: how long we took to load the model before it, if we did."""

    total_s: float | None = None
    load_s: float | None = None
    loaded_s: float | None = None
    done: bool = False

    @property
    def timing(self) -> Timing:
        """`cold`: we or the server loaded it. A part that is missing took no time."""
        other_s = None
        if self.total_s is not None and self.prefill_s is not None:
            parts = (self.load_s or 0.0) + self.prefill_s + (self.decode_s or 0.0)
            other_s = max(0.0, self.total_s - parts)
        return Timing(
            load_s=self.loaded_s if self.loaded_s is not None else self.load_s,
            other_s=other_s,
            prefill_s=self.prefill_s,
            decode_s=self.decode_s,
            cached_tokens=self.cached_tokens,
            cold=self.loaded_s is not None or (self.load_s or 0.0) > LOADED_BY_ITSELF_S,
        )

    def take(self, line: Mapping[str, Any]) -> None:
        self.add(*_said(line))
        message = line.get("message")
        for call in (message.get("tool_calls") or ()) if isinstance(message, dict) else ():
            self.add_call(read_call(call), len(self.calls))
        logprobs = line.get("logprobs")
        if self.first_logprobs is None and isinstance(logprobs, list) and not any(self.thoughts):
            self.first_logprobs = next((one for one in logprobs[:1] if isinstance(one, dict)), None)
        if line.get("done") is not True:
            return
        self.done = True
        self.finish = as_unicode(str(line.get("done_reason") or "stop")[:40])
        self.prompt_tokens = reported_count(line.get("prompt_eval_count"))
        self.output_tokens = reported_count(line.get("eval_count"))
        self.cached_tokens = reported_count(line.get("prompt_eval_cached_count"))
        self.total_s = reported_seconds(line.get("total_duration"), unit=NANOSECOND)
        self.load_s = reported_seconds(line.get("load_duration"), unit=NANOSECOND)
        self.prefill_s = reported_seconds(line.get("prompt_eval_duration"), unit=NANOSECOND)
        self.decode_s = reported_seconds(line.get("eval_duration"), unit=NANOSECOND)


def _said(line: Mapping[str, Any]) -> tuple[str, str]:
    message = line.get("message", line)
    if not isinstance(message, dict):
        raise TypeError
    text = message.get("response" if message is line else "content")
    if text is None and message.get("tool_calls"):
        text = ""
    thought = message.get("thinking") or ""
    if not isinstance(text, str) or not isinstance(thought, str):
        raise TypeError
    return text, thought


class OllamaClient:
    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self.reading = ReadingSpeed()

    def version(self) -> str:
        document = self._connection.document("GET", "/api/version", timeout_s=SOON_S)
        version = document.get("version") if isinstance(document, dict) else None
        if not isinstance(version, str):
            raise self._connection.unreadable(tr("no version; is this an Ollama server?"))
        return readable(version)[:40]

    def models(self) -> list[dict[str, Any]]:
        return self._list("/api/tags")

    def loaded(self) -> list[dict[str, Any]]:
        return self._list("/api/ps")

    def show(self, name: str) -> dict[str, Any]:
        document = self._connection.document("POST", "/api/show", {"model": name}, timeout_s=60.0)
        if not isinstance(document, dict):
            raise self._connection.unreadable(tr("no facts about {name}", name=name))
        return document

    def load(
        self, name: str, options: Mapping[str, Any], keep_alive: str, *, patient: bool = True
    ) -> float:
        body = {
            "model": name,
            "stream": False,
            "keep_alive": keep_alive,
            "shift": False,  # as every answer will be asked: a change means loading again
            "options": options,
        }
        started = time.perf_counter()
        try:
            limit = LOADING_S if patient else None
            self._connection.document("POST", "/api/generate", body, timeout_s=limit)
        except Fault as fault:
            # A file that could not be loaded now will not load in a second, and trying is slow.
            fault.retry = fault.away or fault.status in (429, 503)
            if fault.status == 500 and "memory" in fault.message.lower():
                fault.cause = "out_of_memory"
            raise
        return time.perf_counter() - started

    def unload(self, name: str) -> None:
        body = {"model": name, "keep_alive": 0, "stream": False}
        self._connection.document("POST", "/api/generate", body, timeout_s=UNLOADING_S)

    def write(self, path: str, body: Mapping[str, Any], sampling: Sampling) -> OllamaAnswer:
        """A stream that ends early is a Fault, unless it ended for a run of equal tokens."""
        answer = OllamaAnswer().follow(sampling)
        allowed = self.reading.allowance(body, self._connection.timeout_s)
        try:
            with self._connection.lines(path, body, timeout_s=allowed) as lines:
                for raw in lines:
                    self._take(answer, self._connection.parsed(raw))
                    if answer.done:
                        self._connection.read_out(lines)
                    if answer.done or answer.is_enough(self._connection):
                        break
        except Fault as fault:
            fault.partial = answer.text
            raise _lasting(fault) from fault
        # "load" without a word: the server did something else than answer.
        ended = answer.done or answer.finish or answer.ends_stuck()
        if not ended or (answer.finish in ("load", "unload") and not answer.text):
            raise self._connection.broken_off(answer.text)
        answer.leave_out_the_queue(self._connection.last_stay)
        self.reading.learn(body, answer.prefill_s, new=answer.new_share)
        answer.remove_secrets(self._connection)
        return answer

    def _take(self, answer: OllamaAnswer, line: object) -> None:
        if isinstance(line, dict) and line.get("error"):
            raise self._connection.failed(self._connection.in_words(message_in(json.dumps(line))))
        try:
            if not isinstance(line, dict):
                raise TypeError
            answer.take(line)
        except (TypeError, ValueError) as error:
            raise self._connection.unreadable(self._connection.in_words(line)[:200]) from error

    def _list(self, path: str) -> list[dict[str, Any]]:
        document = self._connection.document("GET", path, timeout_s=SOON_S)
        models = document.get("models") if isinstance(document, dict) else None
        if models is None and isinstance(document, dict) and "models" in document:
            return []  # a Go server writes null for an empty list
        if not isinstance(models, list):
            raise self._connection.unreadable(tr("no list of models; is this an Ollama server?"))
        return [model for model in models if isinstance(model, dict)]


def _lasting(fault: Fault) -> Fault:
    if fault.status == 500 and any(word in fault.message.lower() for word in LASTING):
        fault.retry = False
    if fault.message and "context length" in fault.message and fault.status == 400:
        fault.cause = "prompt_too_long"
    return fault


KEEP_ALIVE = "30m"  # longer than any pause of ours; the model is unloaded at the end
# Asking for the model's whole context would take gigabytes for a test of one line. There is no
# tokenizer at hand: 2.5 bytes a token are generous for English (4.5) and about right for Ewe.
STEP = 1024
SMALLEST = 2048
TEMPLATE_TOKENS = 16  # a message's share of the chat template, generously
NEARLY_FULL = 0.93  # dropping whole old messages left 248 of 256


def body_for(
    work: ToAnswer, sampling: Sampling, facts: ModelFacts, *, context: int, own_stops: Sequence[str]
) -> tuple[str, dict[str, Any]]:
    body: dict[str, Any] = {
        "model": facts.name,
        "stream": True,
        "keep_alive": KEEP_ALIVE,
        "truncate": False,
        "shift": False,
        "options": _options(sampling, context, own_stops),
    }
    if facts.thinks:
        body["think"] = _think(sampling, facts)
    if work.schema is not None:
        body["format"] = json.loads(work.schema)
    if facts.is_chat:
        steps = (Message("assistant", step.text, called=step) for step in work.steps)
        body["messages"] = [sent for turn in (*work.messages, *steps) for sent in _turns(turn)]
        if work.tools:
            body["tools"] = json.loads(work.tools)
        return "/api/chat", body
    # A base model has no template: a system message would be lost in it without a word.
    body["prompt"] = as_text(work.messages)
    return "/api/generate", {**body, "raw": True}


def _turns(turn: Message) -> Iterator[dict[str, Any]]:
    """What was said, called, and came back. Ollama takes no arguments but an object."""
    step = turn.called
    if step is None:
        yield {"role": turn.role, "content": turn.content}
        return
    called = [call.document for call in step.calls]
    for each in called:
        each["arguments"] = each["arguments"] if isinstance(each["arguments"], dict) else {}
    calls = [{"function": each} for each in called]
    yield {"role": "assistant", "content": turn.content, "tool_calls": calls}
    for call, result in zip(step.calls, step.results, strict=True):
        yield {"role": "tool", "tool_name": call.name, "content": result}


def _options(sampling: Sampling, context: int, own_stops: Sequence[str]) -> dict[str, Any]:
    options: dict[str, Any] = {
        "num_ctx": context,
        "num_predict": sampling.max_tokens,
        "temperature": sampling.temperature,
        "seed": sampling.seed,
    }
    if sampling.stop:  # a request's stops replace the model's own, which end its turns
        options["stop"] = list(dict.fromkeys((*own_stops, *sampling.stop)))
    ours = {name: getattr(sampling, name) for name in OF_SERVERS}
    return options | {name: value for name, value in ours.items() if value is not None}


def _think(sampling: Sampling, facts: ModelFacts) -> bool | str:
    """Sent whenever a model can think, so that thoughts come in a field of their own."""
    if sampling.think in ("low", "medium", "high"):
        return sampling.think
    if "on" not in facts.thinks:
        return "medium"  # what such a model does when nothing is said
    return sampling.think != "off"


def context_for(messages: Sequence[Message], max_tokens: int, own_bytes: int = 0) -> int:
    """Whole steps; our own estimate must not fill it so far that it looks as if it had been cut."""
    text = "".join(message.content for message in messages)
    prompt = estimate_tokens(text, own_bytes) + TEMPLATE_TOKENS * (len(messages) + 1)
    needed = max(prompt + max_tokens, prompt / NEARLY_FULL)
    return max(SMALLEST, STEP * -(-int(needed + 1) // STEP))


def was_cut(
    messages: Sequence[Message], counted: int | None, context: int, *, own_bytes: int, obeys: bool
) -> bool:
    """`obeys`: it refuses what does not fit when told to. A token is at least one byte."""
    text = "".join(message.content for message in messages)
    size = len(text.encode("utf-8", "replace")) + own_bytes
    most = size + TEMPLATE_TOKENS * (len(messages) + 1)
    if not counted or most <= context:
        return False
    return counted >= (context if obeys else NEARLY_FULL * context)

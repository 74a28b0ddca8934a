"""A plain OpenAI-compatible server.

In: HTTP requests on loopback. Out: chat and text completions, whole or as events. Run: `python -m
tests.servers.openai --feature n=drop --key secret`.

Every request field can be switched (`features`, a table from field to way): honour (the default),
drop (ignored without a word), reject (400). Beside the fields of the API there are `unknown` (all
others, dropped by default), `usage` (drop: never told), and the way `off_by_one` of `echo`.
"""

from __future__ import annotations

import itertools
import json
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from tests.servers import tokens
from tests.servers.faults import Fault
from tests.servers.openai_text import legacy_logprobs, off_by_one
from tests.servers.process import App, NotJson, flags, run
from tests.servers.slots import Slots
from tests.servers.speech import Draw, Said, calls_in, say
from tests.servers.wire import Answer, Exchange, as_json, plain

CHAT, TEXT = "/v1/chat/completions", "/v1/completions"
WAYS = {"honour", "drop", "reject", "off_by_one"}
KNOWN = {
    "model", "messages", "prompt", "max_tokens", "max_completion_tokens", "temperature", "top_p",
    "n", "stream", "stream_options", "stop", "seed", "logprobs", "top_logprobs", "echo",
    "response_format", "presence_penalty", "frequency_penalty", "user", "best_of", "suffix",
    "reasoning_effort", "store", "logit_bias", "tools",
}  # fmt: skip
_numbers = itertools.count(1)


class RefusedError(Exception):
    """An answer other than 200."""

    def __init__(self, status: int, message: str, code: str | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.code = code


@dataclass(frozen=True)
class Choice:
    """One of the n answers."""

    index: int
    said: Said
    thoughts: list[str]
    written: list[str]
    reason: str
    draw: Draw

    @property
    def text(self) -> str:
        return "".join(self.written)


class OpenAI(App):
    """The server."""

    def first_settings(self) -> dict[str, Any]:
        options = self.options
        return {
            "delay_ms": options.delay_ms, "token_ms": options.token_ms, "key": options.key,
            "models": options.model or ["test-model", "other-model"], "context": options.context,
            "reasoning": options.reasoning, "reasoning_field": "reasoning_content",
            "fingerprint": options.fingerprint, "props": {}, "listed_slots": [],
            "slots": options.slots, "queue": 512,
            "features": {"unknown": "drop", **dict(f.split("=") for f in options.feature)},
        }  # fmt: skip

    def forget(self) -> None:
        self.slots = Slots(self.settings)

    def reply(self, exchange: Exchange, body: Any, fault: Fault | None) -> None:
        """Where there are `slots`, all others wait; whether the server says so is another thing."""
        if not self.settings["slots"] or exchange.method != "POST":
            super().reply(exchange, body, fault)
            return
        with self.slots.place("", exchange):
            super().reply(exchange, body, fault)

    def question(self, exchange: Exchange, body: Any) -> str | None:
        if exchange.method != "POST" or not isinstance(body, dict):
            return None
        return _question(exchange.path, body)

    def refusal(self, path: str, status: int, message: str) -> Answer:
        kind = "invalid_request_error" if status < 500 else "server_error"
        return _refused(status, message, kind, None)

    def answer(self, exchange: Exchange, body: Any) -> Answer:
        try:
            return self._answered(exchange, body)
        except RefusedError as refused:
            return _refused(refused.status, str(refused), "invalid_request_error", refused.code)

    # ------------------------------------------------------------------ requests

    def _answered(self, exchange: Exchange, body: Any) -> Answer:
        self._refuse_stranger(exchange)
        path = exchange.path
        if path.rstrip("/") == "/v1/models":
            listed = [_model(name) for name in self.settings["models"]]
            return plain({"object": "list", "data": listed}, content_type="application/json")
        if path.startswith("/v1/models/"):
            name = path.removeprefix("/v1/models/")
            self._refuse_missing(name)
            return plain(_model(name), content_type="application/json")
        if path == "/props" and self.settings["props"]:
            return plain(self.settings["props"], content_type="application/json")
        if path == "/slots" and self.settings["listed_slots"]:
            return plain(self.settings["listed_slots"], content_type="application/json")
        if path not in (CHAT, TEXT):
            raise RefusedError(404, f"Invalid URL ({exchange.method} {path})")
        if exchange.method != "POST":
            raise RefusedError(405, f"Not allowed to {exchange.method} on {path}")
        if not isinstance(body, dict):
            why = body.why if isinstance(body, NotJson) else "no JSON object"
            raise RefusedError(400, f"We could not parse the JSON body of your request: {why}")
        return self._complete(exchange, path, body)

    def _refuse_stranger(self, exchange: Exchange) -> None:
        key = self.settings["key"]
        given = exchange.headers.get("authorization", "")
        if key and given != f"Bearer {key}":
            shown = given.removeprefix("Bearer ")
            message = f"Incorrect API key provided: {shown}." if shown else "No API key provided."
            raise RefusedError(401, message, "invalid_api_key")

    def _refuse_missing(self, name: Any) -> None:
        if name not in self.settings["models"]:
            raise RefusedError(404, f"The model `{name}` does not exist", "model_not_found")

    def _honoured(self, body: Mapping[str, Any]) -> dict[str, Any]:
        """The fields that this server takes notice of."""
        features, kept = self.settings["features"], {}
        for name, value in body.items():
            way = features.get(name, "honour" if name in KNOWN else features["unknown"])
            if way not in WAYS:
                raise RefusedError(500, f"no such way: {name}={way}")
            if way == "reject":
                raise RefusedError(400, f"Unrecognized request argument supplied: {name}")
            if way != "drop" or name in ("model", "messages", "prompt"):
                kept[name] = value
        return kept

    # ------------------------------------------------------------------ answers

    def _complete(self, exchange: Exchange, path: str, body: Mapping[str, Any]) -> Answer:
        asked = self._honoured(body)
        self._refuse_missing(asked.get("model"))
        question = _question(path, asked) or ""
        prompt_count = _prompt_count(path, asked)
        limit = asked.get("max_completion_tokens", asked.get("max_tokens"))
        if prompt_count + (limit or 0) > self.settings["context"]:
            raise RefusedError(
                400,
                f"This model's maximum context length is {self.settings['context']} tokens. "
                f"However, you requested {prompt_count + (limit or 0)} tokens.",
                "context_length_exceeded",
            )
        if self.settings["delay_ms"]:
            exchange.wait(self.settings["delay_ms"] / 1000)
        choices = [self._choice(i, path, asked, question, limit) for i in range(asked.get("n", 1))]
        head = {
            "id": f"{'chatcmpl' if path == CHAT else 'cmpl'}-{next(_numbers):08d}",
            "object": "chat.completion" if path == CHAT else "text_completion",
            "created": int(time.time()),
            "model": asked["model"],
            "system_fingerprint": self.settings["fingerprint"],
        }
        written = sum(len(c.thoughts) + len(c.written) for c in choices)
        usage = {
            "prompt_tokens": prompt_count, "completion_tokens": written,
            "total_tokens": prompt_count + written,
        }  # fmt: skip
        if asked.get("stream"):
            return self._streamed(path, asked, head, choices, usage)
        told = [self._whole(path, asked, choice, question) for choice in choices]
        document = {**head, "choices": told}
        if self.settings["features"].get("usage") != "drop":
            document["usage"] = usage
        return plain(document, content_type="application/json")

    def _choice(
        self, index: int, path: str, asked: Mapping[str, Any], question: str, limit: int | None
    ) -> Choice:
        seed = asked.get("seed")
        draw = Draw(
            temperature=asked.get("temperature", 1.0),
            seed=None if seed is None else seed + index,
            schema=_schema(asked),
        )
        said = say(question, draw, self.book)
        stop = asked.get("stop") or []
        text = said.text
        for mark in [stop] if isinstance(stop, str) else stop:
            text = text.partition(mark)[0]
        thinks = self.settings["reasoning"] and path == CHAT
        thoughts, written = tokens.written(said.thinking) if thinks else [], tokens.written(text)
        reason = "stop"
        if limit is not None and len(thoughts) + len(written) >= limit:
            thoughts = thoughts[:limit]
            written = written[: limit - len(thoughts)]
            reason = "length"
        return Choice(index, said, thoughts, written, reason, draw)

    def _whole(
        self, path: str, asked: Mapping[str, Any], choice: Choice, question: str
    ) -> dict[str, Any]:
        if path == TEXT:
            return self._whole_text(asked, choice, question)
        message: dict[str, Any] = {"role": "assistant", "content": choice.text}
        if choice.thoughts:
            message[self.settings["reasoning_field"]] = "".join(choice.thoughts)
        logprobs = _chat_logprobs(asked, choice)
        return {
            "index": choice.index, "message": message,
            "logprobs": {"content": logprobs} if logprobs else None,
            "finish_reason": choice.reason,
        }  # fmt: skip

    def _whole_text(
        self, asked: Mapping[str, Any], choice: Choice, question: str
    ) -> dict[str, Any]:
        echo = bool(asked.get("echo"))
        told = None
        if asked.get("logprobs") is not None:
            prompt = tokens.written(question) if echo else []
            told = self._legacy(asked, prompt, choice, question)
        return {
            "text": (question if echo else "") + choice.text, "index": choice.index,
            "logprobs": told, "finish_reason": choice.reason,
        }  # fmt: skip

    def _legacy(
        self, asked: Mapping[str, Any], prompt: list[str], choice: Choice, question: str
    ) -> dict[str, Any]:
        top, echo = int(asked["logprobs"]), bool(prompt)
        whole = legacy_logprobs(
            prompt or tokens.written(question), choice.written, top, choice.draw, self.book
        )
        if self.settings["features"].get("echo") == "off_by_one" and echo:
            whole = off_by_one(whole)
        if echo:
            return whole
        skipped = len(whole["tokens"]) - len(choice.written)
        start = len(question)
        cut = {name: value and value[skipped:] for name, value in whole.items()}
        return {**cut, "text_offset": [offset - start for offset in cut["text_offset"] or []]}

    def _streamed(
        self,
        path: str,
        asked: Mapping[str, Any],
        head: dict[str, Any],
        choices: list[Choice],
        usage: dict[str, int],
    ) -> Answer:
        if path == CHAT:
            head = {**head, "object": "chat.completion.chunk"}
        frames = []
        for choice in choices:
            for part in self._parts(path, asked, choice):
                frames.append((self.settings["token_ms"] / 1000,
                               _event({**head, "choices": [part]})))  # fmt: skip
        last = b""
        wanted = (asked.get("stream_options") or {}).get("include_usage")
        if wanted and self.settings["features"].get("usage") != "drop":
            last = _event({**head, "choices": [], "usage": usage})
        frames.append((0.0, last + b"data: [DONE]\n\n"))
        return Answer(200, "text/event-stream", frames, chunked=True)

    def _parts(self, path: str, asked: Mapping[str, Any], choice: Choice) -> list[dict[str, Any]]:
        if path == TEXT:
            parts = [{"text": token, "finish_reason": None} for token in choice.written]
            parts.append({"text": "", "finish_reason": choice.reason})
            return [{"index": choice.index, "logprobs": None, **part} for part in parts]
        thought = self.settings["reasoning_field"]
        told = _chat_logprobs(asked, choice)
        deltas: list[tuple[dict[str, Any], Any]] = [({"role": "assistant", "content": ""}, None)]
        deltas += [({thought: token}, None) for token in choice.thoughts]
        calls = calls_in(choice.text, asked)
        deltas += [({"tool_calls": [piece]}, None) for piece in _call_pieces(calls)]
        for place, token in enumerate([] if calls else choice.written):
            deltas.append(({"content": token}, {"content": [told[place]]} if told else None))
        chat: list[dict[str, Any]] = [
            {"delta": d, "logprobs": lp, "finish_reason": None} for d, lp in deltas
        ]
        reason = "tool_calls" if calls else choice.reason
        chat.append({"delta": {}, "logprobs": None, "finish_reason": reason})
        return [{"index": choice.index, **part} for part in chat]


# ---------------------------------------------------------------------- small readings


def _call_pieces(calls: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Calls as they are streamed: the name, then the arguments bit by bit."""
    for index, call in enumerate(calls):
        arguments = call.get("arguments", {})
        text = arguments if isinstance(arguments, str) else json.dumps(arguments)
        function = {"name": call.get("name"), "arguments": ""}
        yield {"index": index, "id": f"id-{index}", "type": "function", "function": function}
        for token in tokens.written(text):
            yield {"index": index, "function": {"arguments": token}}


def _question(path: str, body: Mapping[str, Any]) -> str | None:
    if path == TEXT:
        prompt = body.get("prompt", "")
        return str(prompt[0] if isinstance(prompt, list) and prompt else prompt)
    if path != CHAT:
        return None
    messages = body.get("messages")
    if not isinstance(messages, list):
        return ""
    users = [m for m in messages if isinstance(m, dict) and m.get("role") == "user"]
    return str(users[-1].get("content", "")) if users else ""


def _prompt_count(path: str, asked: Mapping[str, Any]) -> int:
    if path == TEXT:
        return tokens.count(_question(path, asked) or "")
    messages = asked.get("messages")
    if not isinstance(messages, list) or not messages:
        raise RefusedError(400, "Invalid type for 'messages': expected an array of objects")
    tools = json.dumps(asked["tools"]) if asked.get("tools") else ""
    said = (str(m.get("content", "")) for m in messages)
    return 3 + tokens.count(tools) + sum(4 + tokens.count(text) for text in said)


def _schema(asked: Mapping[str, Any]) -> Any:
    wish = asked.get("response_format") or {}
    if wish.get("type") == "json_schema":
        return wish["json_schema"]["schema"]
    return "json" if wish.get("type") == "json_object" else None


def _chat_logprobs(asked: Mapping[str, Any], choice: Choice) -> list[dict[str, Any]]:
    if not asked.get("logprobs"):
        return []
    top = asked.get("top_logprobs") or 0
    told = tokens.likelihoods(choice.written, top, choice.said.letters, choice.said.first_logprobs)
    return [{"top_logprobs": [], **entry} for entry in told]


def _model(name: str) -> dict[str, Any]:
    return {"id": name, "object": "model", "created": 1794710574, "owned_by": "tests"}


def _event(document: dict[str, Any]) -> bytes:
    return b"data: " + as_json(document) + b"\n\n"


def _refused(status: int, message: str, kind: str, code: str | None) -> Answer:
    error = {"message": message, "type": kind, "param": None, "code": code}
    return replace(plain({"error": error}, status), content_type="application/json")


def main() -> None:
    parser = flags("A plain OpenAI-compatible server.")
    parser.add_argument("--model", action="append", default=[], help="a model it has; repeat")
    parser.add_argument("--feature", action="append", default=[], metavar="FIELD=WAY")
    parser.add_argument("--key", default="", help="the bearer key it asks for")
    parser.add_argument("--context", type=int, default=8192)
    parser.add_argument("--reasoning", action="store_true", help="thinks before it answers")
    parser.add_argument("--fingerprint", default="fp_test")
    parser.add_argument("--slots", type=int, default=0, help="answers at once; 0: no limit")
    options = parser.parse_args()
    run(OpenAI(options), options)


if __name__ == "__main__":
    main()

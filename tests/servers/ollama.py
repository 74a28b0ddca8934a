"""A process that behaves as the recorded Ollama did.

In: HTTP requests on loopback. Out: the recorded frames where the request was recorded; else an
answer of the same shape, made by rule. Run: `python -m tests.servers.ollama --version 0.17.4`.

    0.11.10   ignores truncate, shift and logprobs, with status 200; other order of keys
    0.17.4    the version of most recordings; repeat_penalty is 1.1 where it is not sent
    0.34.0    repeat_penalty 1.0 where it is not sent; tells prompt_eval_cached_count
"""

from __future__ import annotations

import argparse
import json
import math
import time
from collections.abc import Mapping
from typing import Any

from tests.servers import ollama_v1
from tests.servers.faults import Fault, perform
from tests.servers.ollama_checks import Job, RefusedError, Version, checked
from tests.servers.ollama_compute import Computed, compute
from tests.servers.ollama_models import Models, now
from tests.servers.process import App, NotJson, flags, run
from tests.servers.recordings import Recording, answered, key_of
from tests.servers.slots import QueueFullError, Slots
from tests.servers.speech import calls_in
from tests.servers.wire import JSON, LOOK_EVERY_S, Answer, ClientLeftError, Exchange, as_json, plain

NDJSON = "application/x-ndjson"
BUSY = "server busy, please try again.  maximum pending requests exceeded"
NATIVE = {"/api/chat", "/api/generate"}


class Ollama(App):
    """The server."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.version = Version(options.version)
        self.recorded = {} if options.no_replay else _replayable(self.version)
        super().__init__(options)

    def first_settings(self) -> dict[str, Any]:
        options = self.options
        return {
            "delay_ms": options.delay_ms, "token_ms": options.token_ms, "speed": options.speed,
            "slots": options.slots, "queue": options.queue, "offload": options.offload,
        }  # fmt: skip

    def forget(self) -> None:
        self.models = Models(
            self.version.name, self.options.also, self.options.cloud, self.options.only
        )
        self.slots = Slots(self.settings)
        self.turns: dict[str, int] = {}

    # ------------------------------------------------------------------ what is asked

    def question(self, exchange: Exchange, body: Any) -> str | None:
        if not isinstance(body, dict) or exchange.method != "POST":
            return None
        if exchange.path in NATIVE and _is_empty(exchange.path, body):
            return None
        return last_words(exchange.path, body)

    def refusal(self, path: str, status: int, message: str) -> Answer:
        if path.startswith("/v1/"):
            return ollama_v1.refusal(status, message)
        return plain({"error": message}, status)

    def reply(self, exchange: Exchange, body: Any, fault: Fault | None) -> None:
        path = exchange.path
        try:
            if path in NATIVE | ollama_v1.PATHS and exchange.method == "POST":
                self._reply_with_model(exchange, body, fault)
                return
            answer = self._read(exchange, body)
        except RefusedError as refused:
            answer = refused.answer or self.refusal(path, refused.status, str(refused))
        if fault is None:
            exchange.send(answer)
        else:
            perform(fault, exchange, answer, self.refusal)

    # ------------------------------------------------------------------ what is there

    def _read(self, exchange: Exchange, body: Any) -> Answer:
        path, get = exchange.path, exchange.method in ("GET", "HEAD")
        if path in NATIVE | ollama_v1.PATHS | {"/api/show"} and get:
            return Answer(405, "text/plain", [(0.0, b"405 method not allowed")],
                          headers=(("Allow", "POST"),))  # fmt: skip
        if path == "/" and get:
            return Answer(200, "text/plain; charset=utf-8", [(0.0, b"Ollama is running")])
        if path == "/api/version" and get:
            return plain({"version": self.version.name})
        if path == "/api/tags" and get:
            return plain(self.models.tags())
        if path == "/api/ps" and get:
            return plain(self.models.ps(self.settings["offload"]))
        if path == "/api/show":
            return self._show(body)
        if path.startswith("/v1/models") and get:
            return ollama_v1.models(self.models, path)
        return Answer(404, "text/plain", [(0.0, b"404 page not found")])

    def _show(self, body: Any) -> Answer:
        if body is None:
            raise RefusedError(400, "missing request body")
        if isinstance(body, NotJson):
            raise RefusedError(400, body.why)
        name = body.get("model") or body.get("name") or ""
        if not name:
            raise RefusedError(400, "model is required")
        model = self.models.find(name)
        if model is None:
            raise RefusedError(404, f"model '{name}' not found")
        return plain(model.show, chunked=True)

    # ------------------------------------------------------------------ what is computed

    def _reply_with_model(self, exchange: Exchange, body: Any, fault: Fault | None) -> None:
        path = exchange.path
        if path in ollama_v1.PATHS:
            job = ollama_v1.job(path, body, self.models, self.version)
        else:
            job = checked(path, body, self.models, self.version)
        if job.loads_only:
            exchange.send(self._load_only(path, job))
            return
        try:
            with self.slots.place(job.model.name, exchange) as waited:
                if fault is not None and fault.kind == "slow_prefill":
                    self._slow_prefill(exchange, job, fault.details)
                answer = self._answer(exchange, path, body, job, int(waited * 1e9))
                if fault is None:
                    exchange.send(answer)
                else:
                    perform(fault, exchange, answer, self.refusal)
        except QueueFullError:
            raise RefusedError(503, BUSY) from None

    def _load_only(self, path: str, job: Job) -> Answer:
        if job.keep_s == 0:
            self.models.unload(job.model.name)
            reason = "unload"
        else:
            self.models.load(job.model.name, job.num_ctx, job.keep_s)
            reason = "load"
        head = {"model": job.name, "created_at": now()}
        return plain({**head, **_said(path, "", ""), **_done(self.version, path, reason)})

    def _slow_prefill(self, exchange: Exchange, job: Job, details: Mapping[str, Any]) -> None:
        """Compute on for `seconds`, whether the client waits or not; only an unload ends it."""
        name, before = job.model.name, self.models.unloads.get(job.model.name, 0)
        self.models.load(name, job.num_ctx, job.keep_s)
        steps = int(details.get("seconds", 30) / LOOK_EVERY_S)
        left = False
        for _ in range(steps):
            left = left or exchange.client_left()
            if left and (self.models.unloads.get(name, 0) > before or exchange.is_over()):
                raise ClientLeftError
            time.sleep(LOOK_EVERY_S)
        if left:
            raise ClientLeftError

    def _answer(self, exchange: Exchange, path: str, body: Any, job: Job, waited_ns: int) -> Answer:
        loaded, load_ns = self.models.load(job.model.name, job.num_ctx, job.keep_s)
        replay = self._recording(exchange, body)
        if self.settings["delay_ms"]:
            exchange.wait(self.settings["delay_ms"] / 1000)
        if replay is not None:
            loaded.prompt = job.prompt
            answer = _replayed(replay, self.settings["speed"], waited_ns)
        else:
            computed = compute(job, loaded, load_ns, waited_ns, self.book)
            answer = self._told(path, body, job, computed)
        if job.keep_s == 0:
            self.models.unload(job.model.name)
        return answer

    def _told(self, path: str, body: Any, job: Job, computed: Computed) -> Answer:
        pause = self.settings["token_ms"] / 1000
        if path in ollama_v1.PATHS:
            return ollama_v1.told(path, job, computed, pause, _wants_usage(body))
        if job.debug:
            return plain(_rendered(job))
        if not job.streams:
            return _whole(path, job, computed, self.version)
        calls = calls_in(computed.text, body) if path == "/api/chat" else []
        return _streamed(path, job, computed, self.version, pause, calls)

    def _recording(self, exchange: Exchange, body: Any) -> Recording | None:
        """The recorded answer; the second where the same was recorded twice and asked again."""
        if not self.recorded or self.book.knows(last_words(exchange.path, body) or ""):
            return None
        key = key_of(exchange.method, exchange.path, body)
        found = self.recorded.get(key)
        if found is None:
            return None
        turn = self.turns.get(key, 0)
        self.turns[key] = turn + 1
        return found[min(turn, len(found) - 1)]


# ---------------------------------------------------------------------- replaying


def _replayable(version: Version) -> dict[str, list[Recording]]:
    """The recorded answers that this version would give again."""
    recorded = "0.11.10" if version.is_old else "0.17.4"
    table: dict[str, list[Recording]] = {}
    for each in sorted(answered(recorded), key=lambda r: r.case == "chat-again"):
        asked = each.path in NATIVE | ollama_v1.PATHS and each.status == 200
        options = (each.body or {}).get("options", {}) if asked else {}
        same_penalty = version.default_penalty != 1.0 or "repeat_penalty" in options
        if asked and same_penalty and not _is_empty(each.path, each.body):
            table.setdefault(each.key, []).append(each)
    return table


def _replayed(recording: Recording, speed: float, waited_ns: int) -> Answer:
    chunked = recording.headers.get("transfer-encoding") == "chunked"
    frames, before = [], 0.0
    for at, text in recording.frames:
        frames.append(((at - before) / speed if speed else 0.0, text.encode()))
        before = at
    if waited_ns and recording.path in NATIVE:
        pause, last = frames[-1]
        document = json.loads(last)
        if "total_duration" in document:
            document["total_duration"] += waited_ns
            frames[-1] = (pause, as_json(document) + (b"\n" if last.endswith(b"\n") else b""))
    return Answer(recording.status, recording.headers["content-type"], frames, chunked)


# ---------------------------------------------------------------------- the native shape


def _done(version: Version, path: str, reason: str) -> dict[str, Any]:
    """The old version's chat has the two keys the other way round."""
    if version.is_old and path == "/api/chat":
        return {"done_reason": reason, "done": True}
    return {"done": True, "done_reason": reason}


def _said(path: str, text: str, thinking: str) -> dict[str, Any]:
    if path == "/api/generate":
        return {"response": text, **({"thinking": thinking} if thinking else {})}
    message = {"role": "assistant", "content": text}
    return {"message": {**message, **({"thinking": thinking} if thinking else {})}}


def _last(path: str, job: Job, computed: Computed, version: Version, *, whole: bool) -> Any:
    """The final object. Chat has log-probabilities before the figures, generate after them."""
    text, thinking = (computed.text, computed.thinking) if whole else ("", "")
    told = {"logprobs": computed.logprobs} if whole and computed.logprobs else {}
    figures = computed.figures(tells_cached=version.tells_cached, tells_single=version.is_old)
    document = {"model": job.name, "created_at": now(), **_said(path, text, thinking)}
    document.update(_done(version, path, computed.reason))
    if path == "/api/chat":
        return {**document, **told, **figures}
    if not job.raw:
        document["context"] = computed.context
    return {**document, **figures, **told}


def _whole(path: str, job: Job, computed: Computed, version: Version) -> Answer:
    body = as_json(_last(path, job, computed, version, whole=True))
    # Go sends what does not fit into its buffer of 2 KB in chunks.
    return Answer(200, JSON, [(0.0, body)], chunked=len(body) > 2048)


def _streamed(
    path: str,
    job: Job,
    computed: Computed,
    version: Version,
    pause: float,
    calls: list[dict[str, Any]],
) -> Answer:
    created = now()
    frames = []
    for call in calls:  # each comes whole
        message = {"role": "assistant", "content": "", "tool_calls": [{"function": call}]}
        line = {"model": job.name, "created_at": created, "message": message, "done": False}
        frames.append((pause, as_json(line) + b"\n"))
    for place, (token, is_thought) in enumerate([] if calls else computed.pieces):
        said = _said(path, "", token) if is_thought else _said(path, token, "")
        line = {"model": job.name, "created_at": created, **said, "done": False}
        if computed.logprobs:
            line["logprobs"] = [computed.logprobs[place]]
        frames.append((pause, as_json(line) + b"\n"))
    last = as_json(_last(path, job, computed, version, whole=False)) + b"\n"
    return Answer(200, NDJSON, [*frames, (0.0, last)], chunked=True)


def _rendered(job: Job) -> dict[str, Any]:
    return {
        "model": job.name, "created_at": now(), "message": {"role": "", "content": ""},
        "done": False, "_debug_info": {"rendered_template": job.rendered},
    }  # fmt: skip


# ---------------------------------------------------------------------- small readings


def _is_empty(path: str, body: Any) -> bool:
    """It asks for nothing but a model in memory, or out of it."""
    field = "messages" if path == "/api/chat" else "prompt"
    return isinstance(body, dict) and not body.get(field) and path in NATIVE


def last_words(path: str, body: Mapping[str, Any]) -> str | None:
    """The last user message, or the prompt."""
    if path not in NATIVE | ollama_v1.PATHS:
        return None
    if path.endswith(("/generate", "/completions")) and "prompt" in body:
        return str(body["prompt"])
    messages = body.get("messages")
    if not isinstance(messages, list):
        return ""
    users = [m for m in messages if isinstance(m, dict) and m.get("role") == "user"]
    return str(users[-1].get("content", "")) if users else ""


def _wants_usage(body: Mapping[str, Any]) -> bool:
    return bool((body.get("stream_options") or {}).get("include_usage"))


def main() -> None:
    parser = flags("Behaves as the recorded Ollama did.")
    parser.add_argument("--version", default="0.17.4")
    parser.add_argument("--slots", type=int, default=1, help="OLLAMA_NUM_PARALLEL")
    parser.add_argument("--queue", type=int, default=512, help="OLLAMA_MAX_QUEUE")
    parser.add_argument(
        "--speed", type=float, default=0.0,
        help="recorded delays: 1 as they were, 10 ten times as fast, 0 none (default)",
    )  # fmt: skip
    parser.add_argument("--no-replay", action="store_true", help="answer by rule only")
    parser.add_argument("--also", action="append", default=[], metavar="NAME[=BYTES]")
    parser.add_argument("--only", metavar="NAME", help="the only one of the recorded models")
    parser.add_argument("--cloud", action="append", default=[], metavar="NAME")
    parser.add_argument("--offload", type=float, default=0.0, help="share of the model on a GPU")
    options = parser.parse_args()
    if not math.isfinite(options.speed):
        options.speed = 0.0
    run(Ollama(options), options)


if __name__ == "__main__":
    main()

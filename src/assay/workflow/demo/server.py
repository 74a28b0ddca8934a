"""A stand-in for an Ollama server: written answers over the real protocol, for the demonstration.

    python -m assay.workflow.demo.server SCRIPT.json [--port N]

In: a scripted model's file; requests on 127.0.0.1. Out: its URL on the first line of stdout, then
Ollama's native API as far as Assay needs it: version, tags, show, ps, load, unload, and streamed
/api/chat with durations and the likelihoods of the first token.

Nothing is computed. Loading, reading and writing take the real but invented times below, and the
durations told are those that passed: an exercise for the client, and no measure of any model.

It takes the port it is told, or a free one where that is taken, and ends when its standard input
does: it cannot outlive the process that started it.
"""

from __future__ import annotations

import argparse
import json
import math
import re
import socketserver
import sys
import threading
import time
from collections.abc import Generator, Iterator, Mapping
from contextlib import closing, suppress
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

from assay.workflow.demo.answers import WrittenAnswers

HOST = "127.0.0.1"
# Tells likelihoods and cached tokens, as servers do since then; its last word is in every report.
VERSION = "0.34.0-stand-in"
CONTEXT = 8192
LOAD_S = 0.2
TOKEN_S = 0.003
PIECE = re.compile(r"\s*\w{1,5}|\s*[^\w\s]|\s+")
DETAILS = {
    "format": "json",
    "family": "scripted",
    "parameter_size": "none, speeds mean nothing",
    "quantization_level": "none (written answers)",
}
SHOWN = {
    "template": "{{ range .Messages }}{{ .Content }}{{ end }}",
    "details": DETAILS,
    "model_info": {"general.architecture": "scripted", "scripted.context_length": CONTEXT},
    "capabilities": ["completion"],
}


class StandIn:
    """One model that does one thing at a time; what waits for it is told as waiting."""

    def __init__(self, answers: WrittenAnswers) -> None:
        self._answers = answers
        self._busy = threading.Lock()
        self._context = 0  # 0: not in memory

    def knows(self, name: object) -> bool:
        """A name without a tag means :latest."""
        return name in (self._answers.name, f"{self._answers.name}:latest")

    def entry(self) -> dict[str, Any]:
        """The model in a list."""
        name = f"{self._answers.name}:latest"
        known = {"name": name, "model": name, "size": 0, "digest": self._answers.digest}
        return {**known, "details": DETAILS}

    def loaded(self) -> list[dict[str, Any]]:
        """What is in memory."""
        held = {"size_vram": 0, "context_length": self._context}
        return [{**self.entry(), **held}] if self._context else []

    def load_or_unload(self, body: Mapping[str, Any]) -> dict[str, Any]:
        """/api/generate without a prompt."""
        with self._busy:
            if body.get("keep_alive") == 0:
                self._context, reason = 0, "unload"
            else:
                self._load(body.get("options", {}))
                reason = "load"
        return {**self._stamp(), "response": "", "done": True, "done_reason": reason}

    def chat(self, body: Mapping[str, Any]) -> Generator[dict[str, Any], None, None]:
        """The lines of a stream, when they are due."""
        options, messages = body.get("options", {}), body["messages"]
        begun = time.perf_counter_ns()
        with self._busy:
            load_ns = self._load(options)
            reading = time.perf_counter_ns()
            said = self._answers.say(messages[-1]["content"], options.get("seed", 0))
            writing = time.perf_counter_ns()
            if said is None:
                yield {"error": "nothing is written for this question"}
                return
            told = said.likely if body.get("logprobs") else {}
            pieces = PIECE.findall(max(told, key=told.__getitem__) if told else said.text)
            limit = options.get("num_predict", -1)
            kept = pieces[:limit] if limit > 0 else pieces
            for number, piece in enumerate(kept):
                time.sleep(TOKEN_S)
                yield self._line(piece) | (_likelihoods(told) if told and not number else {})
            ended = time.perf_counter_ns()
        yield self._line("") | {
            "done": True,
            "done_reason": "stop" if len(kept) == len(pieces) else "length",
            "total_duration": ended - begun,
            "load_duration": load_ns,
            "prompt_eval_count": sum(len(PIECE.findall(m["content"])) + 4 for m in messages),
            "prompt_eval_cached_count": 0,
            "prompt_eval_duration": writing - reading,
            "eval_count": len(kept),
            "eval_duration": ended - writing,
        }

    def _load(self, options: Mapping[str, Any]) -> int:
        """Another size of context loads anew, as on the real one."""
        begun = time.perf_counter_ns()
        wanted = min(options.get("num_ctx", 4096), CONTEXT)
        if self._context != wanted:
            time.sleep(LOAD_S)
            self._context = wanted
        return time.perf_counter_ns() - begun

    def _line(self, text: str) -> dict[str, Any]:
        return {**self._stamp(), "message": {"role": "assistant", "content": text}, "done": False}

    def _stamp(self) -> dict[str, Any]:
        return {"model": self._answers.name, "created_at": datetime.now(UTC).isoformat()}


def _likelihoods(likely: Mapping[str, float]) -> dict[str, Any]:
    top = [{"token": letter, "logprob": math.log(share)} for letter, share in likely.items()]
    return {"logprobs": [{**top[0], "top_logprobs": top}]}


class Listener(socketserver.ThreadingTCPServer):
    """Not the one of http.server, which asks the network for this machine's name."""

    allow_reuse_address = sys.platform != "win32"  # there it takes a port from who has it
    daemon_threads = True

    def __init__(self, port: int, stand_in: StandIn) -> None:
        self.stand_in = stand_in
        super().__init__((HOST, port), Handler)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that was killed is no error of ours."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


class Handler(BaseHTTPRequestHandler):
    """Requests in, JSON out."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: Listener

    def do_GET(self) -> None:
        """Facts about the server."""
        stand_in = self.server.stand_in
        known: dict[str, Any] = {
            "/api/version": {"version": VERSION},
            "/api/tags": {"models": [stand_in.entry()]},
            "/api/ps": {"models": stand_in.loaded()},
        }
        self._send(known.get(self.path, {"error": "not found"}), 200 if self.path in known else 404)

    def do_POST(self) -> None:
        """What is asked of its model."""
        stand_in = self.server.stand_in
        body = json.loads(self.rfile.read(int(self.headers.get("Content-Length", 0))))
        if not stand_in.knows(body.get("model")):
            self._send({"error": f"model '{body.get('model')}' not found"}, 404)
        elif self.path == "/api/show":
            self._send(SHOWN)
        elif self.path == "/api/generate" and not body.get("prompt"):
            self._send(stand_in.load_or_unload(body))
        elif self.path == "/api/chat" and body.get("stream", True) and not body.get("format"):
            with closing(stand_in.chat(body)) as lines:
                self._stream(lines)
        else:
            self._send({"error": "the stand-in answers streamed chats only"}, 400)

    def log_message(self, format: str, *args: object) -> None:
        """Nothing to say about what goes well."""

    def _send(self, document: object, status: int = 200) -> None:
        raw = json.dumps(document).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json; charset=utf-8")
        self.send_header("Content-Length", str(len(raw)))
        self.end_headers()
        self.wfile.write(raw)

    def _stream(self, lines: Iterator[dict[str, Any]]) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "application/x-ndjson")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for line in lines:
            raw = json.dumps(line).encode() + b"\n"
            self.wfile.write(b"%x\r\n%b\r\n" % (len(raw), raw))
        self.wfile.write(b"0\r\n\r\n")


def main() -> None:
    """Serve until standard input ends."""
    parser = argparse.ArgumentParser(prog="python -m assay.workflow.demo.server")
    parser.add_argument("script", type=Path)
    parser.add_argument("--port", type=int, default=0)
    given = parser.parse_args()
    stand_in = StandIn(WrittenAnswers(given.script))
    try:
        listener = Listener(given.port, stand_in)
    except OSError:
        listener = Listener(0, stand_in)
    with listener:
        threading.Thread(target=listener.serve_forever, daemon=True).start()
        sys.stdout.write(f"http://{HOST}:{listener.server_address[1]}\n")
        sys.stdout.flush()
        with suppress(KeyboardInterrupt):
            sys.stdin.buffer.read()
        listener.shutdown()


if __name__ == "__main__":
    main()

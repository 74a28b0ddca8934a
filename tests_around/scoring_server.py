"""A server of raw completions that scores prompts, as vLLM does: the model of transformers behind
`echo` and `logprobs`. Our engine has no part in it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Lock, Thread
from typing import Any

import torch
from torch import Tensor
from transformers import AutoModelForCausalLM, AutoTokenizer

NAME = "tiny"


class Completions:
    """A causal model that completes one prompt at a time, greedily."""

    def __init__(self, checkpoint: Path, tokenizer: Path) -> None:
        self.model = AutoModelForCausalLM.from_pretrained(checkpoint).float().eval()
        self.tokenizer = AutoTokenizer.from_pretrained(tokenizer)
        self.lock = Lock()

    def answer(self, body: dict[str, Any]) -> dict[str, Any]:
        """Return the choice for one request: the text, and what `logprobs` asks for."""
        stops = body.get("stop") or []
        prompt: list[int] = self.tokenizer(body["prompt"])["input_ids"]
        with self.lock, torch.inference_mode():
            written, reason = self._write(prompt, body.get("max_tokens") or 16, stops)
            ids = [*prompt, *written]
            log_likelihoods = self.model(torch.tensor([ids])).logits[0].log_softmax(-1)

        text = self.tokenizer.decode(written)
        for stop in stops:
            text = text.partition(stop)[0]
        echo = bool(body.get("echo"))
        logprobs = None
        if body.get("logprobs") is not None:
            first = 0 if echo else len(prompt)
            logprobs = self._logprobs(ids, first, log_likelihoods, body["logprobs"])
        whole = body["prompt"] + text if echo else text
        return {"index": 0, "text": whole, "finish_reason": reason, "logprobs": logprobs}

    def _write(self, prompt: list[int], limit: int, stops: list[str]) -> tuple[list[int], str]:
        written: list[int] = []
        while len(written) < limit:
            logits = self.model(torch.tensor([[*prompt, *written]])).logits[0, -1]
            token = int(logits.argmax())
            if token == self.tokenizer.eos_token_id:
                return written, "stop"
            written.append(token)
            text = self.tokenizer.decode(written)
            if any(stop in text for stop in stops):
                return written, "stop"
        return written, "length"

    def _logprobs(
        self, ids: list[int], first: int, log_likelihoods: Tensor, count: int
    ) -> dict[str, Any]:
        texts = [self.tokenizer.decode([token]) for token in ids[first:]]
        values: list[float | None] = []
        likeliest: list[dict[str, float] | None] = []
        for place in range(first, len(ids)):
            if place == 0:
                values.append(None)
                likeliest.append(None)
                continue
            row = log_likelihoods[place - 1]
            values.append(float(row[ids[place]]))
            best = row.topk(count)
            texts_of_best = [self.tokenizer.decode([token]) for token in best.indices.tolist()]
            likeliest.append(dict(zip(texts_of_best, best.values.tolist(), strict=True)))
        return {"tokens": texts, "token_logprobs": values, "top_logprobs": likeliest}


@contextmanager
def scoring_server(checkpoint: Path, tokenizer: Path) -> Iterator[str]:
    """Serve a checkpoint on a free port of this machine, and give the URL."""
    completions = Completions(checkpoint, tokenizer)

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._send({"object": "list", "data": [{"id": NAME, "object": "model"}]})

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            if not self.path.endswith("/completions") or "chat" in self.path:
                self.send_error(404)
                return
            document = {"object": "text_completion", "choices": [completions.answer(body)]}
            if body.get("stream"):
                events = f"data: {json.dumps(document)}\n\ndata: [DONE]\n\n"
                self._send_bytes(events.encode(), "text/event-stream")
                return
            self._send(document)

        def _send(self, document: dict[str, Any]) -> None:
            self._send_bytes(json.dumps(document).encode(), "application/json")

        def _send_bytes(self, content: bytes, kind: str) -> None:
            self.send_response(200)
            self.send_header("content-type", kind)
            self.send_header("content-length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_: object) -> None:
            """Stay silent."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()

"""A server as a process of its own: its control, its log, its faults, its end.

In: command-line flags; requests. Out: the port on the first line of stdout; answers.

`POST /control` takes a JSON object with any of `reset` (true), `faults` (a list, added),
`answers` (a book, replaces the one before), `settings` (of this server). `GET /control/log` gives
what was asked. The process ends when its standard input does, so that it cannot outlive the tests
that started it; `--stay` is for use by hand.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.servers.faults import Faults, perform
from tests.servers.seen import Seen
from tests.servers.speech import Book
from tests.servers.wire import Answer, ClientLeftError, Exchange, Listener, plain


class NotJson:
    """A body that cannot be read as JSON, and why."""

    def __init__(self, why: str) -> None:
        self.why = why


class App:
    """What both servers share. A subclass answers."""

    asking_paths: frozenset[str] = frozenset()

    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self.seen = Seen()
        self.faults = Faults()
        self.book = Book()
        self.book.replace(_first_answers(options))
        self.epoch = 0
        self.settings: dict[str, Any] = {}
        self.reset()

    # ---------------------------------------------------------- for the subclass to fill

    def first_settings(self) -> dict[str, Any]:
        raise NotImplementedError

    def forget(self) -> None:
        """Back to the state after the start."""

    def question(self, exchange: Exchange, body: Any) -> str | None:
        """The last user message of a request for an answer; None where it asks for none."""
        raise NotImplementedError

    def answer(self, exchange: Exchange, body: Any) -> Answer | None:
        """The answer; None where it was sent already."""
        raise NotImplementedError

    def refusal(self, path: str, status: int, message: str) -> Answer:
        """An error in the shape this API gives it."""
        raise NotImplementedError

    # ---------------------------------------------------------- the way of a request

    def __call__(self, exchange: Exchange) -> None:
        if exchange.path.startswith("/control"):
            self._control(exchange)
            return
        epoch = self.epoch
        exchange.is_over = lambda: self.epoch != epoch
        body = read_body(exchange.body)
        question = self.question(exchange, body)
        logged = exchange.body.decode("utf-8", "replace") if isinstance(body, NotJson) else body
        entry = self.seen.arrived(exchange, logged, asks=question is not None)
        exchange.at_end(lambda: self.seen.left(entry, exchange))
        try:
            fault = self.faults.take(exchange.path, question)
            entry["fault"] = fault and fault.kind
            if fault is not None and fault.comes_first:
                perform(fault, exchange, Answer(), self.refusal)
            else:
                self.reply(exchange, body, fault)
            entry["ended"] = "complete"
        except ClientLeftError:
            entry["ended"] = "cut"
            raise
        finally:
            exchange.ending()

    def reply(self, exchange: Exchange, body: Any, fault: Any) -> None:
        """The normal way: an answer, spoilt by the fault if there is one."""
        answer = self.answer(exchange, body)
        if answer is None:
            return
        if fault is None:
            exchange.send(answer)
        else:
            perform(fault, exchange, answer, self.refusal)

    # ---------------------------------------------------------- control

    def reset(self) -> None:
        self.epoch += 1
        self.seen.clear()
        self.faults.clear()
        self.book.replace(_first_answers(self.options))
        self.settings = self.first_settings()
        self.forget()

    def _control(self, exchange: Exchange) -> None:
        if exchange.path == "/control/log":
            exchange.send(plain(self.seen.document()))
            return
        try:
            self._obey(json.loads(exchange.body))
        except (ValueError, KeyError, TypeError) as mistake:
            exchange.send(plain({"error": f"{type(mistake).__name__}: {mistake}"}, 400))
            return
        exchange.send(plain({}))

    def _obey(self, order: Mapping[str, Any]) -> None:
        unknown = set(order) - {"reset", "faults", "answers", "settings"}
        if unknown:
            raise KeyError(f"no such order: {sorted(unknown)}")
        if order.get("reset"):
            self.reset()
        if "answers" in order:
            self.book.replace(order["answers"])
        for name, value in order.get("settings", {}).items():
            if name not in self.settings:
                raise KeyError(f"no such setting: {name}; there are {sorted(self.settings)}")
            known = self.settings[name]
            self.settings[name] = {**known, **value} if isinstance(known, dict) else value
        for fault in order.get("faults", []):
            self.faults.add(fault)


def read_body(body: bytes) -> Any:
    """None where there is none."""
    if not body:
        return None
    try:
        return json.loads(body)
    except json.JSONDecodeError as mistake:
        if mistake.pos >= len(body.decode("utf-8", "replace").rstrip()):
            return NotJson("unexpected EOF")
        wrong = chr(body[mistake.pos]) if mistake.pos < len(body) else " "
        return NotJson(f"invalid character '{wrong}' looking for beginning of value")
    except UnicodeDecodeError:
        return NotJson("invalid UTF-8")


def _first_answers(options: argparse.Namespace) -> dict[str, Any]:
    if not options.answers:
        return {}
    pages: dict[str, Any] = json.loads(Path(options.answers).read_text("utf-8"))
    return pages


def flags(description: str) -> argparse.ArgumentParser:
    """The flags that both servers have."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--port", type=int, default=0, help="0 picks a free one")
    parser.add_argument("--answers", metavar="FILE.json", help="a book of answers")
    parser.add_argument("--delay-ms", type=float, default=0.0, help="time that each answer takes")
    parser.add_argument("--token-ms", type=float, default=0.0, help="time between two chunks")
    parser.add_argument("--stay", action="store_true", help="do not end with standard input")
    return parser


def run(app: App, options: argparse.Namespace) -> None:
    """Serve until the parent is gone."""
    sys.setswitchinterval(0.001)  # many short answers beside each other
    listener = Listener(options.port, app)
    print(listener.port, flush=True)
    if not options.stay:
        threading.Thread(target=_end_with_parent, daemon=True).start()
    listener.serve_forever()


def _end_with_parent() -> None:
    sys.stdin.buffer.read()
    os._exit(0)

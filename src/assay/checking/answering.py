"""The process that runs an answer's code. From the moment the code is loaded nothing that this
process says is believed: it can only harm its own results.

A step is a few lines of ours, run with the names of the answer; its finding is in `result`. A step
of kind "example" is the answer's own line instead, as in an interactive session.
"""

import atexit
import contextlib
import gc
import io
import os
import socket
import sys
import threading
import traceback
from collections.abc import Callable, Sequence
from functools import partial
from types import ModuleType
from typing import Any

from .elsewhere import SHIFTS_S, move_elsewhere
from .wire import decoded, encoded, receive, send
from .withheld import READS_CLOCK, Witness, allow_packages, stay_alone, withhold

_LONGEST_TEXT = 2_000
_STACK_BYTES = 8 << 20  # of a thread, as of a program
Ask = Callable[..., Any]
Kept = tuple[dict[str, Any], Any]  # what a step was given, and its finding
NOTHING: Kept = {}, None


class RemoteSequence(Sequence, list):  # type: ignore[type-arg, metaclass, misc]
    """A list whose items lie with the checker's process, which counts how many are looked at."""

    def __init__(self, ask: Ask, number: int, length: int) -> None:
        super().__init__()
        self._ask, self._number, self._length = ask, number, length

    def __len__(self) -> int:
        return self._length

    def __getitem__(self, at: Any) -> Any:
        if isinstance(at, slice):
            return [self[one] for one in range(*at.indices(self._length))]
        place = at.__index__()
        place += self._length if place < 0 else 0
        if not 0 <= place < self._length:
            raise IndexError("list index out of range")
        return self._ask("item", self._number, place)

    def __eq__(self, other: object) -> bool:
        return self.copy() == other

    __hash__ = None  # type: ignore[assignment]

    def copy(self) -> list[Any]:
        return self[:]  # type: ignore[no-any-return]


class RemoteValue:
    """Something that can be compared and hashed, but only by asking."""

    __slots__ = ("_ask", "_remote_place")

    def __init__(self, ask: Ask, place: int) -> None:
        self._ask, self._remote_place = ask, place

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, RemoteValue):
            return NotImplemented
        return bool(self._ask("eq", self._remote_place, other._remote_place))

    def __hash__(self) -> int:
        return int(self._ask("hash", self._remote_place))

    def __lt__(self, other: object) -> bool:
        if not isinstance(other, RemoteValue):
            return NotImplemented
        return bool(self._ask("lt", self._remote_place, other._remote_place))

    def __repr__(self) -> str:
        return str(self._ask("repr", self._remote_place))


def serve(channel: socket.socket, witness: Witness) -> None:
    """Load the answer, then do the steps that are asked for, until the channel closes."""

    def ask(*what: object) -> Any:
        send(channel, {"ask": what})
        told = receive(channel)
        if told is None or told.get("over"):  # more than any answer of the wanted kind needs
            raise RuntimeError("too many operations")
        return decoded(told["value"])

    order = receive(channel)
    own = {order["name"], *order["modules"]}
    _clear_surroundings(order["name"])
    if order["elsewhere"]:
        shift_s = SHIFTS_S[order["elsewhere"] - 1]
        move_elsewhere(
            order["name"],
            shift_s,
            lambda: witness.note(READS_CLOCK, ()),
            has_terminal=order["elsewhere"] % 2 == 1,
        )
    withhold(order["without"])
    allow_packages(order["packages"], own=own)
    if order["alone"]:
        stay_alone(witness, {f"{one}.py" for one in own})
    for name, source in order["modules"].items():
        _load(name, source)
    module, problem = _load(order["name"], *order["sources"])
    send(channel, {"loaded": problem is None, "problem": problem})
    answer = partial(_answer, channel, module, ask)
    if order["elsewhere"]:
        threading.stack_size(_STACK_BYTES)
        worker = threading.Thread(target=answer)
        worker.start()
        worker.join()
    else:
        answer()
    _finish(module)


def _answer(channel: socket.socket, module: ModuleType, ask: Ask) -> None:
    session: dict[str, Any] = {"__name__": "__main__"}
    kept: dict[str, Kept] = {}
    while (step := receive(channel)) is not None:
        if step["kind"] == "example":
            send(channel, _example(step, session))
        else:
            send(channel, _probe(step, module, ask, kept))


def _clear_surroundings(name: str) -> None:
    """Leave nothing that tells this process from one in which a user runs the module."""
    for one in [*sys.modules]:
        if one.partition(".")[0] in ("assay", "start"):
            del sys.modules[one]
    sys.modules["__main__"] = ModuleType("__main__")
    sys.argv[:] = [f"{name}.py"]
    sys.orig_argv[:] = [sys.executable, *sys.argv]
    path = os.environ.get("PATH", os.defpath)
    os.environ.clear()
    os.environ.update({"PATH": path, "HOME": os.getcwd(), "LANG": "C.UTF-8"})


def _finish(module: ModuleType) -> None:
    """What a program still does at its end: its threads, what is registered for it, what is freed.
    The interpreter's own end would take the nursery's code with it.
    """
    getattr(threading, "_shutdown", list)()
    for thread in threading.enumerate():
        if thread is not threading.current_thread():
            thread.join()
    atexit._run_exitfuncs()
    vars(module).clear()
    gc.collect()
    for stream in (sys.stdout, sys.stderr):
        stream.flush()


def _load(name: str, *sources: str) -> tuple[ModuleType, object]:
    """A module of these sources, one after the other; where one fails, with what came before."""
    module = ModuleType(name)
    module.__file__ = f"{name}.py"
    sys.modules[name] = module
    try:
        for source in sources:
            exec(compile(source, f"{name}.py", "exec"), module.__dict__)
    except BaseException as problem:  # noqa: BLE001 - code of an answer may raise anything
        return module, _raised(problem)
    return module, None


def _probe(
    step: dict[str, Any], module: ModuleType, ask: Ask, kept: dict[str, Kept]
) -> dict[str, Any]:
    if step["kind"] == "kept":
        return {"value": encoded({label: finding for label, (_, finding) in kept.items()})}
    if step["kind"] == "spoil":
        for _, finding in kept.values():
            _spoil(finding)
        return {"value": None}
    given = {name: _given(value, ask) for name, value in step["names"].items()}
    if step["into"]:
        before = kept.get(step["into"], NOTHING)[0]
        given = {name: _put_into(before.get(name), value) for name, value in given.items()}
    names = {**vars(module), **given}
    try:
        exec(compile(step["code"], "<stdin>", "exec"), names)
        if step["keep"]:
            kept[step["keep"]] = given, names.get("result")
        return {"value": encoded(names.get("result"))}
    except BaseException as problem:  # noqa: BLE001 - so may a function of it, exit included
        return {"raised": _raised(problem)}


def _put_into(holder: Any, value: Any) -> Any:
    """The holder with these values in the place of its own, where both are of one kind."""
    if type(holder) is list and type(value) is list:
        holder[:] = value
    elif type(holder) is dict and type(value) is dict:
        holder.clear()
        holder.update(value)
    else:
        return value
    return holder


def _spoil(value: Any) -> None:
    """Change what came back, as its owner may."""
    if type(value) in (list, tuple):
        for one in value:
            _spoil(one)
    if type(value) is list:
        value.append(None)
    elif type(value) is dict:
        for one in value.values():
            _spoil(one)
        value[None] = None
    elif type(value) is set:
        value.add(None)


def _given(value: Any, ask: Ask) -> Any:
    if isinstance(value, dict) and "remote_sequence" in value:
        return RemoteSequence(ask, *value["remote_sequence"])
    if isinstance(value, dict) and "remote_values" in value:
        return [RemoteValue(ask, place) for place in range(*value["remote_values"])]
    return decoded(value)


def _example(step: dict[str, Any], session: dict[str, Any]) -> dict[str, Any]:
    """What a terminal would show after a line of an interactive session."""
    if step["anew"]:
        (module,) = step["names"]
        session.clear()
        session.update(vars(sys.modules[module]), __name__="__main__")
    shown = io.StringIO()
    try:
        with contextlib.redirect_stdout(shown):
            exec(compile(step["code"], "<stdin>", "single"), session)
    except BaseException as problem:  # noqa: BLE001 - so may an example
        return {"raised": _raised(problem), "output": shown.getvalue()[:_LONGEST_TEXT]}
    return {"value": None, "output": shown.getvalue()[:_LONGEST_TEXT]}


def _raised(problem: BaseException) -> dict[str, object]:
    try:
        text = "".join(traceback.format_exception_only(problem))[:_LONGEST_TEXT]
    except BaseException:  # noqa: BLE001 - an exception may refuse to be shown
        text = ""
    return {"types": [kind.__name__[:100] for kind in type(problem).__mro__][:10], "text": text}

"""Takes modules away from a candidate's process, whichever way its code asks for them; lets its
code import only the packages that a test lists; and keeps apart code that has to work alone.
A refusal that the code swallows is noted all the same, where the code cannot get at it.

Modules that are taken away can be imported, so that modules which need them can be too, but
whatever they offer refuses to be used. The originals cannot be loaded again: an audit hook stays
for as long as the process does.
"""

import _imp
import builtins
import mmap
import os
import sys
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import PurePath
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import Any, NoReturn

# What is defined below keeps these, whatever code of an answer puts in their place.
globals()["__builtins__"] = dict(vars(builtins))


class WithheldModule(ModuleType):
    """In the place of a module."""

    def __getattr__(self, name: str) -> Callable[..., NoReturn]:
        if name.startswith("__"):
            raise AttributeError(name)
        return partial(_refuse, self.__name__)


class RefusedModule(ModuleType):
    """In the place of a module through which code would leave its process: others can import it,
    and whoever uses it is refused.
    """

    def __getattr__(self, name: str) -> Callable[..., None]:
        if name.startswith("__"):
            raise AttributeError(name)
        return partial(_ask_for, f"{self.__name__}.{name}")


def _ask_for(event: str, *_: object, **__: object) -> None:
    sys.audit(event)


def withhold(names: Iterable[str]) -> None:
    """Take these modules away; there is no way back."""
    refused = frozenset(names)
    if not refused:
        return
    loaded = refused & sys.modules.keys()
    for module in [*sys.modules.values()] if loaded else ():
        for name, value in [*vars(module).items()]:
            if isinstance(value, ModuleType):
                origin = value.__name__
            elif isinstance(value, BuiltinFunctionType | FunctionType):
                origin = value.__module__
            else:
                continue
            if origin in refused:
                setattr(module, name, partial(_refuse, str(origin)))
    for name in refused:
        if name in loaded:
            vars(sys.modules[name]).clear()
        sys.modules[name] = WithheldModule(name)
    create_builtin = _imp.create_builtin

    def create_other_builtin(spec: Any) -> Any:
        return _refuse(spec.name) if spec.name in refused else create_builtin(spec)

    _imp.create_builtin = create_other_builtin

    def refuse(event: str, values: tuple[object, ...]) -> None:
        if event in ("import", "open", "ctypes.dlopen"):
            texts = [one.decode("utf-8", "replace") if isinstance(one, bytes) else one
                     for one in values if isinstance(one, str | bytes)]  # fmt: skip
            for stem in refused.intersection(PurePath(text).name.split(".")[0] for text in texts):
                _refuse(stem)

    sys.addaudithook(refuse)


class Witness:
    """A page of memory that candidates share with the checker's process: what is noted there first
    stays until it is taken. No file leads to it, and code that works alone cannot get hold of it.
    """

    def __init__(self) -> None:
        self._page = mmap.mmap(-1, _PAGE)

    def note(self, event: str, values: tuple[object, ...]) -> None:
        if self._page[0]:
            return
        first = values[0] if values else None
        name = f" {first!r}" if type(first) in (str, bytes) else ""
        told = f"{event}{name}".encode("ascii", "backslashreplace")[:_PAGE]
        self._page[: len(told)] = told

    def take(self) -> str:
        """What was noted, or ""; then there is nothing again."""
        noted = bytes(self._page).rstrip(b"\0").decode("ascii", "replace")
        self._page[:] = bytes(_PAGE)
        return noted


_PAGE = 200
READS_CLOCK = "the clock"
# Where a function's events lie that reach beyond its process: files, programs, the network, the
# system. An event of another module, or one that a later Python adds to it, is none of these.
_MODULES_OUTSIDE = ("ctypes", "_ctypes", "_xxsubinterpreters", "_interpreters",
                    "_posixsubprocess", "_multiprocessing", "_testcapi")  # fmt: skip
_OUTSIDE = frozenset((
    *_MODULES_OUTSIDE, "fcntl", "ftplib", "glob", "http", "imaplib", "mmap", "msvcrt", "os",
    "pathlib", "poplib", "pty", "resource", "shutil", "smtplib", "socket", "sqlite3", "subprocess",
    "syslog", "tempfile", "urllib", "webbrowser", "winreg",
))  # fmt: skip
_OF_NO_HARM = ("os.putenv", "os.unsetenv")
_ZONES = ("/usr/share/zoneinfo", "/usr/lib/zoneinfo", "/usr/share/lib/zoneinfo", "/etc/zoneinfo")
_LISTED = ("os.listdir", "os.scandir")
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT


class _Places:
    """Folders that anybody's imports read, and the code's own files: Python looks for their source
    where it shows a warning.
    """

    def __init__(self, own: Iterable[str]) -> None:
        folders = (os.path.dirname(os.__file__), *filter(os.path.isabs, sys.path))
        found = {one for path in folders for one in (path, os.path.realpath(path))}
        self.known = frozenset((*found, *own, os.devnull))
        self.inside = (*(f"{one}/" for one in found), *_ZONES)

    def has(self, path: object) -> bool:
        if isinstance(path, bytes):
            path = bytes.decode(path, "utf-8", "surrogateescape")
        if not isinstance(path, str):
            return isinstance(path, int)  # what is open already
        path = str.__add__("", path)  # without methods that somebody gave it
        return path in self.known or (path.startswith(self.inside) and "/.." not in path)


def _writes(values: tuple[object, ...]) -> bool:
    path, mode, flags = values
    if path == os.devnull:
        return False
    by_mode = isinstance(mode, str) and bool(set(mode) & set("wax+"))
    return by_mode or (isinstance(flags, int) and bool(flags & _WRITING))


def _reaches_out(event: str, values: tuple[object, ...], places: _Places) -> bool:
    """Whether an event concerns more than this process and what belongs to Python."""
    if event == "open" or event in _LISTED:
        return not places.has(values[0])
    if event == "import":  # anew, past what stands in its place
        return str(values[0]).partition(".")[0] in _MODULES_OUTSIDE
    return event.partition(".")[0] in _OUTSIDE and event not in _OF_NO_HARM


# How code would look at who calls it, and in which process: no function that works its result out
# from what it is given needs to. Whoever is refused knows as much, so the process ends instead.
_LOOKING = ("sys._getframe", "sys._current_frames", "sys.settrace", "sys.setprofile", "gc.get_",
            "os.listdir", "os.scandir", "socket.gethostname")  # fmt: skip
_FRAMES = ("tb_frame", "gi_frame", "cr_frame", "ag_frame")
_MAY_LOOK = (
    "collections",
    "enum",
    "typing",
    "dataclasses",
    "abc",
    "importlib",
    "_frozen_importlib",
)


def _looks(event: str, values: tuple[object, ...]) -> bool:
    if event == "open":
        return str(values[0]).startswith("/proc")
    return event.startswith(_LOOKING) or (event == "object.__getattr__" and values[1] in _FRAMES)


def _end_those_who_look(witness: Witness) -> None:
    """The standard library may look for itself, and not for whoever calls it."""
    busy: list[str] = []

    def end(event: str, values: tuple[object, ...]) -> None:
        if busy or not _looks(event, values):
            return
        busy.append(event)
        frame = sys._getframe(1)
        if frame.f_code is _Gate.find_spec.__code__:  # for a package that is not there
            busy.clear()
            return
        callers = [one.f_globals.get("__name__") for one in (frame, frame.f_back or frame)]
        tops = [str(one).partition(".")[0] for one in callers]
        busy.clear()
        own = tops[0] in _MAY_LOOK or all(one in sys.stdlib_module_names for one in tops)
        if not own or "__main__" in tops:
            witness.note(event, ())
            os._exit(1)

    sys.addaudithook(end)


def stay_alone(witness: Witness, own: Iterable[str]) -> None:
    """From now on this process starts no other, loads no library of the system, opens no
    connection, reads and writes no file and looks at nobody else: what it finds out, it works out
    itself. Whoever tries is refused, and the witness has it. `own`: names of the code's files.
    """
    _end_those_who_look(witness)
    places = _Places(own)

    def refuse(event: str, values: tuple[object, ...]) -> None:
        if _reaches_out(event, values, places):
            witness.note(event, values)
            raise PermissionError(f"{event} is not available in this test")
        if event == "open" and _writes(values):
            raise PermissionError("files cannot be written in this test")

    for name in _MODULES_OUTSIDE:
        sys.modules[name] = RefusedModule(name)
    sys.addaudithook(refuse)


class _Gate:
    """Refuses packages that a test does not list, to the answer's code and not to those listed."""

    def __init__(self, packages: Iterable[str], own: Iterable[str]) -> None:
        self.allowed = frozenset(packages) | frozenset(own) | sys.stdlib_module_names
        self.own = frozenset(own) | {"__main__"}

    def find_spec(self, name: str, *_: object) -> None:
        if name.partition(".")[0] in self.allowed:
            return
        frame = sys._getframe(1)
        while frame is not None and "importlib" in frame.f_code.co_filename:
            frame = frame.f_back  # type: ignore[assignment]
        if frame is None or frame.f_globals.get("__name__") in self.own:
            raise ModuleNotFoundError(f"this test does not allow the package {name!r}", name=name)


def allow_packages(packages: Iterable[str], own: Iterable[str]) -> None:
    """From now on code of the modules `own` imports Python's own modules and these packages."""
    sys.meta_path.insert(0, _Gate(packages, own))


def _refuse(name: str, *_: object, **__: object) -> NoReturn:
    raise ImportError(f"the task forbids the module {name}")

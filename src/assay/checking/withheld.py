"""Takes modules away from a candidate's process, whichever way its code asks for them; lets its
code import only the packages that a test lists; and keeps apart code that has to work alone.

Modules that are taken away can be imported, so that modules which need them can be too, but
whatever they offer refuses to be used. The originals cannot be loaded again: an audit hook stays
for as long as the process does.
"""

import _imp
import os
import sys
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import PurePath
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import Any, NoReturn


class WithheldModule(ModuleType):
    """In the place of a module."""

    def __getattr__(self, name: str) -> Callable[..., NoReturn]:
        if name.startswith("__"):
            raise AttributeError(name)
        return partial(_refuse, self.__name__)


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


# What would let another program, a library outside Python, or a later run do the work.
_ELSEWHERE = ("ctypes.", "subprocess.", "os.exec", "os.fork", "os.posix_spawn", "os.spawn",
              "os.system", "os.startfile", "os.symlink", "os.link", "pty.", "socket.")  # fmt: skip
_MODULES_ELSEWHERE = ("ctypes", "_ctypes", "_xxsubinterpreters", "_interpreters",
                      "_posixsubprocess", "_multiprocessing", "_testcapi")  # fmt: skip
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT


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


def _end_those_who_look() -> None:
    """The standard library may look for itself, and not for whoever calls it."""
    busy: list[str] = []

    def end(event: str, values: tuple[object, ...]) -> None:
        if busy or not _looks(event, values):
            return
        busy.append(event)
        frame = sys._getframe(1)
        callers = [one.f_globals.get("__name__") for one in (frame, frame.f_back or frame)]
        tops = [str(one).partition(".")[0] for one in callers]
        busy.clear()
        own = tops[0] in _MAY_LOOK or all(one in sys.stdlib_module_names for one in tops)
        if not own or "__main__" in tops:
            os._exit(1)

    sys.addaudithook(end)


def stay_alone() -> None:
    """From now on this process starts no other, loads no library of the system, opens no
    connection, writes no file and looks at nobody else: what it finds out, it works out itself.
    """
    _end_those_who_look()

    def refuse(event: str, values: tuple[object, ...]) -> None:
        is_module = event == "import" and str(values[0]).partition(".")[0] in _MODULES_ELSEWHERE
        if event.startswith(_ELSEWHERE) or is_module:
            raise PermissionError(f"{event} is not available in this test")
        if event == "open":
            _, mode, flags = values
            if isinstance(mode, str) and set(mode) & set("wax+"):
                raise PermissionError("files cannot be written in this test")
            if isinstance(flags, int) and flags & _WRITING:
                raise PermissionError("files cannot be written in this test")

    for name in _MODULES_ELSEWHERE:
        sys.modules.pop(name, None)
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
    raise ImportError(f"{name} is not available in this test")

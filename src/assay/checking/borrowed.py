"""What this package borrows: a parser of CommonMark that reports are read with.

Where checkers run there is nothing but the standard library and what was brought along. The sources
of the parser are kept in memory, so that no file of them is left for the code of answers, which
runs in processes that began before; they are loaded where a checker reads a report.
"""

import sys
from collections.abc import Mapping
from importlib.machinery import ModuleSpec
from importlib.util import find_spec, spec_from_loader
from pathlib import Path
from types import ModuleType
from typing import Any

PACKAGES = ("markdown_it", "mdurl")
_FOLDER = "borrowed"


class BorrowedModules:
    """Finds and loads modules whose sources are kept in memory, by their path."""

    def __init__(self, sources: Mapping[str, str]) -> None:
        self.sources = sources

    def find_spec(self, name: str, *_: Any) -> ModuleSpec | None:
        path = name.replace(".", "/")
        for file, is_package in ((f"{path}/__init__.py", True), (f"{path}.py", False)):
            if file in self.sources:
                return spec_from_loader(name, self, origin=file, is_package=is_package)  # type: ignore[arg-type]
        return None

    def create_module(self, spec: ModuleSpec) -> None:
        return None

    def exec_module(self, module: ModuleType) -> None:
        assert module.__spec__ is not None
        file = str(module.__spec__.origin)
        exec(compile(self.sources[file], file, "exec"), vars(module))


def bring_along() -> dict[str, str]:
    """The sources, by where `lend` looks for them below the folder of the package."""
    found = {}
    for name in PACKAGES:
        spec = find_spec(name)
        assert spec is not None
        for home in spec.submodule_search_locations or ():
            for path in Path(home).rglob("*.py"):
                inside = path.relative_to(home).as_posix()
                found[f"{_FOLDER}/{name}/{inside}"] = path.read_text("utf-8")
    return found


def lend(home: Path) -> None:
    """From now on this process can import what was brought along; its files may go."""
    folder = home / _FOLDER
    texts = {
        path.relative_to(folder).as_posix(): path.read_text("utf-8")
        for path in folder.rglob("*.py")
    }
    sys.meta_path.append(BorrowedModules(texts))

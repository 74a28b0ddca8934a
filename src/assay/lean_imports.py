"""transformers without what only compiling, training and several machines need.

A process that is Assay's alone says so (`begin`) before torch is loaded. Elsewhere nothing is
changed: a notebook or a training may need the rest later.
"""

import importlib.machinery
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from types import ModuleType
from typing import Any

COMPILER = "torch._dynamo"  # 1,000 modules, which transformers loads to mark functions for it
_MARKS = ("disable", "assume_constant_result", "allow_in_graph")
# How transformers asks for what it would load at once: sharding over machines, losses of object
# detection, statistics of drafts, weights larger than memory.
_UNUSED = (
    "is_torch_distributed_available",
    "is_scipy_available",
    "is_sklearn_available",
    "is_accelerate_available",
)
_begun = False


def begin() -> None:
    """This process does nothing but Assay's work."""
    global _begun
    if not _begun and "torch" not in sys.modules:
        _begun = True
        sys.meta_path.insert(0, _LaterFinder())


def load_transformers() -> None:
    """How it loads models; once, and only where this process is Assay's alone."""
    if not _begun or "transformers.modeling_utils" in sys.modules:
        return
    import transformers.utils
    from transformers.utils import import_utils

    with _answering_no((import_utils, transformers.utils)):
        import transformers.generation.utils
        import transformers.modeling_utils


@contextmanager
def _answering_no(modules: Sequence[ModuleType]) -> Iterator[None]:
    asked = [(each, name) for each in modules for name in _UNUSED if hasattr(each, name)]
    own = [getattr(module, name) for module, name in asked]
    for module, name in asked:
        setattr(module, name, _no)
    try:
        yield
    finally:
        for (module, name), function in zip(asked, own, strict=True):
            setattr(module, name, function)


def _no() -> bool:
    return False


class _Later(ModuleType):
    """The compiler's package, run when something of it is used other than a mark."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        if name in _MARKS:
            return _marked
        loader = self.__spec__.loader if self.__spec__ else None
        assert isinstance(loader, _LaterLoader)
        self.__class__ = ModuleType
        loader.of_file.exec_module(self)
        return getattr(self, name)


def _marked(function: Any = None, *_: object, **__: object) -> Any:
    """As it is, or a decorator that leaves it so: nothing is compiled."""
    return _marked if function is None else function


class _LaterLoader:
    def __init__(self, of_file: Any) -> None:
        self.of_file = of_file

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType:
        return _Later(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        """Not yet."""

    def __getattr__(self, name: str) -> Any:
        return getattr(self.of_file, name)


class _LaterFinder:
    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if name != COMPILER:
            return None
        spec = importlib.machinery.PathFinder.find_spec(name, path)
        if spec is not None:
            spec.loader = _LaterLoader(spec.loader)  # type: ignore[assignment]
        return spec

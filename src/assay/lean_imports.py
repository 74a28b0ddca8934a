"""transformers without what only compiling, training and several machines need.

A process that is Assay's alone says so (`begin`) before torch is loaded. Elsewhere nothing is
changed: a notebook or a training may need the rest later.
"""

import importlib.machinery
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import product
from types import ModuleType
from typing import Any

COMPILER = "torch._dynamo"  # 1,000 modules, which transformers loads to mark functions for it
_MARKS = ("disable", "assume_constant_result", "allow_in_graph")
_ALONE = ("_trace_wrapped_higher_order_op",)  # a part that needs nothing of the others
# How transformers asks for what it would load at once: sharding over machines, losses of object
# detection, statistics of drafts, weights larger than memory.
_UNUSED = (
    "is_torch_distributed_available",
    "is_scipy_available",
    "is_sklearn_available",
    "is_accelerate_available",
)
# Never used here, and asked for again by whatever is loaded later: the answer stays the same.
_NEVER_USED = ("is_vision_available", "is_torchvision_available")
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

    modules = (import_utils, transformers.utils, transformers)
    for module, name in product(modules, _NEVER_USED):
        if name in vars(module):
            setattr(module, name, _no)
    with _answering_no(modules[:2]):
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
    """The compiler's package, run when something of it is used other than a mark. Marks are there
    while it runs, and where it cannot be run.
    """

    def __getattr__(self, name: str) -> Any:
        if name in _MARKS:
            return _marked
        if name.startswith("__") or not _run(self):
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        return getattr(self, name)


def _run(package: _Later) -> bool:
    """Whether it was run; no where it is being run."""
    loader = package.__spec__.loader if package.__spec__ else None
    if not isinstance(loader, _LaterLoader) or loader.running:
        return False
    loader.running = True
    try:
        loader.of_file.exec_module(package)
    finally:
        loader.running = False
    package.__class__ = ModuleType
    return True


def _marked(function: Any = None, *_: object, **__: object) -> Any:
    """As it is, or a decorator that leaves it so: nothing is compiled."""
    return _marked if function is None else function


class _LaterLoader:
    def __init__(self, of_file: Any) -> None:
        self.of_file = of_file
        self.running = False

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType:
        return _Later(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        """Not yet."""

    def __getattr__(self, name: str) -> Any:
        return getattr(self.of_file, name)


class _Already:
    """A module that came with its package; else it would be run once more."""

    def __init__(self, module: ModuleType) -> None:
        self.module, self.spec = module, module.__spec__
        loader: Any = self
        module.__spec__ = importlib.machinery.ModuleSpec(module.__name__, loader)

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType:
        return self.module

    def exec_module(self, module: ModuleType) -> None:
        module.__spec__ = self.spec


class _LaterFinder:
    def __init__(self, package: str = COMPILER, alone: Sequence[str] = _ALONE) -> None:
        self._package, self._alone = package, alone

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if name == self._package:
            spec = importlib.machinery.PathFinder.find_spec(name, path)
            if spec is not None:
                spec.loader = _LaterLoader(spec.loader)  # type: ignore[assignment]
            return spec
        before, _, part = name.rpartition(".")
        package = sys.modules.get(before) if before == self._package else None
        # Its parts need one another: all of it comes first.
        if (
            isinstance(package, _Later)
            and part not in self._alone
            and _run(package)
            and name in sys.modules
        ):
            return _Already(sys.modules[name]).module.__spec__
        return None

"""Names of one kind of thing, of which the shipped ones are modules of a package."""

import importlib
import importlib.util
import pkgutil
from collections.abc import Iterator
from typing import Generic, TypeVar

Registered = TypeVar("Registered")


class Registry(Generic[Registered]):
    """Names of one kind. The module of `package` with a name is imported when it is asked for."""

    def __init__(self, kind: str, package: str) -> None:
        self.kind = kind
        self._package: str | None = package
        self._known: dict[str, Registered] = {}

    def register(self, name: str, thing: Registered) -> None:
        """Refuse a name that is taken, unless the same definition runs again, as in a notebook."""
        if not str(_definition(thing)[0]).startswith("assay."):
            self._load_shipped()
        if name in self._known and _definition(self._known[name]) != _definition(thing):
            raise ValueError(f"there is already a {self.kind} {name!r}")
        self._known[name] = thing

    def __getitem__(self, name: str) -> Registered:
        if name not in self._known and name not in self:
            raise KeyError(name)
        return self._known[name]

    def get(self, name: str) -> Registered | None:
        return self._known.get(name) or (self._known[name] if name in self else None)

    def __contains__(self, name: object) -> bool:
        if name in self._known:
            return True
        module = f"{self._package}.{name}"
        if self._package and str(name).isidentifier() and importlib.util.find_spec(module):
            importlib.import_module(module)
        if name not in self._known:
            self._load_shipped()
        return name in self._known

    def __iter__(self) -> Iterator[str]:
        self._load_shipped()
        return iter(dict(self._known))

    def _load_shipped(self) -> None:
        if self._package is None:
            return
        package, self._package = importlib.import_module(self._package), None
        for module in pkgutil.iter_modules(package.__path__):
            importlib.import_module(f"{package.__name__}.{module.name}")


def _definition(thing: object) -> tuple[object, object]:
    thing = getattr(thing, "made_of", thing)
    return getattr(thing, "__module__", None), getattr(thing, "__qualname__", None)

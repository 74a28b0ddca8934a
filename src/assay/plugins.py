"""The three joints of Assay: checks (an `eval_method`), model schemes and report formats.

In: a name and the class or function behind it, from Assay's own packages, from `--plugin`, or from
the entry-point group `assay.plugins`. Out: registries that loaders, planners and reports iterate
over. The shipped ones register the same way as a user's.

    checks         "keywords" -> the class with its fields and `score`  one file in checks/
    model schemes  "ollama"   -> the class that answers `ollama:NAME`   a folder in models/
    report formats "html"     -> the function from a Report to a text   one file in reports/formats/
"""

from __future__ import annotations

import importlib
import importlib.util
import pkgutil
import sys
import traceback
from collections.abc import Callable, Iterator
from difflib import get_close_matches
from hashlib import sha256
from importlib.metadata import entry_points
from pathlib import Path
from typing import Generic, TypeVar

from assay.errors import UsageError
from assay.messages import tr
from assay.types.results import Report

GROUP = "assay.plugins"
Registered = TypeVar("Registered")


class Registry(Generic[Registered]):
    """Names of one kind. The modules of `package` are imported when a name is first asked for."""

    def __init__(self, kind: str, package: str) -> None:
        self._kind = kind
        self._package: str | None = package
        self._known: dict[str, Registered] = {}

    def register(self, name: str, thing: Registered) -> None:
        """Add one name; a name that is taken is refused."""
        if name in self._known:
            raise ValueError(f"there is already a {self._kind} {name!r}")
        self._known[name] = thing

    def __getitem__(self, name: str) -> Registered:
        self._load_shipped()
        return self._known[name]

    def __contains__(self, name: object) -> bool:
        self._load_shipped()
        return name in self._known

    def __iter__(self) -> Iterator[str]:
        self._load_shipped()
        return iter(dict(self._known))

    def find(self, name: str) -> Registered:
        """The thing behind a name that a user wrote; an unknown name is an error with all names."""
        if name in self:
            return self._known[name]
        problem = tr("there is no {kind} {name!r}", kind=self._kind, name=name)
        near = get_close_matches(name, self._known, 1)
        if near:
            problem = tr("{problem}; did you mean {near!r}?", problem=problem, near=near[0])
        raise UsageError(problem, hint=tr("known: {names}", names=", ".join(sorted(self._known))))

    def _load_shipped(self) -> None:
        if self._package is None:
            return
        package, self._package = importlib.import_module(self._package), None
        for module in pkgutil.iter_modules(package.__path__):
            importlib.import_module(f"{package.__name__}.{module.name}")


ReportFormat = Callable[[Report], str]
report_formats: Registry[ReportFormat] = Registry("report format", "assay.reports.formats")


def report_format(name: str) -> Callable[[ReportFormat], ReportFormat]:
    """Register a function from a Report to a text as `assay report RUN --format NAME`."""

    def register(write: ReportFormat) -> ReportFormat:
        report_formats.register(name, write)
        return write

    return register


def write_report(report: Report, name: str) -> str:
    """A run in one of the formats; a mistake in a user's format is an error with file and line."""
    write = report_formats.find(name)
    try:
        text = write(report)
    # A format may be somebody's program: whatever it raises is a mistake to show.
    except Exception as error:
        place = traceback.extract_tb(error.__traceback__)[-1]
        raise UsageError(
            tr("the report format {name} failed: {file}:{line}: {kind}: {error}",
               name=name, file=place.filename, line=place.lineno,
               kind=type(error).__name__, error=error),
            hint=tr("fix the plugin, or choose another --format"),
        ) from error  # fmt: skip
    if isinstance(text, str):
        return text
    raise UsageError(
        tr("the report format {name} returned {kind}, not a text",
           name=name, kind=type(text).__name__),
        hint=tr("the function returns a str"),
    )  # fmt: skip


def load_plugins(names: tuple[str, ...] = ()) -> None:
    """Import installed plugins (entry points), then each FILE.py or module that a user named."""
    for point in entry_points(group=GROUP):
        _import(point.value, point.load)
    for name in names:
        _import(name, lambda name=name: _load_file(Path(name)) if _is_file(name) else
                importlib.import_module(name))  # fmt: skip


def file_digest(path: Path) -> str:
    """The fingerprint of a plugin that names none: the SHA-256 of its file."""
    return sha256(path.read_bytes()).hexdigest()


def _is_file(name: str) -> bool:
    return name.endswith(".py") or "/" in name or "\\" in name


def _load_file(path: Path) -> None:
    if not path.is_file():
        raise UsageError(
            tr("there is no plugin file {path}", path=path),
            hint=tr("--plugin takes a Python file or the name of an installed module"),
        )
    path = path.resolve()
    name = f"assay_plugin_{sha256(str(path).encode()).hexdigest()[:12]}"
    if name in sys.modules:
        return
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise UsageError(tr("{path} is not a Python file", path=path))
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise


def _import(name: str, load: object) -> None:
    """Import one plugin; a mistake in it is an error with file and line."""
    try:
        load()  # type: ignore[operator]
    except UsageError:
        raise
    # A plugin is somebody's program: whatever it raises is a mistake to show, not a crash of ours.
    except Exception as error:
        place = traceback.extract_tb(error.__traceback__)[-1]
        raise UsageError(
            tr("the plugin {name} cannot be loaded: {file}:{line}: {kind}: {error}",
               name=name, file=place.filename, line=place.lineno,
               kind=type(error).__name__, error=error),
            hint=tr("fix the plugin, or leave --plugin out"),
        ) from error  # fmt: skip

"""The four joints of Assay, open to `--plugin` and to the entry-point group `assay.plugins`.

checks         "keywords" -> the class with its fields and `score`  one file in checks/
model schemes  "ollama"   -> the class that answers `ollama:NAME`   a folder in models/
measures       "speed"    -> a figure: asking, gate, column, advice one file in measures/
report formats "html"     -> the function from a Report to a text   one file in reports/formats/
"""

import hashlib
import importlib
import importlib.util
import inspect
import re
import sys
import traceback
from collections.abc import Callable, Sequence
from difflib import get_close_matches
from functools import cache, partial
from hashlib import sha256
from pathlib import Path
from typing import Any, ParamSpec, TypeVar, dataclass_transform

from assay.errors import AssayError, UsageError
from assay.messages import tr
from assay.registry import Registered, Registry
from assay.types.checks import make_check
from assay.types.measures import Measure, UserMeasure
from assay.types.measures import measures as measures
from assay.types.results import Report
from assay.types.score_parts import Better
from assay.types.tests import AnswerCheck
from assay.types.tests import checks as checks

GROUP = "assay.plugins"
PACKAGE = Path(__file__).resolve().parent
STANDARD_LIBRARY = Path(traceback.__file__).parent
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9_+.-]*")
Result = TypeVar("Result")
Given = TypeVar("Given")
P = ParamSpec("P")
Class = TypeVar("Class", bound=type)


def find(registry: Registry[Registered], name: str) -> Registered:
    """The thing behind a name that a user wrote; an unknown name is an error with all names."""
    if name in registry:
        return registry[name]
    known = [*registry]
    problem = tr("there is no {kind} {name!r}", kind=registry.kind, name=name)
    near = get_close_matches(name, known, 1)
    if near:
        problem = tr("{problem}; did you mean {near!r}?", problem=problem, near=near[0])
    raise UsageError(problem, hint=tr("choose one of: {names}", names=", ".join(sorted(known))))


@dataclass_transform(kw_only_default=True, frozen_default=True)
def check(name: str) -> Callable[[Class], Class]:
    """Register a class as the check of `"eval_method": name`.

    Its annotated fields are the fields of a test, its docstring describes it, and
    `score(answer)` or `score(answer, context)` returns a bool, a number from 0 to 1 or a Score.
    """

    def register(cls: Class) -> Class:
        try:
            made = make_check(name, cls)
            if not issubclass(cls, AnswerCheck):
                _guard_methods(made)
            checks.register(name, made)
        except (TypeError, ValueError) as error:
            raise UsageError(
                tr("{place}: the check {name!r} cannot be used: {error}",
                   place=place_of(cls), name=name, error=error),
                hint=tr("docs/how-to/extend.md shows a complete check"),
            ) from error  # fmt: skip
        return made  # type: ignore[return-value]  # it is the class, made a dataclass

    return register


def _guard_methods(cls: type[AnswerCheck]) -> None:
    """Make an exception in a plugin's `gold`, `requests` or `baselines` an error with its place."""

    def guard(method: Callable[[AnswerCheck], object]) -> Callable[[AnswerCheck], object]:
        def call(self: AnswerCheck) -> object:
            what = tr("{method}() of the check {name!r} failed",
                      method=method.__name__, name=self.method)  # fmt: skip
            return _try(partial(method, self), what, tr("fix the plugin, or leave its tests out"))

        return call

    for method in (cls.gold, cls.requests, cls.baselines):
        setattr(cls, method.__name__, guard(method))


def place_of(thing: Any) -> str:
    try:
        return f"{inspect.getsourcefile(thing)}:{inspect.getsourcelines(thing)[1]}"
    except (OSError, TypeError):
        return f"{thing.__module__}.{thing.__qualname__}"


Opener = TypeVar("Opener", bound=Callable[..., object])
model_schemes: Registry[Callable[..., object]] = Registry("model scheme", "assay.models")


def model(scheme: str) -> Callable[[Opener], Opener]:
    """Make `SCHEME:NAME` a model: decorates a class (or function) that is called with NAME.

    It may also take the keywords `url` (what follows the last `@` before http), `spec`, `server`
    and `local` (options), and gets those that its signature names. What it makes has `generate`,
    or `tokenize` and `logits`, or is a Model (assay.types.Model) already.
    """
    if not _SCHEME.fullmatch(scheme) or len(scheme) < 2:
        raise ValueError(f"{scheme!r} is not a scheme: use letters, digits, '_' and '-'")

    def register(opener: Opener) -> Opener:
        model_schemes.register(scheme, opener)
        return opener

    return register


_MEASURE = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")


def measure(name: str, *, unit: str, better: Better) -> Callable[[Class], Class]:
    """Register a class as a figure of a model: column, JSON, curve, gate.

    `requests()` returns Ask, Read and Choose, `value(replies)` a number, a list of numbers (one a
    reply, which gets an interval) or an Estimate. Optional: `column` (its heading), `scale` (worst
    and best), `advice(estimate, limit)`.
    """

    def register(cls: Class) -> Class:
        try:
            if not _MEASURE.fullmatch(name):
                raise ValueError(f"{name!r} is not a name: use letters, digits, '_' and '-'")
            if better not in ("lower", "higher"):
                raise ValueError(f"better is 'lower' or 'higher', not {better!r}")
            if issubclass(cls, Measure):
                cls.name, cls.unit, cls.better = name, unit, better
                measures.register(name, cls())
                return cls
            for needed in ("requests", "value"):
                if not callable(getattr(cls, needed, None)):
                    raise TypeError(f"it has no method {needed}")
            measures.register(name, UserMeasure(name, unit, better, cls))
        except (TypeError, ValueError) as error:
            raise UsageError(
                tr("{place}: the measure {name!r} cannot be used: {error}",
                   place=place_of(cls), name=name, error=error),
                hint=tr("docs/how-to/add-a-measure.md shows two complete measures"),
            ) from error  # fmt: skip
        return cls

    return register


ReportFormat = Callable[[Report], str]
report_formats: Registry[ReportFormat] = Registry("report format", "assay.reports.formats")


def report_format(name: str) -> Callable[[ReportFormat], ReportFormat]:
    """Register a function from a Report to a text as `assay report RUN --format NAME`."""

    def register(write: ReportFormat) -> ReportFormat:
        report_formats.register(name, write)
        return write

    return register


def write_report(report: Report, name: str) -> str:
    what = tr("the report format {name} failed", name=name)
    hint = tr("fix the plugin, or choose another --format")
    text = _try(partial(find(report_formats, name), report), what, hint)
    if isinstance(text, str):
        return text
    raise UsageError(
        tr("the report format {name} returned {kind}, not a text",
           name=name, kind=type(text).__name__),
        hint=tr("the function returns a str"),
    )  # fmt: skip


def load_plugins(names: Sequence[str] = ()) -> None:
    """Import installed plugins (entry points), then each FILE.py or module that a user named."""
    for point in _installed(tuple(sys.path)):
        _import(point.value, point.load)
    for name in names:
        is_file = name.endswith(".py") or "/" in name or "\\" in name
        _import(name, partial(_load_file if is_file else importlib.import_module, name))


@cache  # 30 ms to look into every installed package
def _installed(path: tuple[str, ...]) -> tuple[Any, ...]:
    from importlib.metadata import entry_points  # 10 ms that only some commands need

    return tuple(entry_points(group=GROUP))


def file_digest(path: str | Path) -> str:
    """The SHA-256 of a file: the fingerprint of a plugin that names none, or of your weights."""
    with Path(path).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _load_file(named: str) -> None:
    path = Path(named)
    if not path.is_file():
        raise UsageError(
            tr("there is no plugin file {path}", path=path),
            hint=tr("--plugin takes a Python file or the name of an installed module"),
        )
    path = path.resolve()
    name = f"assay_plugin_{sha256(str(path).encode()).hexdigest()[:12]}"
    known = sys.modules.get(name)
    if known is not None and getattr(known, "assay_digest", "") == file_digest(path):
        return
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise UsageError(tr("{path} is not a Python file", path=path))
    module = importlib.util.module_from_spec(spec)
    module.assay_digest = file_digest(path)  # type: ignore[attr-defined]
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise


def _import(name: str, load: Callable[[], object]) -> None:
    what = tr("the plugin {name} cannot be loaded", name=name)
    _try(load, what, tr("fix the plugin, or leave --plugin out"))


def _try(call: Callable[[], Result], what: str, hint: str) -> Result:
    """A plugin is somebody's program: what it raises is a mistake to show, with file and line."""
    try:
        return call()
    except AssayError:
        raise
    except (Exception, SystemExit) as error:
        raise UsageError(f"{what}: {describe_mistake(error)}", hint=hint) from error


def describe_mistake(error: BaseException, *, of: object = None) -> str:
    """FILE:LINE: KIND: MESSAGE, of the last line that is of no library, else of what was called."""
    place = _place(error) or (place_of(of) if of is not None else "")
    said = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    return f"{place}: {said}" if place else said


def _place(error: BaseException) -> str:
    if isinstance(error, SyntaxError) and error.filename:
        return f"{error.filename}:{error.lineno}"
    place = own = ""
    for frame in traceback.extract_tb(error.__traceback__):
        file = Path(frame.filename)
        if not frame.filename.startswith("<frozen") and not file.is_relative_to(PACKAGE):
            place = f"{file}:{frame.lineno}"
            if "site-packages" not in file.parts and not file.is_relative_to(STANDARD_LIBRARY):
                own = place
    return own or place

"""`assay quants`: which of several quantised files of one model to keep.

Scores are a run like any other, by likelihood; drift and speed are kept beside the store, a file
for each, so that the same command continues where it was stopped.
"""

import json
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

from assay.decide.keeping import chosen, held
from assay.errors import AssayError, UsageError, raise_all, tried
from assay.files.writing import explain_write_errors, replace_file
from assay.machine import this_machine
from assay.messages import tr
from assay.models.local.gguf.contents import (
    contents_of,
    find_gguf,
    first_difference,
    served_as,
)
from assay.stats import estimates
from assay.suites.held_out_text import HeldOut, load_held_out
from assay.suites.load import find, load_all
from assay.summary.comparisons import compare_suites, with_holm
from assay.text import number_format as numbers
from assay.types import Estimate, Observer, Suite
from assay.types.measured.quants import (
    QuantDrift,
    QuantFile,
    QuantLimits,
    QuantRow,
    Quants,
    QuantSpeed,
    QuantSuite,
)
from assay.types.option_fields import several
from assay.types.options import DriftOptions, QuantsOptions
from assay.types.results import ModelReport, PairComparison, Report, Side, SuiteSummary
from assay.types.scores import tell_phase
from assay.version import __version__
from assay.workflow.commands.drift import measure_drift
from assay.workflow.commands.evaluation import evaluate
from assay.workflow.commands.served_speed import measure_served
from assay.workflow.running.job import Job

BY_LIKELIHOOD = "multiple_choice"
USUAL_SUITES = ("technical", "troubleshooting")
READING = ("device", "dtype", "tokenizer", "trust_remote_code")  # options that change figures
KEPT = "quants"  # a folder beside the store


def choose_quantisation(options: QuantsOptions, observer: Observer) -> Quants:
    """Every mistake that can be known is told before a model is loaded."""
    mistakes: list[AssayError] = []
    files = _files(options, mistakes)
    suites = tried(mistakes, _suites, options)
    text = tried(mistakes, load_held_out, options.text)
    if not mistakes:
        _refuse_other_models(files, mistakes)
    raise_all(mistakes)
    base, *others = files
    observer.note(_describe_work(files, suites[0]))
    report = _scored(options, files, suites[0], observer)
    drifts = list(_drifts(base, others, text[0], options, observer))
    speeds = [_speed_of(each, options, observer) for each in files]
    limits = QuantLimits(max_drop=options.max_drop * 100, max_kl=options.max_kl)
    by_spec = {model.spec: model for model in report.models}
    compared = _compared(report, by_spec, files)
    languages = {suite.name: suite.language or "" for suite in suites[0]}
    rows = [
        held(
            QuantRow(
                file=file,
                speed=speed,
                suites=tuple(_of_suites(by_spec, base, file, compared, languages)),
                drift=drift,
            ),
            limits,
        )
        for file, speed, drift in zip(files, speeds, (None, *(d for d, _ in drifts)), strict=True)
    ]
    return Quants(
        base=base.name,
        rows=tuple(rows),
        limits=limits,
        keep=chosen(rows).file.name,
        told_apart=any(suite.above_guessing for suite in rows[0].suites),
        text=text[0].name,
        tokens=max((tokens for _, tokens in drifts), default=0),
        run=report.run,
        notes=report.notes,
        exit_code=report.exit_code,
    )


def _files(options: QuantsOptions, mistakes: list[AssayError]) -> list[QuantFile]:
    """The base first, then by size."""
    named = [str(each) for each in several(options.models)]
    if options.base is not None and options.base not in named:
        named.append(options.base)
    found = [(name, path) for name in named for path in tried(mistakes, find_gguf, name)]
    if len(named) < 2:
        hint = tr("name every file to choose from: assay quants model-F16.gguf model-Q4_K_M.gguf")
        mistakes.append(UsageError(tr("there is nothing to choose between"), hint=hint))
    seen: dict[Path, str] = {}
    for name, path in found:
        real = path.resolve()
        if real in seen:
            mistakes.append(
                UsageError(
                    tr("{one} and {other} are the same file", one=seen[real], other=name),
                    hint=tr("name each file once"),
                )
            )
        seen.setdefault(real, name)
    short = _short_names([name for name, _ in found])
    files = {
        name: QuantFile(
            name=short[name],
            spec=f"gguf:{path}",
            path=str(path),
            served_as=served_as(name),
            **about._asdict(),
        )
        for name, path in found
        for about in tried(mistakes, contents_of, path)
    }
    if not files:
        return []
    base = files.get(options.base or "") or max(files.values(), key=lambda each: each.bits)
    rest = sorted((each for each in files.values() if each is not base), key=lambda f: -f.bytes)
    return [base, *rest]


def _short_names(names: Sequence[str]) -> dict[str, str]:
    """By name its last part without the suffix, where no other has it."""
    last = [name.rpartition("/")[2].removesuffix(".gguf") or name for name in names]
    return {
        name: short if last.count(short) == 1 else name
        for name, short in zip(names, last, strict=True)
    }


def _refuse_other_models(files: Sequence[QuantFile], mistakes: list[AssayError]) -> None:
    base, *others = files
    for each in others:
        differs = first_difference(Path(base.path), Path(each.path))
        if differs:
            mistakes.append(
                UsageError(
                    tr("{other} is not made from the same model as {base}: {what} differs",
                       other=each.name, base=base.name, what=differs),
                    hint=tr("quants compares files of one model; for others use `assay run` and "
                            "`assay leaderboard`"),
                )
            )  # fmt: skip


def _suites(options: QuantsOptions) -> tuple[Suite, ...]:
    """The tests that are read by likelihood, and no others: what was written says less."""
    names = [str(name) for name in options.suites] or list(USUAL_SUITES)
    loaded = load_all([find(name, options.benchmarks) for name in names])
    kept = []
    for suite in loaded:
        categories = tuple(
            replace(category, cases=cases)
            for category in suite.categories
            if (cases := tuple(c for c in category.cases if c.method == BY_LIKELIHOOD))
        )
        if not categories:
            raise UsageError(
                tr("the suite {name} has no test that is read by likelihood", name=suite.name),
                hint=tr("quants asks tests with eval_method multiple_choice; name another suite "
                        "with -s"),
            )  # fmt: skip
        names_kept = {category.name for category in categories}
        weights = {name: of for name, of in suite.weights.items() if name in names_kept}
        kept.append(replace(suite, categories=categories, weights=weights))
    return tuple(kept)


def _describe_work(files: Sequence[QuantFile], suites: Sequence[Suite]) -> str:
    tests = sum(1 for suite in suites for _ in suite.cases)
    size = sum(each.weights for each in files) / len(files)
    return tr(
        "{files} files of {size} M weights: {tests} tests each by likelihood, drift from {base}, "
        "then speed as served",
        files=len(files), size=numbers.rounded(size / 1e6), tests=tests, base=files[0].name,
    )  # fmt: skip


def _scored(
    options: QuantsOptions, files: Sequence[QuantFile], suites: Sequence[Suite], observer: Observer
) -> Report:
    called = options.command_line("quants", *map(str, several(options.models)))
    job = Job.of(
        options,
        models=tuple(each.spec for each in files),
        suites=(),
        own=tuple(replace(suite, source=_digest(suite)) for suite in suites),
        called=called,
        only_named=True,
        apply_gate=False,
        base=None,
        text=(),
    )
    return evaluate(job, observer)


def _digest(suite: Suite) -> str:
    return sha256(repr(suite).encode("utf-8", "surrogatepass")).hexdigest()


def _compared(
    report: Report, by_spec: dict[str, ModelReport], files: Sequence[QuantFile]
) -> dict[str, PairComparison]:
    """Every file against the base, p-values adjusted over all of them."""
    base, *others = (by_spec[each.spec] for each in files)
    known = {summary.suite: summary for summary in base.suites}
    pairs = [
        PairComparison(
            a=Side(run=report.run, model=base.spec),
            b=Side(run=report.run, model=other.spec),
            suites=tuple(
                compare_suites(known[each.suite], each)
                for each in other.suites
                if each.suite in known
            ),
        )
        for other in others
    ]
    return {pair.b.model: pair for pair in with_holm(pairs)}


def _of_suites(
    by_spec: dict[str, ModelReport],
    base: QuantFile,
    file: QuantFile,
    compared: dict[str, PairComparison],
    languages: dict[str, str],
) -> Iterator[QuantSuite]:
    above = {each.suite: _above_guessing(each) for each in by_spec[base.spec].suites}
    pair = compared.get(file.spec)
    found = {each.suite: each for each in pair.suites} if pair else {}
    for summary in by_spec[file.spec].suites:
        yield QuantSuite(
            suite=summary.suite,
            language=languages.get(summary.suite, ""),
            score=summary.score,
            above_guessing=above.get(summary.suite, False),
            against=found.get(summary.suite),
        )


def _above_guessing(summary: SuiteSummary) -> bool:
    best = summary.baselines.best if summary.baselines else None
    low = summary.score.low
    return best is not None and low is not None and low > best


def _drifts(
    base: QuantFile,
    others: Sequence[QuantFile],
    text: HeldOut,
    options: QuantsOptions,
    observer: Observer,
) -> Iterator[tuple[QuantDrift, int]]:
    """Says how long the rest takes after the first that was measured now."""
    told = False
    for number, other in enumerate(others, start=1):
        began = time.monotonic()
        found, is_new = _drift_of(base, other, text, options, observer)
        left = len(others) - number
        if is_new and left and not told:
            told = True
            seconds = (time.monotonic() - began) * left
            observer.note(
                tr("drift of the other files: about {time}", time=numbers.duration(seconds))
            )
        yield found


def _drift_of(
    base: QuantFile, other: QuantFile, text: HeldOut, options: QuantsOptions, observer: Observer
) -> tuple[tuple[QuantDrift, int], bool]:
    """Two at a time: memory for two, and each is kept as soon as it is known. The last: whether it
    was measured now.
    """
    read = sha256(repr([document.text for document in text.documents]).encode()).hexdigest()
    place = _place(options, "drift", _state(base), _state(other), read,
                   *(str(getattr(options, name)) for name in READING))  # fmt: skip
    kept = None if options.fresh else _read(place)
    if kept is not None:
        figures = {name: Estimate(**kept[name]) for name in ("kl", "same_top", "perplexity_ratio")}
        return (QuantDrift(**figures), int(kept["tokens"])), False
    tell_phase(observer, tr("drift of {file} from {base}", file=other.name, base=base.name))
    asked = DriftOptions(
        [base.spec, other.spec],
        text=options.text,
        out=options.out,
        **{name: getattr(options, name) for name in (*READING, "threads")},
    )
    found = measure_drift(asked, observer)
    (moved,) = found.models
    drift = QuantDrift(
        kl=moved.kl, same_top=moved.same_top, perplexity_ratio=moved.perplexity_ratio
    )
    figures_kept = {
        name: getattr(drift, name).to_dict() for name in ("kl", "same_top", "perplexity_ratio")
    }
    _keep(place, figures_kept | {"tokens": found.tokens})
    return (drift, found.tokens), True


def _speed_of(file: QuantFile, options: QuantsOptions, observer: Observer) -> QuantSpeed:
    machine = this_machine()
    here = f"{machine.processor} {machine.cores} {machine.gpus}"
    place = _place(options, "speed", _state(file), here, *options.servers)
    kept = None if options.fresh else _read(place)
    if kept is not None:
        decode, prefill, memory = (
            Estimate(**kept[name]) for name in ("decode", "prefill", "memory")
        )
        return QuantSpeed(decode=decode, prefill=prefill, memory=memory, by=kept["by"])
    if not options.measure_speed:
        nothing = estimates.nothing(unit="tokens/s")
        return QuantSpeed(decode=nothing, prefill=nothing, memory=estimates.nothing(unit="MB"),
                          why_not=tr("left out"))  # fmt: skip
    tell_phase(observer, tr("speed of {file} as served", file=file.name))
    found = measure_served(file, options.servers, options.timeout)
    if not found.why_not:
        figures_kept = {
            name: getattr(found, name).to_dict() for name in ("decode", "prefill", "memory")
        }
        _keep(place, figures_kept | {"by": found.by})
    return found


def _state(file: QuantFile) -> str:
    """What stands for a file's content: its place, size and last change."""
    about = Path(file.path).stat()
    return f"{Path(file.path).resolve()} {about.st_size} {about.st_mtime_ns}"


def _place(options: QuantsOptions, kind: str, *parts: str) -> Path:
    body = json.dumps([kind, __version__, *parts])
    key = sha256(body.encode("utf-8", "surrogatepass")).hexdigest()[:32]
    return Path(options.out) / KEPT / f"{kind}-{key}.json"


def _read(place: Path) -> dict[str, Any] | None:
    try:
        found = json.loads(place.read_text("utf-8"))
    except (OSError, ValueError):
        return None
    return found if isinstance(found, dict) else None


def _keep(place: Path, figures: dict[str, Any]) -> None:
    with explain_write_errors(place):
        place.parent.mkdir(parents=True, exist_ok=True)
        replace_file(place, json.dumps(figures))

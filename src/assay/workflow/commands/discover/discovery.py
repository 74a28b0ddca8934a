"""What is here to evaluate, and with what: models behind Ollama, checkpoints, suites, judges."""

import csv
import os
import re
import shlex
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlsplit

from assay.errors import AssayError, UsageError, tried
from assay.files.file_text import shown_path
from assay.judge.family import same_model
from assay.machine import available_memory, gpu_memory, installed_version
from assay.messages import tr
from assay.models.address import ollama_url
from assay.models.http.connection import is_this_machine
from assay.models.http.faults import Fault, readable, reported_count
from assay.models.inventory.hurried import HurriedConnection
from assay.models.local.loading.skeleton import INSTALL
from assay.models.ollama.client import OllamaClient
from assay.models.opening import open_model, read_spec
from assay.suites.load import (
    FETCHED,
    SuiteFiles,
    benchmarks_folder,
    catalogue,
    fetch_command,
    find,
    load_suite,
)
from assay.suites.test_folder import is_test_folder
from assay.summary.baselines import suite_card
from assay.text.number_format import exact, memory
from assay.types import ModelFacts, Suite
from assay.types.model_spec import without_userinfo
from assay.types.results import SuiteCard
from assay.types.tests import SHIPPED_SUITES
from assay.workflow.checkpoints.places import CONFIG, places_of, subfolders
from assay.workflow.commands.benchmarks import LICENCES
from assay.workflow.running.baselines import baselines_of
from assay.workflow.running.judging.panel import judged_cases

Fits = Literal["yes", "tight", "no", "unknown"]

# Beside the weights stand the context's memory and the program: by estimate, not measured.
ROOM_PER_BYTE = 1.2
ROOM_BESIDE = 500_000_000
COMFORTABLE = 0.8  # of the memory there is; above it other programs get in the way
# Parameters. One of 1.5 B, asked by likelihood, agrees with published grades as GPT-3.5 did; one of
# 0.5 B does not (docs/decisions/judging.md).
LEAST_TO_JUDGE = 1.5e9
THOUSANDS = {"K": 1e3, "M": 1e6, "B": 1e9, "T": 1e12}
CANNOT_WRITE = frozenset({"bert", "nomic-bert", "nomic-bert-moe"})  # embeddings only

SOURCES_FILE, CREDITS_FILE = "sources.tsv", "SOURCES.md"
MOST_FILES = 200  # files or folders of one folder; a home directory must not cost seconds
MOST_FOUND = 50
USUAL_CHECKPOINTS = Path("SLM", "models", "checkpoints")
MOST_OF_A_TEST = 100_000  # bytes that are looked into
_BEGINS_LIKE_TESTS = re.compile(rb'\s*\[\s*\{[^{}]*"(?:prompt|messages)"\s*:')


@dataclass(frozen=True, slots=True, kw_only=True)
class Room:
    """The memory a model must fit into. `gpu_bytes` None: no GPU with a memory of its own."""

    free_bytes: int
    gpu_bytes: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelFound:
    """One installed model. `why_not` says why it cannot be asked to write; empty: it can."""

    name: str
    spec: str
    size_bytes: int | None = None
    quantisation: str = ""
    parameters: str = ""
    family: str = ""
    fits: Fits = "unknown"
    reason: str = ""
    loaded: bool = False
    elsewhere: bool = False  # computed by another server: questions leave this machine
    why_not: str = ""

    @property
    def size_and_fit(self) -> tuple[str, str, str, str]:
        """Size, quantisation, parameters, and whether it fits; empty where unknown."""
        fit = {
            "yes": tr("fits ({reason})", reason=self.reason),
            "tight": tr("tight ({reason})", reason=self.reason),
            "no": tr("too large ({reason})", reason=self.reason),
            "unknown": self.reason,
        }[self.fits]
        size = memory(self.size_bytes) if self.size_bytes else ""
        return size, self.quantisation, self.parameters, self.why_not or fit


@dataclass(frozen=True, slots=True, kw_only=True)
class OllamaFound:
    url: str
    reachable: bool
    version: str = ""
    models: tuple[ModelFound, ...] = ()
    problem: str = ""
    hint: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckpointFound:
    """A folder with a config.json. `why_not` says what is missing here to ask any checkpoint."""

    path: Path
    why_not: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteFound:
    """As `-s` names it. `ships`: known by its name. `why_not`: its files have mistakes."""

    argument: str
    title: str
    tests: int
    ships: bool
    why_not: str = ""


def find_ollama(url: str | None = None, room: Room | None = None) -> OllamaFound:
    try:
        address = ollama_url(url)
    except UsageError as error:
        shown = without_userinfo(url) if url else "OLLAMA_HOST"
        return OllamaFound(url=shown, reachable=False, problem=error.message, hint=error.hint)
    connection = HurriedConnection(address)
    client = OllamaClient(connection)
    try:
        version = client.version()
        installed, loaded = client.models(), client.loaded()
    except Fault as fault:
        return OllamaFound(
            url=connection.url,
            reachable=False,
            problem=connection.without_secrets(fault.sentence),
            hint=tr("start it with `ollama serve`, or set OLLAMA_HOST to where it runs"),
        )
    finally:
        connection.close()
    here = is_this_machine(urlsplit(address).hostname or "")
    space = (room or this_room()) if here else None
    in_memory = {str(entry.get("name")) for entry in loaded}
    suffix = "" if url is None else f"@{connection.url}"
    models = (_model(entry, suffix, in_memory, space) for entry in installed)
    ordered = sorted(models, key=lambda model: (bool(model.why_not), not model.loaded))
    return OllamaFound(url=connection.url, reachable=True, version=version, models=tuple(ordered))


def this_room() -> Room:
    return Room(free_bytes=available_memory(), gpu_bytes=gpu_memory())


def will_it_fit(size_bytes: int | None, room: Room | None) -> tuple[Fits, str]:
    """By estimate: the weights, a fifth on top for the context, and half a gigabyte beside."""
    if size_bytes is None:
        return "unknown", tr("the server does not report its size")
    if room is None:
        return "unknown", tr("the server is on another machine")
    needed = int(size_bytes * ROOM_PER_BYTE) + ROOM_BESIDE
    space = room.free_bytes if room.gpu_bytes is None else room.gpu_bytes
    where = tr("free memory") if room.gpu_bytes is None else tr("GPU memory")
    whole = tr("{whole} ({factor} × weights + {rest})", whole=memory(needed),
               factor=exact(ROOM_PER_BYTE), rest=memory(ROOM_BESIDE))  # fmt: skip
    gaps = {"needed": whole, "space": memory(space), "where": where}
    if needed <= COMFORTABLE * space:
        return "yes", tr("by estimate {needed} of {space} {where}", **gaps)
    if needed <= space:
        return "tight", tr("by estimate {needed} of {space} {where}: close other programs", **gaps)
    if room.gpu_bytes is not None and needed <= room.gpu_bytes + room.free_bytes:
        return "tight", tr(
            "by estimate {needed}, and {space} {where}: partly on the CPU, slowly", **gaps
        )
    return "no", tr("by estimate {needed}, and {space} {where}", **gaps)


def find_checkpoints(folder: Path) -> tuple[CheckpointFound, ...]:
    """In a folder, and where the specification has them below a project's root."""
    lacking = any(installed_version(package) is None for package in ("torch", "transformers"))
    why_not = tr("needs: {command}", command=INSTALL) if lacking else ""
    usual = folder / USUAL_CHECKPOINTS
    looked_in = [folder, *([usual] if usual.is_dir() else [])]
    specs = [f"hf:{each}" for each in looked_in]
    places = [place for _, place in places_of(specs) if place is not None]
    return tuple(
        CheckpointFound(path=place.path, why_not=why_not)
        for place in places[:MOST_FOUND]
        if (place.path / CONFIG).is_file() and place.path not in looked_in
    )


def find_suites(folder: Path) -> tuple[SuiteFound, ...]:
    known = (
        SuiteFound(
            argument=suite.name,
            title=suite.title,
            tests=sum(1 for _ in suite.cases),
            ships=True,
        )
        for suite in known_suites().suites  # `assay suites` says what is wrong with others
    )
    return (*islice(_suites_in(folder), MOST_FOUND), *known)


def find_judges(
    models: Sequence[ModelFound], tested: Collection[str] = ()
) -> tuple[ModelFound, ...]:
    """Candidates to judge others: the largest that fit here, since judging is the harder task."""
    able = [
        model
        for model in models
        if not model.why_not
        and model.spec not in tested
        and not model.elsewhere
        and model.fits != "no"
        and _count_of(model.parameters) >= LEAST_TO_JUDGE
    ]
    return tuple(sorted(able, key=lambda m: m.size_bytes or 0, reverse=True)[:3])


def _count_of(parameters: str) -> float:
    """8.0B and 134.52M as numbers; what a server writes in another way counts as none."""
    read = re.fullmatch(r"(\d+(?:\.\d+)?)([KMBT])", parameters.strip().upper())
    return float(read[1]) * THOUSANDS[read[2]] if read else 0.0


def _model(
    entry: Mapping[str, Any], suffix: str, in_memory: set[str], room: Room | None
) -> ModelFound:
    name = readable(str(entry.get("name") or entry.get("model") or ""))
    details = entry.get("details")
    details = details if isinstance(details, dict) else {}
    size = reported_count(entry.get("size")) or None
    loaded, elsewhere = name in in_memory, bool(entry.get("remote_host"))
    fits, reason = will_it_fit(size, room)
    if elsewhere:
        host = readable(str(entry["remote_host"])).rpartition("://")[2].partition(":")[0]
        fits, reason = "unknown", tr("computed at {host}, not here", host=host)
    elif loaded:
        fits, reason = "yes", tr("loaded now")
    return ModelFound(
        name=name,
        spec=f"ollama:{name}{suffix}",
        size_bytes=None if elsewhere else size,
        quantisation=_known(details.get("quantization_level")),
        parameters=_known(details.get("parameter_size")),
        family=_known(details.get("family")),
        fits=fits,
        reason=reason,
        loaded=loaded,
        elsewhere=elsewhere,
        why_not="" if _writes(entry, details) else tr("makes embeddings, writes no answers"),
    )


def _known(text: object) -> str:
    shown = readable(text)[:20] if isinstance(text, str) else ""
    return "" if shown == "unknown" else shown


def _writes(entry: Mapping[str, Any], details: Mapping[str, Any]) -> bool:
    listed = entry.get("capabilities")
    if isinstance(listed, list) and listed:
        return "completion" in listed
    return details.get("family") not in CANNOT_WRITE


def _suites_in(folder: Path) -> Iterator[SuiteFound]:
    for path in (folder, *subfolders(folder)[:MOST_FILES]):
        if not holds_tests(path) and not any(map(is_test_folder, subfolders(path))):
            continue
        # Written as a path: a bare name would mean the suite of that name that ships.
        shown = os.path.relpath(path, folder)
        argument = os.path.join("." if shown == "." else shown, "")
        found = SuiteFound(argument=argument, title="", tests=0, ships=False)
        try:
            suite = load_suite(path)
        except AssayError:
            why_not = tr("has mistakes: assay validate {path}", path=shlex.quote(argument))
            yield replace(found, why_not=why_not)
        else:
            yield replace(found, title=suite.title, tests=sum(1 for _ in suite.cases))


def holds_tests(folder: Path) -> bool:
    """Whether a file directly in it begins like a list of tests; other JSON may be there too."""
    files = islice(folder.glob("[!.]*.json"), MOST_FILES)
    return any(_BEGINS_LIKE_TESTS.match(_head(file)) for file in files if file.is_file())


def _head(file: Path) -> bytes:
    with suppress(OSError), file.open("rb") as opened:
        return opened.read(MOST_OF_A_TEST)
    return b""


def facts_of(spec: str) -> ModelFacts:
    """Of a model that is there and can write answers; raises what is wrong with another."""
    names_a_kind = read_spec(spec).scheme != "hf" or spec.startswith("hf:")
    if not names_a_kind and not os.path.lexists(spec):
        raise UsageError(
            tr("{spec!r} names no kind of model and no file", spec=spec),
            hint=tr(
                "for Ollama write ollama:{name}, for the Hugging Face hub hf:ORG/NAME, for written "
                "answers scripted:FILE.json",
                name=spec,
            ),
        )
    model = open_model(spec)
    model.close()
    if "generate" not in model.facts.capabilities:
        raise UsageError(
            tr("{model} cannot write answers", model=spec),
            hint=tr("choose a model that generates text"),
        )
    return model.facts


def refuse_as_judge(spec: str, tested: Sequence[ModelFacts]) -> None:
    judge = facts_of(spec)
    if any(same_model(judge, each) for each in tested):
        raise UsageError(
            tr("{model} would judge its own answers", model=spec),
            hint=tr("name another model, or choose none"),
        )


def what_to_judge(suites: Sequence[str]) -> tuple[int, bool]:
    """The number of tests that need a judge, and whether a checker has to be allowed."""
    cases = judged_cases([load_suite(find(suite)) for suite in suites])
    checks = [judged for case in cases if (judged := case.check.judged)]
    return len(cases), any(each.needs_permission for each in checks)


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteList:
    """`mistakes`: of suites that cannot be used. `about_benchmarks`: where fetched suites are."""

    suites: tuple[Suite, ...]
    mistakes: tuple[AssayError, ...]
    about_benchmarks: tuple[str, ...]


def known_suites(benchmarks: Path | None = None) -> SuiteList:
    """The shipped and fetched suites, with the mistakes in those that cannot be used."""
    named = catalogue(benchmarks)
    suites: list[Suite] = []
    mistakes: list[AssayError] = []
    for name in named:
        for files in tried(mistakes, find, name, benchmarks):
            suites += tried(mistakes, load_suite, files)
    return SuiteList(
        suites=tuple(suites),
        mistakes=tuple(mistakes),
        about_benchmarks=tuple(_about_benchmarks(benchmarks, named)),
    )


def describe_suite(name: str, *, benchmarks: str | Path | None = None) -> SuiteCard:
    """One suite by its name or path, and what it consists of: `assay.describe_suite("os")`."""
    folder = None if benchmarks is None else Path(benchmarks)
    return describe(load_suite(find(name, folder)))


def describe(suite: Suite) -> SuiteCard:
    """Facts are counted of the shipped tests alone: a file in a category's place brought others."""
    here = (each for each in suite.categories if each.name not in suite.elsewhere)
    tests = {case.id for category in here for case in category.cases}
    tests |= {case.id for examples in suite.few_shot.values() for case in examples}
    folder = Path(suite.path)
    sources = facts_by_source(folder if folder.is_dir() else folder.parent, tests)
    ships = folder.resolve().parent == SHIPPED_SUITES
    licence = suite.licence or LICENCES.get(suite.name, "")
    if ships and not suite.licence:
        licence = tr("Apache-2.0, as Assay")
    if ships and (folder / CREDITS_FILE).is_file():
        licence = tr("Apache-2.0, as Assay; quoted texts as {file} says", file=CREDITS_FILE)
    return replace(suite_card(suite, baselines_of(suite), sources), licence=licence)


def _about_benchmarks(given: Path | None, named: Mapping[str, SuiteFiles]) -> Iterator[str]:
    yield tr("benchmarks: {folder}", folder=shown_path(benchmarks_folder(given)))
    for name, files in named.items():
        for file in files.instead:
            yield tr("{suite}: {category} is {file}", suite=name, category=file.stem,
                     file=shown_path(file))  # fmt: skip
    for name in FETCHED:
        if name not in named:
            yield tr("{name} is missing; get it with `{command}`", name=name,
                     command=fetch_command([name], given))  # fmt: skip


def facts_by_source(suite: Path, tests: Collection[str]) -> Mapping[str, int]:
    """Most first; empty without a sources.tsv, which has a row a fact and is for people."""
    try:
        with (suite / SOURCES_FILE).open(encoding="utf-8-sig", newline="") as file:
            rows = [*csv.DictReader(file, delimiter="\t")]
    except (OSError, UnicodeDecodeError, csv.Error):
        return {}
    named = (row.get("source") for row in rows if row.get("test") in tests)
    counts = Counter(filter(None, named))
    return {name: counts[name] for name in sorted(counts, key=lambda name: (-counts[name], name))}

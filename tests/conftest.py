"""What every test may use."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from tests.browser import browser, one_browser  # noqa: F401
from tests.command_runs import run_assay, start_python
from tests.servers.fixtures import (  # noqa: F401
    ollama_process,
    ollama_server,
    openai_process,
    openai_server,
    start_ollama,
    start_openai,
)
from tests.servers.llama_cpp import llama_cpp_server
from tests.waiting import PATIENCE_S

ROOT = Path(__file__).resolve().parents[1]
# A pattern or a draw that takes long on a busy machine is no mistake. Fifty draws of a property are
# half of the usual; each run draws others.
settings.register_profile(
    "assay", deadline=None, max_examples=50, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("assay")
# Tests read English, whatever the machine speaks.
os.environ["LC_ALL"] = "C.UTF-8"
# Nobody's own servers are part of a test: where a test has none, no port is looked at.
os.environ["ASSAY_PORTS"] = ""
# Before torch is imported, and inherited by processes that tests start: two workers that each use
# both cores would wait for each other.
os.environ.setdefault("OMP_NUM_THREADS", "1")
# And where a test asks for both cores: a thread that has to wait sleeps, else it keeps a core busy.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")


def _let_children_be_interrupted() -> None:
    """A process started in the background ignores SIGINT, and so would all that it starts. With a
    handler of our own, programs under test start with the default, and the tests still go on.
    """
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, lambda number, frame: None)


_let_children_be_interrupted()


# Tests that share a long preparation stand at the front of the queue: xdist gives idle workers the
# tests at its end, and each of them would prepare the same once more.
PREPARED_AT_LENGTH = ("test_demo_checkpoints.py", "test_demo.py")
# What guards a release and takes long: checkers over many answers, kills, browsers, terminals,
# pages whose commands are run. `make test-all` runs it, `make test` does not. A test can say the
# same of itself by the marker `slow`.
SLOW = tuple(
    Path(__file__).parent / name
    for name in (
        "answers",
        "builtin",
        "checking/test_running_checkers.py",
        "checking/test_stated_values.py",
        "checks/test_language.py",
        "engine/test_same_texts.py",
        "examples",
        "interfaces/mcp",
        "interfaces/test_front_door.py",
        "interfaces/test_record.py",
        "interfaces/test_watch.py",
        "judge/test_shipped_rubrics.py",
        "models/local/test_speed.py",
        "test_api_page.py",
        "test_checker_page.py",
        "test_docs_fr.py",
        "test_docs_site.py",
        "test_domain_page.py",
        "test_extend_page.py",
        "test_trainer_callback.py",
        "test_tutorials.py",
        "test_walk.py",
        "test_whole_run_benchmark.py",
        "workflow/test_authoring.py",
        "workflow/test_checkpoint_crash.py",
        "workflow/test_crash.py",
        "workflow/test_early_crash.py",
        "workflow/test_judge_llama_cpp.py",
        "workflow/test_loop.py",
        "workflow/test_planted_truths.py",
        "workflow/test_quants.py",
    )
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what is slow, and put first what takes longest."""
    for item in items:
        is_listed = any(item.path.is_relative_to(slow) for slow in SLOW)
        if is_listed or _uses_a_browser(item):
            item.add_marker(pytest.mark.slow)

    def place(item: pytest.Item) -> int:
        if item.path.name in PREPARED_AT_LENGTH:
            return 0
        return 1 if _uses_a_browser(item) else 2

    items.sort(key=place)


def _uses_a_browser(item: pytest.Item) -> bool:
    return "browser" in getattr(item, "fixturenames", ())


@pytest.fixture(scope="session")
def root() -> Path:
    """The repository."""
    return ROOT


@pytest.fixture(scope="session")
def shared() -> Path:
    """Real data that lies beside a developer's checkout and is not part of the project."""
    folder = ROOT.parent / "shared"
    if not (folder / "DESIGN.md").is_file():
        pytest.skip("needs ../shared, which only developers and CI have")
    return folder


@pytest.fixture(scope="session")
def weights(shared: Path) -> Path:
    """A model of 1 MB that writes stories."""
    return shared / "models" / "stories260K" / "gguf" / "stories260K-f32.gguf"


@pytest.fixture(scope="session")
def llama_cpp(weights: Path) -> Iterator[int]:
    """The port of llama.cpp's own server with two slots, serving that model."""
    with llama_cpp_server(weights) as port:
        yield port


class Bench:
    """A folder with suites and scripted models in which `assay` runs as a user would run it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.out = folder / "out"
        self.environment = {**os.environ, "PYTHONWARNINGS": "error"}
        # A developer's shell may have it; most users' streams are buffered, and fail later.
        self.environment.pop("PYTHONUNBUFFERED", None)
        # Nor is a developer's own Ollama or key part of a test: nobody listens at port 1.
        self.environment["OLLAMA_HOST"] = "127.0.0.1:1"
        # Nor the benchmarks that were fetched into the user's data folder.
        self.environment["XDG_DATA_HOME"] = str(folder / "users-data")
        for name in ("OPENAI_BASE_URL", "OPENAI_API_KEY"):
            self.environment.pop(name, None)
        # Nor the models that lie on this machine.
        for name in ("OLLAMA_MODELS", "LMSTUDIO_MODELS"):
            self.environment[name] = str(folder / "no-models")

    def suite(
        self, categories: dict[str, list[dict[str, Any]]], name: str = "tests", **about: Any
    ) -> str:
        """Write a suite and return its path."""
        path = self.folder / name
        path.mkdir(exist_ok=True)
        for category, tests in categories.items():
            (path / f"{category}.json").write_text(json.dumps(tests), "utf-8")
        if about:
            (path / "suite.json").write_text(json.dumps(about), "utf-8")
        return str(path)

    def script(self, name: str, **document: Any) -> str:
        """Write a scripted model and return its spec."""
        path = self.folder / f"{name}.json"
        path.write_text(json.dumps(document), "utf-8")
        return f"scripted:{path}"

    def command(self, *words: str) -> list[str]:
        return [sys.executable, "-m", "assay", *words, "--out", str(self.out)]

    def start(self, *words: str) -> subprocess.Popen[str]:
        """A running `assay`."""
        return start_python(self.command(*words)[1:], self.folder, self.environment)

    def assay(self, *words: str, **environment: str) -> subprocess.CompletedProcess[str]:
        """A finished `assay`."""
        return run_assay(self.command(*words)[3:], self.folder, {**self.environment, **environment})

    def document(self, *words: str) -> dict[str, Any]:
        """What --json prints."""
        done = self.assay(*words, "--json")
        document: dict[str, Any] = json.loads(done.stdout)
        assert document.get("exit_code", 0) == done.returncode, done.stderr
        return document


def numbered(count: int, prefix: str = "sum") -> list[dict[str, Any]]:
    """Sums with one right answer each."""
    return [
        {
            "id": f"{prefix}_{n:03d}",
            "prompt": f"What is {n} plus {n}?",
            "eval_method": "exact_match",
            "expected": str(2 * n),
        }
        for n in range(1, count + 1)
    ]


def word_tests(count: int) -> list[dict[str, Any]]:
    """Tests that a checkpoint with random weights answers in a moment."""
    return [
        {
            "id": f"word_{n:03d}",
            "prompt": f"The dog has {n}",
            "eval_method": "keywords",
            "expected_keywords": ["the"],
            "max_tokens": 4,
        }
        for n in range(1, count + 1)
    ]


def right(tests: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """The answers a model that can add would give."""
    return {test["id"]: test["expected"] for test in tests}


def stored_work_of(store: Any, request_id: str) -> Any:
    """A request as the store holds it."""
    from assay.store.bodies import read_back
    from assay.types import Work

    body = store._file.one("SELECT body FROM requests WHERE id = ?", (request_id,))[0]
    return read_back(Work, body)


@contextmanager
def no_hang(seconds: int = PATIENCE_S) -> Iterator[None]:
    """Ends a test that would run for hours, as a pattern does that backtracks without end. It says
    nothing about speed: a slow machine must not fail a test.
    """

    def give_up(number: int, frame: FrameType | None) -> None:
        raise TimeoutError(f"still busy after {seconds} s")

    before = signal.signal(signal.SIGALRM, give_up)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    """An empty folder to work in."""
    return Bench(tmp_path)

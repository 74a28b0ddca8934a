"""Run `assay` in this process, or Python in a new one.

Half of the time of a short `assay` process goes into importing numpy, scipy and pydantic, and the
tests call it some hundreds of times. So a command runs in the process of the tests, with streams, a
working folder and an environment of its own, unless the process itself is what a test is about: a
kill, a signal, a terminal, or help in another language (help is translated while it is loaded).
"""

from __future__ import annotations

import gettext
import io
import os
import signal
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from assay.registry import Registry

TIMEOUT_S = 600  # only a command that hangs takes so long
# The interpreter reads these when it starts, so a command that sets one needs a new process.
READ_AT_START = ("PYTHON", "LC_", "LANG", "OMP_NUM_THREADS", "OPENBLAS_", "MKL_", "HF_", "TORCH_",
                 "TRANSFORMERS_", "ACCELERATE_", "CUDA_")  # fmt: skip
IGNORED_AT_START = ("PYTHONWARNINGS", "PYTHONUNBUFFERED")


def run_assay(
    words: Sequence[str], folder: Path, environment: Mapping[str, str]
) -> subprocess.CompletedProcess[str]:
    """Run `assay` with these words in that folder to its end."""
    if _needs_a_process(words, environment):
        return run_python(["-m", "assay", *words], folder, environment)
    _load_commands()
    from assay.interfaces.cli import run_words

    return _run_here(run_words, words, folder, environment)


def run_benchmark_script(
    words: Sequence[str], folder: Path, environment: Mapping[str, str]
) -> subprocess.CompletedProcess[str]:
    """Run `python run_benchmark.py` with these words in that folder to its end."""
    if _needs_a_process(words, environment):
        script = Path(__file__).resolve().parents[1] / "run_benchmark.py"
        return run_python([str(script), *words], folder, environment)
    _load_commands()
    from assay.interfaces.benchmark_script import run_words

    return _run_here(run_words, words, folder, environment)


def run_python(
    words: Sequence[str], folder: Path, environment: Mapping[str, str]
) -> subprocess.CompletedProcess[str]:
    """Run `python` with these words in that folder to its end."""
    return subprocess.run(
        [sys.executable, *words],
        capture_output=True,
        text=True,
        check=False,
        cwd=folder,
        env=dict(environment),
        timeout=TIMEOUT_S,
    )


def start_python(
    words: Sequence[str], folder: Path, environment: Mapping[str, str]
) -> subprocess.Popen[str]:
    """Start `python` with these words, which runs on beside the test."""
    return subprocess.Popen(
        [sys.executable, *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=folder,
        env=dict(environment),
    )


def _needs_a_process(words: Sequence[str], environment: Mapping[str, str]) -> bool:
    is_help = "--help" in words or "-h" in words
    speaks_another_language = any(word.startswith("--lang") for word in words)
    if is_help and speaks_another_language:
        return True
    return _read_at_start(environment) != _read_at_start(os.environ)


def _read_at_start(environment: Mapping[str, str]) -> dict[str, str]:
    return {
        name: value
        for name, value in environment.items()
        if name.startswith(READ_AT_START) and name not in IGNORED_AT_START
    }


def _run_here(
    run_words: Callable[[Sequence[str]], int],
    words: Sequence[str],
    folder: Path,
    environment: Mapping[str, str],
) -> subprocess.CompletedProcess[str]:
    out, err = _text_stream(), _text_stream()
    with _as_a_process(folder, environment, out, err), warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            code = run_words(words)
        except SystemExit as ended:
            code = int(ended.code or 0)
    texts = [_text_of(stream) for stream in (out, err)]
    return subprocess.CompletedProcess(["assay", *words], code, *texts)


def _text_stream() -> io.TextIOWrapper:
    return io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True)


def _text_of(stream: io.TextIOWrapper) -> str:
    stream.flush()
    data: bytes = stream.buffer.getvalue()  # type: ignore[attr-defined]
    return data.decode("utf-8").replace("\r\n", "\n")


@contextmanager
def _as_a_process(
    folder: Path, environment: Mapping[str, str], out: io.TextIOWrapper, err: io.TextIOWrapper
) -> Iterator[None]:
    """Give a command what a process of its own would have, and take it back afterwards."""
    from assay import messages

    streams = sys.stdin, sys.stdout, sys.stderr
    environment_before = dict(os.environ)
    folder_before = Path.cwd()
    modules_before = set(sys.modules)
    names_before = [(registry, dict(registry._known)) for registry in _registries()]
    handlers = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)}
    threads_before = _torch_threads()
    sys.stdin, sys.stdout, sys.stderr = io.StringIO(), out, err
    _set_environment(environment)
    os.chdir(folder)
    try:
        yield
    finally:
        sys.stdin, sys.stdout, sys.stderr = streams
        os.chdir(folder_before)
        _set_environment(environment_before)
        for number, handler in handlers.items():
            signal.signal(number, handler)
        for registry, names in names_before:
            _forget_plugins(registry, names)
        for name in set(sys.modules) - modules_before:
            if _is_plugin(name, folder):
                del sys.modules[name]
        _set_torch_threads(threads_before)
        messages.speak("en")
        gettext.textdomain("messages")


def _set_environment(environment: Mapping[str, str]) -> None:
    os.environ.clear()
    os.environ.update(environment)


def _forget_plugins(registry: Registry[object], names: Mapping[str, object]) -> None:
    """Drop what a plugin registered; what ships stays, since its module is not loaded again."""
    for name in set(registry._known) - set(names):
        definition = getattr(registry._known[name], "made_of", registry._known[name])
        if not str(getattr(definition, "__module__", "")).startswith("assay."):
            del registry._known[name]


def _is_plugin(module: str, folder: Path) -> bool:
    file = getattr(sys.modules[module], "__file__", None)
    return file is not None and Path(file).is_relative_to(folder)


def _registries() -> list[Registry[object]]:
    from assay import plugins
    from assay.registry import Registry

    return [value for value in vars(plugins).values() if isinstance(value, Registry)]


def _torch_threads() -> int | None:
    torch = sys.modules.get("torch")
    return None if torch is None else torch.get_num_threads()


def _set_torch_threads(count: int | None) -> None:
    torch = sys.modules.get("torch")
    if torch is not None and count is not None:
        torch.set_num_threads(count)


@cache
def _load_commands() -> None:
    """Load every command while English is spoken: its help is translated when it is loaded."""
    from assay.interfaces.cli import COMMANDS, load_command

    for name in COMMANDS:
        load_command(name)

"""Limits on what a checkpoint's own files make the machine do: its template is always rendered in a
process of its own (`guest`), and its tokenizer tried there before it is used here.
"""

import json
import os
import queue
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any
from weakref import finalize

from assay.messages import tr
from assay.text.number_format import exact, fixed

TOKENIZER_SECONDS = 60.0  # the largest takes five
# The guest itself takes 18 MB, and up to 66 MB for the hostile tokenizers that were tried.
TEMPLATE_BYTES = 256 * 2**20
TOKENIZER_BYTES = 2**30
TOKENIZER_TIMES = 30  # bytes of memory for each byte of tokenizer.json: measured at most 15
# By how much all replacements together may lengthen a text; at most 4 in the tokenizers in use.
MOST_GROWTH = 256.0
_GUEST = Path(__file__).with_name("guest.py")


class OutOfBounds(Exception):
    """A template or tokenizer failed, or went beyond a limit; the text says how."""


class Guest:
    """One process; it ends with its owner, or when it goes beyond a limit."""

    def __init__(self, most_bytes: int) -> None:
        single = {"TOKENIZERS_PARALLELISM": "false", "MALLOC_ARENA_MAX": "1"}
        self._process = subprocess.Popen(
            [sys.executable, "-P", str(_GUEST), str(most_bytes)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            encoding="utf-8",
            env={**os.environ, **single, "PYTHONIOENCODING": "utf-8"},
        )
        self._lines: queue.Queue[str] = queue.Queue()
        # Without `self`: a thread that knows its owner would keep it, and the process, alive.
        heard = self._process.stdout, self._lines
        threading.Thread(target=_listen, args=heard, daemon=True).start()
        # Not `__del__`: at Python's exit that may come when nothing is left to call.
        self._end = finalize(self, _end, self._process)

    def ask(self, asked: Mapping[str, Any], seconds: float) -> dict[str, Any]:
        """Raises OutOfBounds; the process has ended then, unless it only refused."""
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps(asked) + "\n")
            self._process.stdin.flush()
            line = self._lines.get(timeout=seconds)
        except queue.Empty:
            self.close()
            why = tr("it takes more than {seconds} seconds", seconds=exact(seconds))
            raise OutOfBounds(why) from None
        except OSError:
            line = ""
        if not line:
            self.close()
            raise OutOfBounds(tr("it takes too much memory or ends the program"))
        found: dict[str, Any] = json.loads(line)
        if "error" in found:
            raise OutOfBounds(found["error"])
        return found

    @property
    def is_alive(self) -> bool:
        return self._process.poll() is None

    def close(self) -> None:
        self._end()


def _end(process: subprocess.Popen[str]) -> None:
    process.kill()
    process.wait()
    if process.stdin is not None:
        with suppress(OSError):
            process.stdin.close()


def _listen(stream: IO[str], lines: queue.Queue[str]) -> None:
    """Close the stream as well: while this thread reads it, at Python's exit, no other one can."""
    with suppress(ValueError, OSError), stream:
        for line in stream:
            lines.put(line)
    lines.put("")


def try_tokenizer(file: Path, written: Mapping[str, Any]) -> None:
    growth = _growth(written)
    if growth > MOST_GROWTH:
        raise OutOfBounds(
            tr("it may make a text {times} times as long", times=fixed(min(growth, 1e12), 0))
        )
    if why := begin_trial(file).result():
        raise OutOfBounds(why)


_trials: dict[tuple[str, int, int], Future[str]] = {}
_beside = ThreadPoolExecutor(max_workers=1)


def begin_trial(file: Path) -> Future[str]:
    """Try a tokenizer while weights are read; once for all checkpoints that share it."""
    about = file.stat()
    key = str(file.absolute()), about.st_size, about.st_mtime_ns
    if key not in _trials:
        _trials[key] = _beside.submit(_tried, key[0], about.st_size)
    return _trials[key]


def _tried(file: str, size: int) -> str:
    guest = Guest(TOKENIZER_BYTES + TOKENIZER_TIMES * size)
    try:
        guest.ask({"tokenizer": file}, TOKENIZER_SECONDS)
    except OutOfBounds as error:
        return str(error)
    finally:
        guest.close()
    return ""


def _growth(written: Mapping[str, Any]) -> float:
    growth = 1.0
    for part in ("normalizer", "pre_tokenizer", "decoder"):
        of_part = 1.0
        for step in _steps(written.get(part)):
            pattern, content = step.get("pattern"), step.get("content")
            if step.get("type") != "Replace" or not isinstance(content, str):
                continue
            plain = pattern.get("String") if isinstance(pattern, Mapping) else None
            shortest = len(plain) if isinstance(plain, str) else 0
            # A pattern may match nothing, between any two characters.
            of_part *= max(1.0, len(content) / shortest if shortest else 1.0 + len(content))
        growth = max(growth, of_part)
    return growth


def _steps(part: object) -> Iterator[Mapping[str, Any]]:
    left = [part]
    while left:
        each = left.pop()
        if isinstance(each, Mapping):
            yield each
            left.extend(each.values())
        elif isinstance(each, list):
            left.extend(each)


@contextmanager
def panics_as_errors() -> Iterator[None]:
    """A panic of the Rust library is no Exception, and would end the run."""
    try:
        yield
    except BaseException as error:
        if type(error).__name__ != "PanicException":
            raise
        raise RuntimeError(str(error)) from error

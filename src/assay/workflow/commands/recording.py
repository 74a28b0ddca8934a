"""`assay record`: calls that an application makes, kept as they end, and the suite made of them.

calls.jsonl has every call, one a line, on disk before its answer has ended. The tests (short.json,
…) are written again from it, and so is answers/MODEL.json: what the recorded model answered, as a
scripted model. rubric/ is for the open answers, and the user's to edit.
"""

import json
import os
import re
import shlex
import threading
from collections import Counter
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO, Any

from assay.errors import UsageError
from assay.files.locks import try_lock
from assay.files.writing import explain_write_errors, replace_file
from assay.messages import tr, trn
from assay.models.traffic.recorded import MOST_BYTES, Unreadable, is_call, read_exchange
from assay.plugins import load_plugins
from assay.suites.recorded_suite import KINDS, RUBRIC, RecordedSuite, SuiteMaker
from assay.suites.suite_file import SUITE_FILE
from assay.text.secret_forms import all_without_keys
from assay.types.recorded import Exchange, RecordedCall, RecordedTurn

__all__ = ["MOST_BYTES", "CallRecording", "is_call"]

CALLS = "calls.jsonl"
ANSWERS = "answers"
SEVERAL = "several-models"
TEMPLATE = Path(__file__).resolve().parents[2] / "builtin" / "templates" / "recorded"


@dataclass(frozen=True, slots=True)
class Recorded:
    """What became of one exchange: the number of calls kept so far, or why it was not kept."""

    number: int = 0
    why_not: str = ""


class CallRecording:
    """A folder that calls are recorded into. Threads may share it."""

    def __init__(self, folder: str | Path) -> None:
        load_plugins()
        self.folder = Path(folder)
        self._calls: list[RecordedCall] = []
        self._unread: Counter[str] = Counter()
        self._maker = SuiteMaker()
        self._lock = threading.Lock()
        self._changed = threading.Event()
        self._closing = False
        with explain_write_errors(self.folder):
            self._file = self._open()
        self.suite = self._maker.make(self._calls)
        self.earlier = len(self._calls)
        self._writer = threading.Thread(target=self._write_on, name="suite", daemon=True)
        self._writer.start()

    def take(self, exchange: Exchange, secrets: Iterable[str] = ()) -> Recorded | None:
        """Keep a call, on disk when this returns. None: no model was asked for an answer."""
        try:
            call = read_exchange(exchange)
            if call is None:
                return None
            whole = all_without_keys(asdict(call), secrets)
            line = json.dumps(whole, ensure_ascii=False) + "\n"
        except Unreadable as why:
            return self.leave_out(str(why))
        with self._lock:
            try:
                self._file.write(line.encode("utf-8", "backslashreplace"))
                self._file.flush()
                os.fsync(self._file.fileno())
            except OSError as error:
                self._unread[tr("that could not be written")] += 1
                return Recorded(why_not=str(error.strerror or error))
            self._calls.append(_call_of(whole))
            number = len(self._calls)
        self._changed.set()
        return Recorded(number=number)

    def leave_out(self, why: str) -> Recorded:
        with self._lock:
            self._unread[why] += 1
        return Recorded(why_not=why)

    def close(self) -> None:
        """Write the suite once more, with everything that was recorded."""
        self._closing = True
        self._changed.set()
        self._writer.join()
        self._file.close()

    def summary(self) -> list[str]:
        """What was recorded, what was not and why, and what to do with it."""
        suite, lines = self.suite, []
        calls = len(self._calls)
        lines.append(
            tr("{calls} recorded, {tests} in {folder}",
               calls=trn("{count} call", "{count} calls", calls),
               tests=trn("{count} test", "{count} tests", suite.tests), folder=self.folder)
        )  # fmt: skip
        left_out = Counter(suite.left_out) + self._unread
        lines += [
            tr("no tests: {calls} {why}", why=why,
               calls=trn("{count} call", "{count} calls", count))
            for why, count in left_out.most_common()
        ]  # fmt: skip
        if suite.settings:
            named = ", ".join(f"{name} ({count})" for name, count in sorted(suite.settings.items()))
            lines.append(tr("settings that no test has, and that are not replayed: {named}",
                            named=named))  # fmt: skip
        if suite.tests:
            folder = shlex.quote(f"{self.folder}/")
            old = shlex.quote(f"scripted:{self._answers_file(suite)}")
            lines.append(tr("check it:   {command}", command=f"assay validate {folder}"))
            lines.append(tr("replay it:  {command}", command=f"assay run {old} NEW -s {folder}"))
        return lines

    def _open(self) -> IO[bytes]:
        path = self.folder / CALLS
        if not path.exists() and any(self.folder.glob("*.json")):
            raise UsageError(
                tr("{folder} holds a suite that was not recorded", folder=self.folder),
                hint=tr("name another folder with --out-suite"),
            )
        for folder in (self.folder, self.folder / ANSWERS, self.folder / RUBRIC):
            folder.mkdir(parents=True, exist_ok=True)
        file = path.open("a+b")
        if not try_lock(file):  # type: ignore[arg-type]
            file.close()
            raise UsageError(
                tr("another process records into {folder}", folder=self.folder),
                hint=tr("name another folder with --out-suite"),
            )
        file.seek(0)
        self._read_back(file)
        for source in sorted((TEMPLATE / RUBRIC).iterdir()):
            if not (own := self.folder / RUBRIC / source.name).exists():
                replace_file(own, source.read_text("utf-8"))
        if not (about := self.folder / SUITE_FILE).exists():
            title = {"title": tr("Recorded calls"), "version": "1"}
            replace_file(about, json.dumps(title, indent=1, ensure_ascii=False) + "\n")
        return file

    def _read_back(self, file: IO[bytes]) -> None:
        """The calls of before. A last line that a kill has cut off is dropped."""
        end = 0
        for number, line in enumerate(file, start=1):
            if not line.endswith(b"\n"):
                break
            try:
                self._calls.append(_call_of(json.loads(line)))
            except (ValueError, TypeError, AttributeError, KeyError, RecursionError) as error:
                raise UsageError(
                    tr("{file} line {number} is no recorded call", file=self.folder / CALLS,
                       number=number),
                    hint=tr("restore the file, or name another folder with --out-suite"),
                ) from error  # fmt: skip
            end += len(line)
        file.truncate(end)
        file.seek(0, os.SEEK_END)

    def _write_on(self) -> None:
        """Written again after each call; calls that come meanwhile are written together."""
        while True:
            self._changed.wait()
            self._changed.clear()
            last = self._closing
            with self._lock:
                calls = tuple(self._calls)
            self.suite = self._maker.make(calls)
            with suppress(OSError):  # the calls are kept; the next writing may go well
                self._write(self.suite)
            if last:
                return

    def _write(self, suite: RecordedSuite) -> None:
        for kind in KINDS:
            path = self.folder / f"{kind}.json"
            if entries := suite.categories.get(kind):
                replace_file(path, json.dumps(entries, indent=1, ensure_ascii=False) + "\n")
            else:
                path.unlink(missing_ok=True)
        own = self._answers_file(suite)
        for other in (self.folder / ANSWERS).glob("*.json"):
            if other != own:
                other.unlink()
        if suite.answers:
            script = {"answers": suite.answers}
            replace_file(own, json.dumps(script, indent=1, ensure_ascii=False) + "\n")

    def _answers_file(self, suite: RecordedSuite) -> Path:
        name = suite.models[0] if len(suite.models) == 1 else SEVERAL
        return self.folder / ANSWERS / f"{_file_name(name)}.json"


def _file_name(model: str) -> str:
    """A model's name as a file's: it is what an application sent, and may be anything."""
    return re.sub(r"[^A-Za-z0-9._-]+", "-", model)[:80].strip(".-") or "model"


def _call_of(line: Mapping[str, Any]) -> RecordedCall:
    """A line of calls.jsonl. Lists become tuples, as in what was read."""
    known: dict[str, Any] = {
        name: tuple(each) if isinstance(each, list) else each for name, each in line.items()
    }
    known["turns"] = tuple(
        RecordedTurn(role=each["role"], content=each["content"], calls=tuple(each["calls"]))
        for each in line["turns"]
    )
    return RecordedCall(**known)

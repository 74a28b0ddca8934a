"""One run's folder: who works on it, and the answers and test plans written as they come."""

import os
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO

from assay.errors import UsageError
from assay.files.locks import try_lock
from assay.files.writing import after_asking, explain_write_errors, replace_file
from assay.messages import tr
from assay.plan import worked_examples
from assay.reports.formats.markdown import render_markdown
from assay.reports.suites.test_plan import test_plan
from assay.store import TrialKey
from assay.types import Answered, Suite

LOCK = ".lock"


class RunFolder:
    """One run's folder. Taken by the process that works on the run, for as long as it lives."""

    def __init__(self, out: Path, run_id: str) -> None:
        self.run_id = run_id
        self.path = out.resolve() / "runs" / run_id
        self._lock: IO[str] | None = None
        self._written: set[str] = set()  # by this process, in this run

    def take(self) -> bool:
        """Claim the run. False where another living process has it; a killed one has let go."""
        with explain_write_errors(self.path):
            self.path.mkdir(parents=True, exist_ok=True)
            lock = (self.path / LOCK).open("w")
        if not try_lock(lock):
            lock.close()
            return False
        self._lock = lock
        return True

    def is_taken(self) -> bool:
        """By a living process, as far as this file system has locks."""
        with suppress(OSError), (self.path / LOCK).open() as lock:
            return not try_lock(lock, shared=True)
        return False

    def take_or_refuse(self) -> None:
        if not self.take():
            raise UsageError(
                tr("another process is working on run {run}", run=self.run_id),
                hint=tr("wait until it has finished, then try again"),
            )

    def __enter__(self) -> "RunFolder":
        return self

    def __exit__(self, *_: object) -> None:
        """A folder that nothing was put into does not stay."""
        if self._lock:
            self._lock.close()
            with suppress(OSError):
                if [each.name for each in self.path.iterdir()] == [LOCK]:
                    (self.path / LOCK).unlink()
                    self.path.rmdir()

    def write_test_plans(
        self, suites: Sequence[Suite], *, stopped: Callable[[], bool] = lambda: False
    ) -> None:
        clashing = ids_in_several(suites)
        with after_asking(), explain_write_errors(self.path):
            for suite in suites:
                examples = worked_examples(suite)
                for case in suite.cases:
                    name = f"test-plans/{file_stem(suite.name, case.id, clashing)}.md"
                    if stopped():
                        return
                    if name not in self._written:
                        plan = test_plan(case, examples.get(case.category, ()))
                        self._put_once(name, render_markdown(plan))

    def write_answer(
        self, slug: str, key: TrialKey, reply: Answered, clashing: frozenset[str]
    ) -> None:
        name = _answer_file(slug, key, clashing)
        if name in self._written:
            return
        with after_asking(), explain_write_errors(self.path):
            self._put_once(name, "\n".join(reply.predictions) or reply.transcript)

    def has_answers(self, slug: str, keys: Iterable[TrialKey], clashing: frozenset[str]) -> bool:
        """Whether each answer was written as it came, and none needs to be read again."""
        return all(_answer_file(slug, key, clashing) in self._written for key in keys)

    def _put_once(self, name: str, text: str) -> None:
        """The many small files, in place: a rename each would be a third of their time."""
        path = f"{self.path}/{name}"
        if (folder := os.path.dirname(path)) not in self._written:
            os.makedirs(folder, exist_ok=True)
            self._written.add(folder)
        with open(path, "wb") as file:
            file.write(text.encode("utf-8", "surrogatepass"))
        self._written.add(name)

    def put(self, name: str, text: str) -> None:
        path = self.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        replace_file(path, text)


def ids_in_several(suites: Sequence[Suite]) -> frozenset[str]:
    counts = Counter(case.id for suite in suites for case in suite.cases)
    return frozenset(test_id for test_id, count in counts.items() if count > 1)


def _answer_file(slug: str, key: TrialKey, clashing: frozenset[str]) -> str:
    suite, test_id, repeat = key
    number = f".{repeat + 1}" if repeat else ""
    return f"outputs/{slug}/{file_stem(suite, test_id, clashing)}{number}.txt"


def file_stem(suite: str, test_id: str, clashing: frozenset[str]) -> str:
    return f"{suite}.{test_id}" if test_id in clashing else test_id

"""A thread beside the asking: it writes answers and test plans, and computes baselines."""

import importlib
import threading
from collections.abc import Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from queue import SimpleQueue

from assay.store import TrialKey
from assay.types import Answered, Reply, Request, Suite
from assay.types.results import Baselines
from assay.workflow.running.baselines import baselines_of
from assay.workflow.running.run_folder import RunFolder, ids_in_several

# 0.3 s to load, better spent while the model answers.
NEEDED_AT_THE_END = ("scipy.special", "assay.reports.formats.html")


class BackgroundWork:
    """A thread beside the asking, which begins when told to: planning goes first."""

    def __init__(self, folder: RunFolder, suites: Sequence[Suite]) -> None:
        self._folder = folder
        self._suites = suites
        self._clashing = ids_in_several(suites)
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="background")
        self._stopped = threading.Event()
        self._guesses: Future[dict[str, Baselines]] | None = None
        # One task writes all answers: a task for each would cost as much as scoring it.
        self._answers: SimpleQueue[tuple[str, TrialKey, Answered] | None] = SimpleQueue()
        self._written: Future[None] | None = None

    def begin(self) -> None:
        if self._guesses is None:
            self._guesses = self._pool.submit(self._prepare)
            self._written = self._pool.submit(self._write_answers)

    def answered(self, slug: str, request: Request, reply: Reply) -> None:
        if isinstance(reply, Answered):
            self._answers.put((slug, request.key, reply))

    def guesses(self) -> Mapping[str, Baselines]:
        """When they are ready; answers may still come."""
        self.begin()
        assert self._guesses is not None
        return self._guesses.result()

    def finish(self) -> Mapping[str, Baselines]:
        guesses = self.guesses()
        assert self._written is not None
        self._answers.put(None)
        self._written.result()
        return guesses

    def stop(self) -> None:
        self._stopped.set()
        self._answers.put(None)
        self._pool.shutdown(wait=False, cancel_futures=True)

    def _write_answers(self) -> None:
        while (answer := self._answers.get()) is not None and not self._stopped.is_set():
            self._folder.write_answer(*answer, self._clashing)

    def _prepare(self) -> dict[str, Baselines]:
        for name in NEEDED_AT_THE_END:
            importlib.import_module(name)
        guesses: dict[str, Baselines] = {}
        for suite in self._suites:
            if self._stopped.is_set():
                return {}
            if not suite.scored_together:
                guesses[suite.name] = baselines_of(suite)
        self._folder.write_test_plans(self._suites, stopped=self._stopped.is_set)
        return guesses

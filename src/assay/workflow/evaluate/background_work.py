"""Baselines, test plans and files of answers, made while the models are being asked.

A model behind a server leaves this process waiting most of the time, and this fits in: of 500
trivial requests at 10 connections the run took 1.5 times the bare asking without it.
"""

from __future__ import annotations

import importlib
import queue
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress

from assay.checks.scoring import score_reply
from assay.judge.guards.trivial import explain, why_trivial
from assay.plan import rendered_prompt
from assay.summary.baselines import baselines
from assay.types import Answered, Case, Reply, Request, Score, Suite
from assay.types.results import Baselines
from assay.workflow.evaluate.run_folder import RunFolder, ids_in_several

NEEDED_AT_THE_END = (
    "scipy.special",
    "assay.reports.formats.html",
)  # 0.3 s to load, better spent now
GLANCE_S = 0.2
MOST_WAITING = 1000  # answers; more is a sign that the disk is the slow part


class BackgroundWork:
    """A thread beside the asking. It begins when told to, so that it does not hold up the planning:
    a run of 100,000 tests was continued after 5.3 s instead of 3. It ends with the process, if
    nobody waits for it.
    """

    def __init__(self, folder: RunFolder, suites: Sequence[Suite]) -> None:
        self._folder = folder
        self._suites = suites
        self._clashing = ids_in_several(suites)
        self._queue: queue.Queue[tuple[str, Request, Answered] | None] = queue.Queue(MOST_WAITING)
        self._guesses: dict[str, Baselines] = {}
        self._error: BaseException | None = None
        self._stopped = threading.Event()
        self._begun = threading.Event()
        self._thread = threading.Thread(target=self._work, daemon=True, name="background")
        self._thread.start()

    def begin(self) -> None:
        self._begun.set()

    def answered(self, slug: str, request: Request, reply: Reply) -> None:
        """A reply is durable; its file may be written. A full queue leaves it to the end."""
        if isinstance(reply, Answered):
            try:
                self._queue.put_nowait((slug, request, reply))
            except queue.Full:
                return

    def finish(self) -> Mapping[str, Baselines]:
        """Wait for it. Raises what went wrong, such as a full disk."""
        self._begun.set()
        self._queue.put(None)
        while self._thread.is_alive():
            self._thread.join(GLANCE_S)  # not for ever: a Ctrl-C must not be lost in a wait
        if self._error is not None:
            raise self._error
        return self._guesses

    def stop(self) -> None:
        """Let go of it: nobody waits for its results any more."""
        self._stopped.set()
        self._begun.set()
        with suppress(queue.Full):
            self._queue.put_nowait(None)

    def _work(self) -> None:
        self._begun.wait()
        try:
            if not self._stopped.is_set():
                for name in NEEDED_AT_THE_END:
                    importlib.import_module(name)
            for suite in self._suites:
                if self._stopped.is_set():
                    return
                self._guesses[suite.name] = baselines_of(suite)
            self._folder.write_test_plans(self._suites, stopped=self._stopped.is_set)
            while (item := self._queue.get()) is not None and not self._stopped.is_set():
                slug, request, reply = item
                self._folder.write_answer(
                    slug, request.suite, request.test_id, request.repeat, reply, self._clashing
                )
        except BaseException as error:  # noqa: BLE001 - raised again where it is waited for
            self._error = error
            while not self._stopped.is_set() and self._queue.get() is not None:
                pass


def baselines_of(suite: Suite) -> Baselines:
    return baselines(suite, _score, rendered_prompt=rendered_prompt)


def _score(case: Case, reply: Reply) -> Score | None:
    """As ever; but of a judged test, an answer that is none is 0 without a judge."""
    if case.check.judged and isinstance(reply, Answered):
        why = why_trivial(reply.text, case)
        if why is not None:
            return Score(scorer="judge", version=1, value=0.0, explanation=explain(why))
    return score_reply(case, reply)

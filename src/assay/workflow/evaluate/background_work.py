"""Baselines, test plans and files of answers, made while the models are being asked.

A model behind a server leaves this process waiting most of the time, and this fits in: of 500
trivial requests at 10 connections the run took 1.5 times the bare asking without it.
"""

from __future__ import annotations

import importlib
import threading
from collections.abc import Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor

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


class BackgroundWork:
    """A thread beside the asking. It begins when told to, so that it does not hold up the planning:
    a run of 100,000 tests was continued after 5.3 s instead of 3.
    """

    def __init__(self, folder: RunFolder, suites: Sequence[Suite]) -> None:
        self._folder = folder
        self._suites = suites
        self._clashing = ids_in_several(suites)
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="background")
        self._stopped = threading.Event()
        self._guesses: Future[dict[str, Baselines]] | None = None
        self._written: list[Future[None]] = []

    def begin(self) -> None:
        if self._guesses is None:
            self._guesses = self._pool.submit(self._prepare)

    def answered(self, slug: str, request: Request, reply: Reply) -> None:
        """A reply is durable; its file may be written."""
        if isinstance(reply, Answered):
            key = (request.suite, request.test_id, request.repeat)
            write = self._folder.write_answer
            self._written.append(self._pool.submit(write, slug, *key, reply, self._clashing))

    def finish(self) -> Mapping[str, Baselines]:
        """Wait for it. Raises what went wrong, such as a full disk."""
        self.begin()
        assert self._guesses is not None
        guesses = self._guesses.result()
        for each in self._written:
            each.result()
        return guesses

    def stop(self) -> None:
        """Let go of it: nobody waits for its results any more."""
        self._stopped.set()
        self._pool.shutdown(wait=False, cancel_futures=True)

    def _prepare(self) -> dict[str, Baselines]:
        for name in NEEDED_AT_THE_END:
            importlib.import_module(name)
        guesses: dict[str, Baselines] = {}
        for suite in self._suites:
            if self._stopped.is_set():
                return {}
            guesses[suite.name] = baselines_of(suite)
        self._folder.write_test_plans(self._suites, stopped=self._stopped.is_set)
        return guesses


def baselines_of(suite: Suite) -> Baselines:
    return baselines(suite, _score, rendered_prompt=rendered_prompt)


def _score(case: Case, reply: Reply) -> Score | None:
    """As ever; but of a judged test, an answer that is none is 0 without a judge."""
    if case.check.judged and isinstance(reply, Answered):
        why = why_trivial(reply.text, case)
        if why is not None:
            return Score(scorer="judge", version=1, value=0.0, explanation=explain(why))
    return score_reply(case, reply)

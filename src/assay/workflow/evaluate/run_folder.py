"""What a run leaves beside the store, written whole or not at all, and made again from it."""

import errno
import importlib
import os
import secrets
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from queue import SimpleQueue
from typing import IO

from assay.checks.scoring import score_reply
from assay.errors import Interrupted, StoreFull, StoreNotWritable, UsageError
from assay.files.locks import try_lock
from assay.judge.guards.trivial import explain, why_trivial
from assay.messages import tr
from assay.plan import rendered_prompt, worked_examples
from assay.reports.formats.json import render_json
from assay.reports.formats.markdown import render_markdown
from assay.reports.json_documents import run_json
from assay.reports.judged.evaluation_text import evaluation_text
from assay.reports.judged.pages import comparative_analysis, final_summary
from assay.reports.measured.quantities import performance_document
from assay.reports.measured.speed import PICTURE, picture_of
from assay.reports.run_report import run_document
from assay.reports.suites.test_plan import test_plan
from assay.store import Store, TryKey
from assay.summary.baselines import baselines
from assay.types import Answered, Case, Reply, Request, Score, Suite
from assay.types.judging.judged import Judged
from assay.types.results import Baselines, ModelReport, Report

# 0.3 s to load, better spent while the model answers.
NEEDED_AT_THE_END = ("scipy.special", "assay.reports.formats.html")


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
            lock = (self.path / ".lock").open("w")
        if not try_lock(lock):
            lock.close()
            return False
        self._lock = lock
        return True

    def is_taken(self) -> bool:
        """By a living process, as far as this file system has locks."""
        with suppress(OSError), (self.path / ".lock").open() as lock:
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
        if self._lock:
            self._lock.close()

    def write(self, report: Report, suites: Sequence[Suite], store: Store) -> None:
        # jinja2 is loaded when the asking is done
        from assay.reports.formats.html import render_html

        with after_asking(), explain_write_errors(self.path):
            clashing = ids_in_several(suites)
            run = store.read_run(report.run)
            written = {each.slug for each in report.models if self._has_all(each, clashing)}
            for model in run.models:
                for kept in store.read_tries(run, model) if model.slug not in written else ():
                    if isinstance(kept.reply, Answered):
                        self.write_answer(model.slug, kept.key, kept.reply, clashing)
            self.write_test_plans(suites)
            document = run_document(report)
            whole = render_markdown(document)
            self._put("reports/report.md", whole)
            self._put("reports/report.html", render_html(document))
            self._put("reports/report.json", render_json(run_json(report)))
            for drawn in () if suites else picture_of(report):
                self._put(PICTURE, drawn.draw())
            for each in report.models:
                alone = replace(report, models=(each,), leads=())
                several = len(report.models) > 1
                text = render_markdown(run_document(alone)) if several else whole
                self._put(f"reports/{each.slug}.md", text)
            page = render_markdown(performance_document(report), out="../..")
            self._put("performance.md", page)
            if report.judged is not None:
                self._write_judged(report, report.judged, clashing)

    def _write_judged(self, report: Report, judged: Judged, clashing: frozenset[str]) -> None:
        slugs = {model.spec: model.slug for model in report.models}
        for model in judged.models:
            for test in model.tests:
                stem = file_stem(test.suite, test.test_id, clashing)
                for number, final in enumerate(test.final_judgements, 1):
                    repeat = "" if number == 1 else f".{number}"
                    name = f"reports/evaluations/{slugs[model.model]}/{stem}{repeat}.txt"
                    self._put(name, evaluation_text(final, model=model.model))
        self._put("reports/comparative_analysis.md", render_markdown(comparative_analysis(judged)))
        self._put("reports/final_summary.md", render_markdown(final_summary(judged)))

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
        self, slug: str, key: TryKey, reply: Answered, clashing: frozenset[str]
    ) -> None:
        name = _answer_file(slug, key, clashing)
        if name in self._written:
            return
        with after_asking(), explain_write_errors(self.path):
            self._put_once(name, "\n".join(reply.predictions) or reply.transcript)

    def _has_all(self, model: ModelReport, clashing: frozenset[str]) -> bool:
        """Whether each answer was written as it came, and none needs to be read again."""
        keys = ((row.suite, row.test, row.repeat) for row in model.tries if not row.failure)
        return all(_answer_file(model.slug, key, clashing) in self._written for key in keys)

    def _put_once(self, name: str, text: str) -> None:
        """The many small files, in place: a rename each would be a third of their time."""
        path = f"{self.path}/{name}"
        if (folder := os.path.dirname(path)) not in self._written:
            os.makedirs(folder, exist_ok=True)
            self._written.add(folder)
        with open(path, "wb") as file:
            file.write(text.encode("utf-8", "surrogatepass"))
        self._written.add(name)

    def _put(self, name: str, text: str) -> None:
        path = self.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        replace_file(path, text)


def replace_file(path: Path, text: str) -> None:
    """Under a name of its own until it is whole: two processes may write the same file."""
    partial = path.with_name(f".{path.name}.{secrets.token_hex(4)}.partial")
    try:
        partial.write_text(text, encoding="utf-8", errors="surrogatepass", newline="\n")
        os.replace(partial, path)
    finally:
        partial.unlink(missing_ok=True)


def ids_in_several(suites: Sequence[Suite]) -> frozenset[str]:
    counts = Counter(case.id for suite in suites for case in suite.cases)
    return frozenset(test_id for test_id, count in counts.items() if count > 1)


def _answer_file(slug: str, key: TryKey, clashing: frozenset[str]) -> str:
    suite, test_id, repeat = key
    number = f".{repeat + 1}" if repeat else ""
    return f"outputs/{slug}/{file_stem(suite, test_id, clashing)}{number}.txt"


def file_stem(suite: str, test_id: str, clashing: frozenset[str]) -> str:
    return f"{suite}.{test_id}" if test_id in clashing else test_id


@contextmanager
def after_asking() -> Iterator[None]:
    """Once something was asked, a file that cannot be written is a stop on the way (130, not 2)."""
    try:
        yield
    except StoreNotWritable as error:
        raise Interrupted(
            tr("{what}; every answer that was counted is kept", what=error.message),
            hint=tr(
                "remove what is in the way there, or make the folder writable; the same "
                "command then continues where it stopped"
            ),
        ) from error


@contextmanager
def explain_write_errors(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise StoreFull(
                tr("no room left for {path}", path=path),
                hint=tr("make room on the disk; the same command then continues where it stopped"),
            ) from error
        raise StoreNotWritable(
            tr("cannot write {path}: {why}", path=path, why=error.strerror),
            hint=tr("choose a folder you can write to with --out"),
        ) from error


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
        self._answers: SimpleQueue[tuple[str, TryKey, Answered] | None] = SimpleQueue()
        self._written: Future[None] | None = None

    def begin(self) -> None:
        if self._guesses is None:
            self._guesses = self._pool.submit(self._prepare)
            self._written = self._pool.submit(self._write_answers)

    def answered(self, slug: str, request: Request, reply: Reply) -> None:
        if isinstance(reply, Answered):
            self._answers.put((slug, request.key, reply))

    def finish(self) -> Mapping[str, Baselines]:
        self.begin()
        assert self._guesses is not None
        assert self._written is not None
        self._answers.put(None)
        guesses = self._guesses.result()
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

"""RUN: the verbs of the store, and what is left to do.

In: the out folder, and the vocabulary to keep. Out: the vocabulary again, later, from any process.

A reply is committed before it is counted, with its request and its mark in one transaction, so a
`kill -9` at any moment loses nothing that was counted. Write-ahead log with synchronous=NORMAL: a
power cut may lose the last moments but never corrupts (figures: docs/decisions/003-store.md).
Several processes may use one store; SQLite's locks keep them apart.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from assay.errors import RunNotFound, StoreError
from assay.messages import tr
from assay.request_identity import MEASURE
from assay.store.bodies import adapter, content, digest_of, kept_work, read_back, to_json, utc_now
from assay.store.database import Database
from assay.store.records import Run, RunModel, StoredJudgement, StoredTry, TryKey
from assay.types import (
    Machine,
    ModelFacts,
    Observed,
    Reply,
    Request,
    SamplingMode,
    Score,
    Suite,
    Work,
)
from assay.types.decisions import DecisionPlan
from assay.types.judgements import FinalJudgement, Judging

FILE_NAME = "assay.db"


class Store:
    """A folder's runs. Use as a context manager, or call close()."""

    def __init__(self, out: Path, *, must_exist: bool = False, read_only: bool = False) -> None:
        self.path = out / FILE_NAME
        if (must_exist or read_only) and not self.path.is_file():
            raise StoreError(
                tr("there is no store at {path}", path=self.path),
                hint=tr("run something first, or name the folder with --out"),
            )
        self._file = Database(self.path, read_only=read_only)
        # Made now: a Ctrl-C while pydantic makes one, at the first reply, is not let through.
        for kind in (Work, Reply, Score, Observed):
            adapter(kind)

    @property
    def notes(self) -> Sequence[str]:
        """What a user should know about this store."""
        return self._file.notes

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Give the file back."""
        self._file.close()

    # ------------------------------------------------------------------------------- runs

    def begin(
        self,
        *,
        run_id: str,
        key: str,
        models: Sequence[RunModel],
        suites: Sequence[Suite],
        seed: int,
        repeats: int,
        command: str,
        version: str,
        fresh: bool,
        sampling: SamplingMode = "fixed",
        machine: Machine | None = None,
        deciding: DecisionPlan | None = None,
    ) -> Run:
        """Write a new run down, whole, before anything is asked."""
        now = utc_now()
        with self._file.writing():
            first = (
                self._file.one("SELECT coalesce(max(id), 0) + 1 FROM replies")[0] if fresh else 0
            )
            self._file.connection.execute(
                "INSERT INTO runs VALUES (?, ?, ?, NULL, ?, ?, ?, ?, ?, ?, ?, ?, NULL)",
                (
                    run_id, key, now, first, seed, repeats, command, version, sampling,
                    to_json(machine, Machine) if machine else None,
                    to_json(deciding, DecisionPlan) if deciding else None,
                ),
            )  # fmt: skip
            self._file.connection.executemany(
                "INSERT INTO run_models VALUES (?, ?, ?, ?, ?, ?, NULL)",
                [
                    (
                        run_id,
                        m.position,
                        m.spec,
                        m.slug,
                        m.facts.fingerprint,
                        to_json(m.facts, ModelFacts),
                    )
                    for m in models
                ],
            )
            self._keep_suites(run_id, suites)
        return self.run(run_id)

    def replace_suites(self, run: Run, suites: Sequence[Suite]) -> Run:
        """From now on a run is read with these tests; the old ones stay in the store."""
        with self._file.writing():
            self._keep_suites(run.id, suites)
        return self.run(run.id)

    def _keep_suites(self, run_id: str, suites: Sequence[Suite]) -> None:
        for position, suite in enumerate(suites):
            body = to_json(content(suite), Suite)
            digest = digest_of(body)
            tests = sum(len(category.cases) for category in suite.categories)
            self._file.connection.execute(
                "INSERT OR IGNORE INTO suites VALUES (?, ?, ?, ?)",
                (digest, suite.name, tests, body),
            )
            self._file.connection.execute(
                "INSERT OR REPLACE INTO run_suites VALUES (?, ?, ?, ?)",
                (run_id, position, digest, suite.path),
            )

    def unfinished(self, key: str) -> Run | None:
        """The newest run of the same command, if it has something left to ask."""
        row = self._file.one(
            "SELECT id, finished FROM runs WHERE key = ? ORDER BY rowid DESC LIMIT 1",
            (key,),
        )
        return self.run(row[0]) if row and row[1] is None else None

    def find(self, text: str) -> Run:
        """A run by its id, a unique prefix of one, or `latest`."""
        if text == "latest":
            row = self._file.one("SELECT id FROM runs ORDER BY rowid DESC LIMIT 1")
            if row is None:
                raise RunNotFound(
                    tr("the store {path} holds no run yet", path=self.path),
                    hint=tr("start one with `assay run`"),
                )
            return self.run(row[0])
        ids = [
            row[0]
            for row in self._file.all(
                "SELECT id FROM runs WHERE substr(id, 1, ?) = ? ORDER BY id", (len(text), text)
            )
        ]
        if text in ids:
            return self.run(text)
        if len(ids) == 1:
            return self.run(ids[0])
        raise self._not_one_run(text, ids)

    def _not_one_run(self, text: str, ids: Sequence[str]) -> RunNotFound:
        if ids:
            return RunNotFound(
                tr("{text!r} begins the ids of several runs", text=text),
                hint=tr("give more of the id: {ids}", ids=", ".join(ids[:5])),
            )
        recent = self._file.all("SELECT id FROM runs ORDER BY rowid DESC LIMIT 5")
        return RunNotFound(
            tr("there is no run {text!r} in {path}", text=text, path=self.path),
            hint=tr("the newest are: {ids}", ids=", ".join(row[0] for row in recent) or "-"),
        )

    def run(self, run_id: str) -> Run:
        """One run, whole."""
        row = self._file.one("SELECT * FROM runs WHERE id = ?", (run_id,))
        models = self._file.all(
            "SELECT * FROM run_models WHERE run_id = ? ORDER BY position", (run_id,)
        )
        digests = self._file.all(
            "SELECT digest FROM run_suites WHERE run_id = ? ORDER BY position", (run_id,)
        )
        return Run(
            id=row[0],
            key=row[1],
            created=row[2],
            finished=row[3],
            first_reply=row[4],
            seed=row[5],
            repeats=row[6],
            command=row[7],
            version=row[8],
            models=tuple(
                RunModel(
                    position=m[1],
                    spec=m[2],
                    slug=m[3],
                    facts=read_back(ModelFacts, m[5]),
                    observed=read_back(Observed, m[6]) if m[6] else None,
                )
                for m in models
            ),
            digests=tuple(digest[0] for digest in digests),
            sampling=row[9],
            machine=read_back(Machine, row[10]) if row[10] else None,
            deciding=read_back(DecisionPlan, row[11]) if row[11] else None,
            judging=read_back(Judging, row[12]) if row[12] else None,
        )

    def runs(self) -> tuple[Run, ...]:
        """Every run, oldest first."""
        rows = self._file.all("SELECT id FROM runs ORDER BY rowid")
        return tuple(self.run(row[0]) for row in rows)

    def suites(self, run: Run) -> tuple[Suite, ...]:
        """The suites of a run as they were when it ran."""
        rows = self._file.all(
            "SELECT s.body, r.path FROM run_suites r JOIN suites s ON s.digest = r.digest "
            "WHERE r.run_id = ? ORDER BY r.position",
            (run.id,),
        )
        return tuple(replace(read_back(Suite, body), path=path) for body, path in rows)

    def suite_names(self) -> tuple[str, ...]:
        """Every suite that any run has used."""
        return tuple(
            row[0] for row in self._file.all("SELECT DISTINCT name FROM suites ORDER BY 1")
        )

    def finish(self, run: Run) -> Run:
        """Nothing is left to ask, and all that a run leaves is written. The time is the one which
        stands there, if it has one.
        """
        with self._file.writing():
            self._file.connection.execute(
                "UPDATE runs SET finished = ? WHERE id = ?",
                (run.finished or utc_now(), run.id),
            )
        return self.run(run.id)

    def decide_on(self, run: Run, deciding: DecisionPlan) -> Run:
        """What a run is to decide on, where that has changed since it began."""
        with self._file.writing() as connection:
            connection.execute(
                "UPDATE runs SET deciding = ? WHERE id = ?",
                (to_json(deciding, DecisionPlan), run.id),
            )
        return self.run(run.id)

    def observe(self, run: Run, model: RunModel, observed: Observed) -> None:
        """What was seen of a model while this run asked it; the newest view counts."""
        with self._file.writing() as connection:
            connection.execute(
                "UPDATE run_models SET observed = ? WHERE run_id = ? AND position = ?",
                (to_json(observed, Observed), run.id, model.position),
            )

    # ------------------------------------------------------------------- requests and replies

    def newest_answer(self, run: Run, request_id: str) -> int | None:
        """The number of the reply that makes asking again needless; failures are none."""
        row = self._file.one(
            "SELECT max(id) FROM replies WHERE request_id = ? AND id >= ? AND kind != 'failed'",
            (request_id, run.first_reply),
        )
        return row[0] if row else None

    def keep(self, run: Run, model: RunModel, request: Request, reply: Reply) -> int:
        """Make a reply that does not end its test durable, and return its number."""
        with self._file.writing():
            return self._keep(run, model, request, reply)

    def store_try(
        self, run: Run, model: RunModel, request: Request, reply: Reply, score: Score | None
    ) -> None:
        """Make the reply that ends a test and its mark durable, both or neither."""
        with self._file.writing():
            reply_id = self._keep(run, model, request, reply)
            key = (request.suite, request.test_id, request.repeat)
            self._mark(run, model, key, reply_id, score)

    def _keep(self, run: Run, model: RunModel, request: Request, reply: Reply) -> int:
        self._file.connection.execute(
            "INSERT OR IGNORE INTO requests VALUES (?, ?, ?, ?, ?, ?, ?)",
            (
                request.id,
                model.facts.fingerprint,
                request.suite,
                request.test_id,
                request.turn,
                request.repeat,
                to_json(kept_work(request.work), Work),
            ),
        )
        cursor = self._file.connection.execute(
            "INSERT INTO replies (request_id, run_id, kind, created, body) VALUES (?, ?, ?, ?, ?)",
            (request.id, run.id, reply.kind, utc_now(), to_json(reply, Reply)),
        )
        return int(cursor.lastrowid or 0)

    def reply(self, reply_id: int) -> Reply:
        """One reply by its number."""
        body = self._file.one("SELECT body FROM replies WHERE id = ?", (reply_id,))[0]
        reply: Reply = read_back(Reply, body)
        return reply

    def count_replies(self, run: Run) -> int:
        """How many replies a run brought in itself, reused ones not counted."""
        row = self._file.one("SELECT count(*) FROM replies WHERE run_id = ?", (run.id,))
        return int(row[0])

    def request_work(self, request_id: str) -> Work:
        """What a request asked."""
        body = self._file.one("SELECT body FROM requests WHERE id = ?", (request_id,))[0]
        work: Work = read_back(Work, body)
        return work

    # ------------------------------------------------------------------------------ scores

    def store_scores(
        self, run: Run, model: RunModel, marks: Sequence[tuple[TryKey, int, Score | None]]
    ) -> None:
        """Write marks for replies that are kept already: (try, number of its reply, mark)."""
        with self._file.writing():
            for key, reply_id, score in marks:
                self._mark(run, model, key, reply_id, score)

    def _mark(
        self, run: Run, model: RunModel, key: TryKey, reply_id: int, score: Score | None
    ) -> None:
        value = score.value if score else None
        body = to_json(score, Score) if score else None
        self._file.connection.execute(
            "INSERT INTO scores (run_id, model, suite, test_id, repeat, reply_id, created, "
            "value, body) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (run.id, model.position, *key, reply_id, utc_now(), value, body),
        )

    def marked(self, run: Run, model: RunModel) -> frozenset[TryKey]:
        """The tries of a run that were answered and marked; failed ones are asked again."""
        rows = self._file.all(
            "SELECT suite, test_id, repeat FROM scores WHERE body IS NOT NULL AND id IN ("
            "  SELECT max(id) FROM scores WHERE run_id = ? AND model = ? "
            "  GROUP BY suite, test_id, repeat)",
            (run.id, model.position),
        )
        return frozenset(rows)

    def tries(self, run: Run, model: RunModel) -> Iterator[StoredTry]:
        """Every try of a test by a model in a run, each with its newest mark."""
        yield from self._tries(run, model, "s.suite NOT GLOB ?")

    def measures(self, run: Run, model: RunModel) -> Iterator[StoredTry]:
        """What was asked of a model beside the tests of suites (`MEASURE`)."""
        yield from self._tries(run, model, "s.suite GLOB ?")

    def _tries(self, run: Run, model: RunModel, which: str) -> Iterator[StoredTry]:
        rows = self._file.each(
            "SELECT s.suite, s.test_id, s.repeat, s.reply_id, r.request_id, r.body, s.body "
            "FROM scores s JOIN replies r ON r.id = s.reply_id WHERE s.id IN ("
            "  SELECT max(id) FROM scores WHERE run_id = ? AND model = ? "
            f"  GROUP BY suite, test_id, repeat) AND {which} "
            "ORDER BY s.suite, s.test_id, s.repeat",
            (run.id, model.position, f"{MEASURE}*"),
        )
        for suite, test_id, repeat, reply_id, request_id, reply, score in rows:
            yield StoredTry(
                suite=suite,
                test_id=test_id,
                repeat=repeat,
                reply_id=reply_id,
                request_id=request_id,
                reply=read_back(Reply, reply),
                score=read_back(Score, score) if score is not None else None,
            )

    # ---------------------------------------------------------------------------- verdicts

    def judge(self, run: Run, judging: Judging) -> Run:
        """By whom and how a run is judged; what is told last counts."""
        with self._file.writing() as connection:
            connection.execute(
                "UPDATE runs SET judging = ? WHERE id = ?", (to_json(judging, Judging), run.id)
            )
        return self.run(run.id)

    def store_judgement(
        self,
        run: Run,
        model: RunModel,
        kept: StoredTry,
        verdict: FinalJudgement,
        score: Score,
    ) -> None:
        """Make what judges made of an answer and its mark durable, both or neither."""
        key = (kept.suite, kept.test_id, kept.repeat)
        with self._file.writing() as connection:
            connection.execute(
                "INSERT INTO verdicts (run_id, model, suite, test_id, repeat, reply_id, created, "
                "body) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                (run.id, model.position, *key, kept.reply_id, utc_now(),
                 to_json(verdict, FinalJudgement)),
            )  # fmt: skip
            self._mark(run, model, key, kept.reply_id, score)

    def verdicts(self, run: Run, model: RunModel) -> tuple[StoredJudgement, ...]:
        """The newest verdict of each try that was judged."""
        rows = self._file.all(
            "SELECT suite, test_id, repeat, reply_id, body FROM verdicts WHERE id IN ("
            "  SELECT max(id) FROM verdicts WHERE run_id = ? AND model = ? "
            "  GROUP BY suite, test_id, repeat) ORDER BY suite, test_id, repeat",
            (run.id, model.position),
        )
        return tuple(
            StoredJudgement(
                suite=suite,
                test_id=test_id,
                repeat=repeat,
                reply_id=reply_id,
                verdict=read_back(FinalJudgement, body),
            )
            for suite, test_id, repeat, reply_id, body in rows
        )

"""The verbs of the store: begin, update, find, read and store.

A reply is committed before it is counted, with its request and its score in one transaction, so a
`kill -9` loses nothing that was counted. With write-ahead log and synchronous=NORMAL a power cut
may lose the last moments but never corrupts (docs/decisions/store.md).
"""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Self

from assay.errors import RunNotFound, StoreError, StoreFull
from assay.messages import tr
from assay.request_identity import JUDGE_SUITE, MEASURE
from assay.store.bodies import (
    adapter,
    content,
    digest_of,
    read_back,
    stored_work,
    to_json,
    utc_now,
)
from assay.store.database import Database
from assay.store.picks import PickVerbs
from assay.store.records import (
    AnswerTime,
    Run,
    RunModel,
    StoredJudgement,
    StoredTestScore,
    StoredTrial,
    TrialKey,
)
from assay.store.reviews import ReviewVerbs
from assay.store.viewer_index import fill_viewer_index
from assay.types import (
    Machine,
    ModelFacts,
    Observed,
    Reply,
    Request,
    Score,
    Suite,
    Work,
)
from assay.types.decisions import DecisionPlan, Gate
from assay.types.judging.judgements import FinalJudgement, Judging

FILE_NAME = "assay.db"


class Store(ReviewVerbs, PickVerbs):
    """A folder's runs. Use as a context manager, or call close()."""

    def __init__(
        self, out: str | Path, *, must_exist: bool = False, read_only: bool = False
    ) -> None:
        self.path = Path(out) / FILE_NAME
        if (must_exist or read_only) and not self.path.is_file():
            raise StoreError(
                tr("there is no store at {path}", path=self.path),
                hint=tr("run something first, or name the folder with --out"),
            )
        self._file = Database(self.path, read_only=read_only)
        self._suites: dict[str, Suite] = {}  # by digest, those that this process has stored
        # Made now: a Ctrl-C while pydantic makes one, at the first reply, is not let through.
        for kind in () if read_only else (Work, Reply, Score, Observed):
            adapter(kind)

    @property
    def notes(self) -> Sequence[str]:
        return self._file.notes

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._file.close()

    def begin_run(self, run: Run, suites: Sequence[Suite], *, fresh: bool = False) -> Run:
        """Store a new run, whole, before anything is asked. `fresh`: it reuses no earlier reply."""
        with self._file.writing() as connection:
            (newest,) = self._file.one("SELECT coalesce(max(id), 0) FROM replies")
            connection.execute(
                "INSERT INTO runs VALUES (?, ?, ?, NULL, ?, ?, ?, ?, ?, ?, ?, ?, NULL)",
                (
                    run.id, run.key, utc_now(), newest + 1 if fresh else 0, run.seed, run.repeats,
                    run.command, run.version, run.sampling,
                    to_json(run.machine, Machine) if run.machine else None,
                    to_json(run.deciding, DecisionPlan) if run.deciding else None,
                ),
            )  # fmt: skip
            connection.executemany(
                "INSERT INTO run_models VALUES (?, ?, ?, ?, ?, ?, NULL)",
                [
                    (
                        run.id, m.position, m.spec, m.slug, m.facts.fingerprint,
                        to_json(m.facts, ModelFacts),
                    )
                    for m in run.models
                ],
            )  # fmt: skip
            self._store_suites(run.id, suites)
        return self.read_run(run.id)

    def update_run(
        self,
        run: Run,
        *,
        finished: str | None = None,
        deciding: DecisionPlan | None = None,
        judging: Judging | None = None,
        suites: Sequence[Suite] = (),
    ) -> Run:
        """What is not given stays. `suites`: the tests it is read with from now on."""
        values = {
            "finished": finished,
            "deciding": to_json(deciding, DecisionPlan) if deciding else None,
            "judging": to_json(judging, Judging) if judging else None,
        }
        with self._file.writing() as connection:
            for column, value in values.items():
                if value is not None:
                    connection.execute(
                        f"UPDATE runs SET {column} = ? WHERE id = ?", (value, run.id)
                    )
            self._store_suites(run.id, suites)
        if finished:  # nobody waits for 0.06 ms an answer now, and the viewer opens at once later
            with suppress(StoreError, StoreFull):  # the viewer fills what is missing when it looks
                fill_viewer_index(self._file)
        return self.read_run(run.id)

    def _store_suites(self, run_id: str, suites: Sequence[Suite]) -> None:
        for position, suite in enumerate(suites):
            whole = content(suite)
            body = to_json(whole, Suite)
            digest = digest_of(body)
            self._suites[digest] = whole
            tests = sum(len(category.cases) for category in suite.categories)
            self._file.connection.execute(
                "INSERT OR IGNORE INTO suites VALUES (?, ?, ?, ?)",
                (digest, suite.name, tests, body),
            )
            self._file.connection.execute(
                "INSERT OR REPLACE INTO run_suites VALUES (?, ?, ?, ?)",
                (run_id, position, digest, suite.path),
            )

    def find_unfinished_run(self, key: str) -> Run | None:
        """The newest run of the same command, if it has something left to ask."""
        row = self._file.one(
            "SELECT id, finished FROM runs WHERE key = ? ORDER BY rowid DESC LIMIT 1",
            (key,),
        )
        return self.read_run(row[0]) if row and row[1] is None else None

    def find_run(self, text: str, *, with_tests: bool = True) -> Run:
        """A run by its id, a unique prefix of one, or `latest`: the newest, or, `with_tests`, the
        newest that has any.
        """
        newest = [row[0] for row in self._file.all("SELECT id FROM runs ORDER BY rowid DESC")]
        found = sorted(i for i in newest if i.startswith(text))
        if text == "latest":
            has_tests = {row[0] for row in self._file.all("SELECT run_id FROM run_suites")}
            latest = [each for each in newest if each in has_tests] if with_tests else newest
            found = (latest or newest)[:1]
        if text in found or len(found) == 1:
            return self.read_run(text if text in found else found[0])
        if found:
            raise RunNotFound(
                tr("{text!r} begins the ids of several runs", text=text),
                hint=tr("give more of the id: {ids}", ids=", ".join(found[:5])),
            )
        hint = tr("the newest are: {ids}", ids=", ".join(newest[:5]))
        raise RunNotFound(
            tr("there is no run {text!r} in {path}", text=text, path=self.path),
            hint=hint if newest else tr("start one with `assay run`"),
        )

    def read_run(self, run_id: str) -> Run:
        row = dict(self._file.one("SELECT * FROM runs WHERE id = ?", (run_id,)))
        models = self._file.all(
            "SELECT * FROM run_models WHERE run_id = ? ORDER BY position", (run_id,)
        )
        digests = self._file.all(
            "SELECT digest FROM run_suites WHERE run_id = ? ORDER BY position", (run_id,)
        )
        bodies = {"machine": Machine, "deciding": DecisionPlan, "judging": Judging}
        read = {name: row[name] and read_back(kind, row[name]) for name, kind in bodies.items()}
        return Run(
            **row | read,
            models=tuple(
                RunModel(
                    position=model["position"],
                    spec=model["spec"],
                    slug=model["slug"],
                    facts=read_back(ModelFacts, model["facts"]),
                    observed=model["observed"] and read_back(Observed, model["observed"]),
                )
                for model in models
            ),
            digests=tuple(row["digest"] for row in digests),
        )

    def count_attempts(self, gate: str, until: Run | None = None) -> int:
        """The runs that a gate with this digest decided, up to one of them."""
        decided = "deciding IS NOT NULL AND json_extract(deciding, '$.selects')"
        upto = "rowid <= coalesce((SELECT rowid FROM runs WHERE id = ?), rowid)"
        rows = self._file.all(
            f"SELECT json_extract(deciding, '$.gate') AS gate, count(*) AS runs FROM runs "
            f"WHERE {decided} AND {upto} GROUP BY gate",
            (until.id if until else "",),
        )
        return sum(row["runs"] for row in rows if read_back(Gate, row["gate"]).digest == gate)

    def count_looks(self, gate: str) -> int:
        """The checkpoints that runs with such a gate looked at, each counted once."""
        rows = self._file.all(
            "SELECT json_extract(deciding, '$.gate') AS gate, fingerprint FROM runs "
            "JOIN run_models ON run_id = id WHERE deciding IS NOT NULL GROUP BY gate, fingerprint"
        )
        digests = {each: read_back(Gate, each).digest for each in {row["gate"] for row in rows}}
        return len({row["fingerprint"] for row in rows if digests[row["gate"]] == gate})

    def hide_run(self, run: Run, *, hidden: bool) -> None:
        """Leave a run out of leaderboards, or show it there again."""
        change = "INSERT OR IGNORE INTO hidden_runs VALUES (?)"
        with self._file.writing() as connection:
            connection.execute(
                change if hidden else "DELETE FROM hidden_runs WHERE run_id = ?", (run.id,)
            )

    def read_hidden_runs(self) -> frozenset[str]:
        """The ids of the runs that no leaderboard shows."""
        return frozenset(row[0] for row in self._file.all("SELECT run_id FROM hidden_runs"))

    def read_runs(self) -> tuple[Run, ...]:
        rows = self._file.all("SELECT id FROM runs ORDER BY rowid")
        return tuple(self.read_run(row[0]) for row in rows)

    def read_suites(self, run: Run) -> tuple[Suite, ...]:
        rows = self._file.all(
            "SELECT digest, path FROM run_suites WHERE run_id = ? ORDER BY position", (run.id,)
        )
        return tuple(replace(self.read_suite(digest), path=path) for digest, path in rows)

    def read_suite(self, digest: str) -> Suite:
        if digest in self._suites:
            return self._suites[digest]
        body = self._file.one("SELECT body FROM suites WHERE digest = ?", (digest,))[0]
        suite: Suite = read_back(Suite, body)
        return suite

    def read_test_scores(self, suite: str) -> Iterator[StoredTestScore]:
        """Every score of every model on the tests of a suite, over repeats, the oldest first."""
        rows = self._indexed.each(
            "SELECT p.digest, m.fingerprint, coalesce(json_extract(m.facts, '$.name'), m.spec), "
            "x.test_id, avg(x.value) FROM runs r JOIN run_suites p ON p.run_id = r.id "
            "JOIN suites s ON s.digest = p.digest AND s.name = ? "
            "JOIN tries x ON x.run_id = r.id AND x.suite = s.name "
            "JOIN run_models m ON m.run_id = r.id AND m.position = x.model "
            "GROUP BY r.rowid, x.model, x.test_id ORDER BY r.rowid",
            (suite,),
        )
        yield from (StoredTestScore(*row) for row in rows)

    def read_suite_names(self) -> tuple[str, ...]:
        rows = self._file.all("SELECT DISTINCT name FROM suites ORDER BY 1")
        return tuple(row[0] for row in rows)

    def store_observed(self, run: Run, model: RunModel, observed: Observed) -> None:
        """What was seen of a model while this run asked it; the newest view counts."""
        with self._file.writing() as connection:
            connection.execute(
                "UPDATE run_models SET observed = ? WHERE run_id = ? AND position = ?",
                (to_json(observed, Observed), run.id, model.position),
            )

    def has_answers(self, run: Run) -> bool:
        """Whether the store has any reply that a run may use."""
        (newest,) = self._file.one("SELECT coalesce(max(id), 0) FROM replies")
        return bool(newest and newest >= run.first_reply)

    def find_answer(self, run: Run, request_id: str, *, only_own: bool = False) -> int | None:
        """The newest reply to use instead of asking, never a failure; `only_own`: of this run."""
        row = self._file.one(
            "SELECT max(id) FROM replies WHERE request_id = ? AND id >= ? AND kind != 'failed' "
            "AND run_id = coalesce(?, run_id)",
            (request_id, run.first_reply, run.id if only_own else None),
        )
        return row[0] if row else None

    def find_times(self, fingerprint: str, suite: str, *, most: int = 200) -> list[AnswerTime]:
        """Of a model's newest answers to tests of this suite."""
        rows = self._file.all(
            "SELECT q.test_id, json_extract(r.body, '$.total_s'), "
            "json_extract(r.body, '$.wall_s') FROM replies r "
            "JOIN requests q ON q.id = r.request_id "
            "WHERE q.fingerprint = ? AND q.suite = ? "
            "AND r.kind IN ('answered', 'chosen') ORDER BY r.id DESC LIMIT ?",
            (fingerprint, suite, most),
        )
        return [AnswerTime(test, seconds or wall, wall) for test, seconds, wall in rows if wall]

    def store_reply(self, run: Run, fingerprint: str, request: Request, reply: Reply) -> int:
        """Store a reply that does not end a test, of any model; returns its number."""
        with self._file.writing():
            return self._store_reply(run, fingerprint, request, reply)

    def store_trial(
        self, run: Run, model: RunModel, request: Request, reply: Reply, score: Score | None
    ) -> None:
        """Store the reply that ends a test and its score, both or neither."""
        with self._file.writing():
            reply_id = self._store_reply(run, model.facts.fingerprint, request, reply)
            self._store_score(run, model, request.key, reply_id, score)

    def _store_reply(self, run: Run, fingerprint: str, request: Request, reply: Reply) -> int:
        self._file.connection.execute(
            "INSERT OR IGNORE INTO requests VALUES (?, ?, ?, ?, ?, ?, ?)",
            (
                request.id, fingerprint, request.suite, request.test_id,
                request.turn, request.repeat, to_json(stored_work(request.work), Work),
            ),
        )  # fmt: skip
        cursor = self._file.connection.execute(
            "INSERT INTO replies (request_id, run_id, kind, created, body) VALUES (?, ?, ?, ?, ?)",
            (request.id, run.id, reply.kind, utc_now(), to_json(reply, Reply)),
        )
        return int(cursor.lastrowid or 0)

    def read_reply(self, reply_id: int) -> Reply:
        body = self._file.one("SELECT body FROM replies WHERE id = ?", (reply_id,))[0]
        reply: Reply = read_back(Reply, body)
        return reply

    def read_judge_replies(self, run: Run, fingerprint: str) -> Iterator[Reply]:
        """What a judge replied in a run, reused replies not counted."""
        rows = self._file.each(
            "SELECT r.body FROM replies r JOIN requests q ON q.id = r.request_id "
            "WHERE r.run_id = ? AND q.fingerprint = ? AND q.suite = ?",
            (run.id, fingerprint, JUDGE_SUITE),
        )
        for (body,) in rows:
            yield read_back(Reply, body)

    def count_replies(self, run: Run) -> int:
        row = self._file.one("SELECT count(*) FROM replies WHERE run_id = ?", (run.id,))
        return int(row[0])

    def store_scores(
        self, run: Run, model: RunModel, scores: Sequence[tuple[TrialKey, int, Score | None]]
    ) -> None:
        """Store scores of stored replies: (trial, number of its reply, score)."""
        with self._file.writing():
            for key, reply_id, score in scores:
                self._store_score(run, model, key, reply_id, score)

    def _store_score(
        self, run: Run, model: RunModel, key: TrialKey, reply_id: int, score: Score | None
    ) -> None:
        value = score.value if score else None
        body = to_json(score, Score) if score else None
        self._file.connection.execute(
            "INSERT INTO scores (run_id, model, suite, test_id, repeat, reply_id, created, "
            "value, body) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (run.id, model.position, *key, reply_id, utc_now(), value, body),
        )

    def find_scored(self, run: Run, model: RunModel) -> frozenset[TrialKey]:
        """The trials of a run that were answered and scored; failed ones are asked again."""
        rows = self._file.all(
            "SELECT suite, test_id, repeat FROM scores WHERE body IS NOT NULL AND id IN "
            f"{_newest('scores')}",
            (run.id, model.position),
        )
        return frozenset(map(tuple, rows))

    def read_values(self, run: Run, model: RunModel) -> dict[TrialKey, float | None]:
        """The newest score of every trial that was asked; None: failed, or without a score."""
        rows = self._file.all(
            f"SELECT suite, test_id, repeat, value FROM scores WHERE id IN {_newest('scores')}",
            (run.id, model.position),
        )
        return {(suite, test, repeat): value for suite, test, repeat, value in rows}

    def read_trials(
        self, run: Run, model: RunModel, *, of: tuple[str, str] | None = None
    ) -> Iterator[StoredTrial]:
        """Every trial of a test by a model in a run, each with its newest score; or those `of` one
        test, by suite and id.
        """
        only = " AND s.suite = ? AND s.test_id = ?" if of else ""
        yield from self._trials(run, model, f"s.suite NOT GLOB ?{only}", *(of or ()))

    def read_measures(
        self, run: Run, model: RunModel, *, of: tuple[str, str] | None = None
    ) -> Iterator[StoredTrial]:
        """What was asked of a model beside the tests of suites (`MEASURE`); or one `of` them."""
        only = " AND s.suite = ? AND s.test_id = ?" if of else ""
        yield from self._trials(run, model, f"s.suite GLOB ?{only}", *(of or ()))

    def read_measures_of(
        self, fingerprint: str, suite: str
    ) -> Iterator[tuple[str, Machine | None, str, Reply]]:
        """Of a model in every run, the oldest first: the run, its machine, test id and reply."""
        rows = self._file.each(
            "SELECT n.id, n.machine, s.test_id, r.body FROM run_models m "
            "JOIN scores s ON s.run_id = m.run_id AND s.model = m.position AND s.suite = ? "
            "JOIN replies r ON r.id = s.reply_id JOIN runs n ON n.id = m.run_id "
            "WHERE m.fingerprint = ? ORDER BY s.id",
            (suite, fingerprint),
        )
        for run, machine, test_id, body in rows:
            where = read_back(Machine, machine) if machine else None
            yield run, where, test_id, read_back(Reply, body)

    def _trials(self, run: Run, model: RunModel, which: str, *more: str) -> Iterator[StoredTrial]:
        rows = self._file.each(
            "SELECT s.suite, s.test_id, s.repeat, s.reply_id, r.request_id, r.body, s.body, q.body "
            "FROM scores s JOIN replies r ON r.id = s.reply_id LEFT JOIN requests q "
            "ON q.id = r.request_id AND q.turn > 0 "
            f"WHERE s.id IN {_newest('scores')} AND {which} ORDER BY s.suite, s.test_id, s.repeat",
            (run.id, model.position, f"{MEASURE}*", *more),
        )
        for suite, test_id, repeat, reply_id, request_id, body, scored, asked in rows:
            reply = read_back(Reply, body)
            score = read_back(Score, scored) if scored is not None else None
            sent = getattr(read_back(Work, asked), "messages", ()) if asked else ()
            yield StoredTrial(suite, test_id, repeat, reply_id, request_id, reply, score, sent)

    def store_judgement(
        self, run: Run, model: RunModel, judged: StoredTrial, final: FinalJudgement, score: Score
    ) -> None:
        with self._file.writing() as connection:
            connection.execute(
                "INSERT INTO verdicts (run_id, model, suite, test_id, repeat, reply_id, created, "
                "body) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                (run.id, model.position, *judged.key, judged.reply_id, utc_now(),
                 to_json(final, FinalJudgement)),
            )  # fmt: skip
            self._store_score(run, model, judged.key, judged.reply_id, score)

    def read_judgements(
        self, run: Run, model: RunModel, *, every: bool = False, of_samples: bool = False
    ) -> tuple[StoredJudgement, ...]:
        """The newest judgement of each trial that was judged; or every one, the oldest first.
        `of_samples`: of what checkpoints wrote after the sample prompts, instead of tests.
        """
        which = "run_id = ? AND model = ?" if every else f"id IN {_newest('verdicts')}"
        suites = "GLOB" if of_samples else "NOT GLOB"
        rows = self._file.all(
            "SELECT suite, test_id, repeat, reply_id, body FROM verdicts "
            f"WHERE {which} AND suite {suites} ? ORDER BY suite, test_id, repeat, id",
            (run.id, model.position, f"{MEASURE}*"),
        )
        return tuple(
            StoredJudgement(suite, test_id, repeat, reply_id, read_back(FinalJudgement, body))
            for suite, test_id, repeat, reply_id, body in rows
        )


def _newest(table: str) -> str:
    """The last row of each trial; its values are a run's id and a model's position."""
    return (
        f"(SELECT max(id) FROM {table} WHERE run_id = ? AND model = ? "
        "GROUP BY suite, test_id, repeat)"
    )

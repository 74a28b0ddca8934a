"""The store as the viewer reads it, quick with a hundred thousand answers."""

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

from assay.errors import RunNotFound
from assay.messages import tr
from assay.store.bodies import read_back
from assay.store.verbs import Store
from assay.types import Reply, Score, Work
from assay.types.judging.judgements import FinalJudgement
from assay.types.views import (
    MatrixPage,
    MatrixRow,
    RunRow,
    SampleCell,
    SampleFilter,
    SamplePlace,
    Show,
    TestCounts,
    TestKey,
    ViewedSample,
)

LONGEST = 300  # characters of a question or an answer in a list
SHOWN: dict[Show, str] = {
    "all": "1",
    "failed": "r.outcomes GLOB '*[fnc]*'",
    "failed_all": "r.outcomes NOT GLOB '*[^fnc]*'",
    "differ": "ltrim(r.outcomes, substr(r.outcomes, 1, 1)) <> ''",
    "unscored": "r.outcomes GLOB '*[ux]*'",
    "waiting": "instr(r.outcomes, '.')",
}
FOUND = (
    "r.test IN (SELECT rowid FROM question_words WHERE question_words MATCH ? UNION ALL "
    "SELECT x.test FROM answer_words a CROSS JOIN tries x ON x.run_id = ? AND x.reply_id = a.rowid "
    "WHERE answer_words MATCH ?)"
)

# Trials whose scores came after the index was last filled; a list of runs does not wait for that.
NOT_IN_TRIES = (
    "SELECT DISTINCT s.run_id, s.suite, s.test_id, s.model, s.repeat FROM scores s "
    "WHERE s.id > (SELECT scores FROM indexed) AND s.suite NOT GLOB 'measure/*' AND NOT EXISTS "
    "(SELECT 1 FROM tries t WHERE t.run_id = s.run_id AND t.suite = s.suite AND "
    "t.test_id = s.test_id AND t.model = s.model AND t.repeat = s.repeat)"
)

Values = tuple[object, ...]
Change = tuple[int, int]  # the newest score of a run, and how many reviews there are


class ViewedStore(Store):
    """Opened to be looked at: SQLite itself refuses to write anything but the viewer's index."""

    def __init__(self, out: Path) -> None:
        super().__init__(out, read_only=True)

    def list_runs(self, run_id: str | None = None) -> tuple[RunRow, ...]:
        """Every run, the newest first, or one; cheap, for a page reads it every two seconds."""
        rows = self._file.all(
            "SELECT r.id, r.created, r.finished, r.repeats, r.command, "
            "r.deciding IS NOT NULL AS decided, r.judging IS NOT NULL AS judged, "
            "(SELECT count(*) FROM tries t WHERE t.run_id = r.id) + "
            f"(SELECT count(*) FROM ({NOT_IN_TRIES} AND +s.run_id = r.id)) AS answered, "
            "(SELECT coalesce(sum(s.tests), 0) FROM run_suites t JOIN suites s ON "
            "s.digest = t.digest WHERE t.run_id = r.id) AS tests "
            "FROM runs r WHERE r.id = coalesce(?, r.id) ORDER BY r.rowid DESC",
            (run_id,),
        )
        return tuple(self._run_row(dict(row)) for row in rows)

    def _run_row(self, row: dict[str, Any]) -> RunRow:
        models = self._file.all(
            "SELECT spec, json_extract(facts, '$.name') FROM run_models WHERE run_id = ? "
            "ORDER BY position",
            (row["id"],),
        )
        suites = self._file.all(
            "SELECT s.name FROM run_suites r JOIN suites s ON s.digest = r.digest "
            "WHERE r.run_id = ? ORDER BY r.position",
            (row["id"],),
        )
        tests = row.pop("tests")
        return RunRow(
            **row,
            specs=tuple(spec for spec, _ in models),
            models=tuple(name or spec for spec, name in models),
            suites=tuple(name for (name,) in suites),
            planned=tests * row["repeats"] * len(models),
        )

    def count_tests(self, run_id: str) -> TestCounts:
        rows = self._indexed.all(
            "SELECT suite, category, count(*) FROM results WHERE run_id = ? "
            "GROUP BY suite_position, suite, category",
            (run_id,),
        )
        categories: dict[str, dict[str, int]] = {}
        for suite, category, tests in rows:
            categories.setdefault(suite, {})[category] = tests
        sql = "SELECT outcomes, count(*) FROM results WHERE run_id = ? GROUP BY 1"
        outcomes = dict(map(tuple, self._indexed.all(sql, (run_id,))))
        kinds = ", ".join(f"coalesce(sum(({condition}) > 0), 0)" for condition in SHOWN.values())
        shown = self._indexed.one(f"SELECT {kinds} FROM results r WHERE run_id = ?", (run_id,))
        return TestCounts(
            categories=categories,
            outcomes=outcomes,
            shown=dict(zip(SHOWN, shown, strict=True)),
        )

    def read_matrix(
        self, run_id: str, wanted: SampleFilter, *, skip: int = 0, most: int = 50
    ) -> MatrixPage:
        where, values = _condition(run_id, wanted)
        rows = self._indexed.all(
            f"WITH found AS MATERIALIZED (SELECT suite_position, position FROM results r {where}) "
            "SELECT (SELECT count(*) FROM found) AS total, r.suite, r.test_id, r.category, "
            "r.outcomes, substr(t.question, 1, ?) AS question "
            "FROM (SELECT * FROM found ORDER BY 1, 2 LIMIT ? OFFSET ?) f JOIN results r ON "
            "r.run_id = ? AND r.suite_position = f.suite_position AND r.position = f.position "
            "JOIN tests t ON t.id = r.test ORDER BY f.suite_position, f.position",
            (*values, LONGEST, most, skip, run_id),
        )
        if not rows:
            return MatrixPage(rows=(), total=self._count(run_id, wanted) if skip else 0)
        return MatrixPage(
            rows=tuple(
                MatrixRow(
                    suite=row["suite"],
                    test_id=row["test_id"],
                    category=row["category"],
                    question=row["question"],
                    cells=self._cells(run_id, row["suite"], row["test_id"], row["outcomes"]),
                )
                for row in rows
            ),
            total=rows[0]["total"],
        )

    def _count(self, run_id: str, wanted: SampleFilter) -> int:
        where, values = _condition(run_id, wanted)
        return int(self._indexed.one(f"SELECT count(*) FROM results r {where}", values)[0])

    def _cells(self, run_id: str, suite: str, test: str, outcomes: str) -> tuple[SampleCell, ...]:
        rows = self._indexed.all(
            "SELECT x.model, avg(x.value) AS score, substr(coalesce(nullif(json_extract(s.body, "
            "'$.extracted'), ''), nullif(json_extract(r.body, '$.text'), ''), "
            "json_extract(r.body, '$.reason'), ''), 1, ?) AS said, min(x.repeat) "
            "FROM tries x JOIN scores s ON s.id = x.score_id JOIN replies r ON r.id = x.reply_id "
            "WHERE x.run_id = ? AND x.suite = ? AND x.test_id = ? GROUP BY x.model",
            (LONGEST, run_id, suite, test),
        )
        seen = {row["model"]: (row["score"], row["said"]) for row in rows}
        cells = []
        for model, letter in enumerate(outcomes):
            score, said = seen.get(model, (None, ""))
            cells.append(SampleCell(outcome=letter, score=score, said=said))
        return tuple(cells)

    def find_place(self, run_id: str, key: TestKey, wanted: SampleFilter) -> SamplePlace:
        """A test among those that a filter finds; it need not be one of them."""
        at = self._indexed.one(
            "SELECT suite_position, position FROM results "
            "WHERE run_id = ? AND suite = ? AND test_id = ?",
            (run_id, key.suite, key.test_id),
        )
        where, values = _condition(run_id, wanted)
        here = (values, tuple(at))
        total, before = self._indexed.one(
            "SELECT count(*), coalesce(sum((r.suite_position, r.position) < (?, ?)), 0) "
            f"FROM results r {where}",
            (*at, *values),
        )
        return SamplePlace(
            number=before + 1,
            total=total,
            before=self._neighbour(where, "<", "DESC", *here),
            after=self._neighbour(where, ">", "ASC", *here),
        )

    def _neighbour(
        self, where: str, side: str, order: str, values: Values, at: Values
    ) -> TestKey | None:
        row = self._indexed.one(
            f"SELECT r.suite, r.test_id FROM results r {where} "
            f"AND (r.suite_position, r.position) {side} (?, ?) "
            f"ORDER BY r.suite_position {order}, r.position {order} LIMIT 1",
            (*values, *at),
        )
        return TestKey(suite=row[0], test_id=row[1]) if row else None

    def read_sample(self, run_id: str, key: TestKey, model: int, repeat: int = 0) -> ViewedSample:
        test = self._indexed.one(
            "SELECT r.category, r.outcomes, r.pass_mark, t.body FROM results r "
            "JOIN tests t ON t.id = r.test WHERE r.run_id = ? AND r.suite = ? AND r.test_id = ?",
            (run_id, key.suite, key.test_id),
        )
        if test is None or model >= len(test["outcomes"]):
            raise RunNotFound(
                tr(
                    "run {run} has no test {test!r}, or no such model", run=run_id, test=key.test_id
                ),
                hint=tr("choose a test in the table of the run"),
            )
        this = (run_id, key.suite, key.test_id, model)
        trials = self._indexed.all(
            "SELECT repeat FROM tries WHERE run_id = ? AND suite = ? AND test_id = ? AND model = ? "
            "ORDER BY repeat",
            this,
        )
        sample = ViewedSample(
            key=key,
            category=test["category"],
            model=model,
            repeat=repeat,
            trials=len(trials),
            outcomes=test["outcomes"],
            pass_mark=test["pass_mark"],
            test=json.loads(test["body"]),
        )
        return replace(sample, **self._try_of(*this, repeat))

    def _try_of(self, *key: object) -> dict[str, Any]:
        row = self._file.one(
            "SELECT s.body AS score, r.body AS reply, q.body AS work, (SELECT v.body FROM verdicts "
            "v WHERE v.run_id = x.run_id AND v.model = x.model AND v.suite = x.suite AND "
            "v.test_id = x.test_id AND v.repeat = x.repeat ORDER BY v.id DESC LIMIT 1) "
            "AS judgement FROM tries x JOIN scores s ON s.id = x.score_id "
            "JOIN replies r ON r.id = x.reply_id JOIN requests q ON q.id = r.request_id "
            "WHERE x.run_id = ? AND x.suite = ? AND x.test_id = ? AND x.model = ? AND x.repeat = ?",
            key,
        )
        kinds = {"score": Score, "reply": Reply, "work": Work, "judgement": FinalJudgement}
        return {name: read_back(kinds[name], row[name]) for name in kinds if row and row[name]}

    def read_suite_path(self, run_id: str, suite: str) -> str:
        """Where a suite's files were."""
        row = self._file.one(
            "SELECT r.path FROM run_suites r JOIN suites s ON s.digest = r.digest "
            "WHERE r.run_id = ? AND s.name = ?",
            (run_id, suite),
        )
        return str(row[0])

    def read_change(self, run_id: str) -> Change:
        """Other numbers after a score or a review of the run has been stored."""
        scores = self._indexed.one("SELECT max(score_id) FROM tries WHERE run_id = ?", (run_id,))
        reviews = self._file.one("SELECT count(*) + count(withdrawn) FROM reviews")
        return scores[0] or 0, reviews[0]


def _condition(run_id: str, wanted: SampleFilter) -> tuple[str, Values]:
    """What follows FROM results r, and its values."""
    terms, values = ["r.run_id = ?", SHOWN[wanted.show]], [run_id]
    for column, value in (("suite", wanted.suite), ("category", wanted.category)):
        if value:
            terms.append(f"r.{column} = ?")
            values.append(value)
    if wanted.text:
        words = [f'"{word}"*' for word in re.split(r'[\s"\0]+', wanted.text) if has_letter(word)]
        terms.append(FOUND if words else "0")
        values += [" ".join(words), run_id, " ".join(words)] if words else []
    return f"WHERE {' AND '.join(terms)}", tuple(values)


def has_letter(word: str) -> bool:
    """Whether full-text search keeps anything of it."""
    return any(character.isalnum() for character in word)

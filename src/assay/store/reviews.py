"""The verbs of reviews. They are only added, never changed; one that is taken back says when."""

import json
from collections.abc import Iterable
from functools import cached_property

from assay.request_identity import GENERATION
from assay.store.bodies import read_back, to_json, utc_now
from assay.store.database import Database
from assay.store.records import AnswerState, Run, StoredReview
from assay.store.viewer_index import fill_viewer_index
from assay.types.judging.reviews import GROUPS, Review

# Every answer of a run that has a score or a reason for none, with the number of its group and its
# place in it, drawn by a factor: squares modulo a prime look like chance. Behind them the samples
# with these ids in which something is written. The values: the factor, whether the run was judged,
# its id, the ids of samples, the scores that are wanted or NULL, the run's id, those of the source,
# the run's id again.
PRIME = 2**31 - 1
_ANSWERS = """
WITH drawn (factor, judged, run_id, samples, wanted) AS (SELECT ?, ?, ?, ?, ?),
marks (suite, pass_mark) AS MATERIALIZED (
  SELECT s.name, (SELECT pass_mark FROM tests WHERE digest = s.digest LIMIT 1)
  FROM run_suites r JOIN suites s ON s.digest = r.digest WHERE r.run_id = ?
), answers AS (
  SELECT t.model, t.suite, t.test_id, t.repeat, t.reply_id, t.score_id, t.value,
    CASE
      WHEN t.value IS NULL THEN 0
      WHEN t.value < m.pass_mark - 1e-9 THEN 1
      WHEN d.judged AND (
        SELECT json_extract(v.body, '$.confidence') FROM verdicts v
        WHERE v.run_id = t.run_id AND v.model = t.model AND v.suite = t.suite
        AND v.test_id = t.test_id AND v.repeat = t.repeat ORDER BY v.id DESC LIMIT 1) = 'low' THEN 2
      ELSE 4
    END AS kind,
    (t.score_id * d.factor % {prime}) * (t.score_id * d.factor % {prime}) % {prime} AS place
  FROM {source} JOIN marks m ON m.suite = t.suite JOIN drawn d
  WHERE t.run_id = ? AND t.missing IS NOT 'failed'
  UNION ALL
  SELECT t.model, t.suite, t.test_id, t.repeat, t.reply_id, t.id, NULL, 3,
    (t.id * d.factor % {prime}) * (t.id * d.factor % {prime}) % {prime}
  FROM drawn d CROSS JOIN run_models m ON m.run_id = d.run_id
  CROSS JOIN json_each(d.samples) j
  CROSS JOIN scores t ON t.run_id = d.run_id AND t.model = m.position
    AND t.suite = '{generation}' AND t.test_id = j.value
  JOIN replies p ON p.id = t.reply_id AND p.kind = 'answered'
  WHERE (d.wanted IS NULL OR t.id IN (SELECT value FROM json_each(d.wanted)))
    AND t.id = (SELECT max(id) FROM scores n WHERE n.run_id = t.run_id AND n.model = t.model
      AND n.suite = t.suite AND n.test_id = t.test_id AND n.repeat = t.repeat)
    AND trim(json_extract(p.body, '$.text'), ' ' || char(9, 10, 13)) <> ''
)
"""
_ALL = _ANSWERS.format(prime=PRIME, generation=GENERATION, source="tries t")
# The answers with these scores, found without looking at all of them.
_SOME = _ANSWERS.format(
    prime=PRIME,
    generation=GENERATION,
    source="json_each(?) j JOIN scores c ON c.id = j.value JOIN tries t ON t.run_id = c.run_id "
    "AND t.suite = c.suite AND t.test_id = c.test_id AND t.model = c.model AND "
    "t.repeat = c.repeat AND t.score_id = c.id",
)
# The newest score of each trial of a run, ?1, with the answer of a review r; `tries` may be behind.
_NEWEST_SCORE = (
    "run_models m JOIN scores t ON m.run_id = ?1 AND t.run_id = ?1 AND t.model = m.position "
    "AND t.suite = r.suite AND t.test_id = r.test_id AND t.reply_id = r.reply_id AND t.id = ("
    "SELECT max(id) FROM scores n WHERE n.run_id = ?1 AND n.model = t.model AND "
    "n.suite = t.suite AND n.test_id = t.test_id AND n.repeat = t.repeat)"
)


class ReviewVerbs:
    """What a Store can do with reviews."""

    _file: Database

    @cached_property
    def _indexed(self) -> Database:
        """The file, what the viewer reads included."""
        fill_viewer_index(self._file)
        return self._file

    def count_answers(self, run: Run, *, samples: Iterable[str] = ()) -> dict[str, int]:
        """How many answers of a run, and of its `samples`, are in each group."""
        rows = self._indexed.all(
            f"{_ALL} SELECT kind, count(*) FROM answers GROUP BY 1",
            (1, run.judging is not None, run.id, json.dumps(list(samples)), None, run.id, run.id),
        )
        return {GROUPS[kind]: count for kind, count in rows}

    def read_answer_states(
        self,
        run: Run,
        *,
        samples: Iterable[str] = (),
        factor: int = 1,
        only: Iterable[int] | None = None,
        without: Iterable[int] = (),
        after: AnswerState | None = None,
        kinds: Iterable[int] = range(len(GROUPS)),
        most: int = -1,
    ) -> tuple[AnswerState, ...]:
        """Answers, and the generated `samples` with these ids, in the order of their groups and
        places. `only`, `without`: by their scores.
        """
        some = [] if only is None else [json.dumps(list(only))]
        rows = self._indexed.all(
            f"{_SOME if some else _ALL} SELECT * FROM answers WHERE (kind, place) > (?, ?) AND "
            "kind IN (SELECT value FROM json_each(?)) AND "
            "score_id NOT IN (SELECT value FROM json_each(?)) ORDER BY kind, place LIMIT ?",
            (
                factor, run.judging is not None, run.id, json.dumps(list(samples)),
                some[0] if some else None, run.id, *some, run.id,
                after.kind if after else 0, after.place if after else -1,
                json.dumps(list(kinds)), json.dumps(list(without)), most,
            ),
        )  # fmt: skip
        return tuple(AnswerState(*row) for row in rows)

    def store_review(self, run: Run, of: AnswerState, review: Review) -> None:
        with self._file.writing() as connection:
            connection.execute(
                "INSERT INTO reviews (run_id, model, suite, test_id, repeat, reply_id, author, "
                "created, body) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (run.id, of.model, of.suite, of.test_id, of.repeat, of.reply_id, review.author,
                 utc_now(), to_json(review, Review)),
            )  # fmt: skip

    def withdraw_review(self, run: Run, author: str) -> Review | None:
        """Take back what somebody reviewed last; what they said of that answer before counts."""
        with self._file.writing() as connection:
            row = connection.execute(
                "UPDATE reviews SET withdrawn = ? WHERE id = (SELECT max(id) FROM reviews WHERE "
                "run_id = ? AND author = ? AND withdrawn IS NULL) RETURNING body",
                (utc_now(), run.id, author),
            ).fetchone()
        return read_back(Review, row[0]) if row else None

    def read_reviews(self, run: Run) -> tuple[StoredReview, ...]:
        """The newest of each person of each answer that the run has now; an answer that it shares
        with another run brings the reviews of that one along.
        """
        rows = self._file.all(
            "SELECT t.suite, t.test_id, t.repeat, t.reply_id, t.model, t.id, r.created, r.body, "
            f"max(r.id) FROM reviews r JOIN {_NEWEST_SCORE} WHERE r.withdrawn IS NULL "
            "GROUP BY t.id, r.author ORDER BY max(r.id)",
            (run.id,),
        )
        found = []
        for suite, test_id, repeat, reply_id, model, score_id, created, body, _ in rows:
            review = read_back(Review, body)
            found.append(
                StoredReview(suite, test_id, repeat, reply_id, model, score_id, created, review)
            )
        return tuple(found)

    def count_lost_reviews(self, run: Run) -> int:
        """How many answers were reviewed in this run that it has not any more."""
        row = self._file.one(
            "SELECT count(DISTINCT r.reply_id || '/' || r.author) FROM reviews r WHERE "
            f"r.run_id = ?1 AND r.withdrawn IS NULL AND NOT EXISTS (SELECT 1 FROM {_NEWEST_SCORE})",
            (run.id,),
        )
        return int(row[0])

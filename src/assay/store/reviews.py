"""The verbs of reviews. They are only added, never changed; one that is taken back says when."""

from collections.abc import Iterator, Sequence
from typing import Any

from assay.request_identity import MEASURE
from assay.store.bodies import read_back, to_json, utc_now
from assay.store.database import Database
from assay.store.records import AnswerState, Run, StoredReview
from assay.types import Score
from assay.types.reviews import Review

# Every try of a run by its newest score; the value is the run's id.
_NEWEST = "(SELECT max(id) FROM scores WHERE run_id = ? GROUP BY model, suite, test_id, repeat)"


class ReviewVerbs:
    """What a Store can do with reviews."""

    _file: Database

    def read_answer_states(self, run: Run) -> Iterator[AnswerState]:
        """Every answer of a run that has a score or a reason for none, without its text."""
        rows = self._file.each(
            "SELECT s.model, s.suite, s.test_id, s.repeat, s.reply_id, s.id, s.value, "
            "(SELECT json_extract(v.body, '$.confidence') FROM verdicts v WHERE "
            "v.run_id = s.run_id AND v.model = s.model AND v.suite = s.suite AND "
            "v.test_id = s.test_id AND v.repeat = s.repeat ORDER BY v.id DESC LIMIT 1) "
            f"FROM scores s JOIN replies r ON r.id = s.reply_id WHERE s.id IN {_NEWEST} "
            "AND s.body IS NOT NULL AND s.suite NOT GLOB ? AND r.kind IN ('answered', 'chosen')",
            (run.id, f"{MEASURE}*"),
        )
        yield from (AnswerState(*row) for row in rows)

    def read_pass_marks(self, run: Run) -> dict[str, float]:
        """By suite; the tests themselves are not read."""
        rows = self._file.all(
            "SELECT s.name, json_extract(s.body, '$.pass_mark') FROM run_suites r "
            "JOIN suites s ON s.digest = r.digest WHERE r.run_id = ?",
            (run.id,),
        )
        return dict(map(tuple, rows))

    def read_score(self, score_id: int) -> Score:
        body = self._file.one("SELECT body FROM scores WHERE id = ?", (score_id,))[0]
        score: Score = read_back(Score, body)
        return score

    def store_review(self, run: Run, of: AnswerState, review: Review) -> None:
        with self._file.writing() as connection:
            connection.execute(
                "INSERT INTO reviews (run_id, model, suite, test_id, repeat, reply_id, author, "
                "created, body) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (run.id, of.model, of.suite, of.test_id, of.repeat, of.reply_id, review.author,
                 utc_now(), to_json(review, Review)),
            )  # fmt: skip

    def withdraw_review(self, run: Run, author: str) -> StoredReview | None:
        """Take back what somebody reviewed last; what they said of that answer before counts."""
        with self._file.writing() as connection:
            row = connection.execute(
                "UPDATE reviews SET withdrawn = ? WHERE id = (SELECT max(id) FROM reviews WHERE "
                "run_id = ? AND author = ? AND withdrawn IS NULL) "
                f"RETURNING {', '.join(_COLUMNS)}",
                (utc_now(), run.id, author),
            ).fetchone()
        return _review(row) if row else None

    def read_reviews(self, run: Run) -> tuple[StoredReview, ...]:
        """The newest of each person of each answer that the run has now; an answer that it shares
        with another run brings the reviews of that one along.
        """
        rows = self._file.all(
            "SELECT max(r.id) AS id, s.model, s.suite, s.test_id, s.repeat, s.reply_id, r.created, "
            "r.body FROM reviews r JOIN scores s ON s.reply_id = r.reply_id AND s.suite = r.suite "
            f"AND s.test_id = r.test_id WHERE r.withdrawn IS NULL AND s.id IN {_NEWEST} "
            "GROUP BY s.id, r.author ORDER BY 1",
            (run.id,),
        )
        return tuple(map(_review, rows))

    def count_lost_reviews(self, run: Run) -> int:
        """How many answers were reviewed in this run that it has not any more."""
        row = self._file.one(
            "SELECT count(DISTINCT reply_id || '/' || author) FROM reviews WHERE run_id = ? "
            "AND withdrawn IS NULL AND reply_id NOT IN (SELECT reply_id FROM scores WHERE id IN "
            f"{_NEWEST})",
            (run.id, run.id),
        )
        return int(row[0])


_COLUMNS = ("id", "model", "suite", "test_id", "repeat", "reply_id", "created", "body")


def _review(row: Sequence[Any]) -> StoredReview:
    number, model, suite, test_id, repeat, reply_id, created, body = row
    review = read_back(Review, body)
    return StoredReview(suite, test_id, repeat, reply_id, number, model, created, review)

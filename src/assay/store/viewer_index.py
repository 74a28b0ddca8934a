"""What the viewer filters, orders and searches by, filled from suites, replies and scores.

A run fills them once, when it has finished: with every reply it would take a quarter of its time.
Whoever reads these tables fills them first, which adds what came since the last time.
"""

import sqlite3

from assay.store.database import Database

AT_ONCE = 5_000  # scores and replies in a transaction: a run beside it waits for a moment only

NEW_SUITES = """
SELECT digest FROM suites s
WHERE tests > 0 AND NOT EXISTS (SELECT 1 FROM tests t WHERE t.digest = s.digest)
"""
TESTS = """
INSERT INTO tests (digest, position, test_id, category, question, pass_mark, body)
SELECT s.digest, 1000000 * c.key + t.key, json_extract(t.value, '$.id'),
  json_extract(t.value, '$.category'),
  (SELECT group_concat(json_extract(m.value, '$.content'), char(10))
    FROM json_each(t.value, '$.messages') m)
    || coalesce((SELECT char(10) || group_concat(o.value, char(10))
      FROM json_each(t.value, '$.check.choices') o), ''),
  s.pass_mark, t.value
FROM (SELECT digest, json_extract(body, '$.pass_mark') AS pass_mark,
    json_extract(body, '$.categories') AS categories
  FROM suites WHERE digest = ? LIMIT 1) s,  -- the limit keeps it from being read for every test
json_each(s.categories) c, json_each(c.value, '$.cases') t
"""
QUESTION_WORDS = """
INSERT INTO question_words (rowid, test_id, question)
SELECT id, test_id, question FROM tests WHERE digest = ?
"""

# The suites of runs as they are now: scoring again may have changed them.
NEW_CHOICES = """
SELECT run_id, position FROM run_suites c JOIN suites s ON s.digest = c.digest
WHERE s.tests > 0 AND NOT EXISTS (
  SELECT 1 FROM results r JOIN tests t ON t.id = r.test
  WHERE r.run_id = c.run_id AND r.suite_position = c.position AND t.digest = c.digest)
"""
RESULTS = """
INSERT INTO results
SELECT r.run_id, r.position, t.position, t.id, s.name, t.test_id, t.category, t.pass_mark,
  (SELECT group_concat('.', '') FROM run_models m WHERE m.run_id = r.run_id)
FROM run_suites r JOIN suites s ON s.digest = r.digest JOIN tests t ON t.digest = r.digest
WHERE r.run_id = ? AND r.position = ?
"""
TESTS_OF_TRIES = """
UPDATE tries SET test = r.test FROM results r
WHERE tries.run_id = ?1 AND r.run_id = ?1 AND r.suite_position = ?2
  AND r.suite = tries.suite AND r.test_id = tries.test_id
"""

TRIES = """
INSERT OR REPLACE INTO tries
SELECT s.run_id, s.suite, s.test_id, s.model, s.repeat, s.value,
  CASE WHEN s.body IS NULL THEN 'failed' WHEN s.value IS NULL THEN 'unscored'
    WHEN json_extract(s.body, '$.no_answer') THEN
      iif(json_extract(s.body, '$.unread'), 'not_checked', 'no_answer') END,
  s.id, s.reply_id, (SELECT r.test FROM results r
    WHERE r.run_id = s.run_id AND r.suite = s.suite AND r.test_id = s.test_id)
FROM scores s WHERE s.id > ? AND s.id <= ? AND s.suite NOT GLOB 'measure/*' ORDER BY s.id
"""
# What became of a test, over its repeats: the same as in summary/trials.py, which a test compares.
OUTCOMES = """
UPDATE results SET outcomes = found.letters FROM (
  SELECT run_id, suite_position, position, group_concat(letter, '') AS letters FROM (
    SELECT r.run_id, r.suite_position, r.position,
      CASE
        WHEN x.score_id IS NULL THEN '.'
        WHEN count(x.value) = 0 THEN iif(max(x.missing = 'unscored'), 'u', 'x')
        WHEN count(x.value) = sum(x.missing IN ('no_answer', 'not_checked'))
          THEN iif(max(x.missing = 'not_checked'), 'c', 'n')
        WHEN avg(x.value) >= r.pass_mark - 1e-9 THEN 'p'
        ELSE 'f'
      END AS letter
    FROM ({changed}) c JOIN results r
      ON r.run_id = c.run_id AND r.suite = c.suite AND r.test_id = c.test_id
    JOIN run_models m ON m.run_id = r.run_id
    LEFT JOIN tries x ON x.run_id = r.run_id AND x.suite = r.suite AND x.test_id = r.test_id
      AND x.model = m.position
    GROUP BY r.run_id, r.suite_position, r.position, m.position
    ORDER BY r.run_id, r.suite_position, r.position, m.position)
  GROUP BY run_id, suite_position, position) found
WHERE results.run_id = found.run_id AND results.suite_position = found.suite_position
  AND results.position = found.position
"""
OUTCOMES_OF_SCORES = OUTCOMES.format(
    changed="SELECT DISTINCT run_id, suite, test_id FROM scores WHERE id > ? AND id <= ?"
)
OUTCOMES_OF_CHOICE = OUTCOMES.format(
    changed="SELECT DISTINCT t.run_id, t.suite, t.test_id FROM run_suites c JOIN suites s ON "
    "s.digest = c.digest JOIN tries t ON t.run_id = c.run_id AND t.suite = s.name "
    "WHERE c.run_id = ? AND c.position = ?"
)
ANSWER_WORDS = """
INSERT INTO answer_words (rowid, answer)
SELECT id, json_extract(body, '$.text') || ' ' || json_extract(body, '$.predictions')
FROM replies WHERE id > ? AND id <= ? AND kind = 'answered'
"""


def fill_viewer_index(file: Database, *, at_once: int = AT_ONCE) -> None:
    """Add what came since it was last filled, so many scores and replies in a transaction."""

    def fill() -> None:
        while _is_behind(file):
            with file.writing() as connection:
                _add_suites(connection)
                _add_next_answers(connection, at_once)

    if _is_behind(file):
        file.write_derived(fill)


def _is_behind(file: Database) -> bool:
    newest = "(SELECT coalesce(max(id), 0) FROM {})"
    row = file.one(
        f"SELECT EXISTS ({NEW_SUITES}) OR EXISTS ({NEW_CHOICES}) OR (SELECT scores, replies FROM "
        f"indexed) <> ({newest.format('scores')}, {newest.format('replies')})"
    )
    return bool(row[0])


def _add_suites(connection: sqlite3.Connection) -> None:
    for new in connection.execute(NEW_SUITES).fetchall():
        connection.execute(TESTS, new)
        connection.execute(QUESTION_WORDS, new)
    for choice in connection.execute(NEW_CHOICES).fetchall():
        connection.execute("DELETE FROM results WHERE run_id = ? AND suite_position = ?", choice)
        connection.execute(RESULTS, choice)
        connection.execute(OUTCOMES_OF_CHOICE, choice)
        connection.execute(TESTS_OF_TRIES, choice)


def _add_next_answers(connection: sqlite3.Connection, at_once: int) -> None:
    for column, *statements in (("scores", TRIES, OUTCOMES_OF_SCORES), ("replies", ANSWER_WORDS)):
        (done,) = connection.execute(f"SELECT {column} FROM indexed").fetchone()
        (newest,) = connection.execute(f"SELECT coalesce(max(id), 0) FROM {column}").fetchone()
        until = min(done + at_once, newest)
        for statement in statements:
            connection.execute(statement, (done, until))
        connection.execute(f"UPDATE indexed SET {column} = ?", (until,))

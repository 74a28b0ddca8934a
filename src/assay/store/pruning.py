"""What of a store nothing refers to: failed replies that were asked again since, and versions of
suites that no run has.
"""

import json
from collections.abc import Collection

from assay.store.verbs import Store

NEWEST_SCORES = "SELECT max(id) FROM scores GROUP BY run_id, model, suite, test_id, repeat"
UNUSED_REPLIES = (
    "SELECT id FROM replies WHERE kind = 'failed' AND id IN (SELECT reply_id FROM scores "
    f"EXCEPT SELECT reply_id FROM scores WHERE id IN ({NEWEST_SCORES}) "
    "EXCEPT SELECT reply_id FROM verdicts EXCEPT SELECT reply_id FROM reviews) "
    "AND run_id NOT IN (SELECT value FROM json_each(?))"
)
NO_RUNS = "SELECT digest FROM suites WHERE digest NOT IN (SELECT digest FROM run_suites)"


class PrunedStore(Store):
    """Opened to be made smaller. `busy`: runs that are being written, which are left alone."""

    def count_unused(self, busy: Collection[str]) -> tuple[int, int, int]:
        """Replies, suites, and bytes of the file that freeing them gives back."""
        replies, their_bytes = self._sum("replies", "id", UNUSED_REPLIES, json.dumps([*busy]))
        suites, other_bytes = self._sum("suites", "digest", NO_RUNS)
        (free,) = self._file.one("SELECT freelist_count * page_size FROM pragma_freelist_count, "
                                 "pragma_page_size")  # fmt: skip
        return replies, suites, their_bytes + other_bytes + free

    def free_unused(self, busy: Collection[str]) -> None:
        with self._indexed.writing() as connection:
            names = json.dumps(
                [row[0] for row in self._file.all(UNUSED_REPLIES, [json.dumps([*busy])])]
            )
            for table, column in (("scores", "reply_id"), ("replies", "id")):
                connection.execute(
                    f"DELETE FROM {table} WHERE {column} IN (SELECT value FROM json_each(?))",
                    [names],
                )
            connection.execute(
                "INSERT INTO question_words (question_words, rowid, test_id, question) "
                f"SELECT 'delete', id, test_id, question FROM tests WHERE digest IN ({NO_RUNS})"
            )
            connection.execute(f"DELETE FROM tests WHERE digest IN ({NO_RUNS})")
            connection.execute(f"DELETE FROM suites WHERE digest IN ({NO_RUNS})")
            for table in ("scores", "replies"):  # SQLite gives the numbers at the end again
                connection.execute(
                    f"UPDATE indexed SET {table} = (SELECT coalesce(max(id), 0) FROM {table})"
                )
        if not busy:  # else SQLite takes the free pages for what comes next
            self._file.all("VACUUM")

    def _sum(self, table: str, column: str, which: str, *values: str) -> tuple[int, int]:
        counted = self._file.one(
            f"SELECT count(*), coalesce(sum(length(body)), 0) FROM {table} "
            f"WHERE {column} IN ({which})",
            values,
        )
        return int(counted[0]), int(counted[1])

"""The verbs of picks. They are only added."""

from assay.store.bodies import utc_now
from assay.store.database import Database
from assay.types.judging.picks import AnswerPair, Pick, PickedModel, StoredPick


class PickVerbs:
    """What a Store can do with picks."""

    _file: Database

    def store_pick(self, pair: AnswerPair, pick: Pick) -> None:
        with self._file.writing() as connection:
            connection.execute(
                "INSERT INTO picks (run_id, answers, first, first_spec, second, second_spec, pick, "
                "created) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                (pair.run, pair.answers, pair.first.fingerprint, pair.first.spec,
                 pair.second.fingerprint, pair.second.spec, pick, utc_now()),
            )  # fmt: skip

    def read_picked(self) -> frozenset[str]:
        """The pairs of answers of which one was picked, by their digests."""
        return frozenset(row[0] for row in self._file.all("SELECT answers FROM picks"))

    def read_picks(self) -> tuple[StoredPick, ...]:
        """Oldest first; those of hidden runs left out."""
        rows = self._file.all(
            "SELECT first, first_spec, second, second_spec, pick FROM picks "
            "WHERE run_id NOT IN (SELECT run_id FROM hidden_runs) ORDER BY id"
        )
        return tuple(
            StoredPick(PickedModel(first, spec), PickedModel(second, other), pick)
            for first, spec, second, other, pick in rows
        )

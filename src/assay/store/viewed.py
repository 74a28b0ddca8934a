"""The store as the viewer reads it: never written, and quick with a hundred thousand answers."""

from pathlib import Path
from typing import Any

from assay.store.verbs import Store
from assay.types.views import RunRow


class ViewedStore(Store):
    """Opened to be looked at. SQLite itself refuses to write."""

    def __init__(self, out: Path) -> None:
        super().__init__(out, read_only=True)

    def list_runs(self, run_id: str | None = None) -> tuple[RunRow, ...]:
        """Every run, the newest first, or one; cheap, for a page reads it every two seconds."""
        rows = self._file.all(
            "SELECT r.id, r.created, r.finished, r.repeats, r.command, "
            "(SELECT count(*) FROM tries t WHERE t.run_id = r.id) AS answered, "
            "(SELECT count(*) FROM results t WHERE t.run_id = r.id) AS tests, "
            "(SELECT created FROM replies WHERE run_id = r.id ORDER BY id DESC LIMIT 1) AS newest "
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

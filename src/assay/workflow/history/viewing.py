"""The store for the viewer: runs, samples and reports, read-only."""

from pathlib import Path

from assay.store.viewed import ViewedStore
from assay.types.views import RunRow


class Viewing:
    """One folder's store. Each call opens it anew: pages are made in several threads."""

    def __init__(self, out: Path) -> None:
        self.out = out
        self._open().close()  # a store that is not there, or of another program, is found now

    def _open(self) -> ViewedStore:
        return ViewedStore(self.out)

    def list_runs(self) -> tuple[RunRow, ...]:
        """Every run, the newest first."""
        with self._open() as store:
            return store.list_runs()

    def find_run(self, run: str) -> RunRow:
        """By its id, the beginning of one, or `latest`."""
        with self._open() as store:
            return store.list_runs(store.find_run(run, with_tests=False).id)[0]

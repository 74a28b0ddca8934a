"""Which tasks there are, by name. The harness reads its 13,879 files for it, which takes 16 s; so
that is done once for each installed version, and kept in the user's cache folder.
"""

import json
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from assay.errors import UsageError, raise_all
from assay.files.wording import did_you_mean, shown
from assay.files.writing import replace_file
from assay.harness.needed import needed, quietly, version
from assay.messages import tr

MOST_BYTES = 8 * 2**20  # of a user's file
LONGEST_WHY = 300


class TaskNames(dict[str, Any]):
    """The harness's entries by name: those below the user's folders, and its own once one of them
    is asked for. `own`: the names of the user's.
    """

    def __init__(self, folders: Iterable[Path]) -> None:
        super().__init__()
        paths = list(folders)
        for folder in paths:
            if not folder.is_dir():
                raise UsageError(
                    tr("there is no folder {folder}", folder=folder),
                    hint=tr("name a folder of task files with --include-path"),
                )
        self._files = [file for folder in paths for file in sorted(folder.rglob("*.yaml"))]
        for file in self._files:
            if file.is_file() and file.stat().st_size > MOST_BYTES:
                raise UsageError(
                    tr("{file} is larger than {most} bytes", file=file, most=MOST_BYTES),
                    hint=tr("write the rows into a file of data, and name it in data_files"),
                )
        if paths:
            with quietly():
                self.update(needed("lm_eval.tasks._index").TaskIndex.build(paths))
        self.own = frozenset(self)
        self._complete = False

    def __missing__(self, name: str) -> Any:
        if self._complete:
            raise KeyError(name)
        self.complete()
        return self[name]

    def __contains__(self, name: object) -> bool:
        if not super().__contains__(name) and not self._complete:
            self.complete()
        return super().__contains__(name)

    def get(self, name: str, default: Any = None) -> Any:
        if name not in self:
            return default
        return self[name]

    def complete(self) -> None:
        self._complete = True
        for name, entry in _bundled().items():
            self.setdefault(name, entry)

    def find(self, name: str) -> Any:
        if name in self:
            return self[name]
        raise_all(list(self._unreadable()))
        problem = tr("lm-evaluation-harness has no task or group '{name}'", name=shown(name))
        raise UsageError(
            did_you_mean(problem, name, list(self)),
            hint=tr(
                "`lm_eval ls tasks` lists them; --include-path DIR adds a folder of task files"
            ),
        )

    def _unreadable(self) -> Iterator[UsageError]:
        """Files that the harness passes over, as if they were not there."""
        load = needed("lm_eval.tasks._yaml_loader").load_yaml
        for file in self._files:
            try:
                load(file, resolve_func=False)
            # The parser's own errors, and whatever a file leads it to.
            except Exception as error:  # noqa: BLE001
                why = " ".join(str(error).split())[:LONGEST_WHY] or type(error).__name__
                yield UsageError(
                    tr("{file} is no task file: {why}", file=file, why=why),
                    hint=tr("correct it, or move it out of the folder of --include-path"),
                )


def cache_folder() -> Path:
    home = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(home).expanduser() / "assay" / "lm-eval"


def _bundled() -> dict[str, Any]:
    index = needed("lm_eval.tasks._index")
    folder = Path(needed("lm_eval.tasks").__file__).parent
    file = cache_folder() / f"{version()}.json"
    try:
        kept = json.loads(file.read_text("utf-8"))
        entries = kept["entries"] if kept["folder"] == str(folder) else None
    except (OSError, ValueError, KeyError, TypeError):
        entries = None
    if entries is None:
        entries = _scan(index, folder)
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            replace_file(file, json.dumps({"folder": str(folder), "entries": entries}))
        except OSError:  # a home that cannot be written: it is built again next time
            pass
    return {
        name: index.Entry(
            name=name,
            kind=index.Kind[kind],
            yaml_path=folder / path if path else None,
            tags=set(tags),
        )
        for name, (kind, path, tags) in entries.items()
    }


def _scan(index: Any, folder: Path) -> dict[str, tuple[str, str | None, list[str]]]:
    with quietly():
        found = index.TaskIndex.build([folder])
    return {
        name: (
            each.kind.name,
            str(Path(each.yaml_path).relative_to(folder)) if each.yaml_path else None,
            sorted(each.tags),
        )
        for name, each in found.items()
    }

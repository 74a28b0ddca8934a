"""The folders that agents may have read. What leads out of them is refused.

A path is taken as the system sees it, with `..` and links followed; everything below it must be
inside too. A tokenizer and a base model that a checkpoint takes from elsewhere are paths as well.
"""

import json
import os
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from assay.errors import UsageError
from assay.messages import tr

MOST_FILES = 20_000
PREFIXES = ("hf:", "gguf:")
TOKENIZER_FILES = ("tokenizer.json", "tokenizer.model", "vocab.json", "vocab.txt")
LEVELS_UP = 2  # where a checkpoint without a tokenizer looks for one

# Of every file: where it really is, which file it is, and when it was last put there.
Seen = dict[str, tuple[int, int, int]]


@dataclass(frozen=True)
class CheckedPath:
    """`text` is what to open: the prefix that was given, and the place where it really is."""

    text: str
    real: Path
    seen: Seen


class AllowedFolders:
    def __init__(self, folders: Sequence[Path]) -> None:
        self.folders = tuple(Path(os.path.realpath(folder)) for folder in folders)

    def check(self, given: str) -> CheckedPath:
        prefix = next((each for each in PREFIXES if given.startswith(each)), "")
        name = given.removeprefix(prefix)
        if not name or "\0" in name:
            raise UsageError(tr("a path is missing"), hint=self._hint())
        real = Path(os.path.realpath(name))
        self._refuse_outside(real, given)
        if not real.exists():
            raise UsageError(tr("there is nothing at '{path}'", path=given), hint=self._hint())
        for place in _taken_from_elsewhere(real):
            self._refuse_outside(Path(os.path.realpath(place)), given)
        return CheckedPath(prefix + str(real), real, self._look(real, given))

    def check_unchanged(self, path: CheckedPath) -> None:
        """A file that was exchanged while it was read may have come from outside."""
        if self._look(path.real, path.text) != path.seen:
            raise UsageError(
                tr("'{path}' changed while it was read; its result is withheld", path=path.text),
                hint=tr("call again when nothing writes there any more"),
            )

    def _look(self, real: Path, given: str) -> Seen:
        seen: Seen = {}
        for place in _below(real):
            target = Path(os.path.realpath(place))
            self._refuse_outside(target, given)
            about = os.lstat(place)
            if not stat.S_ISDIR(about.st_mode) and not target.is_file():
                raise UsageError(
                    tr("'{path}' holds what is no file: {name}", path=given, name=place.name),
                    hint=tr("leave pipes, sockets, devices and broken links out of the folder"),
                )
            # A folder's own time changes with every file that a run puts beside another.
            changed = 0 if stat.S_ISDIR(about.st_mode) else about.st_ctime_ns
            seen[str(place)] = (about.st_dev, about.st_ino, changed)
            if len(seen) > MOST_FILES:
                raise UsageError(
                    tr("'{path}' holds more than {most} files", path=given, most=MOST_FILES),
                    hint=tr("name the folder of one checkpoint or one suite"),
                )
        return seen

    def _refuse_outside(self, real: Path, given: str) -> None:
        if not any(real.is_relative_to(folder) for folder in self.folders):
            raise UsageError(
                tr("'{path}' is, or leads to, a place that is not allowed", path=given),
                hint=self._hint(),
            )

    def _hint(self) -> str:
        names = ", ".join(map(str, self.folders))
        return tr("allowed are {folders}; `assay mcp --allow DIR` adds one", folders=names)


def _below(real: Path) -> Iterator[Path]:
    yield real
    if real.is_dir():
        for folder, folders, files in os.walk(real):
            yield from (Path(folder, name) for name in (*folders, *files))


def _taken_from_elsewhere(checkpoint: Path) -> Iterator[Path]:
    if (
        not (checkpoint / "config.json").is_file()
        and not (checkpoint / "adapter_config.json").is_file()
    ):
        return
    places = [checkpoint, *checkpoint.parents][: 1 + LEVELS_UP]
    for place in places:
        if any((place / name).is_file() for name in TOKENIZER_FILES):
            yield place
            break
    try:
        adapter = json.loads((checkpoint / "adapter_config.json").read_bytes())
        base = adapter["base_model_name_or_path"]
    except (OSError, ValueError, KeyError, TypeError):
        return
    if isinstance(base, str) and os.path.exists(base):
        yield Path(base)

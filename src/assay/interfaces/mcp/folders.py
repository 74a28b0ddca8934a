"""The folders that agents may have read. What leads out of them is refused.

A path is taken as the system sees it, with `..` and links followed; everything below it must be
inside too, and so must all files of the tokenizer and of the base model that a checkpoint takes
from elsewhere.
"""

import json
import os
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from assay.errors import UsageError
from assay.messages import tr
from assay.text.safe_text import one_line

MOST_FILES = 20_000
MOST_SHOWN = 200  # characters of a path in a message
ADAPTER_CONFIG = "adapter_config.json"
MAKES_CHECKPOINT = ("config.json", ADAPTER_CONFIG)
LEVELS_UP = 2  # where a checkpoint without a tokenizer looks for one
PREFIXES = ("hf:", "gguf:", "scripted:")
SERVED = ("ollama:", "openai:", "http://", "https://")
THIS_MACHINE = ("127.0.0.1", "::1", "localhost")
BESIDE = (
    "tokenizer.json", "tokenizer.model", "spiece.model", "vocab.json", "vocab.txt", "merges.txt",
    "added_tokens.json", "special_tokens_map.json", "tokenizer_config.json", "chat_template.jinja",
)  # fmt: skip

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
        given = one_line(given, longest=MOST_SHOWN)
        if not name or "\0" in name:
            raise UsageError(tr("a path is missing"), hint=self._hint())
        real = Path(os.path.realpath(name))
        self._refuse_outside(real, given)
        if not os.path.exists(real):
            raise UsageError(tr("there is nothing at '{path}'", path=given), hint=self._hint())
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
        for place in _read_with(real):
            target = Path(os.path.realpath(place))
            self._refuse_outside(target, given)
            if not os.path.lexists(place):
                raise UsageError(
                    tr("'{path}' names a base that is no folder here: {name}",
                       path=given, name=one_line(str(place), longest=MOST_SHOWN)),
                    hint=tr("agents use no model of the hub's cache; put the base in a folder"),
                )  # fmt: skip
            about = os.lstat(place)
            if not stat.S_ISDIR(about.st_mode) and not target.is_file():
                raise UsageError(
                    tr(
                        "'{path}' contains something that is not a regular file: {name}",
                        path=given,
                        name=place.name,
                    ),
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


def is_served(model: str) -> bool:
    return model.startswith(SERVED) and not os.path.exists(model)


def refuse_other_servers(model: str) -> None:
    """Tests must not be sent to a place that an agent makes up."""
    at = max(model.rfind("@http://"), model.rfind("@https://"))
    url = model if model.startswith(("http://", "https://")) else model[at + 1 :] if at > 0 else ""
    known = {os.environ.get(name, "").rstrip("/") for name in ("OLLAMA_HOST", "OPENAI_BASE_URL")}
    if url and url.rstrip("/") not in known and urlsplit(url).hostname not in THIS_MACHINE:
        raise UsageError(
            tr("'{model}' is on another machine", model=one_line(model, longest=MOST_SHOWN)),
            hint=tr(
                "agents use servers of this machine, and the one that OPENAI_BASE_URL or "
                "OLLAMA_HOST names where the tools are started"
            ),
        )


def _read_with(real: Path) -> Iterator[Path]:
    """A path and everything below it, and so for the base of an adapter; beside a checkpoint, the
    files of the folders above it, where a tokenizer may be.
    """
    yield from _below(real)
    base = _base_of(real)
    if base is not None:
        yield from _below(base)  # one that is not there is a name of the hub, and refused
    for checkpoint in filter(None, (real, base)):
        if any((checkpoint / name).is_file() for name in MAKES_CHECKPOINT):
            for folder in checkpoint.parents[:LEVELS_UP]:
                yield from (folder / name for name in BESIDE if os.path.lexists(folder / name))


def _below(real: Path) -> Iterator[Path]:
    yield real
    if real.is_dir():
        for folder, folders, files in os.walk(real):
            yield from (Path(folder, name) for name in (*folders, *files))


def _base_of(checkpoint: Path) -> Path | None:
    try:
        adapter = json.loads((checkpoint / ADAPTER_CONFIG).read_bytes())
        base = adapter["base_model_name_or_path"]
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None
    return Path(os.path.abspath(base)) if isinstance(base, str) and base else None

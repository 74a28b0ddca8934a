"""`python -m tests.oracle`: run the entries and compare them with their stored texts.

python -m tests.oracle                     every entry; exit 1 if one differs
python -m tests.oracle --only 'report-*'   some of them (repeatable)
python -m tests.oracle --update [NAME...]  write the stored texts instead
python -m tests.oracle --list              names, and what each guards
"""

from __future__ import annotations

import argparse
import difflib
import fnmatch
import os
import resource
import sys
import time
import traceback
from collections.abc import Sequence
from pathlib import Path

TEXTS = Path(__file__).parent / "entries"


def main() -> int:
    """Run what was asked for and return the exit code."""
    options = read_arguments()
    # Before torch or Assay is imported: both read the environment when they are loaded.
    os.environ["OMP_NUM_THREADS"] = "1"
    os.environ["HF_HUB_OFFLINE"] = "1"

    from tests.oracle.all_entries import ENTRIES, SCENES
    from tests.oracle.registry import Entry
    from tests.oracle.stage import Stage

    patterns = options.only + (options.update or [])
    chosen: list[Entry] = []
    for entry in ENTRIES:
        wanted = not patterns or any(fnmatch.fnmatch(entry.name, each) for each in patterns)
        if wanted:
            chosen.append(entry)
    if options.list:
        for entry in chosen:
            print(f"{entry.name:34}{entry.guards}")
        return 0
    if not chosen:
        print("no entry has this name; see --list", file=sys.stderr)
        return 2

    began = time.monotonic()
    differing: list[str] = []
    skipped: list[str] = []
    with Stage(SCENES) as stage:
        # Entries of one scene follow each other, so that a scene is built once and can then go.
        order = list(SCENES)
        for entry in sorted(chosen, key=lambda each: order.index(each.scene)):
            why = stage.reason_to_skip(entry)
            if why:
                print(f"skipped: {entry.name}: {why}")
                skipped.append(entry.name)
                continue
            entry_began = time.monotonic()
            try:
                text = stage.perform(entry)
            except Exception:  # noqa: BLE001
                # The others are still worth knowing.
                print(f"{entry.name} cannot be run:\n{traceback.format_exc()}", flush=True)
                stage.close_viewer()
                differing.append(entry.name)
                continue
            if options.verbose:
                print(f"{time.monotonic() - entry_began:6.1f} s  {entry.name}", flush=True)
            if options.update is not None:
                write(entry.name, text)
            elif not agrees(entry.name, text):
                differing.append(entry.name)
    if not patterns:
        differing.extend(find_orphans({entry.name for entry in ENTRIES}))

    own = resource.getrusage(resource.RUSAGE_SELF)
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    processor = own.ru_utime + own.ru_stime + children.ru_utime + children.ru_stime
    print(
        f"{len(chosen)} entries, {len(skipped)} skipped, {len(differing)} differ;"
        f" {time.monotonic() - began:.0f} s, {processor:.0f} s of the processor"
    )
    for name in differing:
        print(f"differs: {name}")
    return 1 if differing else 0


def read_arguments() -> argparse.Namespace:
    """Return the options of the command line."""
    parser = argparse.ArgumentParser(prog="python -m tests.oracle", description=__doc__)
    parser.add_argument("--only", action="append", default=[], metavar="PATTERN")
    parser.add_argument("--update", nargs="*", metavar="NAME", help="write the texts; all if none")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("-v", "--verbose", action="store_true", help="print seconds per entry")
    return parser.parse_args()


def agrees(name: str, text: str) -> bool:
    """Compare an entry with its stored text, and print the difference if there is one."""
    file = TEXTS / f"{name}.txt"
    stored = file.read_text("utf-8") if file.is_file() else ""
    if stored == text:
        return True
    lines = difflib.unified_diff(
        stored.splitlines(), text.splitlines(), f"stored/{name}", f"now/{name}", lineterm=""
    )
    print("\n".join(lines), flush=True)
    return False


def write(name: str, text: str) -> None:
    """Store the text of an entry."""
    file = TEXTS / f"{name}.txt"
    if not file.is_file() or file.read_text("utf-8") != text:
        print(f"written: {name}", flush=True)
        file.write_text(text, "utf-8")


def find_orphans(names: set[str]) -> Sequence[str]:
    """Return the stored texts that no entry has."""
    return sorted(file.stem for file in TEXTS.glob("*.txt") if file.stem not in names)


if __name__ == "__main__":
    sys.exit(main())

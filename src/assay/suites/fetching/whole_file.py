"""One file of a user's, whole: never a pipe or a device, and never more than fits in memory.

In: a path. Out: its bytes, or an OSError whose words a user can read.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path

from assay.files.file_text import MAX_BYTES
from assay.messages import tr


def read_whole(path: Path) -> bytes:
    """The bytes of a regular file."""
    about = os.stat(path)
    if not stat.S_ISREG(about.st_mode):  # to open a pipe would wait for ever
        raise OSError(tr("it is a folder, pipe or device, and no file"))
    refuse_huge(about.st_size)
    with open(path, "rb") as file:
        data = file.read(MAX_BYTES + 1)  # some hold more than they say
    refuse_huge(len(data))
    return data


def refuse_huge(size: int) -> None:
    """Raise OSError for a file that is too large."""
    if size > MAX_BYTES:
        raise OSError(
            tr("{size} MB, and {limit} MB is the most",
               size=in_megabytes(size), limit=in_megabytes(MAX_BYTES))
        )  # fmt: skip


def in_megabytes(size: int) -> int:
    """Whole ones."""
    return size // 1_000_000

"""Files written whole or not at all, and what a user is told where that fails."""

import errno
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from assay.errors import Interrupted, StoreFull, StoreNotWritable
from assay.messages import tr


def replace_file(path: Path, text: str) -> None:
    """Under a name of its own until it is whole: two processes may write the same file."""
    partial = path.with_name(f".{path.name}.{secrets.token_hex(4)}.partial")
    try:
        partial.write_text(text, encoding="utf-8", errors="surrogatepass", newline="\n")
        os.replace(partial, path)
    finally:
        partial.unlink(missing_ok=True)


@contextmanager
def after_asking() -> Iterator[None]:
    """Once something was asked, a file that cannot be written is a stop on the way (130, not 2)."""
    try:
        yield
    except StoreNotWritable as error:
        raise Interrupted(
            tr("{what}; every answer that was counted is kept", what=error.message),
            hint=tr(
                "remove what is in the way there, or make the folder writable; the same "
                "command then continues where it stopped"
            ),
        ) from error


@contextmanager
def explain_write_errors(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise StoreFull(
                tr("no room left for {path}", path=path),
                hint=tr("make room on the disk; the same command then continues where it stopped"),
            ) from error
        raise StoreNotWritable(
            tr("cannot write {path}: {why}", path=path, why=error.strerror),
            hint=tr("choose a folder you can write to with --out"),
        ) from error

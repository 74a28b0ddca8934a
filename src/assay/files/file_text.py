"""One file on disk to its text. Pipes and devices are not opened, and large files are not read."""

import codecs
import os
import stat
from pathlib import Path

from assay.files.notes import Place
from assay.messages import tr
from assay.types import FileFinding

MAX_BYTES = 200_000_000
TOP = Place(1, 1)


class Refused(Exception):
    """The file cannot be read; carries the finding."""

    def __init__(self, finding: FileFinding) -> None:
        super().__init__(finding.message)
        self.finding = finding


def shown_path(path: Path) -> str:
    """A path as findings show it: on one line, whatever its name contains."""
    text = str(path)
    return text if text.isprintable() else text.encode("unicode_escape").decode("ascii")


def refusal(name: str, message: str, place: Place = TOP) -> FileFinding:
    return FileFinding(file=name, line=place.line, column=place.column, message=message)


def read_bytes(path: Path, limit: int, *, kind: str) -> bytes:
    """The bytes of a regular file, at most `limit`; `kind`: what it is meant to be, in words."""
    name = shown_path(path)
    try:
        about = os.stat(path)
        if not stat.S_ISREG(about.st_mode):
            raise Refused(refusal(name, tr("this is not a file; {kind}", kind=kind)))
        if about.st_size > limit:
            raise Refused(refusal(name, _too_large(about.st_size, limit)))
        with open(path, "rb") as opened:
            # Some files (in /proc, or being written) contain more than they say.
            data = opened.read(limit + 1)
    except OSError as error:
        raise Refused(refusal(name, _why_unreadable(path, error))) from error
    except ValueError as error:  # a zero character in the path
        raise Refused(refusal(name, tr("there is no such file"))) from error
    if len(data) > limit:
        raise Refused(refusal(name, _too_large(len(data), limit)))
    return data


def _too_large(size: int, limit: int) -> str:
    unit, step = ("MB", 1_000_000) if limit >= 1_000_000 else ("kB", 1_000)
    return tr(
        "the file has {size} {unit}, and at most {limit} {unit} are read",
        size=-(-size // step),
        limit=limit // step,
        unit=unit,
    )


def _why_unreadable(path: Path, error: OSError) -> str:
    if isinstance(error, FileNotFoundError):
        if os.path.islink(path):
            return tr("this link leads to nothing; fix or remove it")
        return tr("there is no such file")
    if isinstance(error, PermissionError):
        return tr("permission denied; make the file readable")
    return tr("the file cannot be read: {reason}", reason=error.strerror or str(error))


def decode(name: str, data: bytes) -> str:
    """The text of a file without its byte order mark, which editors on Windows write, or Refused
    with the byte that is not UTF-8.
    """
    data = data.removeprefix(codecs.BOM_UTF8)
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line_start = data.rfind(b"\n", 0, error.start) + 1
        column = len(data[line_start : error.start].decode("utf-8")) + 1
        place = Place(data.count(b"\n", 0, error.start) + 1, column)
        message = tr(
            "byte {byte} at offset {offset} is not UTF-8; save the file as UTF-8",
            byte=f"0x{data[error.start]:02X}",
            offset=error.start,
        )
        raise Refused(refusal(name, message, place)) from error

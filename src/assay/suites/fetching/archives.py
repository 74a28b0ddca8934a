"""The files of a zip or tar archive that are wanted, read in one go and without unpacking it.

In: a path, and which names are wanted. Out: files that hold their bytes, or None where it is no
archive.

A tar file is read to its last byte: the checksum of a compressed one stands at its end, and a
damaged or missing header in the middle would pass for the end. What is wrong with one file of a
zip archive is told when that file is read.
"""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import IO, Any

from assay.errors import UsageError
from assay.files.file_text import MAX_BYTES, shown_path
from assay.files.wording import shown
from assay.messages import tr
from assay.suites.fetching.rows import readable
from assay.suites.fetching.source import SourceFile
from assay.suites.fetching.whole_file import in_megabytes, refuse_huge

Wanted = Callable[[str], bool]

MOST_UNPACKED = 20 * MAX_BYTES  # of a tar file; the archive of MMLU has 170 MB
SUFFIXES = (".zip", ".tar", ".tgz", ".tar.gz", ".tar.bz2", ".tar.xz")
_CHUNK = 1 << 20
_TAR_SIGN = slice(257, 262)
_COMPRESSED: dict[bytes, Callable[..., Any]] = {
    b"\x1f\x8b": gzip.open,
    b"BZh": bz2.open,
    b"\xfd7zXZ\0": lzma.open,
}
# What the libraries raise over bytes that are not what they should be.
_BROKEN = (
    OSError,
    EOFError,
    ValueError,
    KeyError,
    RuntimeError,
    OverflowError,
    struct.error,
    zipfile.BadZipFile,
    tarfile.TarError,
    zlib.error,
    lzma.LZMAError,
)


def is_archive(path: Path) -> bool:
    """Whether it is one by its first bytes, or at least by its name."""
    try:
        return _kind(path) is not None
    except OSError:  # whoever reads it will say why it cannot be read
        return False


def members(path: Path, wanted: Wanted) -> list[SourceFile] | None:
    """The files that are wanted."""
    try:
        kind = _kind(path)
        if kind == "zip":
            return _of_zip(path, wanted)
        return None if kind is None else _of_tar(path, wanted)
    except _BROKEN as error:
        raise UsageError(
            tr(
                "{path}: this archive is broken or incomplete: {why}",
                path=shown_path(path),
                why=readable(error),
            ),
            hint=tr("get the archive again, or another copy, and name it with --from"),
        ) from error


def _kind(path: Path) -> str | None:
    with open(path, "rb") as file:
        head = file.read(512)
    if head.startswith(b"PK"):
        return "zip"
    if head.startswith(tuple(_COMPRESSED)) or head[_TAR_SIGN] == b"ustar":
        return "tar"
    if zipfile.is_zipfile(path) or path.name.lower().endswith(".zip"):
        return "zip"
    return "tar" if path.name.lower().endswith(SUFFIXES) else None


class _Kept:
    """Files by name, the last of a name as every unpacker has it; not more than fit in memory."""

    def __init__(self, archive: Path) -> None:
        self._archive = archive
        self._left = MAX_BYTES
        self.files: dict[str, SourceFile] = {}

    def put(self, name: str, read: Callable[[], bytes]) -> None:
        """What a read gives now: the bytes, or the reason why there are none."""
        try:
            data = read()
            refuse_huge(len(data))
        except _BROKEN as error:
            why = readable(error)
            self.put_flawed(name, why)
            return
        self._left -= len(data)
        if self._left < 0:
            raise _too_much(self._archive, MAX_BYTES)
        self._put(name, lambda: data)

    def put_flawed(self, name: str, why: str) -> None:
        """A file that cannot be had, and why."""

        def read() -> bytes:
            raise OSError(why)

        self._put(name, read)

    def put_again(self, name: str, earlier: str) -> None:
        """Another name of a file that is kept."""
        self._put(name, self.files[earlier].read)

    def _put(self, name: str, read: Callable[[], bytes]) -> None:
        where = f"{shown_path(self._archive)}{os.sep}{shown(name)}"
        self.files[name] = SourceFile(name=name, shown=where, read=read)


def _cited(name: str) -> str:
    return name.removeprefix("./")


def _too_much(path: Path, limit: int) -> UsageError:
    return UsageError(
        tr("{path} holds more than {limit} MB", path=shown_path(path), limit=in_megabytes(limit)),
        hint=tr("unpack it, and name the folder with --from"),
    )


# -------------------------------------------------------------------------------------------- zip


def _of_zip(path: Path, wanted: Wanted) -> list[SourceFile]:
    kept = _Kept(path)
    with zipfile.ZipFile(path) as zipped:
        for info in zipped.infolist():
            if wanted(name := _cited(info.filename)):
                kept.put(name, lambda info=info: _bytes_of(zipped, info))  # type: ignore[misc]
    return list(kept.files.values())


def _bytes_of(zipped: zipfile.ZipFile, info: zipfile.ZipInfo) -> bytes:
    refuse_huge(info.file_size)
    with zipped.open(info) as file:
        return file.read(MAX_BYTES + 1)  # what is said of its size need not be true


# -------------------------------------------------------------------------------------------- tar


class _Counted(io.RawIOBase):
    """A stream that knows how far it was read, and where its last byte other than zero was."""

    def __init__(self, stream: IO[bytes], path: Path) -> None:
        super().__init__()
        self._stream = stream
        self._path = path
        self.position = 0
        self.content_ends = 0

    def read(self, size: int = -1) -> bytes:
        """As many bytes as are asked for, or all that are left."""
        data = self._stream.read(size)
        if content := data.rstrip(b"\0"):
            self.content_ends = self.position + len(content)
        self.position += len(data)
        if self.position > MOST_UNPACKED:
            raise _too_much(self._path, MOST_UNPACKED)
        return data


def _of_tar(path: Path, wanted: Wanted) -> list[SourceFile]:
    kept = _Kept(path)
    with open(path, "rb") as file:
        head = file.read(6)
        file.seek(0)
        unpack = next(
            (of for sign, of in _COMPRESSED.items() if head.startswith(sign)), nullcontext
        )
        with unpack(file) as unpacked, _Counted(unpacked, path) as stream:
            with tarfile.open(fileobj=stream, mode="r|") as tarred:
                for info in tarred:
                    if wanted(name := _cited(info.name)):
                        _keep(kept, name, tarred, info)
                end = tarred.offset
            while stream.read(_CHUNK):
                pass
            # After the last file come at least 512 zeros, and nothing else.
            if stream.content_ends > end or stream.position < end + tarfile.BLOCKSIZE:
                raise tarfile.ReadError(tr("it ends too early, or a header is damaged"))
    return list(kept.files.values())


def _keep(kept: _Kept, name: str, tarred: tarfile.TarFile, info: tarfile.TarInfo) -> None:
    target = _cited(info.linkname)
    if info.islnk() and target in kept.files:
        kept.put_again(name, target)
    elif info.islnk() or info.issym():
        kept.put_flawed(
            name,
            tr("it is a link to '{target}'; unpack the archive and name the folder with --from",
               target=shown(target)),
        )  # fmt: skip
    elif info.isreg():
        try:
            refuse_huge(info.size)
        except OSError as error:
            kept.put_flawed(name, str(error))
            return
        file = tarred.extractfile(info)
        # A fault here is one of the whole stream, and not of this file alone.
        data = b"" if file is None else file.read(MAX_BYTES + 1)
        kept.put(name, lambda: data)

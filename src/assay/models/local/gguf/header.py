"""What a GGUF file says of itself: its fields, and where its tensors lie.

Read here, and not by the library `gguf`, which makes an object of every field of every token: 13 s
for Qwen's vocabulary, against 0.5 s, and without a limit on what a file may claim. Every count is
compared with what is left of the file before anything is made of it.
"""

import importlib.util
import math
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, BinaryIO

from assay.errors import ModelUnavailable
from assay.messages import tr, written
from assay.text.safe_text import one_line

MAGIC = b"GGUF"
VERSIONS = (2, 3)
MOST_FIELDS = 10_000  # files in use have some 50
MOST_TENSORS = 100_000
MOST_ENTRIES = 4_000_000  # of an array: the largest in use, Gemma 4's merges, has 514,906
MOST_NAME = 1_000  # bytes of a name of a field or a tensor
MOST_TEXT = 10 * 2**20  # bytes of any other string; a chat template has some thousands
MOST_BYTES = 500 * 2**20  # of all fields together
INSTALL = "pip install 'slm-assay[gguf]'"

_STRING, _ARRAY = 8, 9
# Field types in the file: how numpy reads them.
_NUMBERS = {0: "<u1", 1: "<i1", 2: "<u2", 3: "<i2", 4: "<u4", 5: "<i4", 6: "<f4", 7: "|b1",
            10: "<u8", 11: "<i8", 12: "<f8"}  # fmt: skip


@dataclass(frozen=True, slots=True)
class StoredTensor:
    """`kind` by llama.cpp's name (Q4_K); `shape` as torch writes it, slowest dimension first."""

    kind: str
    shape: tuple[int, ...]
    start: int
    bytes: int


@dataclass(frozen=True, slots=True)
class GgufHeader:
    path: Path
    fields: Mapping[str, Any]
    tensors: Mapping[str, StoredTensor]


def damaged(path: Path, why: str) -> ModelUnavailable:
    return ModelUnavailable(
        tr("the GGUF file {path} cannot be used: {why}", path=path, why=why),
        hint=tr("copy or download the file again from where it was made"),
    )


def is_gguf(path: Path) -> bool:
    """By its first bytes: Ollama's files have no suffix."""
    try:
        with path.open("rb") as file:
            return file.read(len(MAGIC)) == MAGIC
    except OSError:
        return False


def read_gguf(path: Path) -> GgufHeader:
    """Raises ModelUnavailable for a file that is no GGUF, cut off, or claims what cannot be."""
    if importlib.util.find_spec("gguf") is None:
        raise ModelUnavailable(
            tr("to read a GGUF file Assay needs {packages}", packages="gguf"),
            hint=tr("install them: {command}", command=INSTALL),
        )
    try:
        about = path.stat()
        return _read(path, about.st_size, about.st_mtime_ns)
    except OSError as error:
        raise damaged(path, error.strerror or str(error)) from error


def read_beginning(path: Path) -> dict[str, Any]:
    """The fields that stand before the vocabulary, which is most of a header: a millisecond, and
    without the library. Raises ModelUnavailable as `read_gguf` does.
    """
    try:
        with path.open("rb") as file:
            return _Reader(path, file, path.stat().st_size).beginning()
    except OSError as error:
        raise damaged(path, error.strerror or str(error)) from error


@lru_cache(maxsize=2)
def _read(path: Path, size: int, changed_ns: int) -> GgufHeader:
    with path.open("rb") as file:
        return _Reader(path, file, size).header()


@dataclass(slots=True)
class _Reader:
    path: Path
    file: BinaryIO
    left: int  # bytes of the file behind the place that is read

    def beginning(self) -> dict[str, Any]:
        _, fields = self._counts()
        found: dict[str, Any] = {}
        for _ in range(fields):
            name, kind = self._named()
            if name.startswith("tokenizer."):
                break
            found[name] = self._value(kind, name)
        return found

    def _counts(self) -> tuple[int, int]:
        """Of tensors and fields."""
        if self._bytes(4, tr("its beginning")) != MAGIC:
            raise damaged(self.path, tr("it does not begin with the letters GGUF"))
        (version,) = self._unpack("<I")
        if version not in VERSIONS:
            known = ", ".join(map(str, VERSIONS))
            raise damaged(
                self.path,
                tr("its version is {version}; {known} can be read", version=version, known=known),
            )
        tensors, fields = self._unpack("<QQ")
        self._check(tensors, MOST_TENSORS, tr("tensors"))
        self._check(fields, MOST_FIELDS, tr("fields"))
        return tensors, fields

    def _named(self) -> tuple[str, int]:
        name = self._text(MOST_NAME)
        (kind,) = self._unpack("<I")
        return name, kind

    def header(self) -> GgufHeader:
        tensors, fields = self._counts()
        before = self.left
        found: dict[str, Any] = {}
        for _ in range(fields):
            name, kind = self._named()
            found[name] = self._value(kind, name)
            if before - self.left > MOST_BYTES:
                raise damaged(self.path, tr("its fields have more than {count} MB",
                                            count=MOST_BYTES // 2**20))  # fmt: skip
        told = [self._tensor() for _ in range(tensors)]
        return GgufHeader(self.path, found, self._placed(told, found))

    def _bytes(self, count: int, what: str) -> bytes:
        found = self.file.read(count) if count <= self.left else b""
        if len(found) != count:
            raise damaged(self.path, tr("it ends within {what}", what=what))
        self.left -= count
        return found

    def _unpack(self, form: str) -> tuple[Any, ...]:
        return struct.unpack(form, self._bytes(struct.calcsize(form), tr("its header")))

    def _check(self, count: int, most: int, what: str) -> None:
        if count > most:
            raise damaged(
                self.path,
                tr("it claims {count} {what}, and {most} is the limit",
                   count=written(f"{count:,}"), what=what, most=written(f"{most:,}")),
            )  # fmt: skip

    def _text(self, most: int) -> str:
        (length,) = self._unpack("<Q")
        self._check(length, most, tr("bytes in one text"))
        return self._bytes(length, tr("its header")).decode("utf-8", "replace")

    def _texts(self, count: int, name: str) -> list[str]:
        """Vocabularies and merges: half a million, so nothing is done twice for each."""
        read, number, left = self.file.read, struct.Struct("<Q"), self.left
        found = []
        for _ in range(count):
            left -= 8
            length = number.unpack(read(8))[0] if left >= 0 else 0
            left -= length
            if left < 0 or length > MOST_TEXT:
                raise damaged(self.path, tr("it ends within {what}", what=_short(name)))
            found.append(read(length).decode("utf-8", "replace"))
        self.left = left
        return found

    def _value(self, kind: int, name: str) -> Any:
        if kind == _STRING:
            return self._text(MOST_TEXT)
        if kind == _ARRAY:
            inner, count = self._unpack("<IQ")
            self._check(count, MOST_ENTRIES, tr("entries of {name}", name=_short(name)))
            if inner == _STRING:
                return self._texts(count, name)
            return self._numbers(inner, count, name)
        return self._numbers(kind, 1, name)[0]

    def _numbers(self, kind: int, count: int, name: str) -> list[Any]:
        form = _NUMBERS.get(kind)
        if form is None:
            why = tr("the type of {name} is {kind}, which is none", name=_short(name), kind=kind)
            raise damaged(self.path, why)
        import numpy as np  # only where a file is read: the scheme registers without it

        raw = self._bytes(count * np.dtype(form).itemsize, _short(name))
        found: list[Any] = np.frombuffer(raw, form).tolist()
        return found

    def _tensor(self) -> tuple[str, tuple[int, ...], int, int]:
        name = self._text(MOST_NAME)
        (dimensions,) = self._unpack("<I")
        self._check(dimensions, 4, tr("dimensions of {name}", name=_short(name)))
        *shape, kind, start = self._unpack(f"<{dimensions}QIQ")
        return name, tuple(reversed(shape)), kind, start

    def _placed(
        self, told: list[tuple[str, tuple[int, ...], int, int]], fields: Mapping[str, Any]
    ) -> dict[str, StoredTensor]:
        """Tensors lie behind the header, aligned; each must lie inside the file as a whole."""
        from gguf import GGML_QUANT_SIZES, GGMLQuantizationType

        step = fields.get("general.alignment", 32)
        if not isinstance(step, int) or not 1 <= step <= 2**20:
            raise damaged(self.path, tr("its alignment is {step}", step=one_line(str(step))))
        read = self.file.tell()
        begin = read + -read % step
        size = read + self.left
        found: dict[str, StoredTensor] = {}
        for name, shape, number, start in told:
            try:
                kind = GGMLQuantizationType(number)
            except ValueError:
                why = tr("the number type of {name} is {number}, which the installed gguf does "
                         "not know", name=_short(name), number=number)  # fmt: skip
                raise damaged(self.path, why) from None
            block, each = GGML_QUANT_SIZES[kind]
            count = math.prod(shape)
            if name in found or not shape or not count or shape[-1] % block:
                raise damaged(self.path, tr("{name} has no possible shape: {shape}",
                                            name=_short(name), shape=list(shape)))  # fmt: skip
            length = count // block * each
            if begin + start + length > size:
                raise damaged(self.path, tr("{name} lies outside the file", name=_short(name)))
            found[name] = StoredTensor(kind.name, shape, begin + start, length)
        return found


def _short(name: str) -> str:
    return one_line(name, longest=80)

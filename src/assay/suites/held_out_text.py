"""The text a checkpoint's perplexity is measured on: files to texts or token ids.

    .txt and others   one text, UTF-8, or its documents: by end-of-text tokens or headings
    .jsonl            a document a line: {"text": "…"} or {"input_ids": [1, 2, 3]}
    .npy              token ids, one row, or its documents: by the end-of-text ids of the model
    .bin              the same, two bytes each, as nanoGPT and its kin write them; `.u32.bin` four
    a folder          its files, each as above

Token ids in files are mapped into memory, so that they may be larger than it.
"""

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from hashlib import file_digest, sha256
from pathlib import Path
from typing import Any, NamedTuple

from assay.errors import AssayError, InvalidFiles, UsageError, raise_all, tried
from assay.files.file_text import Refused, decode, refusal, shown_path
from assay.files.notes import Place, invalid_files
from assay.messages import tr
from assay.text.document_starts import split_documents, split_tokens
from assay.types.decisions import TEXT_NAME

SHIPPED = Path(__file__).resolve().parents[1] / "builtin" / "texts" / "held_out_english.txt"
IGNORED = -100  # as torch has it: a label that does not count
MOST_FIELD = 60  # characters
MOST_FINDINGS = 20  # of one file: a wrong one has as many as lines


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldOutDocument:
    """A text, or its token ids, the largest of which is `largest_id`. `fields`: what else its line
    says in a few words, and the file of a folder it is in. `is_row`: a file of token ids, in which
    only a model knows where documents end.
    """

    text: str = ""
    tokens: Sequence[int] | None = None
    largest_id: int | None = None
    is_row: bool = False
    digest: str = ""
    fields: Mapping[str, str] = field(default_factory=dict)
    counts: tuple[bool, ...] | None = None
    """Which of the tokens count; None: all of them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldOut:
    """`name` is for people to read; `digest` differs for different texts."""

    name: str
    documents: tuple[HeldOutDocument, ...]

    @property
    def digest(self) -> str:
        return sha256("\n".join(each.digest for each in self.documents).encode()).hexdigest()[:32]

    def documents_for(self, ends: Sequence[int]) -> tuple[HeldOutDocument, ...]:
        """As a model reads them whose end-of-text ids these are."""
        return tuple(part for each in self.documents for part in _cut_row(each, ends))

    @property
    def largest_id(self) -> int | None:
        """Of all token ids; None where there are none."""
        known = (each.largest_id for each in self.documents)
        return max((largest for largest in known if largest is not None), default=None)


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldOutTexts:
    """`main`: what perplexity is measured on; `named`: by the names given to them."""

    main: HeldOut | None = None
    named: Mapping[str, HeldOut] = field(default_factory=dict)


def load_texts(given: Sequence[str | Path]) -> HeldOutTexts:
    """Those of `--text [NAME=]FILE`. The unnamed one, else the first, is that of perplexity;
    without any it is the text that ships.
    """
    named: dict[str, HeldOut] = {}
    unnamed: list[HeldOut] = []
    errors: list[AssayError] = []
    for each in given:
        name, path = _name_and_path(each)
        problem = ""
        if name is not None and not TEXT_NAME.fullmatch(name):
            problem = tr("--text: {name!r} is no name of a text", name=name)
        elif name in named:
            problem = tr("--text: there are two texts with the name {name!r}", name=name)
        elif name is None and unnamed:
            problem = tr("--text: of several texts one may be without a name")
        if problem:
            hint = tr("write NAME=FILE, with letters, digits, '_' and '-' in the name; a path with "
                      "'=' in it is written ./PATH")  # fmt: skip
            errors.append(UsageError(problem, hint=hint))
            continue
        for text in tried(errors, load_held_out, path):
            named |= {name: text} if name is not None else {}
            unnamed += [text] if name is None else []
    raise_all(errors)
    main = next(iter((*unnamed, *named.values())), None)
    return HeldOutTexts(main=main or load_held_out(), named=named)


def _name_and_path(given: str | Path) -> tuple[str | None, Path]:
    """A path object is no name; of a text what stands before `=`, unless it is a folder's."""
    name, sign, path = ("", "", "") if isinstance(given, Path) else given.partition("=")
    if not sign or "/" in name or os.sep in name:
        return None, Path(given)
    return name, Path(path)


@cache
def digest_of_shipped() -> str:
    """The digest of the text that is read if the user names none."""
    return load_held_out().digest


def load_held_out(path: Path | None = None) -> HeldOut:
    given = SHIPPED if path is None else path
    name = tr("the text that ships") if path is None else shown_path(given)
    try:
        documents = _folder(given) if given.is_dir() else _file(given)
    except OSError as error:
        raise UsageError(
            tr("cannot read the text {path}: {why}", path=name, why=error.strerror or str(error)),
            hint=tr(
                "--text takes a file of plain text, JSON lines, or token ids (.npy, .bin), or a "
                "folder of them"
            ),
        ) from error
    return HeldOut(name=name, documents=documents)


def _file(path: Path) -> tuple[HeldOutDocument, ...]:
    return _READERS.get(path.suffix.lower(), _text)(path)


def _folder(path: Path) -> tuple[HeldOutDocument, ...]:
    """The documents of its files, those of its folders too; hidden ones apart."""
    files = sorted(
        file
        for file in path.rglob("*")
        if file.is_file() and not any(part.startswith(".") for part in file.relative_to(path).parts)
    )
    if not files:
        raise _invalid(path, tr("the folder contains no file"))
    errors: list[AssayError] = []
    found = tuple(
        replace(each, fields={"file": str(file.relative_to(path)), **each.fields})
        for file in files
        for of in tried(errors, _file, file)
        for each in of
    )
    raise_all(errors)
    return found


def _text(path: Path) -> tuple[HeldOutDocument, ...]:
    try:
        text = decode(shown_path(path), path.read_bytes())
    except Refused as refused:
        raise invalid_files(refused.finding.file, [refused.finding]) from refused
    if not text.strip():
        raise _invalid(path, tr("the file contains no text"))
    # The text that ships is read as one: its perplexities are on record.
    parts = [text] if path == SHIPPED else split_documents(text)
    return tuple(_document(text=part) for part in parts)


def _document(*, text: str = "", tokens: Sequence[int] | None = None) -> HeldOutDocument:
    if tokens is None:
        raw = b"text\0" + text.encode("utf-8", "surrogatepass")
    else:
        import numpy as np

        raw = b"tokens\0" + np.asarray(tokens, dtype="<i8").tobytes()
    return HeldOutDocument(
        text=text,
        tokens=tokens,
        largest_id=None if tokens is None else max(tokens),
        digest=sha256(raw).hexdigest()[:32],
    )


def _json_lines(path: Path) -> tuple[HeldOutDocument, ...]:
    with path.open("rb") as lines:
        documents, mistakes = _documents(_of_line, lines)
    if mistakes:
        name = shown_path(path)
        findings = [refusal(name, why, Place(number, 1)) for number, why in mistakes.items()]
        raise invalid_files(name, findings)
    if not documents:
        raise _invalid(path, tr("the file contains no text"))
    return documents


def texts_given(given: Iterable[object], *, with_context: bool = False) -> HeldOut:
    """The texts of a program: a list of them, a data set whose rows have "text" or "input_ids", or
    batches of rows of input_ids. Every row that is none of these is named. `with_context`: a row
    may have tokens that are read and not counted.
    """
    rows = (row for each in given for row in _rows_of(each))
    documents, mistakes = _documents(_of_counted_row if with_context else _of_row, rows)
    if mistakes or not documents:
        named = (tr("row {row}: {why}", row=number, why=why) for number, why in mistakes.items())
        raise UsageError(
            "\n".join(named) or tr("test_dataset has no row"),
            hint=tr("give a file, a list of texts, one split of a data set with the column "
                    '"text" or "input_ids", or batches of input_ids'),
        )  # fmt: skip
    name = tr("{count} texts of the program", count=len(documents))
    return HeldOut(name=name, documents=documents)


@dataclass(frozen=True, slots=True)
class _WrongRow:
    why: str


class ContextRow(NamedTuple):
    """Tokens of which only some count; the others are read before them."""

    tokens: list[int]
    counts: tuple[bool, ...]


def _rows_of(given: Any) -> Iterator[object]:
    """A text, a row or a batch: its rows, each without padding, as attention_mask or labels say."""
    if isinstance(given, str):
        yield {"text": given}
        return
    if hasattr(given, "tolist"):
        given = {"input_ids": given}
    if not isinstance(given, Mapping) or "text" in given or "input_ids" not in given:
        yield given
        return
    names = [name for name in ("input_ids", "attention_mask", "labels") if name in given]
    columns = {name: _as_list(given[name]) for name in names}
    ids = columns["input_ids"]
    is_batch = isinstance(ids, list) and ids and all(isinstance(each, list) for each in ids)
    rows = columns if is_batch else {name: [column] for name, column in columns.items()}
    if len({len(column) for column in rows.values()}) > 1:
        yield _WrongRow(tr("input_ids, attention_mask and labels are not of the same shape"))
        return
    for cells in zip(*rows.values(), strict=True):
        found = _without_padding(**dict(zip(names, cells, strict=True)))
        if found != {"input_ids": []} or not cells[0]:  # not one that is all padding
            yield found


def _as_list(given: Any) -> Any:
    if hasattr(given, "tolist"):  # of torch, of numpy
        return given.tolist()
    if isinstance(given, list):
        return [each.tolist() if hasattr(each, "tolist") else each for each in given]
    return given


def _without_padding(input_ids: Any, attention_mask: Any = None, labels: Any = None) -> object:
    """Labels of -100 behind the last label change no likelihood and are left out; those before one
    are context.
    """
    if not isinstance(input_ids, list):
        return {"input_ids": input_ids}
    labels = labels if isinstance(labels, list) else None  # those of a class are no tokens
    beside = [each for each in (attention_mask, labels) if each is not None]
    if any(not isinstance(each, list) or len(each) != len(input_ids) for each in beside):
        return _WrongRow(tr("input_ids, attention_mask and labels are not of the same shape"))
    places = [at for at, each in enumerate(input_ids) if each != IGNORED]
    if attention_mask is not None:
        places = [at for at in places if attention_mask[at]]
    if labels is not None:
        while places and labels[places[-1]] == IGNORED:
            places.pop()
        first = next((at for at, place in enumerate(places) if labels[place] != IGNORED), 0)
        is_padding = attention_mask is None and len({input_ids[at] for at in places[:first]}) == 1
        if is_padding:
            del places[:first]
        if any(labels[at] not in (IGNORED, input_ids[at]) for at in places):
            return _WrongRow(tr("labels differ from input_ids"))
        if any(labels[at] == IGNORED for at in places):
            ids = [input_ids[at] for at in places]
            return ContextRow(ids, tuple(labels[at] != IGNORED for at in places))
    return {"input_ids": [input_ids[at] for at in places]}


def _documents(
    read: Callable[[Any], HeldOutDocument | str | None], rows: Iterable[object]
) -> tuple[tuple[HeldOutDocument, ...], dict[int, str]]:
    """Those of the rows; and what is wrong with the first wrong ones, by their numbers."""
    documents: list[HeldOutDocument] = []
    mistakes: dict[int, str] = {}
    for number, row in enumerate(rows, 1):
        found = read(row)
        if isinstance(found, str):
            mistakes[number] = found
        elif found is not None:
            documents.append(found)
        if len(mistakes) == MOST_FINDINGS:
            break
    return tuple(documents), mistakes


def _of_line(line: bytes) -> HeldOutDocument | str | None:
    """A document, or what is wrong with it; None of an empty line."""
    try:
        return _of_row(json.loads(line)) if line.strip() else None
    except (ValueError, RecursionError):
        return tr("this line is not JSON")


def _of_counted_row(given: Any) -> HeldOutDocument | str:
    if not isinstance(given, ContextRow):
        return _of_row(given)
    document = _of_row({"input_ids": given.tokens})
    return document if isinstance(document, str) else replace(document, counts=given.counts)


def _of_row(given: Any) -> HeldOutDocument | str:
    if isinstance(given, _WrongRow):
        return given.why
    if isinstance(given, ContextRow):
        return tr("labels of -100 before a label that counts are context: only compute_perplexity "
                  "reads it without counting it")  # fmt: skip
    if not isinstance(given, Mapping) or not ({"text", "input_ids"} & given.keys()):
        return tr('a line is an object with "text" or "input_ids"')
    if "text" in given:
        text = given["text"]
        if not isinstance(text, str) or not text:
            return tr('"text" must be a text that is not empty')
        return replace(_document(text=text), fields=_fields(given))
    tokens = given["input_ids"]
    if hasattr(tokens, "tolist"):  # of torch, of numpy
        tokens = tokens.tolist()
    whole = isinstance(tokens, list) and tokens
    if not whole or not all(type(each) is int and 0 <= each < 2**31 for each in tokens):
        return tr('"input_ids" must be a list of token ids')
    return _document(tokens=tokens)


def _fields(row: Mapping[str, Any]) -> dict[str, str]:
    """Short texts, numbers and booleans beside the text."""
    return {
        str(name): str(value)
        for name, value in row.items()
        if name != "text" and isinstance(value, str | int | bool) and len(str(value)) <= MOST_FIELD
    }


def _numpy_file(path: Path) -> tuple[HeldOutDocument, ...]:
    import numpy as np

    try:
        tokens = np.load(path, mmap_mode="r", allow_pickle=False)
    except (ValueError, EOFError) as error:
        raise _invalid(path, tr("this is no NumPy file of numbers")) from error
    if tokens.ndim != 1 or tokens.dtype.kind not in "iu":
        raise _invalid(path, tr("token ids must be whole numbers in one row"))
    return _mapped(path, tokens)


def _binary_file(path: Path) -> tuple[HeldOutDocument, ...]:
    import numpy as np

    kind = np.dtype("<u4" if path.name.lower().endswith(".u32.bin") else "<u2")
    size = path.stat().st_size
    if not size or size % kind.itemsize:
        message = tr(
            "{size} bytes are no row of token ids of {width} bytes each",
            size=size,
            width=kind.itemsize,
        )
        raise _invalid(path, message)
    return _mapped(path, np.memmap(path, dtype=kind, mode="r"))


def _mapped(path: Path, tokens: Any) -> tuple[HeldOutDocument, ...]:
    if not len(tokens):
        raise _invalid(path, tr("the file contains no token"))
    if tokens.min() < 0:
        raise _invalid(path, tr("a token id is below 0"))
    with path.open("rb") as file:
        digest = file_digest(file, "sha256").hexdigest()[:32]
    largest = int(tokens.max())
    return (HeldOutDocument(tokens=tokens, largest_id=largest, digest=digest, is_row=True),)


def _cut_row(document: HeldOutDocument, ends: Sequence[int]) -> list[HeldOutDocument]:
    tokens: Any = document.tokens
    if not document.is_row or not ends:
        return [document]
    spans = split_tokens(tokens, ends)
    if len(spans) == 1:
        return [document]
    return [
        replace(document, tokens=tokens[start:end], digest=f"{document.digest}-{start}-{end}")
        for start, end in spans
    ]


_READERS = {
    ".jsonl": _json_lines,
    ".ndjson": _json_lines,
    ".npy": _numpy_file,
    ".bin": _binary_file,
}


def _invalid(path: Path, message: str) -> InvalidFiles:
    name = shown_path(path)
    return invalid_files(name, [refusal(name, message)])

"""Answers made elsewhere, as a model: outputs/MODEL/TEST-ID.txt, repeats TEST-ID.2.txt."""

import codecs
import hashlib
from collections.abc import Iterator, Sequence
from pathlib import Path

from assay.errors import ModelUnavailable
from assay.messages import tr
from assay.models.base import BaseModel
from assay.models.reasoning import as_unicode, split_reasoning
from assay.text.safe_text import drop_terminal_codes
from assay.types import Answered, Failed, ModelFacts, Reply, Request

MAX_BYTES = 20_000_000  # of one answer
MOST_BROKEN = 3  # characters, or 1 in 100: more is no text, or text in another encoding


class WrittenOutputs(BaseModel):
    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._files = _text_files(folder)
        digest = hashlib.sha256()
        for name, file in sorted(self._files.items()):
            digest.update(f"{name}\0".encode("utf-8", "surrogatepass"))
            digest.update(hashlib.sha256(file.read_bytes()).digest())
        self._facts = ModelFacts(
            spec=f"outputs:{folder.name}",
            name=folder.name,
            fingerprint="sha256:" + digest.hexdigest(),
        )

    @property
    def test_ids(self) -> frozenset[str]:
        return frozenset(self._files)

    def answer(self, requests: Sequence[Request]) -> Iterator[Reply]:
        for request in requests:
            yield self._reply(request)

    def _reply(self, request: Request) -> Reply:
        repeat = "" if request.repeat == 0 else f".{request.repeat + 1}"
        names = (f"{request.suite}.{request.test_id}{repeat}", f"{request.test_id}{repeat}")
        file = next((self._files[name] for name in names if name in self._files), None)
        if file is None:
            reason = tr("there is no file {name}.txt", name=names[1])
            return Failed(request_id=request.id, reason=reason)
        text = drop_terminal_codes(_decoded(file.read_bytes()))
        split = split_reasoning(as_unicode(text))
        return Answered(
            request_id=request.id,
            text=split.answer,
            reasoning=split.reasoning,
            reasoning_unclosed=split.unclosed,
        )


def _decoded(content: bytes) -> str:
    """UTF-8; UTF-16 with its mark, as PowerShell writes it. A cut character is no fault."""
    marked = content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    return content.decode("utf-16" if marked else "utf-8-sig", "replace")


def _text_files(folder: Path) -> dict[str, Path]:
    try:
        files = {
            file.name.removesuffix(".txt"): file
            for file in folder.iterdir()
            if file.name.endswith(".txt") and file.is_file()
        }
        wrong = [said for file in files.values() if (said := _why_not(file, folder))]
    except OSError as error:
        raise ModelUnavailable(
            tr("the answers in {folder} cannot be read: {why}",
               folder=folder, why=error.strerror or error),
            hint=tr("check the folder and who may read it"),
        ) from error  # fmt: skip
    if wrong:
        raise ModelUnavailable(
            tr("{folder} contains files that are not answers: {files}", folder=folder,
               files="; ".join(sorted(wrong))),
            hint=tr("an answer is a UTF-8 text file of at most 20 MB; remove the others"),
        )  # fmt: skip
    if not files:
        raise ModelUnavailable(
            tr("there is no answer in {folder}", folder=folder),
            hint=tr("answers are text files named after their test, such as CT-01.txt"),
        )
    return files


def _why_not(file: Path, folder: Path) -> str:
    """Empty where it can be. It is sent to a judge: a link out of it could send any file."""
    if not file.resolve().is_relative_to(folder.resolve()):
        return tr("{file} leads out of the folder", file=file.name)
    if file.stat().st_size > MAX_BYTES:
        return tr("{file} is larger than 20 MB", file=file.name)
    text = _decoded(file.read_bytes())
    if text.count("\ufffd") > max(MOST_BROKEN, len(text) // 100):
        return tr("{file} is not text in UTF-8", file=file.name)
    return ""

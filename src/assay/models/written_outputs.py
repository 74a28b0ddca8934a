"""Answers that were made elsewhere, as a model: `outputs/MODEL/TEST-ID.txt`.

In: one model's folder of text files. Out: a Model that answers each test with its file. Refuses to
know: how the answers came to be; nothing is asked of anybody.

A test's first answer is TEST-ID.txt (or SUITE.TEST-ID.txt), its repeats TEST-ID.2.txt and so on.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from pathlib import Path

from assay.errors import ModelUnavailable
from assay.messages import tr
from assay.models.reasoning import as_unicode, split_reasoning
from assay.types import Answered, Failed, ModelFacts, Observed, Reply, Request

MAX_BYTES = 20_000_000  # of one answer


class WrittenOutputs:
    """One folder of answers."""

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
    def facts(self) -> ModelFacts:
        """The files stand for the model."""
        return self._facts

    @property
    def test_ids(self) -> frozenset[str]:
        """The stems of the files, repeats not counted."""
        return frozenset(self._files)

    def probe(self) -> None:
        """All is known."""

    def answer(self, requests: Sequence[Request]) -> Iterator[Reply]:
        """Each request by its file."""
        for request in requests:
            yield self._reply(request)

    def observed(self) -> Observed:
        """Nothing was measured."""
        return Observed()

    def stop(self) -> None:
        """Files are read at once."""

    def close(self) -> None:
        """Nothing is held."""

    def _reply(self, request: Request) -> Reply:
        repeat = "" if request.repeat == 0 else f".{request.repeat + 1}"
        names = (f"{request.suite}.{request.test_id}{repeat}", f"{request.test_id}{repeat}")
        file = next((self._files[name] for name in names if name in self._files), None)
        if file is None:
            reason = tr("there is no file {name}.txt", name=names[1])
            return Failed(request_id=request.id, reason=reason)
        split = split_reasoning(as_unicode(file.read_bytes().decode("utf-8", "replace")))
        return Answered(
            request_id=request.id,
            text=split.answer,
            reasoning=split.reasoning,
            reasoning_unclosed=split.unclosed,
        )


def _text_files(folder: Path) -> dict[str, Path]:
    try:
        files = {
            file.name.removesuffix(".txt"): file
            for file in folder.iterdir()
            if file.name.endswith(".txt") and file.is_file()
        }
        large = [file.name for file in files.values() if file.stat().st_size > MAX_BYTES]
    except OSError as error:
        raise ModelUnavailable(
            tr("the answers in {folder} cannot be read: {why}",
               folder=folder, why=error.strerror or error),
            hint=tr("check the folder and who may read it"),
        ) from error  # fmt: skip
    if large:
        raise ModelUnavailable(
            tr("{file} in {folder} is larger than 20 MB", file=large[0], folder=folder),
            hint=tr("an answer is a text; take it out of the folder"),
        )
    if not files:
        raise ModelUnavailable(
            tr("there is no answer in {folder}", folder=folder),
            hint=tr("answers are text files named after their test, such as CT-01.txt"),
        )
    return files

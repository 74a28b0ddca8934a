"""`scripted:FILE.json`: deterministic answers from a file, for tests, docs and dry runs.

In: a file `{"answers": {KEY: ANSWER}, "default": TEXT, "fail": {KEY: REASON}, "delay_s": S}`. Out:
a Model. KEY is a test id, or SUITE/TEST-ID where two suites share one; for a judge, judge:TEST-ID,
judge:SUITE/TEST-ID, or judge:SPEC/TEST-ID for the answers of one model. ANSWER is a text, a list of
texts (one a turn), {"predictions": [best, …]}, {"cut": TEXT} (ended at its maximum of tokens), or
{"repeats": [ANSWER, …]}, taken round. Where tools are offered, the text
`{"tool_calls": [{"name": …, "arguments": {…}}]}` calls them.
"""

import codecs
import hashlib
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

from annotated_types import Ge, Le, Len

from assay.errors import ModelUnavailable
from assay.files.fields import Mistake, Rule, ValueWords
from assay.files.file_text import Refused
from assay.files.json_file import read_json
from assay.files.notes import Notes
from assay.files.validation import Validator
from assay.messages import tr
from assay.models.base import BaseModel, cut_at_stops
from assay.models.reasoning import as_unicode, split_reasoning
from assay.plugins import model
from assay.text.json_in_prose import read_calls
from assay.text.safe_text import drop_terminal_codes
from assay.types import (
    Answered,
    Capability,
    Failed,
    FileFinding,
    ModelFacts,
    Reply,
    Request,
    ToAnswer,
    ToContinue,
)

GLANCE_S = 0.2  # a Ctrl-C in the moment before a sleep is noticed after it: so no long ones


@dataclass(frozen=True, slots=True)
class _Predictions:
    predictions: Annotated[list[str], Len(1)]


_OneAnswer = str | Annotated[list[str], Len(1)] | _Predictions


@dataclass(frozen=True, slots=True)
class _Several:
    predictions: Annotated[list[str], Len(1)] | None = None
    repeats: Annotated[list[_OneAnswer], Len(1)] | None = None
    cut: str | None = None


def _check_one(several: _Several) -> _Several:
    if sum(each is not None for each in (several.predictions, several.repeats, several.cut)) != 1:
        raise Mistake(
            lambda field: tr(
                "'{field}' needs one of 'predictions', 'repeats' and 'cut'", field=field
            )
        )
    return several


_FORMS = ValueWords(
    wanted=lambda: tr('{"predictions": [texts]}, {"repeats": [answers]} or {"cut": text}')
)
_Answer = str | Annotated[list[str], Len(1)] | Annotated[_Several, Rule(_check_one), _FORMS]


@dataclass(frozen=True, slots=True)
class ScriptFile:
    answers: Mapping[str, _Answer] = field(default_factory=dict)
    default: str | None = None
    fail: Mapping[str, str] = field(default_factory=dict)
    delay_s: Annotated[float, Ge(0), Le(3600)] = 0.0


_SCRIPT = Validator(ScriptFile)


@model("scripted")
class ScriptedModel(BaseModel):
    def __init__(self, path: str | Path) -> None:
        path = Path(path)
        self._script, digest = _read(path)
        self._facts = ModelFacts(
            spec=f"scripted:{path}",
            name=path.stem,
            fingerprint=f"sha256:{digest}",
            capabilities=_capabilities(self._script),
        )

    def answer(self, requests: Sequence[Request]) -> Iterator[Reply]:
        for request in requests:
            started = time.perf_counter()
            while (left := self._script.delay_s - (time.perf_counter() - started)) > 0:
                time.sleep(min(left, GLANCE_S))
            yield self._reply(request, time.perf_counter() - started)

    def _reply(self, request: Request, seconds: float) -> Reply:
        name = request.test_id
        keys: tuple[str, ...] = (f"{request.suite}/{name}", name)
        if request.judged_suite:
            prefixes = (request.judged_model, request.judged_suite)
            own = (name.replace("judge:", f"judge:{each}/", 1) for each in prefixes if each)
            keys = (*own, name)
        for key in keys:
            if key in self._script.fail:
                return Failed(
                    request_id=request.id,
                    reason=as_unicode(self._script.fail[key]),
                    total_s=seconds,
                )
        written = next(
            (self._script.answers[key] for key in keys if key in self._script.answers),
            self._script.default,
        )
        if written is None:
            reason = tr("the script has no answer for {test!r} and no default", test=keys[-1])
            return Failed(request_id=request.id, reason=reason, total_s=seconds)
        return _said(request, written, seconds)


def _capabilities(script: ScriptFile) -> frozenset[Capability]:
    """A judge that marks models apart is told whose answer it reads."""
    found: set[Capability] = {"generate", "tools"}
    keys = (*script.answers, *script.fail)
    # No name of a suite has a colon, and every spec has one.
    if any(key.startswith("judge:") and ":" in key.removeprefix("judge:") for key in keys):
        found.add("told_model")
    return frozenset(found)


def _said(request: Request, written: object, seconds: float) -> Reply:
    if isinstance(written, _Several) and written.repeats:
        written = written.repeats[request.repeat % len(written.repeats)]
    if isinstance(written, list):
        if request.turn >= len(written):
            reason = tr(
                "the script has {count} turns for {test!r}, and turn {turn} was asked",
                count=len(written),
                test=request.test_id,
                turn=request.turn + 1,
            )
            return Failed(request_id=request.id, reason=reason, total_s=seconds)
        written = written[request.turn]
    cut = written.cut if isinstance(written, _Several) else None
    written = written if cut is None else cut
    several_texts = written.predictions if isinstance(written, _Predictions | _Several) else None
    splits = [split_reasoning(text) for text in several_texts or [str(written)]]
    wanted = request.work.sampling.predictions if isinstance(request.work, ToAnswer) else 1
    if isinstance(request.work, ToContinue):
        texts = [cut_at_stops(text, request.work.stop) for text in several_texts or [str(written)]]
        return Answered(
            request_id=request.id, text=texts[0], total_s=seconds,
            predictions=tuple(texts) if len(texts) > 1 else (),
        )  # fmt: skip
    several = wanted > 1 or len(splits) > 1
    offered = isinstance(request.work, ToAnswer) and request.work.tools
    text, calls = read_calls(splits[0].answer) if offered else (splits[0].answer, ())
    return Answered(
        request_id=request.id,
        text=text,
        calls=calls,
        reasoning=splits[0].reasoning,
        reasoning_unclosed=all(split.unclosed for split in splits),
        predictions=tuple(split.answer for split in splits[:wanted]) if several else (),
        prediction_method="given" if several else None,
        truncated=cut is not None,
        finish="" if cut is None else "length",
        total_s=seconds,
    )


def _read(path: Path) -> tuple[ScriptFile, str]:
    try:
        file = read_json(path)
    except Refused as refused:
        raise _invalid(path, [refused.finding]) from refused
    notes = Notes()
    script: ScriptFile | None = _SCRIPT.check(file.value, notes)
    if script == ScriptFile(delay_s=script.delay_s if script else 0.0):
        message = tr("the file answers nothing: it needs 'answers', 'default' or 'fail'")
        notes.error((), message)
    findings = file.findings(notes)
    if script is None or findings:
        raise _invalid(path, findings)
    return script, file.digest


def _invalid(path: Path, findings: Sequence[FileFinding]) -> ModelUnavailable:
    mistakes = "; ".join(f"{each.line}:{each.column}: {each.message}" for each in findings)
    return ModelUnavailable(
        tr("the script {path} is not valid: {mistakes}", path=path, mistakes=mistakes),
        hint=tr(
            'a script is a file such as {"answers": {"test_001": "Yes."}}; '
            "docs/reference/models.md has the format"
        ),
    )


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

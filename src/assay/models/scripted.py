"""`scripted:FILE.json`: deterministic answers from a file, for tests, docs and dry runs.

In: a file `{"answers": {KEY: ANSWER}, "default": TEXT, "fail": {KEY: REASON}, "delay_s": S}`. Out:
a Model. KEY is a test id, or SUITE/TEST-ID where two suites share one. ANSWER is a text, a list of
texts (one a turn), {"predictions": [best, …]}, or {"repeats": [ANSWER, …]}, taken round.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from assay.errors import ModelUnavailable
from assay.messages import tr
from assay.models.base import BaseModel
from assay.models.reasoning import as_unicode, split_reasoning
from assay.plugins import model
from assay.types import Answered, Failed, ModelFacts, Reply, Request, ToAnswer

MAX_BYTES = 200 * 1024 * 1024
GLANCE_S = 0.2  # a Ctrl-C in the moment before a sleep is noticed after it: so no long ones
_KEYS = ("answers", "default", "fail", "delay_s")


@dataclass(frozen=True, slots=True)
class Script:
    """What the file says."""

    answers: Mapping[str, object]
    default: str | None
    fail: Mapping[str, str]
    delay_s: float


@model("scripted")
class ScriptedModel(BaseModel):
    """Answers from a script; the same file always gives the same answers."""

    def __init__(self, path: str | Path) -> None:
        path = Path(path)
        raw = _read(path)
        self._script = _parse(raw, path)
        self._facts = ModelFacts(
            spec=f"scripted:{path}",
            name=path.stem,
            fingerprint="sha256:" + hashlib.sha256(raw).hexdigest(),
        )

    def answer(self, requests: Sequence[Request]) -> Iterator[Reply]:
        """One after another, each after the script's delay."""
        for request in requests:
            started = time.perf_counter()
            while (left := self._script.delay_s - (time.perf_counter() - started)) > 0:
                time.sleep(min(left, GLANCE_S))
            yield self._reply(request, time.perf_counter() - started)

    def _reply(self, request: Request, seconds: float) -> Reply:
        keys = (f"{request.suite}/{request.test_id}", request.test_id)
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
            reason = tr("the script has no answer for {test!r} and no default", test=keys[1])
            return Failed(request_id=request.id, reason=reason, total_s=seconds)
        return _said(request, written, seconds)


def _said(request: Request, written: object, seconds: float) -> Reply:
    if isinstance(written, dict) and "repeats" in written:
        repeats: list[object] = written["repeats"]
        written = repeats[request.repeat % len(repeats)]
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
    if isinstance(written, dict):
        splits = [split_reasoning(text) for text in written["predictions"]]
    else:
        splits = [split_reasoning(str(written))]
    wanted = request.work.sampling.predictions if isinstance(request.work, ToAnswer) else 1
    several = wanted > 1 or len(splits) > 1
    return Answered(
        request_id=request.id,
        text=splits[0].answer,
        reasoning=splits[0].reasoning,
        reasoning_unclosed=all(split.unclosed for split in splits),
        predictions=tuple(split.answer for split in splits[:wanted]) if several else (),
        prediction_method="given" if several else None,
        total_s=seconds,
    )


# ---------------------------------------------------------------------------- reading the file


def _read(path: Path) -> bytes:
    try:
        if path.is_file() and path.stat().st_size > MAX_BYTES:
            raise ModelUnavailable(
                tr("the script {path} is larger than 200 MB", path=path),
                hint=tr("split it into several models"),
            )
        if path.exists() and not path.is_file():
            raise ModelUnavailable(
                tr("{path} is not a file", path=path),
                hint=tr("name the JSON file itself, as in scripted:answers.json"),
            )
        return path.read_bytes()
    except OSError as error:
        raise ModelUnavailable(
            tr("cannot read the script {path}: {why}", path=path, why=error.strerror),
            hint=tr("check the path after scripted: (it is relative to the current folder)"),
        ) from error


def _parse(raw: bytes, path: Path) -> Script:
    """Every mistake of the file at once: a script is as strict as a test file."""
    try:
        document = json.loads(raw, object_pairs_hook=_no_duplicates)
    except (ValueError, RecursionError) as error:
        raise _invalid(path, [str(error)]) from error
    if not isinstance(document, dict):
        raise _invalid(path, [tr("the file must hold an object with 'answers'")])
    mistakes = [_unknown_key(key) for key in document if key not in _KEYS]
    answers = document.get("answers", {})
    default = document.get("default")
    fail = document.get("fail", {})
    delay = document.get("delay_s", 0)
    if not isinstance(answers, dict):
        mistakes.append(tr("'answers' must be an object: test id to answer"))
        answers = {}
    mistakes += [
        tr("the answer for {key!r} must be a text, a list of texts, {forms}", key=key, forms=_FORMS)
        for key, value in answers.items()
        if not _is_answer(value)
    ]
    if default is not None and not isinstance(default, str):
        mistakes.append(tr("'default' must be a text"))
    if not (isinstance(fail, dict) and all(isinstance(why, str) for why in fail.values())):
        mistakes.append(tr("'fail' must be an object: test id to reason"))
    if isinstance(delay, bool) or not isinstance(delay, int | float) or not 0 <= delay <= 3600:
        mistakes.append(tr("'delay_s' must be a number of seconds from 0 to 3600"))
    if not answers and default is None and not fail:
        mistakes.append(tr("the file answers nothing: it needs 'answers', 'default' or 'fail'"))
    if mistakes:
        raise _invalid(path, mistakes)
    return Script(answers=answers, default=default, fail=fail, delay_s=float(delay))


_FORMS = '{"predictions": [texts]} or {"repeats": [answers]}'


def _is_answer(value: object, *, may_repeat: bool = True) -> bool:
    if isinstance(value, str):
        return True
    if isinstance(value, list):
        return bool(value) and all(isinstance(turn, str) for turn in value)
    if not isinstance(value, dict) or len(value) != 1:
        return False
    if "predictions" in value:
        texts = value["predictions"]
        return isinstance(texts, list) and bool(texts) and all(isinstance(t, str) for t in texts)
    if "repeats" in value and may_repeat:
        repeats = value["repeats"]
        return (
            isinstance(repeats, list)
            and bool(repeats)
            and all(_is_answer(each, may_repeat=False) for each in repeats)
        )
    return False


def _no_duplicates(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found: dict[str, object] = {}
    for key, value in pairs:
        if key in found:
            raise ValueError(tr("the key {key!r} stands twice", key=key))
        found[key] = value
    return found


def _unknown_key(key: str) -> str:
    from rapidfuzz import process  # only a mistake needs it

    near = process.extractOne(key, _KEYS, score_cutoff=60)
    if near:
        return tr("unknown key {key!r}; did you mean {near!r}?", key=key, near=near[0])
    return tr("unknown key {key!r}; known are {known}", key=key, known=", ".join(_KEYS))


def _invalid(path: Path, mistakes: Sequence[str]) -> ModelUnavailable:
    return ModelUnavailable(
        tr("the script {path} is not valid: {mistakes}", path=path, mistakes="; ".join(mistakes)),
        hint=tr("the format stands in docs/models.md"),
    )

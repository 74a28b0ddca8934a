"""What is put to a judge, under an id that is its content.

In: a judge's facts, the key of what is judged, the work. Out: a Request.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import MISSING, fields, is_dataclass

from assay.types import ModelFacts, Request, ToAnswer, ToChoose

SUITE = "judge"
# Part of every id: a new number makes every stored reply a stranger.
IDENTITY_VERSION = 1


def key_of_test(test_id: str) -> str:
    """What the judging of a test's answer is called, in the store and in scripted files."""
    return f"judge:{test_id}"


def key_of_example(rubric: str, example_id: str) -> str:
    """The same for one of a rubric's examples."""
    return f"judge:{rubric}/{example_id}"


def make_request(
    judge: ModelFacts, key: str, work: ToAnswer | ToChoose, *, turn: int = 0, repeat: int = 0
) -> Request:
    """A request to a judge.

    Args:
        judge: who is asked; its fingerprint is part of the id.
        key: as key_of_test or key_of_example has it.
        work: all of it is part of the id.
        turn: the number of the attempt, or of the question.
        repeat: the number of the judge's repeat.
    """
    body = [IDENTITY_VERSION, judge.fingerprint, key, turn, repeat, work.kind, _plain(work)]
    text = json.dumps(body, ensure_ascii=False, separators=(",", ":"))
    # 128 bits: among a million requests two share one with probability 1e-27.
    identity = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]
    return Request(id=identity, suite=SUITE, test_id=key, turn=turn, repeat=repeat, work=work)


def _plain(value: object) -> object:
    """A dataclass as pairs of names and values. Fields that are as always are left out, so that a
    field that is added later leaves older ids as they were.
    """
    if is_dataclass(value):
        told = ((each, getattr(value, each.name)) for each in fields(value))
        return [
            [each.name, _plain(said)]
            for each, said in told
            if each.default is MISSING or said != each.default
        ]
    if isinstance(value, tuple):
        return [_plain(each) for each in value]
    return value

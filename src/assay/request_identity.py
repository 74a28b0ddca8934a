"""Every Request is made here; its id is a hash of all that could change the answer. Stored replies
are found by it: the form never changes, and new fields enter only when set.
"""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import MISSING, astuple, fields, is_dataclass
from operator import attrgetter

from assay.types import (
    AsWritten,
    Case,
    Message,
    Request,
    Sampling,
    ToAnswer,
    ToChoose,
    ToRead,
    Work,
)
from assay.types.requests import OF_SERVERS

# Part of every id: a new number makes every stored reply unusable.
IDENTITY_VERSION = 1
# Part of the id of a text that is read. 2: nothing stands before it but the BOS of a tokenizer that
# adds one itself; before that BOS or EOS stood there in any case, which gave other figures.
READING = 2
JUDGE_SUITE = "judge"
EVIDENCE_SUITE = "evidence"
MEASURE = "measure/"  # begins the suite of a measurement
GENERATION = f"{MEASURE}generation"

_COMPACT = (",", ":")
# Made once: json.dumps makes an encoder for every call that asks for another form than its own.
_encode = json.JSONEncoder(ensure_ascii=False, separators=_COMPACT).encode
_later_values = attrgetter(*OF_SERVERS, "think", "context")
_OUR_SAMPLING = (1.0, 0, 0.0, 1.0, 0.0, 0.0, None, None)


def make_test_request(
    fingerprint: str,
    case: Case,
    work: ToAnswer | ToChoose | AsWritten,
    *,
    turn: int,
    repeat: int,
) -> Request:
    body = [IDENTITY_VERSION, fingerprint, case.suite, case.id, turn, repeat, work.kind]
    rest: list[object] = []
    if isinstance(work, ToAnswer):
        rest += _sampling_values(work.sampling)
        rest += [work.schema] if work.schema is not None else []
        rest += [["tools", work.tools, *map(astuple, work.steps)]] if work.tools else []
    elif isinstance(work, ToChoose):
        rest += work.continuations
        rest += [_sampling_values(work.otherwise)] if work.otherwise else []
        rest += [["plain"]] if work.plain else []
    if isinstance(work, ToAnswer | ToChoose):
        said = [*map(_said, work.messages)]
        asked = [*body, said, rest]
    else:
        asked = [*body, _set_fields(work)]
    return Request(
        id=_hash(_encode(asked)),
        suite=case.suite,
        test_id=case.id,
        turn=turn,
        repeat=repeat,
        work=work,
    )


def make_judge_request(
    fingerprint: str,
    key: str,
    work: ToAnswer | ToChoose,
    *,
    turn: int = 0,
    repeat: int = 0,
    judged_suite: str,
    judged_model: str = "",
) -> Request:
    """`turn`: the attempt or question."""
    body = [IDENTITY_VERSION, fingerprint, key, turn, repeat, work.kind, _set_fields(work)]
    body += [judged_model] if judged_model else []
    return Request(
        id=_hash(_encode(body)),
        suite=JUDGE_SUITE,
        test_id=key,
        turn=turn,
        repeat=repeat,
        work=work,
        judged_suite=judged_suite,
        judged_model=judged_model,
    )


def judge_key(test_id: str) -> str:
    """What the judging of a test's answer is called, in the store and in scripted files."""
    return f"judge:{test_id}"


def example_key(rubric: str, example_id: str) -> str:
    return f"judge:{rubric}/{example_id}"


def make_measure_request(
    fingerprint: str, kind: str, test_id: str, work: Work, content: object
) -> Request:
    """A measurement of a checkpoint; `content` is what stands for `work` in the hash."""
    body = ["measure", IDENTITY_VERSION, fingerprint, kind, test_id, content]
    if isinstance(work, ToRead):
        body.append(READING)
    text = json.dumps(body)
    return Request(
        id=_hash(text), suite=MEASURE + kind, test_id=test_id, turn=0, repeat=0, work=work
    )


def make_evidence_request(test_id: str, content: Sequence[object]) -> Request:
    text = json.dumps([IDENTITY_VERSION, *content], separators=_COMPACT)
    nothing = ToAnswer(messages=(), sampling=Sampling(temperature=0.0, seed=0, max_tokens=0))
    return Request(
        id=_hash(text),
        suite=EVIDENCE_SUITE,
        test_id=f"{EVIDENCE_SUITE}:{test_id}",
        turn=0,
        repeat=0,
        work=nothing,
    )


def make_unstored_request(name: str, work: Work) -> Request:
    return Request(id=name, suite="", test_id=name, turn=0, repeat=0, work=work)


def _said(turn: Message) -> tuple[object, ...]:
    calls = () if turn.called is None else astuple(turn.called)
    return (turn.role, turn.content, *calls)


def _hash(text: str) -> str:
    """128 bits: among a million requests two share an id with probability 1e-27."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def _sampling_values(how: Sampling) -> list[object]:
    """The fields that every request has; the later ones only when set."""
    later = _later_values(how)
    always = [how.temperature, how.seed, how.max_tokens, how.stop, how.predictions]
    values = always if later == _OUR_SAMPLING else [*always, later]
    return values if how.loop_stop else [*values, "no loop stop"]


def _set_fields(value: object) -> object:
    if is_dataclass(value):
        given = ((each, getattr(value, each.name)) for each in fields(value))
        return [
            [each.name, _set_fields(item)]
            for each, item in given
            if each.default is MISSING or item != each.default
        ]
    if isinstance(value, tuple):
        return [_set_fields(each) for each in value]
    return value

"""A loop of training and evaluation: its rounds, and what each suggests to change."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from assay.types.decisions import Acceptance, Gate, Measurements, WeightedScore
from assay.types.scores import Estimate

ChangeKind = Literal["steps", "data", "other"]
Standing = Literal["first", "better", "equal", "worse"]
LoopEnd = Literal["accepted", "rounds", "minutes", "tokens", "undecided", "unchanged"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SuggestedChange:
    """What the next training should do differently. `steps`: how many in all. `times`: how much
    more of the data on these `categories` than in the first round. `what`: of any other change.
    """

    kind: ChangeKind
    reason: str
    steps: int = 0
    categories: tuple[str, ...] = ()
    times: float = 1.0
    what: str = ""

    @classmethod
    def of(cls, document: Mapping[str, Any]) -> "SuggestedChange":
        return cls(
            kind=document["change"],
            reason=document["reason"],
            steps=int(document.get("steps", 0)),
            categories=tuple(document.get("categories", ())),
            times=float(document.get("times", 1)),
            what=document.get("what", ""),
        )

    def to_dict(self) -> dict[str, object]:
        own: dict[ChangeKind, dict[str, object]] = {
            "steps": {"steps": self.steps},
            "data": {"categories": list(self.categories), "times": self.times},
            "other": {"what": self.what},
        }
        return {"change": self.kind, **own[self.kind], "reason": self.reason}


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundReview:
    """`by`: "assay", "command" or the spec of a model; `failed`: why no other review came."""

    by: str
    said: str = ""
    failed: str = ""
    tokens: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class LoopRound:
    """A finished round. `standing`: of its checkpoint beside the best one before it, by
    `difference`, positive where this one is better.
    """

    number: int
    measured: Measurements
    acceptance: Acceptance
    weighted: WeightedScore
    review: RoundReview
    changes: tuple[SuggestedChange, ...]
    standing: Standing = "first"
    difference: Estimate | None = None
    best_before: int | None = None

    @property
    def is_best(self) -> bool:
        """So far; of two without a significant difference the one with the higher score."""
        value = self.difference.value if self.difference else None
        return self.standing in ("first", "better") or (
            self.standing == "equal" and not (value or 0) < 0
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingLoop:
    """All finished rounds. `best`: the number of the best one, from which a next would start."""

    rounds: tuple[LoopRound, ...]
    gate: Gate
    ended: LoopEnd
    best: int | None
    seconds: float
    tokens: int
    out: str
    command: str
    notes: tuple[str, ...] = ()
    exit_code: int = 0


_TEXT = {"type": "string", "maxLength": 2000}
_REASON = {"reason": {**_TEXT, "description": "Why, from what was measured."}}


def _change(kind: str, **own: object) -> dict[str, object]:
    properties = {"change": {"const": kind}, **own, **_REASON}
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


REVIEW_SCHEMA: dict[str, object] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "title": "Review of a round of training",
    "type": "object",
    "properties": {
        "review": {**_TEXT, "description": "What is wrong with the checkpoint, in a few words."},
        "changes": {
            "type": "array",
            "maxItems": 20,
            "items": {
                "oneOf": [
                    _change("steps", steps={"type": "integer", "minimum": 1, "maximum": 10**9}),
                    _change(
                        "data",
                        categories={"type": "array", "items": _TEXT, "minItems": 1, "maxItems": 50},
                        times={"type": "number", "exclusiveMinimum": 0, "maximum": 100},
                    ),
                    _change("other", what=_TEXT),
                ]
            },
        },
        "tokens": {"type": "integer", "minimum": 0, "description": "What the review took."},
    },
    "required": ["changes"],
    "additionalProperties": False,
}

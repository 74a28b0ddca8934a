"""What a loop keeps between its rounds: loop.json and the round_NN.json of each finished round."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TypeVar

from assay.errors import UsageError
from assay.files.writing import explain_write_errors, replace_file
from assay.messages import tr
from assay.types.rounds import ChangeKind, RoundReview, SuggestedChange

Stored = TypeVar("Stored")


@dataclass(frozen=True, slots=True, kw_only=True)
class LoopState:
    """loop.json. `key`: of the gate and tests that decide. `tokens` of reviews and `seconds` that
    are spent; the rounds that `failed` in part; `on_accept`: whether its command has run.
    `names`: what the checkpoint of each round is called, which is where its report is.
    """

    key: str = ""
    tokens: int = 0
    failed: tuple[int, ...] = ()
    on_accept: bool = False
    seconds: float = 0.0
    names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredRoundReview:
    by: str
    said: str
    failed: str | None

    def told(self) -> RoundReview:
        return RoundReview(by=self.by, said=self.said, failed=self.failed or "")


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredChange:
    change: ChangeKind
    reason: str
    steps: int = 0
    categories: tuple[str, ...] = ()
    times: float = 1.0
    what: str = ""

    def suggested(self) -> SuggestedChange:
        return SuggestedChange(
            kind=self.change,
            reason=self.reason,
            steps=self.steps,
            categories=self.categories,
            times=self.times,
            what=self.what,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredRound:
    """Of round_NN.json what cannot be derived again from the checkpoint's report."""

    checkpoint: str
    review: StoredRoundReview
    changes: tuple[StoredChange, ...]


def read_state(file: Path) -> LoopState:
    """One with nothing spent where there is none yet."""
    return _read(file, LoopState) or LoopState()


def read_round(file: Path) -> StoredRound | None:
    return _read(file, StoredRound)


def write_state(file: Path, state: LoopState) -> None:
    write_json(file, asdict(state))


def write_json(file: Path, document: Mapping[str, object]) -> None:
    with explain_write_errors(file):
        replace_file(file, json.dumps(document, indent=2, allow_nan=False) + "\n")


def _read(file: Path, kind: type[Stored]) -> Stored | None:
    from pydantic import TypeAdapter, ValidationError  # slow to load

    try:
        return TypeAdapter(kind).validate_python(json.loads(file.read_bytes()))
    except FileNotFoundError:
        return None
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        raise _unreadable(file, f"{where}: {first['msg']}".removeprefix(": ")) from error
    except (OSError, ValueError) as error:
        raise _unreadable(file, error) from error


def _unreadable(file: Path, why: object) -> UsageError:
    return UsageError(
        tr("{path} cannot be read: {why}", path=file, why=why),
        hint=tr("remove it, or name another folder with --out"),
    )

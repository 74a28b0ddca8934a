"""Frozen dataclasses with the quick `__init__`, beside those of the standard library."""

import copy
import inspect
import pickle
from dataclasses import FrozenInstanceError, dataclass, field, fields, replace

import pytest

from assay.frozen import speed_up_init
from assay.types import Answered, Case, Message, Request, Score
from assay.types.results import TestRow


class _Body:
    __slots__ = ()

    def __post_init__(self) -> None:
        if self.size < 0:  # type: ignore[attr-defined]
            raise ValueError("too small")


@dataclass(frozen=True, slots=True)
class Slow(_Body):
    name: str
    size: int = 3
    parts: tuple[int, ...] = ()
    open: bool = False
    other: str | None = field(default=None, kw_only=True)


@speed_up_init
@dataclass(frozen=True, slots=True)
class Quick(_Body):
    name: str
    size: int = 3
    parts: tuple[int, ...] = ()
    open: bool = False
    other: str | None = field(default=None, kw_only=True)


@pytest.mark.parametrize(
    ("given", "named"),
    [(("a",), {}), (("a", 4), {"other": "b", "open": True}), ((), {"name": "a", "parts": (1, 2)})],
)
def test_both_make_the_same(given: tuple[object, ...], named: dict[str, object]) -> None:
    slow, quick = Slow(*given, **named), Quick(*given, **named)  # type: ignore[arg-type]
    assert [getattr(slow, each.name) for each in fields(slow)] == [
        getattr(quick, each.name) for each in fields(quick)
    ]
    assert repr(slow).removeprefix("Slow") == repr(quick).removeprefix("Quick")
    assert type(quick) is Quick
    assert quick == copy.copy(quick) == pickle.loads(pickle.dumps(quick)) == replace(quick)


@pytest.mark.parametrize("kind", [Slow, Quick])
def test_both_refuse_the_same(kind: type[Slow]) -> None:
    made = kind("a")
    with pytest.raises(FrozenInstanceError):
        made.size = 4  # type: ignore[misc]
    with pytest.raises(FrozenInstanceError):
        del made.size
    with pytest.raises(ValueError, match="too small"):
        kind("a", -1)
    for given, named in (((), {}), (("a", 1, (), True, "b"), {}), (("a",), {"unknown": 1})):
        with pytest.raises(TypeError):
            kind(*given, **named)  # type: ignore[arg-type]


@pytest.mark.parametrize("kind", [Answered, Case, Message, Request, Score, TestRow])
def test_those_of_a_run_take_their_fields(kind: type) -> None:
    assert [*inspect.signature(kind).parameters] == [each.name for each in fields(kind)]


@pytest.mark.parametrize("kind", [Slow, Quick])
def test_a_subclass_stays_one(kind: type[Slow]) -> None:
    class Sub(kind):  # type: ignore[valid-type,misc]
        pass

    made = Sub("a", open=True, other="b")
    assert type(made) is Sub
    assert (made.name, made.open, made.other) == ("a", True, "b")


def test_both_have_one_signature() -> None:
    assert inspect.signature(Slow) == inspect.signature(Quick)


def test_a_default_that_is_made_anew_is_refused() -> None:
    @dataclass(frozen=True, slots=True)
    class Made:
        parts: list[int] = field(default_factory=list)

    with pytest.raises(TypeError, match="default factory"):
        speed_up_init(Made)

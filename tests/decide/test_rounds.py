"""When a further round of a loop would train nothing new."""

from __future__ import annotations

from assay.decide.rounds import changes_of, trains_nothing_new
from assay.types.decisions import Recommendation, fact
from assay.types.rounds import SuggestedChange

LARGER = SuggestedChange(kind="other", what="larger_model", reason="flat")
DATA = SuggestedChange(kind="data", categories=("driver_select",), times=2, reason="low")
ALL = ("out", "steps", "resume", "changes")


def repeats(
    placeholders, *changes, before=(), steps=(100, 100), resumed_at: float | None = 100
) -> bool:
    return trains_nothing_new(
        placeholders, before=before, changes=changes, steps=steps, resumed_at=resumed_at
    )


def test_steps_that_the_resumed_checkpoint_has_already_train_nothing():
    assert repeats(("out", "steps", "resume"), LARGER)
    assert not repeats(("out", "steps", "resume"), LARGER, steps=(100, 200))
    assert not repeats(("out", "steps", "resume"), LARGER, resumed_at=50), "stopped half way"
    assert not repeats(("out", "resume"), LARGER), "each round goes on from the last"


def test_the_same_training_again_from_the_beginning_is_nothing_new():
    assert repeats(("out", "steps"), LARGER)
    assert repeats(("out",), LARGER)
    assert not repeats(("out", "steps"), LARGER, steps=(100, 200))


def test_a_command_that_gets_the_changes_may_follow_what_is_new_among_them():
    assert not repeats(ALL, DATA)
    assert not repeats(ALL, LARGER)
    assert repeats(ALL, LARGER, before=(LARGER,)), "it had its chance"
    more = SuggestedChange(kind="data", categories=("driver_select",), times=4, reason="low")
    assert not repeats(ALL, more, before=(DATA,))
    assert repeats(("out", "steps"), DATA), "which a command without {changes} never sees"
    assert repeats(ALL)
    longer = SuggestedChange(kind="steps", steps=200, reason="it falls")
    assert not repeats(("out", "changes"), longer), "it can read the steps there"
    assert repeats(("out", "changes"), longer, before=(longer,))


def test_a_plateau_that_is_not_proven_doubles_the_steps():
    for kind in ("train_on", "unclear"):
        advice = (Recommendation("perplexity", fact(kind, step=30.0, best=20.0), ()),)
        (change,) = changes_of(advice, (), steps=30, write=lambda of: of.kind)
        assert (change.kind, change.steps) == ("steps", 60)

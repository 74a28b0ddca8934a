"""Several draws as one reply."""

from __future__ import annotations

from assay.models.base import draws, together
from assay.types import Answered, Sampling, Timing

WARM = Sampling(temperature=0.7, seed=5, max_tokens=9, predictions=3)


def drawn(text, **more):
    return Answered(request_id="r", text=text, **more)


def test_no_two_draws_share_a_seed_and_repeats_have_theirs_between():
    seeds = [how.seed for how in draws(WARM)]
    assert seeds == [5, 1005, 2005]
    assert all(how.predictions == 1 for how in draws(WARM))


def test_writing_is_added_up_and_loading_and_reading_are_the_first_ones():
    first = Timing(load_s=2.0, other_s=0.1, prefill_s=1.0, decode_s=0.5, cold=True)
    later = Timing(load_s=0.04, other_s=0.1, prefill_s=0.1, decode_s=0.5, cold=False)
    one = together(
        [
            drawn("a", prompt_tokens=100, output_tokens=10, total_s=4.0, timing=first),
            drawn("b", prompt_tokens=100, output_tokens=20, total_s=1.0, timing=later),
        ]
    )
    assert one.predictions == ("a", "b")
    assert (one.prompt_tokens, one.output_tokens, one.total_s) == (100, 30, 5.0)
    assert one.timing == Timing(load_s=2.0, other_s=0.2, prefill_s=1.0, decode_s=1.0, cold=True)


def test_what_was_not_told_stays_unknown():
    unknown = Timing()
    one = together([drawn("a", timing=unknown), drawn("b", timing=unknown)])
    assert one.timing == Timing()
    assert one.output_tokens is None
    assert together([drawn("a", timing=unknown), drawn("b")]).timing is None


def test_a_single_draw_is_as_it_is():
    only = drawn("a", output_tokens=3)
    assert together([only]) is only

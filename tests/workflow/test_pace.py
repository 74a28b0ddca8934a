"""How fast a model is, by one question."""

import pytest

from assay.types import Answered, Timing
from assay.workflow.discover.pace import pace_of


def answered(**more):
    return Answered(request_id="timing", text="one two", **more)


def test_what_a_server_tells_of_reading_grows_with_the_prompt_and_the_rest_does_not():
    timing = Timing(load_s=9.0, prefill_s=1.0, decode_s=1.5, cached_tokens=20, cold=True)
    pace = pace_of(
        answered(
            prompt_tokens=120, output_tokens=16, first_token_s=1.25, total_s=2.75, timing=timing
        )
    )
    assert pace.load_s == 9.0
    assert pace.token_s == pytest.approx(0.1)
    low, high = pace.seconds_to_read(4000)  # 1000 tokens, at 1.0 s for the 100 not cached
    assert low == high == pytest.approx(0.25 + 10.0)


def test_a_model_that_was_in_memory_is_not_loaded_for_the_forecast():
    timing = Timing(load_s=0.04, prefill_s=0.1, cold=False)
    pace = pace_of(answered(prompt_tokens=100, first_token_s=0.2, total_s=1.0, timing=timing))
    assert pace.load_s == 0.0


def test_without_the_servers_word_the_first_token_gives_a_range():
    pace = pace_of(answered(prompt_tokens=100, output_tokens=11, first_token_s=1.0, total_s=2.0))
    assert pace.seconds_to_read(4000) == (pytest.approx(0.5 + 5.0), pytest.approx(10.0))
    assert pace.seconds_to_read(40) == (pytest.approx(0.1), pytest.approx(0.55))


def test_a_server_cannot_have_read_for_longer_than_we_waited():
    timing = Timing(prefill_s=50.0)
    pace = pace_of(answered(prompt_tokens=100, first_token_s=0.5, total_s=2.0, timing=timing))
    assert pace.seconds_to_read(400) == (pytest.approx(0.5), pytest.approx(0.5))


def test_an_answer_that_came_at_once_is_part_reading_and_part_writing():
    pace = pace_of(answered(prompt_tokens=100, output_tokens=11, first_token_s=2.0, total_s=2.0))
    assert pace.token_s == pytest.approx(0.1)
    assert pace.seconds_to_read(4000)[1] == pytest.approx(10.0)

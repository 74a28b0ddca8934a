"""Replies -> seconds, tokens per second, cold and warm, ends and failures."""

from __future__ import annotations

import math

import pytest

from assay.summary.speed import performance, trial_figures
from assay.types import Answered, ChoiceLikelihoods, Failed, ReadText, Reply, Timing
from assay.types.measured.performance import Clock


def answer(**told: object) -> Answered:
    return Answered(request_id="r", text="a", **told)  # type: ignore[arg-type]


def served(
    *, tokens: int = 10, decode_s: float | None = 0.5, cold: bool | None = False, **told: object
) -> Answered:
    timing = Timing(decode_s=decode_s, cold=cold, **told)  # type: ignore[arg-type]
    return answer(output_tokens=tokens, prompt_tokens=100, timing=timing)


def figures_of(reply: Reply, clock: Clock | None = "server"):
    return trial_figures(reply, suite="demo", test="t_001", repeat=0, clock=clock)


# ------------------------------------------------------------------------------------- counting


def test_answers_and_failures_are_counted_and_what_was_not_told_is_not_measured() -> None:
    found = performance(
        [
            answer(total_s=1.0, output_tokens=10, prompt_tokens=5),
            answer(total_s=3.0, output_tokens=50),
            ChoiceLikelihoods(request_id="3", log_likelihoods=(-1.0,), total_s=2.0),
            Failed(request_id="4", reason="no"),
        ]
    )
    assert (found.answered, found.failed) == (3, 1)
    assert (found.seconds_mean.value, found.seconds_p50.value) == (2.0, 2.0)
    assert found.tokens_per_s.value == pytest.approx(60 / 4)
    assert (found.prompt_tokens.n, found.prompt_tokens.unscored) == (1, 3)
    assert found.first_token_s.value is None
    assert found.decode.all.value is None
    assert found.decode_clock is None


def test_no_replies_measure_nothing() -> None:
    found = performance([])
    assert (found.answered, found.failed, found.retries) == (0, 0, 0)
    assert (found.seconds_sd.value, found.load_s.value, found.prefill.all.value) == (None,) * 3


def test_a_choice_lacks_neither_tokens_out_nor_a_first_token() -> None:
    chosen = ChoiceLikelihoods(
        request_id="c", log_likelihoods=(-1.0,), prompt_tokens=30, total_s=1.0
    )
    found = performance([chosen, answer(first_token_s=0.2, output_tokens=4)])
    assert (found.first_token_s.n, found.first_token_s.unscored) == (1, 0)
    assert (found.output_tokens.n, found.output_tokens.unscored) == (1, 0)
    assert found.prompt_tokens.value == 30


def test_attempts_beyond_the_first_are_retries_of_failures_too() -> None:
    found = performance(
        [
            answer(attempts=3),
            answer(),
            ChoiceLikelihoods(request_id="c", log_likelihoods=(-1.0,), attempts=2),
            Failed(request_id="f", reason="no", attempts=4),
        ]
    )
    assert found.retries == 2 + 0 + 1 + 3


def test_ends_are_counted_by_the_servers_word_and_only_where_there_is_one() -> None:
    found = performance([answer(finish="stop"), answer(finish="stop"), answer(finish="length")])
    assert found.finishes == {"stop": 2, "length": 1}
    assert performance([answer(finish="stop"), answer()]).finishes == {"stop": 1, "": 1}
    assert performance([answer(), answer()]).finishes == {}


def test_failures_are_counted_by_cause_most_first() -> None:
    causes = ("timeout", "server_error", "server_error")
    found = performance([Failed(request_id="f", reason="no", cause=cause) for cause in causes])
    assert list(found.failures.items()) == [("server_error", 2), ("timeout", 1)]
    assert found.failed == 3


def test_a_text_read_is_no_answer() -> None:
    read = ReadText(request_id="r", log_likelihood=-1, tokens=1, words=1, bytes=1, top1=0, top5=0)
    assert performance([read]).answered == 0
    assert figures_of(read).seconds is None


# ---------------------------------------------------------------------------------------- spread


def test_spread_is_the_standard_deviation_of_a_sample_with_its_interval() -> None:
    found = performance([answer(total_s=s) for s in (1.0, 2.0, 3.0, 6.0)]).seconds_sd
    assert found.value == pytest.approx(math.sqrt((4 + 1 + 0 + 9) / 3))
    assert found.low is not None
    assert found.high is not None
    assert 0 <= found.low <= found.value <= found.high
    assert (found.n, found.unit) == (4, "s")


def test_one_answer_has_a_mean_and_no_spread() -> None:
    found = performance([answer(total_s=1.0)])
    assert (found.seconds_mean.value, found.seconds_sd.value) == (1.0, None)


def test_equal_answers_have_no_spread_at_all() -> None:
    assert performance([answer(total_s=2.0)] * 5).seconds_sd.value == 0


# --------------------------------------------------------------------------------- cold and warm


def test_decoding_is_all_tokens_over_all_seconds_apart_for_cold_and_warm() -> None:
    found = performance(
        [
            served(tokens=21, decode_s=2.0, cold=True),
            served(tokens=81, decode_s=2.0, cold=False),
            served(tokens=21, decode_s=0.5, cold=False),
            served(tokens=21, decode_s=0.5, cold=None),
            served(tokens=2, decode_s=0.02, cold=False),
        ]
    ).decode
    assert (found.all.value, found.all.n, found.all.unscored) == (pytest.approx(140 / 5), 4, 0)
    assert (found.cold.value, found.cold.n) == (10, 1)
    assert (found.warm.value, found.warm.n) == (pytest.approx(40), 2)


def test_answers_of_two_tokens_tell_no_speed() -> None:
    """Ollama counts two tokens over one step: a model of 25 tokens/s had 50."""
    found = performance([served(tokens=2, decode_s=0.04)] * 120)
    assert (found.decode.all.n, found.client_decode.n) == (0, 0)


def test_prefill_counts_only_tokens_that_were_not_kept_from_before() -> None:
    found = performance(
        [
            served(prefill_s=1.0, cached_tokens=0, cold=True),
            served(prefill_s=0.1, cached_tokens=90),
        ]
    )
    assert found.prefill.cold.value == 100
    assert found.prefill.warm.value == pytest.approx(10 / 0.1)
    assert not found.prefill_at_most


@pytest.mark.parametrize(("cold", "at_most"), [(True, False), (False, True), (None, True)])
def test_a_prefill_whose_kept_tokens_are_unknown_is_an_upper_bound_unless_just_loaded(
    cold: bool | None, at_most: bool
) -> None:
    reply = served(prefill_s=0.04, cold=cold)
    assert performance([reply]).prefill_at_most is at_most
    assert figures_of(reply).prefill_at_most is at_most


def test_a_prompt_kept_whole_has_no_prefill_speed() -> None:
    reply = served(prefill_s=0.04, cached_tokens=100)
    assert performance([reply]).prefill.all.value is None
    assert not performance([reply]).prefill_at_most


def test_loading_is_measured_where_the_model_was_loaded() -> None:
    found = performance(
        [
            served(load_s=4.0, cold=True),
            served(load_s=0.05, cold=False),
            served(load_s=0.05, cold=False),
        ]
    ).load_s
    assert (found.value, found.n, found.unscored) == (4.0, 1, 0)


def test_waiting_is_averaged_over_those_that_say() -> None:
    found = performance([served(other_s=0.5), served(other_s=1.5), answer()]).other_s
    assert (found.value, found.n, found.unscored) == (1.0, 2, 1)


# ---------------------------------------------------------------------------------------- clocks


def test_without_a_servers_clock_decoding_is_timed_from_the_first_token() -> None:
    found = performance([answer(output_tokens=21, first_token_s=0.5, total_s=2.5)])
    assert found.decode.all.value == pytest.approx(20 / 2.0)
    assert found.decode_clock == "client"
    assert found.decode.cold.n == found.decode.warm.n == 0


def test_two_clocks_are_never_in_one_figure() -> None:
    by_client = answer(output_tokens=21, first_token_s=0.5, total_s=2.5)
    found = performance([served(tokens=21, decode_s=1.0), by_client])
    assert found.decode_clock == "server"
    assert (found.decode.all.value, found.decode.all.n, found.decode.all.unscored) == (20, 1, 1)
    assert (found.client_decode.value, found.client_decode.n) == (10, 1)
    assert figures_of(by_client, "server").decode_tokens_per_s is None
    assert figures_of(by_client, "client").decode_tokens_per_s == pytest.approx(10)


@pytest.mark.parametrize(
    "told",
    [
        {"output_tokens": 15, "first_token_s": 0.5, "total_s": 2.5},
        {"output_tokens": 90, "first_token_s": 2.5, "total_s": 2.5},
        {"output_tokens": 90, "first_token_s": 2.5, "total_s": 2.5001},
        {"output_tokens": 90, "total_s": 2.5},
        {"output_tokens": 90, "first_token_s": 0.5, "total_s": 2.5, "predictions": ("a", "b")},
    ],
)
def test_what_has_no_time_between_two_tokens_has_no_speed(told: dict[str, object]) -> None:
    found = performance([answer(**told)])
    assert (found.decode.all.value, found.decode_clock) == (None, None)


def test_an_answer_of_one_token_is_not_called_untold() -> None:
    """Ollama gives no decode time for it: there was none."""
    letter = served(tokens=1, decode_s=None)
    found = performance([served(tokens=20), *[letter] * 9]).decode.all
    assert (found.n, found.unscored, found.incomplete) == (1, 0, False)


# ------------------------------------------------------------------------------------- one try


def test_a_try_has_its_own_figures() -> None:
    reply = Answered(
        request_id="r",
        text="a",
        prompt_tokens=100,
        output_tokens=21,
        first_token_s=0.3,
        total_s=5.0,
        finish="stop",
        attempts=2,
        timing=Timing(load_s=3.0, other_s=0.2, prefill_s=0.5, decode_s=0.5, cold=True),
    )
    found = trial_figures(reply, suite="demo", test="t_001", repeat=1, clock="server")
    assert (found.suite, found.test, found.repeat) == ("demo", "t_001", 1)
    assert (found.seconds, found.first_token_s, found.load_s, found.other_s) == (5.0, 0.3, 3.0, 0.2)
    assert (found.prefill_tokens_per_s, found.decode_tokens_per_s) == (200.0, 40.0)
    assert (found.prompt_tokens, found.output_tokens, found.cold) == (100, 21, True)
    assert (found.finish, found.attempts, found.failure) == ("stop", 2, None)


def test_a_choice_is_a_try_without_tokens_out() -> None:
    timing = Timing(prefill_s=0.5, cold=False, cached_tokens=50)
    chosen = ChoiceLikelihoods(
        request_id="c", log_likelihoods=(-1.0,), prompt_tokens=100, total_s=0.6, timing=timing
    )
    found = figures_of(chosen)
    assert (found.prefill_tokens_per_s, found.output_tokens, found.finish) == (100.0, None, "")
    assert found.decode_tokens_per_s is None


def test_a_failed_try_has_its_cause_its_attempts_and_how_long_it_took() -> None:
    failed = Failed(request_id="f", reason="no", cause="timeout", total_s=120.0, attempts=3)
    found = figures_of(failed)
    assert (found.failure, found.attempts, found.seconds) == ("timeout", 3, 120.0)


@pytest.mark.parametrize("absurd", [math.inf, math.nan, -1.0, 1e300])
def test_absurd_claims_of_a_server_are_taken_for_nothing(absurd: float) -> None:
    timing = Timing(load_s=absurd, other_s=absurd, prefill_s=absurd, decode_s=absurd)
    found = performance([answer(output_tokens=10, prompt_tokens=10, timing=timing)])
    assert (found.load_s.n, found.other_s.n, found.prefill.all.n, found.decode.all.n) == (0,) * 4


def test_absurd_counts_are_taken_for_nothing() -> None:
    reply = served(tokens=10**400, decode_s=1e-300, prefill_s=1e-300, cached_tokens=10**400)
    assert performance([reply]).output_tokens.value is None
    assert figures_of(reply).output_tokens is None
    assert figures_of(reply).prefill_tokens_per_s is None

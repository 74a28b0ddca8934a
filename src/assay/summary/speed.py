"""How quick a model's answers were, how long, and how they ended.

    prefill   (tokens of the prompt - those kept from before) / the seconds the server read them
    decode    tokens after the first / the seconds they took, by the server's figures, and by the
              client's clock; only answers of 16 tokens or more count
    cold      the model was loaded for this request; warm: it was there

Speeds are sums over sums, so that a long answer weighs what it took.
"""

import math
import statistics
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from assay.stats import estimates
from assay.types import Answered, Cause, ChoiceLikelihoods, Estimate, Failed, Reply, Timed, Timing
from assay.types.measured.performance import (
    Clock,
    DepthFigures,
    MemoryPart,
    Performance,
    Speeds,
    TrialFigures,
)

AnyAnswer = Answered | ChoiceLikelihoods
Work = tuple[float, float]  # tokens, and the seconds they took

# A server may claim anything. Beyond these it is taken for nothing, and no quotient overflows.
LARGEST = 1e15
SHORTEST_S = 1e-9  # the servers' own unit is the nanosecond
FEWEST_TOKENS = 16
FASTEST = 10_000  # tokens/s; what seems faster was held back on its way and came at once
NO_TIMING = Timing()


def performance(replies: Iterable[Reply]) -> Performance:
    """All of a model's replies in figures. What is not known has n = 0."""
    answers: list[AnyAnswer] = []
    failures: Counter[Cause] = Counter()
    retries = 0
    for reply in replies:
        if isinstance(reply, Failed):
            failures[reply.cause] += 1
        elif isinstance(reply, Answered | ChoiceLikelihoods):
            answers.append(reply)
        else:
            continue
        retries += reply.attempts - 1
    written = [reply for reply in answers if isinstance(reply, Answered)]
    clock = _clock(written)
    seconds = [_valid(reply.total_s) for reply in answers]
    failed = failures.total()

    def of_all(estimate: Estimate) -> Estimate:
        """What failed has no figure, and the slowest are among it: it counts as missing."""
        return replace(estimate, unscored=estimate.unscored + failed) if estimate.n else estimate

    return Performance(
        answered=len(answers),
        failed=failed,
        seconds_mean=of_all(_mean(seconds, "s")),
        seconds_sd=of_all(_standard_deviation(seconds)),
        seconds_p50=of_all(_quantile(seconds, 0.50)),
        seconds_p95=of_all(_quantile(seconds, 0.95)),
        first_token_s=of_all(_mean([_valid(reply.first_token_s) for reply in written], "s")),
        first_answer_s=of_all(_mean([_valid(reply.first_answer_s) for reply in written], "s")),
        load_s=_mean([s for reply in answers if (s := _loading(reply)) is not None], "s"),
        other_s=of_all(_mean([_valid(_timing(reply).other_s) for reply in answers], "s")),
        queue_s=of_all(_mean([_valid(reply.queue_s) for reply in answers], "s")),
        wall_s=_sum([_valid(reply.wall_s) for reply in answers]),
        prompt_tokens=of_all(_mean([_valid(reply.prompt_tokens) for reply in answers], "tokens")),
        output_tokens=of_all(_mean([_valid(reply.output_tokens) for reply in written], "tokens")),
        tokens_per_s=of_all(_rate([*map(_overall, written)])),
        prefill=_speeds(answers, _prefilled),
        decode=_speeds(_long_enough(written), lambda reply: _decoded(reply, clock)),
        decode_clock=clock,
        client_decode=_rate([_decoded(reply, "client") for reply in _long_enough(written)]),
        prefill_at_most=any(
            _may_have_kept(_timing(each)) and _prefilled(each) is not None for each in answers
        ),
        retries=retries,
        finishes=_finishes(written),
        failures=dict(failures.most_common()),
    )


def trial_figures(
    reply: Reply, *, suite: str, test: str, repeat: int, clock: Clock | None
) -> TrialFigures:
    """One trial in figures, its decoding by the clock that all trials of its model go by."""
    if isinstance(reply, Failed):
        return TrialFigures(
            suite=suite,
            test=test,
            repeat=repeat,
            seconds=_valid(reply.total_s),
            attempts=reply.attempts,
            failure=reply.cause,
        )
    if not isinstance(reply, Answered | ChoiceLikelihoods):
        return TrialFigures(suite=suite, test=test, repeat=repeat)
    timing, prefilled = _timing(reply), _prefilled(reply)
    written = reply if isinstance(reply, Answered) else None
    return TrialFigures(
        suite=suite,
        test=test,
        repeat=repeat,
        seconds=_valid(reply.total_s),
        first_token_s=_valid(written.first_token_s) if written else None,
        load_s=_valid(timing.load_s),
        other_s=_valid(timing.other_s),
        prefill_tokens_per_s=_quotient(prefilled),
        prefill_at_most=prefilled is not None and _may_have_kept(timing),
        decode_tokens_per_s=_quotient(_decoded(reply, clock)),
        prompt_tokens=_count(reply.prompt_tokens),
        output_tokens=_count(written.output_tokens) if written else None,
        cold=timing.cold,
        finish=written.finish if written else "",
        attempts=reply.attempts,
    )


def _valid(number: float | None) -> float | None:
    """A count or a duration that can be one."""
    if number is None or not 0 <= number <= LARGEST:  # NaN is in no range
        return None
    return float(number)


def _count(number: int | None) -> int | None:
    return None if _valid(number) is None else number


def _timing(reply: AnyAnswer) -> Timing:
    return reply.timing or NO_TIMING


def _loading(reply: AnyAnswer) -> float | None:
    """A server names a few milliseconds of loading for a model that is there: no loading at all."""
    timing = _timing(reply)
    return None if timing.cold is False else _valid(timing.load_s)


def _work(tokens: float | None, seconds: float | None) -> Work | None:
    if tokens is None or seconds is None or tokens <= 0 or seconds < SHORTEST_S:
        return None
    return tokens, seconds


def _quotient(work: Work | None) -> float | None:
    return None if work is None else work[0] / work[1]


def _overall(reply: AnyAnswer) -> Work | None:
    if not isinstance(reply, Answered):
        return None
    tokens, seconds = _valid(reply.output_tokens), _valid(reply.total_s)
    if tokens is None or seconds is None or seconds < SHORTEST_S:
        return None
    return tokens, seconds


def _prefilled(reply: AnyAnswer) -> Work | None:
    timing, tokens = _timing(reply), _valid(reply.prompt_tokens)
    if tokens is None:
        return None
    return _work(tokens - (_valid(timing.cached_tokens) or 0), _valid(timing.prefill_s))


def _may_have_kept(timing: Timing) -> bool:
    """A model just loaded has kept nothing; any other may have, where its server does not say."""
    return timing.cached_tokens is None and timing.cold is not True


def _decoded(reply: AnyAnswer, clock: Clock | None) -> Work | None:
    if not isinstance(reply, Answered):
        return None
    tokens = _valid(reply.output_tokens)
    if tokens is None or tokens < FEWEST_TOKENS:
        return None
    if clock == "server":
        return _work(tokens - max(1, len(reply.predictions)), _valid(_timing(reply).decode_s))
    total, first = _valid(reply.total_s), _valid(reply.first_token_s)
    # Several predictions are several answers, and the first token is that of one of them.
    if total is None or first is None or len(reply.predictions) > 1:
        return None
    work = _work(tokens - 1, total - first)
    return None if work is None or work[0] / work[1] > FASTEST else work


def _clock(written: Sequence[Answered]) -> Clock | None:
    clocks: tuple[Clock, ...] = ("server", "client")
    return next((c for c in clocks if any(_decoded(reply, c) for reply in written)), None)


def _long_enough(written: Sequence[Answered]) -> list[Answered]:
    """A few tokens tell no speed: such an answer lacks no figure."""
    return [
        reply
        for reply in written
        if reply.output_tokens is None or reply.output_tokens >= FEWEST_TOKENS
    ]


def _speeds(replies: Sequence[AnyAnswer], work: Callable[[AnyAnswer], Work | None]) -> Speeds:
    done = [(_timing(reply).cold, work(reply)) for reply in replies]
    return Speeds(
        all=_rate([amount for _, amount in done]),
        cold=_rate([amount for cold, amount in done if cold is True]),
        warm=_rate([amount for cold, amount in done if cold is False]),
    )


def _rate(amounts: Sequence[Work | None]) -> Estimate:
    done = [amount for amount in amounts if amount is not None]
    return estimates.ratio(
        [tokens for tokens, _ in done],
        [seconds for _, seconds in done],
        unit="tokens/s",
        unscored=_count_missing(amounts, done),
    )


def _mean(values: Sequence[float | None], unit: str) -> Estimate:
    known = [value for value in values if value is not None]
    return estimates.average(known, unit=unit, unscored=_count_missing(values, known))


def _sum(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return math.fsum(known) if known else None


def _quantile(seconds: Sequence[float | None], share: float) -> Estimate:
    known = [value for value in seconds if value is not None]
    return estimates.quantile_of(known, share, unit="s", unscored=_count_missing(seconds, known))


def _standard_deviation(seconds: Sequence[float | None]) -> Estimate:
    """The root of the variance, which is a mean of squares, and of its interval."""
    known = [value for value in seconds if value is not None]
    n = len(known)
    if n < 2:
        return estimates.nothing(unit="s", method="bootstrap")
    mean = math.fsum(known) / n
    squares = [(value - mean) ** 2 * n / (n - 1) for value in known]
    variance = estimates.average(squares, unit="s", unscored=_count_missing(seconds, known))
    return variance.mapped(lambda x: math.sqrt(max(0.0, x)), n=n, unit="s", method="bootstrap")


def _count_missing(asked: Sequence[object], known: Sequence[object]) -> int:
    """How many answers lack a figure; 0 if all do, which is "not measured" and not incomplete."""
    return len(asked) - len(known) if known else 0


def _finishes(written: Sequence[Answered]) -> dict[str, int]:
    counted = Counter(reply.finish for reply in written)
    return dict(counted.most_common()) if any(counted) else {}


DOES_NOT_FIT = ("out_of_memory", "prompt_too_long")
MB = 1e6


def depth_figures(depth: int, replies: Sequence[Reply]) -> DepthFigures:
    timed = [reply for reply in replies if isinstance(reply, Timed)]
    failed = [reply for reply in replies if isinstance(reply, Failed)]
    served = bool(timed) and "cold" in timed[0].details
    found = _served(timed) if served else _local(timed)
    if failed and not timed:
        fits = failed[0].cause not in DOES_NOT_FIT
        return DepthFigures(depth=depth, **found, fits=fits, why_not=failed[0].reason)
    return DepthFigures(depth=depth, **found)


def _served(timed: Sequence[Timed]) -> dict[str, Any]:
    cold = [_answer(reply.details["cold"]) for reply in timed]
    cached = [_answer(reply.details["cached"]) for reply in timed]
    timings = [each.timing for each in (*cold, *cached) if each.timing]
    clock: Clock = "client"
    if any(each.prefill_s or each.decode_s for each in timings):
        clock = "server"
    rows, of_cached = _rows(cold, clock), _rows(cached, clock)
    prefill = [each.prefill_tokens_per_s for each in rows]
    if clock == "client":  # reading, one token and the way to us and back: at least this fast
        told = ((each.prompt_tokens, each.first_token_s) for each in cold)
        prefill = [tokens / seconds if tokens and seconds else None for tokens, seconds in told]
    by_us = _rows([*cold, *cached], "client")
    memory = [reply.details.get("memory_bytes") for reply in timed]
    on_gpu = timed[-1].details.get("gpu_bytes")
    return {
        "prompt_tokens": _median([each.prompt_tokens for each in cold], "tokens"),
        "prefill": _median(prefill, "tokens/s"),
        "decode": _median([each.decode_tokens_per_s for each in (*rows, *of_cached)], "tokens/s"),
        "client_decode": _median([each.decode_tokens_per_s for each in by_us], "tokens/s"),
        "first_token_s": _median([each.first_token_s for each in rows], "s"),
        "cached_first_token_s": _median([each.first_token_s for each in of_cached], "s"),
        "memory": _median([size / MB if size else None for size in memory], "MB"),
        "memory_parts": _parts(timed[-1].details) if timed else {},
        "gpu_share": min(1.0, on_gpu / memory[-1]) if memory[-1] and on_gpu is not None else None,
        "clock": clock,
    }


def _parts(details: Mapping[str, Any]) -> dict[MemoryPart, float]:
    names: tuple[MemoryPart, ...] = ("weights", "cache", "resident")
    told = {name: details.get(f"{name}_bytes") for name in names}
    return {name: size / MB for name, size in told.items() if size}


def _local(timed: Sequence[Timed]) -> dict[str, Any]:
    """On a GPU the memory that was taken there, else that of the process."""
    rates = [rate for reply in timed for rate in reply.details["runs_per_s"]]
    prefill_s = [seconds for reply in timed for seconds in reply.prefill_s]
    read = [reply.details["prompt_tokens"] for reply in timed]
    on_gpu = any(reply.details.get("gpu_mb") for reply in timed)
    kinds = ("gpu_mb",) if on_gpu else ("resident_mb", "memory_usage_mb")
    memory = [next(filter(None, map(reply.details.get, kinds)), None) for reply in timed]
    return {
        "prompt_tokens": _median(read, "tokens"),
        "prefill": _median([read[0] / seconds for seconds in prefill_s], "tokens/s"),
        "decode": _median(rates, "tokens/s"),
        "client_decode": _median(rates, "tokens/s"),
        "first_token_s": _median(prefill_s, "s"),
        "cached_first_token_s": _median([], "s"),
        "memory": _median(memory, "MB"),
        "gpu_share": float(on_gpu) if timed else None,
        "clock": "client",
    }


def _answer(figures: Mapping[str, Any]) -> Answered:
    timing = Timing(**figures["timing"]) if figures.get("timing") else None
    return Answered(request_id="", text="", **{**figures, "timing": timing})


def _rows(answers: Iterable[Answered], clock: Clock) -> list[TrialFigures]:
    return [trial_figures(each, suite="", test="", repeat=0, clock=clock) for each in answers]


def _median(values: Iterable[float | None], unit: str) -> Estimate:
    known = [value for value in values if value is not None]
    if not known:
        return estimates.nothing(unit=unit)
    middle, ends = statistics.median(known), (min(known), max(known))
    return estimates.estimate(middle, ends, len(known), unit=unit, method="median and range")

"""What `assay speed` measured of a model, by depth of context: medians and ranges of n tries."""

import statistics
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from assay.stats import estimates
from assay.summary.speed import try_figures
from assay.types import Answered, Estimate, Failed, Reply, Timed, Timing
from assay.types.performance import Clock, DepthFigures, TryFigures

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
        "gpu_share": min(1.0, on_gpu / memory[-1]) if memory[-1] and on_gpu is not None else None,
        "clock": clock,
    }


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


def _rows(answers: Iterable[Answered], clock: Clock) -> list[TryFigures]:
    return [try_figures(each, suite="", test="", repeat=0, clock=clock) for each in answers]


def _median(values: Iterable[float | None], unit: str) -> Estimate:
    known = [value for value in values if value is not None]
    if not known:
        return estimates.nothing(unit=unit)
    middle, ends = statistics.median(known), (min(known), max(known))
    return estimates.estimate(middle, ends, len(known), unit=unit, method="median and range")

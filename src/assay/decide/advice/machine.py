"""What to do about a model that is too slow or too large: where the time and the memory go.

In: a checkpoint with the details of its timing and memory, and a limit. Out: recommendations.

Decoding one text reads every weight once a token. Where that reading fills the memory's bandwidth,
fewer bytes a token is the only remedy: a smaller or a quantised model. Where it does not, the time
goes into the many small operations of each layer, and fewer, wider layers help,
while a quantised model of the same shape would hardly be faster.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from assay.types.decisions import DecisionFact, Measurements, Recommendation, fact

FILLED = 0.6  # of the bandwidth: reading the weights decides the speed
IDLE = 0.3  # of the bandwidth: it does not
UNSTEADY = 2.0  # times the median latency, at the 95th percentile
BITS = {"float32": 32, "fp32": 32, "bfloat16": 16, "bf16": 16, "float16": 16, "fp16": 16}
BYTES_OF_16_BITS = 2


def parameters(measured: Measurements) -> tuple[DecisionFact, ...]:
    """How many it has, where that is known."""
    known = measured.parameters
    return () if known is None else (fact("parameters", parameters=known),)


def on_speed(measured: Measurements, value: float, limit: float) -> list[Recommendation]:
    """For a speed that is not above its limit."""
    if measured.speed is None or value <= 0:
        return []
    known = measured.speed.details
    level = fact("speed_level", value=measured.speed.tokens_per_s, limit=limit)
    figures = (level, *_where_the_time_goes(known))
    share = _number(known, "share_of_bandwidth")
    if share is not None and share < IDLE:
        return [
            Recommendation(
                "speed", fact("wider_layers", share=share, factor=limit / value), figures
            )
        ]
    advice = _fewer_bytes(known, limit / value, share)
    return [Recommendation("speed", advice, (*figures, *parameters(measured)))]


def _fewer_bytes(known: Mapping[str, Any], factor: float, share: float | None) -> DecisionFact:
    if share is None:
        return fact("smaller_or_quantised", factor=factor)
    if share < FILLED:
        return fact("smaller_with_fewer_layers", factor=factor, share=share)
    bits = BITS.get(str(known.get("dtype", "")))
    times = (bits // 8) if bits else 0  # what 8-bit weights would divide the bytes by
    if times >= factor:
        return fact("quantise_earlier", times=times, bits=bits, factor=factor)
    return fact("fewer_bytes", factor=factor)


def _where_the_time_goes(known: Mapping[str, Any]) -> Iterator[DecisionFact]:
    prefill, decode = _median(known.get("prefill_s")), _median(known.get("decode_s"))
    if prefill is not None and decode is not None and prefill + decode > 0:
        share = decode / (prefill + decode)
        yield fact("time_shares", prefill=prefill, decode=decode, share=share)
    size, bandwidth = _number(known, "bytes_per_token"), _number(known, "share_of_bandwidth")
    if size is not None and bandwidth is not None:
        yield fact("bytes_read", megabytes=size / 1e6, share=bandwidth)
    half, most = _number(known, "latency_p50_s"), _number(known, "latency_p95_s")
    if half is not None and most is not None and half > 0:
        kind = "latency_unsteady" if most > UNSTEADY * half else "latency"
        yield fact(kind, half=1000 * half, most=1000 * most)


def on_memory(measured: Measurements, value: float, limit: float) -> list[Recommendation]:
    """For a memory that is not below its limit."""
    known = {**(measured.speed.details if measured.speed else {}), **measured.memory}
    parts = {
        name: size
        for name in ("weights", "cache", "activations")
        if (size := _number(known, f"{name}_mb")) is not None
    }
    by_size = sorted(parts, key=lambda name: -parts[name])
    figures = (
        fact("memory_level", value=value, limit=limit),
        *(fact(f"memory_of_{name}", size=parts[name]) for name in by_size),
        *parameters(measured),
    )
    advice = _smaller(by_size[0] if parts else "", parts, value - limit, known)
    return [Recommendation("memory", advice, figures)]


def _smaller(
    largest: str, parts: Mapping[str, float], excess: float, known: Mapping[str, Any]
) -> DecisionFact:
    """The largest part, and by how much it must shrink."""
    if not largest:
        return fact("smaller_or_shorter", excess=excess)
    size = parts[largest]
    if largest == "activations":
        return fact("smaller_activations", size=size, excess=excess)
    if largest == "weights":
        if excess >= size:
            return fact("much_smaller", weights=size, rest=excess - size)
        parameters = round(excess * 1e6 / BYTES_OF_16_BITS)
        return fact("fewer_parameters", excess=excess, share=excess / size, parameters=parameters)
    tokens = (_number(known, "prompt_tokens") or 0) + (_number(known, "new_tokens") or 0)
    if tokens > 0 and 0 <= excess < size:
        fitting = (1 - excess / size) * tokens
        return fact("shorter_context", each=1000 * size / tokens, fitting=fitting, tokens=tokens)
    return fact("smaller_cache", cache=size, excess=excess)


def _number(known: Mapping[str, Any], name: str) -> float | None:
    value = known.get(name)
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if is_number and value is not None and value >= 0 else None


def _median(values: object) -> float | None:
    if not isinstance(values, Sequence) or isinstance(values, str):
        return None
    numbers = [float(value) for value in values if isinstance(value, int | float)]
    return statistics.median(numbers) if numbers else None

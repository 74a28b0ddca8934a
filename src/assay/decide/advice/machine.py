"""What to do about a model that is too slow or too large: where the time and the memory go.

Decoding one text reads every weight once a token. Where that reading uses much of the memory's
bandwidth, fewer bytes a token is the remedy: a smaller or a quantised model. Where it does not, the
time goes into the many small operations of each layer, and fewer, wider layers help.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from assay.types.decisions import DecisionFact, Measurements, Recommendation, fact

IDLE = 0.3  # of the bandwidth: reading the weights does not decide the speed
BYTES_OF_16_BITS = 2


def parameters(measured: Measurements) -> tuple[DecisionFact, ...]:
    known = measured.parameters
    return () if known is None else (fact("parameters", parameters=known),)


def on_speed(measured: Measurements, value: float, limit: float) -> list[Recommendation]:
    if measured.speed is None or value <= 0:
        return []
    known = measured.speed.details
    share = _number(known, "share_of_bandwidth")
    if share is None:
        kind = "smaller_or_quantised"
    else:
        kind = "wider_layers" if share < IDLE else "fewer_bytes"
    figures = (
        fact("speed_level", value=measured.speed.tokens_per_s, limit=limit),
        *_where_the_time_goes(known),
        *parameters(measured),
    )
    return [Recommendation("speed", fact(kind, factor=limit / value, share=share), figures)]


def _where_the_time_goes(known: Mapping[str, Any]) -> Iterator[DecisionFact]:
    prefill, decode = _median(known.get("prefill_s")), _median(known.get("decode_s"))
    if prefill is not None and decode is not None and prefill + decode > 0:
        share = decode / (prefill + decode)
        yield fact("time_shares", prefill=prefill, decode=decode, share=share)
    size, bandwidth = _number(known, "bytes_per_token"), _number(known, "share_of_bandwidth")
    if size is not None and bandwidth is not None:
        yield fact("bytes_read", megabytes=size / 1e6, share=bandwidth)


def on_memory(measured: Measurements, value: float, limit: float) -> list[Recommendation]:
    """For a memory that is not below its limit: its largest part, and how much must go."""
    parts = {
        name: size
        for name in ("weights", "cache", "activations")
        if (size := _number(measured.memory, f"{name}_mb")) is not None
    }
    by_size = sorted(parts, key=lambda name: -parts[name])
    figures = (
        fact("memory_level", value=value, limit=limit),
        *(fact(f"memory_of_{name}", size=parts[name]) for name in by_size),
        *parameters(measured),
    )
    excess = value - limit
    kind = f"smaller_{by_size[0] if parts else 'model'}"
    advice = fact(kind, excess=excess, parameters=round(excess * 1e6 / BYTES_OF_16_BITS))
    return [Recommendation("memory", advice, figures)]


def _number(known: Mapping[str, Any], name: str) -> float | None:
    value = known.get(name)
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if is_number and value is not None and value >= 0 else None


def _median(values: object) -> float | None:
    if not isinstance(values, Sequence) or isinstance(values, str):
        return None
    numbers = [float(value) for value in values if isinstance(value, int | float)]
    return statistics.median(numbers) if numbers else None

"""What to do about a model that is too slow or too large: where the time and the memory go.

In: a checkpoint with the details of its timing and memory, and a criterion. Out: recommendations.

Decoding one text reads every weight once a token. Where that reading fills the memory's bandwidth,
fewer bytes a token is the only remedy: a smaller or a quantised model. Where it does not, the time
goes into the many small operations of each layer, and fewer, wider layers or more threads help,
while a quantised model of the same shape would hardly be faster.
"""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from typing import Any

from assay.decide import wording
from assay.messages import tr
from assay.types.decisions import Criterion, Measured, Recommendation

FILLED = 0.6  # of the bandwidth: reading the weights decides the speed
IDLE = 0.3  # of the bandwidth: it does not
UNSTEADY = 2.0  # times the median latency, at the 95th percentile
BITS = {"float32": 32, "fp32": 32, "bfloat16": 16, "bf16": 16, "float16": 16, "fp16": 16}
BYTES_OF_16_BITS = 2


# -------------------------------------------------------------------------------------------- speed


def on_speed(measured: Measured, criterion: Criterion) -> list[Recommendation]:
    """For a speed that is not above its limit; nothing otherwise."""
    if criterion.passed is not False or criterion.value is None or criterion.limit is None:
        return []
    if measured.speed is None or criterion.value <= 0:
        return []
    known = measured.speed.details
    factor = criterion.limit / criterion.value
    figures = (
        tr(
            "{value} tokens per second; limit above {limit}",
            value=wording.estimate(measured.speed.tokens_per_s),
            limit=wording.number(criterion.limit),
        ),
        *_where_the_time_goes(known),
    )
    share = _number(known, "share_of_bandwidth")
    if share is None:
        advice = tr(
            "A smaller model, or quantise before this gate: it must become {factor} times as fast.",
            factor=wording.number(factor),
        )
        return [_speed(advice, *figures, *_parameters(measured))]
    if share >= FILLED:
        return [_fewer_bytes(measured, known, factor, figures)]
    if share < IDLE:
        return [_less_overhead(known, factor, share, figures)]
    advice = tr(
        "A smaller model with fewer layers: it must become {factor} times as fast. Quantising "
        "alone saves less than {share} of the time, which is what reading the weights takes at "
        "full bandwidth; the rest is computing and overhead of the layers.",
        factor=wording.number(factor),
        share=wording.percent(share),
    )
    return [_speed(advice, *figures, *_parameters(measured))]


def _fewer_bytes(
    measured: Measured, known: Mapping[str, Any], factor: float, figures: tuple[str, ...]
) -> Recommendation:
    bits = BITS.get(str(known.get("dtype", "")))
    reached = (bits // 8) if bits else None  # what 8-bit weights would divide the bytes by
    if reached is not None and reached >= factor:
        advice = tr(
            "Quantise earlier: decoding is bound by memory, and with 8-bit weights a token takes "
            "up to {times} times fewer bytes than now ({bits} bits), where {factor} times is "
            "needed. Else a model with {factor} times fewer parameters.",
            times=reached,
            bits=bits,
            factor=wording.number(factor),
        )
    else:
        advice = tr(
            "A smaller model: decoding is bound by memory, and a token must take {factor} times "
            "fewer bytes. Quantising earlier divides them too.",
            factor=wording.number(factor),
        )
    return _speed(advice, *figures, *_parameters(measured))


def _less_overhead(
    known: Mapping[str, Any], factor: float, share: float, figures: tuple[str, ...]
) -> Recommendation:
    threads, cores = _number(known, "threads"), _cores(known)
    if threads is not None and cores is not None and threads < cores:
        advice = tr(
            "Use more threads first ({threads} of {cores} cores were used): memory is read at "
            "only {share} of its bandwidth, so the time goes into computing and the overhead of "
            "each layer. Then fewer, wider layers; it must become {factor} times as fast.",
            threads=wording.count(threads),
            cores=wording.count(cores),
            share=wording.percent(share),
            factor=wording.number(factor),
        )
    else:
        advice = tr(
            "Fewer, wider layers: memory is read at only {share} of its bandwidth, so the time "
            "goes into computing and the overhead of each layer, and quantising would gain little. "
            "It must become {factor} times as fast.",
            share=wording.percent(share),
            factor=wording.number(factor),
        )
    return _speed(advice, *figures)


def _where_the_time_goes(known: Mapping[str, Any]) -> tuple[str, ...]:
    found: list[str] = []
    prefill, decode = _median(known.get("prefill_s")), _median(known.get("decode_s"))
    if prefill is not None and decode is not None and prefill + decode > 0:
        found.append(
            tr(
                "prompt {prefill} s, decoding {decode} s ({share} of the time)",
                prefill=wording.number(prefill),
                decode=wording.number(decode),
                share=wording.percent(decode / (prefill + decode)),
            )
        )
    size, share = _number(known, "bytes_per_token"), _number(known, "share_of_bandwidth")
    if size is not None and share is not None:
        found.append(
            tr(
                "{size} read per token, {share} of the memory's bandwidth",
                size=wording.megabytes(size / 1e6),
                share=wording.percent(share),
            )
        )
    half, most = _number(known, "latency_p50_s"), _number(known, "latency_p95_s")
    if half is not None and most is not None and half > 0:
        latency = tr(
            "per token {half} ms, 95 % within {most} ms",
            half=wording.number(1000 * half),
            most=wording.number(1000 * most),
        )
        unsteady = tr("unsteady: other programs may have been running")
        found.append(f"{latency} ({unsteady})" if most > UNSTEADY * half else latency)
    return tuple(found)


def _speed(advice: str, *figures: str) -> Recommendation:
    return Recommendation(concern="speed", advice=advice, figures=figures)


def _parameters(measured: Measured) -> tuple[str, ...]:
    if measured.parameters is None:
        return ()
    return (tr("{million} parameters", million=wording.million(measured.parameters)),)


# ------------------------------------------------------------------------------------------- memory


def on_memory(measured: Measured, criterion: Criterion) -> list[Recommendation]:
    """For a memory that is not below its limit; nothing otherwise."""
    if criterion.passed is not False or criterion.value is None or criterion.limit is None:
        return []
    value, limit = criterion.value, criterion.limit
    excess = value - limit
    level = tr(
        "memory {value} MB, limit below {limit} MB",
        value=wording.number(value, beside=limit),
        limit=wording.number(limit),
    )
    known = {**(measured.speed.details if measured.speed else {}), **measured.memory}
    parts = {
        name: size
        for name in ("weights", "cache", "activations")
        if (size := _number(known, f"{name}_mb")) is not None
    }
    if not parts:
        advice = tr(
            "A smaller model or a shorter context: it takes {excess} MB too much.",
            excess=wording.number(excess),
        )
        return [_memory(advice, level, *_parameters(measured))]
    figures = (level, _parts(parts), *_parameters(measured))
    largest = max(parts, key=lambda name: parts[name])
    if largest == "weights":
        return [_memory(_smaller_weights(parts["weights"], excess), *figures)]
    if largest == "cache":
        return [_memory(_smaller_cache(parts["cache"], excess, known), *figures)]
    advice = tr(
        "Smaller activations: they are the largest part, {size} MB, and grow with the width of "
        "the layers, the vocabulary and the prompt that is read at once; {excess} MB must go.",
        size=wording.number(parts["activations"]),
        excess=wording.number(excess),
    )
    return [_memory(advice, *figures)]


def _smaller_weights(weights: float, excess: float) -> str:
    if excess >= weights:
        return tr(
            "A much smaller model and a shorter context: the weights take {weights} MB, and even "
            "without them {rest} MB too much would be left.",
            weights=wording.number(weights),
            rest=wording.number(excess - weights),
        )
    return tr(
        "Fewer parameters: the weights are the largest part, and {excess} MB too much are {share} "
        "of them, about {million} parameters at 16 bits; fewer layers shrink the cache as well.",
        excess=wording.number(excess),
        share=wording.percent(excess / weights),
        million=wording.million(round(excess * 1e6 / BYTES_OF_16_BITS)),
    )


def _smaller_cache(cache: float, excess: float, known: Mapping[str, Any]) -> str:
    prompt, new = _number(known, "prompt_tokens"), _number(known, "new_tokens")
    if prompt is not None and new is not None and 0 <= excess < cache and prompt + new > 0:
        tokens = prompt + new
        return tr(
            "A shorter context: the cache is the largest part, {each} MB per 1,000 tokens; at "
            "most {fitting} instead of {tokens} tokens would fit. Fewer layers or shared "
            "key-value heads shrink it in proportion.",
            each=wording.number(1000 * cache / tokens),
            fitting=wording.count((1 - excess / cache) * tokens),
            tokens=wording.count(tokens),
        )
    return tr(
        "A shorter context, fewer layers or shared key-value heads: the cache is the largest part, "
        "{cache} MB, and shrinks in proportion to each; {excess} MB must go.",
        cache=wording.number(cache),
        excess=wording.number(excess),
    )


def _parts(parts: Mapping[str, float]) -> str:
    names = {"weights": tr("weights"), "cache": tr("cache"), "activations": tr("activations")}
    return ", ".join(
        tr("{part} {size} MB", part=names[name], size=wording.number(size))
        for name, size in sorted(parts.items(), key=lambda each: -each[1])
    )


def _memory(advice: str, *figures: str) -> Recommendation:
    return Recommendation(concern="memory", advice=advice, figures=figures)


# ------------------------------------------------------------------------------- what details hold


def _number(known: Mapping[str, Any], name: str) -> float | None:
    value = known.get(name)
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if is_number and value is not None and value >= 0 else None


def _median(values: object) -> float | None:
    if not isinstance(values, Sequence) or isinstance(values, str):
        return None
    numbers = [float(value) for value in values if isinstance(value, int | float)]
    return statistics.median(numbers) if numbers else None


def _cores(known: Mapping[str, Any]) -> float | None:
    machine = known.get("machine")
    cores = (
        machine.get("cores") if isinstance(machine, Mapping) else getattr(machine, "cores", None)
    )
    return float(cores) if isinstance(cores, int) else None

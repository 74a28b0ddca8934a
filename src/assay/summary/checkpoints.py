"""What was measured of one checkpoint, from the replies it gave.

The interval of perplexity is drawn from blocks of a thousand tokens, for neighbours are alike. Per
word and per byte are the same sum over other counts, so their intervals are its, rescaled.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from assay.stats import estimates
from assay.summary.trials import RIGHT_BITS
from assay.types import (
    Answered,
    Estimate,
    Failed,
    Health,
    ReadText,
    Reply,
    SamplePrompt,
    Sampling,
    Timed,
)
from assay.types.decisions import Sample, SpeedFigures, SuiteFigures, TextFigures
from assay.types.measured.drift import DriftBlock, DriftLimits, FlippedToken, ModelDrift
from assay.types.measured.samples import JudgedSense
from assay.types.results import SuiteSummary

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from assay.engine.drift import TokenDrift

    Floats = NDArray[np.float64]


MMLU, MMLU_CATEGORY = "mmlu", "computer_science"
HELLASWAG, HELLASWAG_CATEGORY = "hellaswag", "technical_subset"
BY_BLOCKS = "bootstrap over blocks"
LARGEST = math.log(1e300)  # a perplexity beyond this says no more, and JSON has no name for it


Examine = Callable[..., Health]  # of a sample prompt and a text, whole or truncated


def _exp(value: float) -> float:
    return math.exp(min(value, LARGEST))


def text_figures(
    replies: Sequence[Reply], *, text: str, tokenizer: str
) -> tuple[TextFigures | None, str]:
    """Or None and why not: without one that failed it would be the figure of another text."""
    failed = next((reply.reason for reply in replies if isinstance(reply, Failed)), "")
    read = [reply for reply in replies if isinstance(reply, ReadText)]
    tokens = sum(reply.tokens for reply in read)
    if failed or not tokens:
        return None, failed
    blocks = tuple(block for reply in read for block in reply.blocks)
    nats = estimates.ratio(
        [-value for value, _ in blocks], [float(count) for _, count in blocks], unit="nats"
    )
    nats = replace(nats, n=tokens, method=BY_BLOCKS)
    words, size = sum(reply.words for reply in read), sum(reply.bytes for reply in read)

    def per(count: int, unit: str, of: Callable[[float], float] = _exp) -> Estimate | None:
        return nats.mapped(lambda x: of(x * tokens / count), unit=unit) if count else None

    return TextFigures(
        perplexity=nats.mapped(_exp, unit="perplexity"),
        per_word=per(words, "perplexity per word"),
        per_byte=per(size, "perplexity per byte"),
        bits_per_byte=per(size, "bits per byte", lambda x: x / math.log(2)),
        top1=estimates.proportion(sum(reply.top1 for reply in read), tokens),
        top5=estimates.proportion(sum(reply.top5 for reply in read), tokens),
        blocks=blocks,
        text=text,
        tokenizer=tokenizer,
        window=read[0].window,
        stride=read[0].stride,
    ), ""


def samples_of(
    written: Sequence[tuple[SamplePrompt, Sampling, Reply, JudgedSense | None]], examine: Examine
) -> tuple[Sample, ...] | None:
    return tuple(_sample(*each, examine) for each in written) or None


def _sample(
    prompt: SamplePrompt,
    way: Sampling,
    reply: Reply,
    judged: JudgedSense | None,
    examine: Examine,
) -> Sample:
    asked = Sample(
        id=prompt.id,
        prompt=prompt.prompt,
        text="",
        health=None,
        temperature=way.temperature,
        seed=way.seed,
    )
    if not isinstance(reply, Answered):
        why = reply.reason if isinstance(reply, Failed) else reply.kind
        return replace(asked, failed=why)
    health = examine(
        prompt,
        reply.text,
        truncated=reply.truncated,
        uncertainty=reply.uncertainty,
        judged=judged,
    )
    return replace(asked, text=reply.text, health=health, uncertainty=reply.uncertainty)


def speed_figures(replies: Sequence[Reply]) -> tuple[SpeedFigures | None, Estimate | None, str]:
    """Tokens a second and megabytes over all timed runs, or why there are none."""
    timed = [reply.details for reply in replies if isinstance(reply, Timed)]
    if not timed:
        return None, None, next((r.reason for r in replies if isinstance(r, Failed)), "")
    details = _pooled(timed)
    runs = tuple(float(each) for each in details["runs_per_s"])
    middle, ends = float(details["tokens_per_s"]), (min(runs), max(runs))
    speed = estimates.estimate(middle, ends, len(runs), unit="tokens/s", method="median and range")
    used = float(details["memory_usage_mb"])
    memory = estimates.estimate(used, (used, used), 1, unit="MB", method="counted")
    return SpeedFigures(tokens_per_s=speed, runs_per_s=runs, details=details), memory, ""


def _pooled(timed: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The details of several timings as one: all runs, and of what is not a run the median."""
    pooled = dict(timed[0])
    for name, first in pooled.items():
        values = [each.get(name) for each in timed]
        if isinstance(first, list | tuple):
            pooled[name] = [run for value in values for run in value or ()]
        elif isinstance(first, int | float) and any(value != first for value in values):
            pooled[name] = statistics.median(value for value in values if value is not None)
    runs = pooled["runs_per_s"]
    pooled["tokens_per_s"] = statistics.median(runs)
    pooled["mean_per_s"] = statistics.fmean(runs)
    pooled["spread_per_s"] = statistics.stdev(runs) if len(runs) > 1 else None
    if rate := pooled.get("memory_bytes_per_s"):
        read = pooled["bytes_per_token"] * pooled["tokens_per_s"]
        pooled["share_of_bandwidth"] = read / rate
    return pooled


def suite_figures(
    summary: SuiteSummary, digest: str, unqualified: tuple[str, ...] = ()
) -> SuiteFigures:
    scores: dict[str, dict[str, float]] = {}
    for row in summary.tests:
        if row.score is not None:
            scores.setdefault(row.category, {})[row.id] = row.score
    known = summary.baselines
    return SuiteFigures(
        score=summary.score,
        categories=summary.categories,
        scores=scores,
        digest=digest,
        unqualified=unqualified,
        baseline=None if known is None or known.best is None else known.best / 100,
        baselines=known.shares if known else (),
        right_bits=summary.measurements.get(RIGHT_BITS),
    )


def share_of(summaries: Sequence[SuiteSummary], suite: str, category: str) -> Estimate | None:
    for summary in summaries:
        if summary.suite == suite and category in summary.categories:
            found = summary.categories[category]
            return found if found.n else None
    return None


BLOCK = 1000
SHOWN_FLIPS = 20


def find_flips(found: TokenDrift) -> list[int]:
    """The tokens with another likeliest one that diverge most, these first."""
    flipped = (found.base_top != found.other_top).nonzero()[0]
    return [int(at) for at in flipped[found.kl[flipped].argsort()[::-1][:SHOWN_FLIPS]]]


def sum_up_drift(
    model: str, found: TokenDrift, flips: Sequence[FlippedToken], limits: DriftLimits
) -> ModelDrift:
    """Accepted or not by the figures themselves, as a gate decides."""
    same = (found.base_top == found.other_top).astype(float)
    kl_blocks, same_blocks = _blocks(found.kl), _blocks(same)
    gaps = _blocks(found.base - found.other)
    kl, same_top = _mean(kl_blocks, "nats"), _mean(same_blocks, "share")
    exceeded = []
    if limits.max_kl is not None and (kl.value or 0.0) > limits.max_kl:
        exceeded.append("max_kl")
    if limits.min_same_top is not None and (same_top.value or 0.0) < limits.min_same_top:
        exceeded.append("min_same_top")
    return ModelDrift(
        model=model,
        kl=kl,
        kl_median=estimates.block_quantile(kl_blocks, 0.5, unit="nats"),
        kl_p99=estimates.block_quantile(kl_blocks, 0.99, unit="nats"),
        same_top=same_top,
        perplexity=perplexity_of(found.other),
        perplexity_ratio=_mean(gaps, "nats").mapped(math.exp, unit="ratio"),
        flipped=int(len(same) - same.sum()),
        flips=tuple(flips),
        blocks=tuple(
            DriftBlock(
                tokens=len(each),
                kl=float(each.mean()),
                same_top=float(alike.mean()),
                perplexity_ratio=math.exp(float(gap.mean())),
            )
            for each, alike, gap in zip(kl_blocks, same_blocks, gaps, strict=True)
        ),
        accepted=None if limits == DriftLimits() else not exceeded,
        exceeded=tuple(exceeded),
    )


def perplexity_of(likelihoods: Floats) -> Estimate:
    return _mean(_blocks(-likelihoods), "nats").mapped(math.exp, unit="perplexity")


def _blocks(whole: Floats) -> list[Floats]:
    return [whole[start : start + BLOCK] for start in range(0, len(whole), BLOCK)]


def _mean(blocks: Sequence[Floats], unit: str) -> Estimate:
    sizes = [float(len(each)) for each in blocks]
    found = estimates.ratio([float(each.sum()) for each in blocks], sizes, unit=unit)
    return replace(found, n=int(sum(sizes)), method=estimates.BY_BLOCKS)

"""Figures of what a model wrote after sample prompts: coherent, relevant, technically right."""

from collections.abc import Sequence
from dataclasses import replace

from assay.stats import estimates
from assay.types import Estimate
from assay.types.decisions import Sample, group_samples

COHERENT, RELEVANT, RIGHT = SHARES = ("coherent", "relevant", "technically_right")


def shares_of(samples: Sequence[Sample]) -> dict[str, Estimate]:
    """Which share is coherent, relevant and technically right. n counts prompts: seeds of a prompt
    are no samples of their own. What greedy decoding wrote beside them is left out.
    """
    prompts, _ = group_samples(samples)
    found = {}
    for name, of in zip(SHARES, ("is_coherent", "is_relevant", "is_right"), strict=True):
        known = [[getattr(each, of) for each in prompt.samples] for prompt in prompts]
        rated = [[each for each in values if each is not None] for values in known]
        shares = [sum(values) / len(values) for values in rated if values]
        unscored = 0 if name == RIGHT else sum(not values for values in rated)
        found[name] = estimates.mean_of(shares, unscored=unscored)
    judged = any(each.health and each.health.is_judged for each in samples)
    how = "judge" if judged else "likelihood over other prompts"
    relevant = found[RELEVANT]
    return {**found, RELEVANT: replace(relevant, method=f"{how}, {relevant.method}")}

"""The models of a run as tables and cards have them: what serves a file and our engine reading it
are one, and letters written stand apart from likelihoods.
"""

from collections.abc import Sequence

from assay.types import Estimate
from assay.types.results import ModelReport, Report

OUR_ENGINE = "gguf:"


def one_model_each(report: Report) -> list[list[ModelReport]]:
    """Reports of one file together, what serves it first."""
    found: dict[str, list[ModelReport]] = {}
    for model in report.models:
        found.setdefault(model.weights or model.spec, []).append(model)
    return [sorted(same, key=_is_ours) for same in found.values()]


def methods_in(report: Report, suite: str) -> list[str]:
    """The methods that tell the scores of a suite apart; [""] where there is but one."""
    summaries = [each for model in report.models for each in model.suites if each.suite == suite]
    if len({each.method for each in summaries}) < 2:
        return [""]
    return list(dict.fromkeys(way for each in summaries for way in each.by_method))


def score_of(same: Sequence[ModelReport], suite: str, way: str) -> Estimate | None:
    """By this method, by whoever has it as its own first: our engine reads all likelihoods, a
    server tells those of a few tokens.
    """
    summaries = [each for model in same for each in model.suites if each.suite == suite]
    if not way:
        return next((each.score for each in summaries), None)
    own = (each.score for each in summaries if each.method == way)
    told = (each.by_method[way] for each in summaries if way in each.by_method)
    return next(own, None) or next(told, None)


def _is_ours(model: ModelReport) -> bool:
    return model.spec.startswith(OUR_ENGINE)

"""The card of drift: whether predictions moved from the base beyond a limit."""

from collections.abc import Iterator

from assay.messages import tr, trn
from assay.stats.documents import FEWEST, LEAST_TOKENS
from assay.text import number_format as numbers
from assay.text.safe_text import one_line
from assay.types import Estimate
from assay.types.documents import Card, Line, Span, Tone, make_card, one_sentence
from assay.types.measured.drift import Drift, ModelDrift

SHOWN_MODELS = 2  # in a decision
FEWEST_TOKENS = 2000  # below, there are too few blocks for an interval


def drift_card(drift: Drift) -> Card:
    said = [_clause(each, drift) for each in drift.models]
    if len(said) > SHOWN_MODELS:
        left = len(said) - SHOWN_MODELS
        rest = trn("{count} more model below", "{count} more models below", left)
        said = [*said[:SHOWN_MODELS], rest]
    return make_card(
        one_line(one_sentence(said, short_names(drift).values())),
        tone=_tone(drift),
        reasons=_reasons(drift),
        caveats=_caveats(drift),
        next=_next(drift),
    )


def short_names(drift: Drift) -> dict[str, str]:
    """By spec the last part of a path, where no other model has it."""
    specs = [drift.base, *(each.model for each in drift.models)]
    last = [each.rstrip("/").rpartition("/")[2] for each in specs]
    return {
        spec: name if name and last.count(name) == 1 else spec
        for spec, name in zip(specs, last, strict=True)
    }


def _clause(found: ModelDrift, drift: Drift) -> str:
    names = short_names(drift)
    gaps = {"model": names[found.model], "base": names[drift.base], "kl": with_interval(found.kl),
            "same": with_interval(found.same_top)}  # fmt: skip
    if found.accepted is None:
        return tr("{model} moved from {base} by a mean divergence of {kl}", **gaps)
    if found.accepted:
        return tr("{model} did not move from {base} beyond the limit", **gaps)
    return tr("{model} moved from {base} beyond the limit", **gaps)


def _tone(drift: Drift) -> Tone:
    accepted = [each.accepted for each in drift.models]
    if False in accepted:
        return "bad"
    return "plain" if None in accepted else "good"


def _reasons(drift: Drift) -> Iterator[str]:
    """The figures that missed a limit first, each beside its limit."""
    limits, names = drift.limits, short_names(drift)
    for missed in (True, False):
        for each in drift.models:
            if ("max_kl" in each.exceeded) is missed:
                said = tr("{model}: mean divergence {kl}", model=names[each.model],
                          kl=_with_n(each.kl))  # fmt: skip
                yield _limited(said, limits.max_kl, tr("at most"))
            if ("min_same_top" in each.exceeded) is missed:
                said = tr("{model}: the same likeliest token in {same} of places",
                          model=names[each.model], same=_with_n(each.same_top))  # fmt: skip
                yield _limited(said, limits.min_same_top, tr("at least"))
    for each in drift.models:
        yield tr("{model}: perplexity times {ratio}.", model=names[each.model],
                 ratio=_with_n(each.perplexity_ratio))  # fmt: skip


def _limited(said: str, limit: float | None, how: str) -> str:
    if limit is None:
        return tr("{said}; no limit given.", said=said)
    return tr("{said}; limit: {how} {limit}.", said=said, how=how, limit=numbers.exact(limit))


def with_interval(found: Estimate) -> str:
    if found.value is None:
        return numbers.not_measured()
    value = numbers.readable(found.value)
    if found.low is None or found.high is None:
        return value
    return f"{value} [{numbers.readable(found.low)}–{numbers.readable(found.high)}]"


def _with_n(found: Estimate) -> str:
    return f"{with_interval(found)} n={numbers.count(found.n)}"


def _caveats(drift: Drift) -> Iterator[str]:
    names = short_names(drift)
    limits = {"kl": drift.limits.max_kl, "same_top": drift.limits.min_same_top}
    for each in drift.models:
        for name, limit in limits.items():
            found: Estimate = getattr(each, name)
            if limit is not None and _crosses(found, limit):
                yield tr("{model} is marginal: its interval crosses the limit {limit}.",
                         model=names[each.model], limit=numbers.exact(limit))  # fmt: skip
    if drift.perplexity.low is None:
        yield trn(
            "No interval: the text has {count} document; name one with at least {least}, or a "
            "single one of {tokens} tokens.",
            "No interval: the text has {count} documents; name one with at least {least}, or a "
            "single one of {tokens} tokens.",
            drift.documents, least=FEWEST, tokens=numbers.count(LEAST_TOKENS),
        )  # fmt: skip
    if drift.tokens < FEWEST_TOKENS:
        yield tr("The text is short: {count} tokens.", count=numbers.count(drift.tokens))
    yield from drift.notes
    yield tr("Holds for {text}; other texts can move more.", text=drift.text)


def _crosses(found: Estimate, limit: float) -> bool:
    return found.low is not None and found.high is not None and found.low <= limit <= found.high


def _next(drift: Drift) -> Line:
    if drift.limits.max_kl is None and drift.limits.min_same_top is None:
        return tr("give a limit, so that the exit code decides: "), Span("--max-kl 0.05", "code")
    if any(each.exceeded for each in drift.models):
        return tr("read where it predicts another token: the same command with "), Span(
            "-v", "code"
        )
    return ""

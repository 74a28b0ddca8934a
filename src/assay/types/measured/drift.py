"""How far models' predictions moved from those of another: what `assay drift` found."""

from dataclasses import dataclass

from assay.types.scores import Estimate


@dataclass(frozen=True, slots=True, kw_only=True)
class DriftLimits:
    """None: not asked for."""

    max_kl: float | None = None
    min_same_top: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FlippedToken:
    """A place where the likeliest token is another. `before`: the text up to there; `follows`: what
    comes next in it; each model's likeliest token with the share it gives it. `kl` in nats.
    """

    place: int
    before: str
    follows: str
    base: str
    base_share: float
    other: str
    other_share: float
    kl: float


@dataclass(frozen=True, slots=True, kw_only=True)
class DriftBlock:
    """A thousand tokens of the text, or the rest of it: means over them."""

    tokens: int
    kl: float
    same_top: float
    perplexity_ratio: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelDrift:
    """One model against the base. `kl` and its quantiles in nats per token; `same_top`: how often
    both find the same token likeliest; `flips`: those of `flipped` that diverge most. `accepted`:
    None where no limit was given; `exceeded`: the names of the limits that it missed.
    """

    model: str
    kl: Estimate
    kl_median: Estimate
    kl_p99: Estimate
    same_top: Estimate
    perplexity: Estimate
    perplexity_ratio: Estimate
    flipped: int
    flips: tuple[FlippedToken, ...]
    blocks: tuple[DriftBlock, ...]
    accepted: bool | None = None
    exceeded: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Drift:
    """`weights`: of every model by its spec, what its files hold."""

    base: str
    text: str
    tokens: int
    documents: int
    window: int
    perplexity: Estimate
    models: tuple[ModelDrift, ...]
    limits: DriftLimits
    weights: dict[str, str]
    notes: tuple[str, ...] = ()
    exit_code: int = 0

"""Picks of people to win rates. Wilson's interval holds for ties, which count half, too."""

import math
from collections.abc import Iterable, Mapping, Sequence

from assay.stats.estimates import estimate
from assay.stats.intervals import wilson
from assay.types.judging.picks import Preferred, StoredPick


def prefer(picks: Sequence[StoredPick]) -> tuple[tuple[Preferred, ...], tuple[Preferred, ...]]:
    """Each model against all others, and each against each; the most preferred first."""
    names: dict[str, str] = {}
    shares: dict[str, list[float]] = {}
    between: dict[tuple[str, str], list[float]] = {}
    for pick in picks:
        one, other, share = pick.first, pick.second, pick.share_of_first
        for model, own in ((one, share), (other, 1 - share)):
            names[model.fingerprint] = model.spec
            shares.setdefault(model.fingerprint, []).append(own)
        low, high = sorted((one.fingerprint, other.fingerprint))
        own = share if low == one.fingerprint else 1 - share
        between.setdefault((low, high), []).append(own)
    models = [_preferred(names[each], of) for each, of in shares.items()]
    pairs = [_pair(names, sides, of) for sides, of in between.items()]
    return tuple(_ordered(models)), tuple(_ordered(pairs))


def _pair(names: Mapping[str, str], sides: tuple[str, str], of: Sequence[float]) -> Preferred:
    """As the one that was picked more often has it."""
    one, other = sides
    if math.fsum(of) < len(of) / 2:
        one, other, of = other, one, [1 - each for each in of]
    return _preferred(names[one], of, against=names[other])


def _preferred(model: str, of: Sequence[float], against: str = "") -> Preferred:
    mean = math.fsum(of) / len(of)
    return Preferred(
        model=model,
        rate=estimate(mean, wilson(mean, len(of)), len(of), method="wilson"),
        wins=sum(each == 1 for each in of),
        ties=sum(each == 0.5 for each in of),
        losses=sum(each == 0 for each in of),
        against=against,
    )


def _ordered(rows: Iterable[Preferred]) -> list[Preferred]:
    return sorted(rows, key=lambda row: (-(row.rate.value or 0.0), row.model, row.against))

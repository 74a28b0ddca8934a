"""What `assay speed` left in the store: a model's figures at each depth of context."""

import re
from collections.abc import Iterable

from assay.errors import UsageError
from assay.messages import tr
from assay.request_identity import MEASURE
from assay.store import Store, StoredTry
from assay.summary.speed import depth_figures
from assay.types import Machine, Reply
from assay.types.performance import DepthFigures

DEPTH = f"{MEASURE}depth"
_SIZES = {"": 1, "k": 1024, "m": 1024**2}


def depths_in(tries: Iterable[StoredTry]) -> tuple[DepthFigures, ...]:
    """Of one model in one run."""
    replies: dict[int, list[Reply]] = {}
    for kept in tries:
        if kept.suite == DEPTH:
            replies.setdefault(depth_of(kept.test_id), []).append(kept.reply)
    return tuple(depth_figures(depth, replies[depth]) for depth in sorted(replies))


def known_depths(
    store: Store, fingerprint: str, machine: Machine | None
) -> tuple[DepthFigures, ...]:
    """Of a model on a machine, each depth from the newest run that measured it."""
    newest: dict[int, tuple[str, dict[str, Reply]]] = {}
    for run, where, test_id, reply in store.read_measures_of(fingerprint, DEPTH):
        if is_same(where, machine):
            depth = depth_of(test_id)
            if newest.get(depth, ("", {}))[0] != run:
                newest[depth] = (run, {})
            newest[depth][1][test_id] = reply
    return tuple(depth_figures(depth, list(newest[depth][1].values())) for depth in sorted(newest))


def read_tokens(text: str) -> int:
    """4096 and 4k are the same."""
    found = re.fullmatch(r"\s*(\d{1,9})([km]?)\s*", text.lower())
    if found is None:
        raise UsageError(
            tr("--context does not understand {text!r}", text=text),
            hint=tr("give tokens, such as 4096 or 4k; several are separated by commas: 0,4k,16k"),
        )
    return int(found[1]) * _SIZES[found[2]]


def depth_of(test_id: str) -> int:
    return int(test_id.partition("_")[0])


def is_same(one: Machine | None, other: Machine | None) -> bool:
    if one is None or other is None:
        return False
    names = ("system", "processor", "cores", "gpus")
    return all(getattr(one, name) == getattr(other, name) for name in names)

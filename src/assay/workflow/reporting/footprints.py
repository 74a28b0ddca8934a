"""Which models fit a machine: what was measured of each against the limits of a user."""

import re
import shlex
from collections.abc import Iterable
from dataclasses import dataclass

from assay.errors import UsageError
from assay.machine import this_machine
from assay.measures.speed import speed_figures
from assay.messages import tr
from assay.request_identity import MEASURE
from assay.stats import estimates
from assay.store import Run, RunModel, Store, StoredTrial
from assay.summary.speed import depth_figures, performance
from assay.text import number_format as numbers
from assay.types import Machine, Reply
from assay.types.measured.performance import DepthFigures
from assay.types.results import Footprint, ModelLeftOut
from assay.workflow.checkpoints.measures import SPEED

DEPTH = f"{MEASURE}depth"
_SIZES = {"": 1, "k": 1024, "m": 1024**2}

MB = 1e6
_UNITS = {"": 1e9, "k": 1e3, "m": 1e6, "g": 1e9, "t": 1e12,
          "ki": 2**10, "mi": 2**20, "gi": 2**30, "ti": 2**40}  # fmt: skip


def read_memory(text: str) -> float:
    """8GB, 8 GiB, 512MB; a bare number is in GB. In bytes."""
    found = re.fullmatch(r"\s*(\d{1,9}(?:\.\d+)?)\s*([kmgt]?i?)b?\s*", text.lower())
    unit = found and _UNITS.get(found[2])
    if not found or not unit:
        raise UsageError(
            tr("--max-memory: {text!r} is not an amount of memory", text=text),
            hint=tr("give for example 8GB, 7.5GiB or 900MB"),
        )
    return float(found[1]) * unit


@dataclass(frozen=True, slots=True, kw_only=True)
class FitLimits:
    """What a model may take and must reach, with `context` tokens in use. In bytes and tokens/s."""

    max_memory: float | None = None
    min_speed: float | None = None
    context: int | None = None


def find_footprint(
    store: Store, run: Run, model: RunModel, limits: FitLimits
) -> Footprint | ModelLeftOut:
    """By `assay speed`, at the shortest measured context that is long enough; without a context in
    the limits also by the run itself. Never by an estimate.
    """
    known = known_depths(store, model.facts.fingerprint, this_machine())
    wanted = limits.context or 0
    for each in known:
        if not each.fits and each.depth <= wanted:
            gaps = {"depth": numbers.count(each.depth), "why": each.why_not}
            return _left_out(model, tr("no longer fits at {depth} tokens: {why}", **gaps))
        if not each.why_not and each.depth >= wanted:
            speed = each.client_decode if each.client_decode.n else each.decode
            return _within(
                model, Footprint(memory=each.memory, speed=speed, context=each.depth), limits
            )
    longest = model.facts.context_length
    if longest is not None and longest < wanted:
        return _left_out(model, tr("has a context of {count} tokens", count=numbers.count(longest)))
    return _within(model, None if limits.context else _of_run(store, run, model), limits)


def _within(
    model: RunModel, found: Footprint | None, limits: FitLimits
) -> Footprint | ModelLeftOut:
    memory = found.memory.value if found else None
    speed = found.speed.value if found else None
    unknown = (memory is None and limits.max_memory is not None) or (
        speed is None and limits.min_speed is not None
    )
    if found is None or unknown:
        words = ["assay", "speed", model.spec]
        words += ["--context", str(limits.context)] if limits.context else []
        return ModelLeftOut(model=model.spec, why=tr("not measured"), command=shlex.join(words))
    if limits.max_memory is not None and (memory or 0.0) * MB > limits.max_memory:
        taken = numbers.memory(round((memory or 0.0) * MB))
        return _left_out(model, tr("takes {memory} of memory", memory=taken))
    if limits.min_speed is not None and (speed or 0.0) < limits.min_speed:
        return _left_out(model, tr("decodes {speed}", speed=numbers.figure(found.speed)))
    return found


def _left_out(model: RunModel, why: str) -> ModelLeftOut:
    return ModelLeftOut(model=model.spec, why=why)


def _of_run(store: Store, run: Run, model: RunModel) -> Footprint:
    """A checkpoint was timed beside its tests; of a served model the answers are."""
    measures = [kept.reply for kept in store.read_measures(run, model) if kept.suite == SPEED]
    timed, memory, _ = speed_figures(measures)
    if timed is not None and memory is not None:
        return Footprint(memory=memory, speed=timed.tokens_per_s)
    measured = performance(kept.reply for kept in store.read_trials(run, model))
    taken = model.observed.memory_bytes if model.observed else None
    memory = estimates.nothing(unit="MB")
    if taken:
        memory = estimates.estimate(taken / MB, (None, None), 1, unit="MB", method="reported")
    speed = measured.client_decode if measured.client_decode.n else measured.decode.all
    return Footprint(memory=memory, speed=speed)


def depths_in(trials: Iterable[StoredTrial]) -> tuple[DepthFigures, ...]:
    """Of one model in one run."""
    replies: dict[int, list[Reply]] = {}
    for kept in trials:
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
            tr("--context: {text!r} is not a number of tokens", text=text),
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

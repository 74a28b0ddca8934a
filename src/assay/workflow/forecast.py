"""What a job will take, before it is begun: how many requests, and about how long.

In: a Job. Out: a Forecast. Refuses to know: how it is shown. What the store holds already counts as
reused, as it will when the job runs. The time comes from earlier replies of the same model where
the store has some, best to the same suite; else each model is asked one question, whose answer is
not kept (`pace`). Checkpoints answer in batches, of whose time one question tells nothing: theirs
is left unknown.
"""

from __future__ import annotations

import math
import statistics
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from itertools import islice

from assay.messages import tr, trn
from assay.models.spec import read_spec
from assay.plan import Exchange, Plan
from assay.store import Run, Store
from assay.store.verbs import FILE_NAME
from assay.types import Answered, Chosen, Model, Request, ToAnswer, ToChoose
from assay.workflow.evaluate import key_of
from assay.workflow.job import Job
from assay.workflow.pace import Untimed, characters_of, time_one_question
from assay.workflow.preparing import prepare

SHORT_ANSWER, LONG_ANSWER = 50, 200  # tokens; what tests of all suites are answered with, mostly
LONG_THOUGHT = 1000
MOST_EARLIER = 3000  # replies looked at, some 0.1 s; more would not change a rough figure
OTHER_TESTS = 2.0  # a test of another suite may take half as long, or twice
KNOWN_EXACTLY_S = 2.0  # below it nobody asks for a range
LEAST_SPREAD = 1.5  # of the high end to the low one: nothing is known better before it is done
USUAL_CONNECTIONS = {"openai": 8}  # DESIGN; all others one

Range = tuple[float, float]
# A run that is still to begin may use every reply there is; one that was begun afresh may not.
_TO_COME = Run(
    id="", key="", created="", finished=None, first_reply=0, seed=0, repeats=1, command="",
    version="", models=(), digests=(),
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Forecast:
    """`requests` will be sent, `at_least` so many where the answers decide whether more follow;
    `reused` answers are in the store. The seconds are None where a model could not be timed;
    `basis` is a whole sentence that says what they rest on.
    """

    requests: int
    reused: int
    seconds_low: float | None
    seconds_high: float | None
    basis: str
    at_least: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class _Share:
    """One model's part of a job. `load_s`, `speed` and `tokens` where it was timed: how long it
    took to load, how fast it wrote, and the lengths of answers that are assumed.
    """

    requests: int
    reused: int
    seconds: Range | None = None
    basis: str = ""
    at_least: bool = False
    load_s: float = 0.0
    speed: str = ""
    tokens: tuple[int, int] | None = None


def forecast(job: Job, about_to_time: Callable[[str], None] = lambda spec: None) -> Forecast:
    """How many requests and about how long; every mistake of the job is raised, as in a run.

    `about_to_time` is told the spec of each model that is asked a question: loading it may take
    long.
    """
    prepared = prepare(job)
    exists = (job.out / FILE_NAME).is_file()
    shares = []
    try:
        with Store(job.out, read_only=True) if exists else nullcontext() as store:
            kept = None if job.fresh else store
            run = kept.unfinished(key_of(job, prepared)) if kept else None
            for plan, model in zip(prepared.plans, prepared.models, strict=True):
                pending = list(_pending(plan, kept, run or _TO_COME))
                shares.append(_share(job, plan, model, pending, store, about_to_time))
                model.close()
    finally:
        for model in prepared.models:
            model.close()
    return _sum(shares)


def _sum(shares: Sequence[_Share]) -> Forecast:
    known = [share.seconds for share in shares if share.seconds is not None]
    low, high = _at_least_so_wide(sum(low for low, _ in known), sum(high for _, high in known))
    complete = len(known) == len(shares)
    return Forecast(
        requests=sum(share.requests for share in shares),
        reused=sum(share.reused for share in shares),
        seconds_low=low if complete else None,
        seconds_high=high if complete else None,
        basis="; ".join(dict.fromkeys(_bases(shares))),
        at_least=any(share.at_least for share in shares),
    )


def _at_least_so_wide(low: float, high: float) -> Range:
    if high < KNOWN_EXACTLY_S or high >= LEAST_SPREAD * low:
        return low, high
    middle, aside = math.sqrt(low * high), math.sqrt(LEAST_SPREAD)
    return middle / aside, middle * aside


def _bases(shares: Sequence[_Share]) -> Iterator[str]:
    """What is assumed of all is said once."""
    yield from (share.basis for share in shares if share.basis)
    assumed = [share.tokens for share in shares if share.tokens]
    if assumed:
        yield tr(
            "by estimate: {speeds} just now; answers of {low} to {high} tokens are assumed",
            speeds=", ".join(share.speed for share in shares if share.speed),
            low=max(low for low, _ in assumed),
            high=max(high for _, high in assumed),
        )


def _share(
    job: Job,
    plan: Plan,
    model: Model,
    pending: Sequence[tuple[Request, int]],
    store: Store | None,
    about_to_time: Callable[[str], None],
) -> _Share:
    left = sum(turns for _, turns in pending)
    if not left:
        return _Share(requests=0, reused=plan.turns, seconds=(0.0, 0.0))
    share = _Share(
        requests=sum(turns * _draws(plan, request) for request, turns in pending),
        reused=plan.turns - left,
        at_least=any(_may_take_more(plan, request) for request, _ in pending),
    )
    if _scheme(plan) == "hf":
        basis = tr("checkpoints answer in batches, and how long that takes is not estimated")
        return replace(share, basis=basis)
    earlier = _earlier_seconds(store, plan.facts.fingerprint) if store else {}
    if earlier:
        seconds, basis = _by_earlier(plan, pending, earlier)
        share = replace(share, seconds=seconds, basis=basis)
    else:
        if not _is_scripted(plan):
            about_to_time(plan.facts.spec)
        share = _by_asking(share, plan, model, pending)
    if share.seconds is None:
        return share
    low, high = share.seconds
    at_once = min(job.server.connections or USUAL_CONNECTIONS.get(_scheme(plan), 1), left)
    return replace(share, seconds=(share.load_s + low / at_once, share.load_s + high / at_once))


# ----------------------------------------------------------------------------- what is to be asked


def _pending(plan: Plan, store: Store | None, run: Run) -> Iterator[tuple[Request, int]]:
    """The next request of every test that is not answered yet, and how many turns are left."""
    for exchange in plan.exchanges:
        request = _next_unanswered(plan, exchange, store, run)
        if request is not None:
            yield request, len(exchange.asked) - request.turn


def _next_unanswered(
    plan: Plan, exchange: Exchange, store: Store | None, run: Run
) -> Request | None:
    replies: list[str] = []
    for turn in range(len(exchange.asked)):
        request = plan.request(exchange, turn, replies)
        number = store.newest_answer(run, request.id) if store else None
        if store is None or number is None:
            return request
        if turn < len(exchange.asked) - 1:
            reply = store.reply(number)
            replies.append(reply.text if isinstance(reply, Answered) else "")
    return None


def _draws(plan: Plan, request: Request) -> int:
    """A server's k best are k answers: of Ollama k requests, of others one while they can."""
    if plan.facts.predicts_by != "sampled" or not isinstance(request.work, ToAnswer):
        return 1
    return request.work.sampling.predictions if _scheme(plan) == "ollama" else 1


def _may_take_more(plan: Plan, request: Request) -> bool:
    """A letter that the first token does not decide is written instead; a server that does not
    give several answers at once is asked for each.
    """
    if isinstance(request.work, ToChoose):
        return request.work.otherwise is not None
    several = isinstance(request.work, ToAnswer) and request.work.sampling.predictions > 1
    return several and plan.facts.predicts_by == "sampled" and _scheme(plan) != "ollama"


def _scheme(plan: Plan) -> str:
    return read_spec(plan.facts.spec).scheme


def _is_scripted(plan: Plan) -> bool:
    return _scheme(plan) == "scripted"


# ------------------------------------------------------------------------------ by earlier replies


def _earlier_seconds(store: Store, fingerprint: str) -> dict[str, list[float]]:
    """Of the newest replies of the same model, by suite; failed ones say little of good ones."""
    found: dict[str, list[float]] = {}
    for suite, seconds in islice(_seconds_of(store, fingerprint), MOST_EARLIER):
        found.setdefault(suite, []).append(seconds)
    return found


def _seconds_of(store: Store, fingerprint: str) -> Iterator[tuple[str, float]]:
    for run in reversed(store.runs()):
        for model in run.models:
            if model.facts.fingerprint != fingerprint:
                continue
            for kept in store.tries(run, model):
                reply = kept.reply
                if isinstance(reply, Answered | Chosen) and reply.total_s is not None:
                    yield kept.suite, reply.total_s


def _by_earlier(
    plan: Plan, pending: Sequence[tuple[Request, int]], earlier: Mapping[str, Sequence[float]]
) -> tuple[Range, str]:
    """Suite by suite, since one's tests take ten times as long as another's."""
    left: Counter[str] = Counter()
    for request, turns in pending:
        left[request.suite] += turns
    others = [seconds for suite in earlier.values() for seconds in suite]
    low = high = 0.0
    for suite, turns in left.items():
        alike = suite in earlier
        shortest, longest = _so_many_more(turns, earlier[suite] if alike else others)
        low += shortest if alike else shortest / OTHER_TESTS
        high += longest if alike else longest * OTHER_TESTS
    same = sum(len(earlier[suite]) for suite in left if suite in earlier)
    bases = []
    if same:
        bases.append(
            trn(
                "by {count} earlier answer of {model}",
                "by {count} earlier answers of {model}",
                same,
                model=plan.facts.name,
            )
        )
    if any(suite not in earlier for suite in left):
        bases.append(
            trn(
                "by {count} earlier answer of {model}, of other tests",
                "by {count} earlier answers of {model}, of other tests",
                len(others),
                model=plan.facts.name,
            )
        )
    return (low, high), "; ".join(bases)


def _so_many_more(left: int, seconds: Sequence[float]) -> Range:
    """Where their sum will lie, nineteen times in twenty if they are like these."""
    mean = statistics.fmean(seconds)
    if len(seconds) < 3:
        return left * mean / 2, left * mean * 2
    spread = statistics.stdev(seconds)
    aside = 2 * spread * math.sqrt(left + left**2 / len(seconds))
    return max(0.0, left * mean - aside), left * mean + aside


# -------------------------------------------------------------------------------- by one question


def _by_asking(
    share: _Share, plan: Plan, model: Model, pending: Sequence[tuple[Request, int]]
) -> _Share:
    pace = time_one_question(model)
    if _is_scripted(plan):  # it waits, whatever it says
        total = (pace.waited_s or 0.0) * sum(turns for _, turns in pending)
        basis = tr("a script answers as fast as it says")
        return replace(share, seconds=(total, total), basis=basis)
    if isinstance(pace, Untimed):
        told = tr("{model} could not be timed: {why}", model=plan.facts.name, why=pace.why)
        return replace(share, basis=told)
    lengths = [_tokens(plan, request) for request, _ in pending]
    low = high = 0.0
    for (request, turns), (short, long) in zip(pending, lengths, strict=True):
        asked = turns * _draws(plan, request)
        shortest, longest = pace.seconds_to_read(characters_of(request))
        low += asked * (shortest + pace.token_s * short)
        high += asked * (longest + pace.token_s * long)
    return replace(
        share,
        seconds=(low, high),
        load_s=pace.load_s,
        speed=tr("{model} wrote {rate} tokens/s", model=plan.facts.name, rate=pace.rate),
        tokens=(max(short for short, _ in lengths), max(long for _, long in lengths)),
    )


def _tokens(plan: Plan, request: Request) -> tuple[int, int]:
    """Of a short and of a long answer. A letter chosen by its likelihood is one token; where that
    does not decide, a short answer follows.
    """
    work = request.work
    if isinstance(work, ToChoose):
        more = min(SHORT_ANSWER, work.otherwise.max_tokens) if work.otherwise else 0
        return 1, 1 + more
    if not isinstance(work, ToAnswer):
        return 1, 1
    thinks = plan.facts.thinks and plan.wishes.think != "off"
    most = work.sampling.max_tokens
    return min(SHORT_ANSWER, most), min(LONG_THOUGHT if thinks else LONG_ANSWER, most)

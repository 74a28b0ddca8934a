"""What a job will take, before it is begun: how many requests, and about how long.

In: a Job. Out: a Forecast. What the store holds already counts as reused, as it will when the job
runs. The time comes from earlier replies of the same model where the store has some, best to the
same suite; else each model is asked one question, whose answer is not kept (`pace`). Checkpoints
answer in batches, of whose time one question tells nothing: theirs is left unknown.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace

from assay.ask_loop import find_unanswered
from assay.messages import tr
from assay.models.opening import read_spec
from assay.plan import Plan
from assay.store import Run, Store
from assay.store.verbs import FILE_NAME
from assay.types import Model, ModelFacts, Request, ToAnswer, ToChoose
from assay.workflow.discover.earlier_times import Range, by_earlier, earlier_seconds
from assay.workflow.discover.pace import Untimed, characters_of, time_one_question
from assay.workflow.evaluate.asking import StoredReplies, TestDialogue
from assay.workflow.evaluate.evaluation import key_of
from assay.workflow.evaluate.job import Job
from assay.workflow.evaluate.preparation import Prepared, prepare
from assay.workflow.judging.forecast import cases_to_judge, requests_to_judge
from assay.workflow.judging.panel import PanelJudge

SHORT_ANSWER, LONG_ANSWER = 50, 200  # tokens; what tests of all suites are answered with, mostly
LONG_THOUGHT = 1000
OPEN_ANSWER = 150, 900  # tokens; as the examples have that rubrics ship with
JUDGEMENT = 300, 1500  # tokens; a reason for every score, a quote for every item of the checklist
KNOWN_EXACTLY_S = 2.0  # below it nobody asks for a range
LEAST_SPREAD = 1.5  # of the high end to the low one: nothing is known better before it is done
USUAL_CONNECTIONS = {"openai": 8}  # DESIGN; all others one

# A run that is still to begin may use every reply there is; one that was begun afresh may not.
_TO_COME = Run(
    id="", key="", created="", finished=None, first_reply=0, seed=0, repeats=1, command="",
    version="", models=(), digests=(),
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Forecast:
    """`requests` will be sent, `at_least` so many where the answers decide whether more follow;
    `reused` answers are in the store. Judges are sent `judge_requests` at least. The seconds are
    None where a model could not be timed; `basis` is a whole sentence that says what they rest on.
    """

    requests: int
    reused: int
    seconds_low: float | None
    seconds_high: float | None
    basis: str
    at_least: bool = False
    judge_requests: int = 0


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
    try:
        with Store(job.out, read_only=True) if exists else nullcontext() as store:
            return _Ahead(job, prepared, store, about_to_time).whole()
    finally:
        for model in prepared.models:
            model.close()
        if prepared.panel:
            prepared.panel.close()


@dataclass(slots=True)
class _Ahead:
    """A job that could begin, and the store as it is now."""

    job: Job
    prepared: Prepared
    store: Store | None
    about_to_time: Callable[[str], None]

    def whole(self) -> Forecast:
        """Models one after another, then the judges."""
        kept = None if self.job.fresh else self.store
        begun = kept.find_unfinished_run(key_of(self.job, self.prepared)) if kept else None
        shares, left = [], []
        for plan, model in zip(self.prepared.plans, self.prepared.models, strict=True):
            pending = _pending(plan, kept, begun or _TO_COME)
            left.append([request for request, _ in pending])
            shares.append(_share(self.job, plan, model, pending, self.store, self.about_to_time))
            model.close()
        return _sum(shares, list(self._judges(left, kept, begun)))

    def _judges(
        self, left: Sequence[Sequence[Request]], kept: Store | None, begun: Run | None
    ) -> Iterator[_Share]:
        """`left`: what each model has not answered yet."""
        panel = self.prepared.panel
        if panel is None:
            return
        for judge in panel.judges:
            cases = [
                case
                for plan, unanswered in zip(self.prepared.plans, left, strict=True)
                for case in cases_to_judge(plan, unanswered, judge, kept, begun=begun is not None)
            ]
            requests = requests_to_judge(panel, judge, cases, kept, begun or _TO_COME)
            yield _judges_share(self.job, judge, requests, self.about_to_time)
            judge.model.close()


def _sum(shares: Sequence[_Share], judged: Sequence[_Share]) -> Forecast:
    together = [*shares, *judged]
    known = [share.seconds for share in together if share.seconds is not None]
    low, high = _at_least_so_wide(sum(low for low, _ in known), sum(high for _, high in known))
    complete = len(known) == len(together)
    return Forecast(
        requests=sum(share.requests for share in shares),
        reused=sum(share.reused for share in shares),
        seconds_low=low if complete else None,
        seconds_high=high if complete else None,
        basis="; ".join(dict.fromkeys(_bases(together))),
        at_least=any(share.at_least for share in shares),
        judge_requests=sum(share.requests for share in judged),
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
    if _scheme(plan.facts) == "hf":
        return replace(share, basis=_not_estimated())
    earlier = earlier_seconds(store, plan.facts.fingerprint) if store else {}
    if earlier:
        seconds, basis = by_earlier(plan, pending, earlier)
        share = replace(share, seconds=seconds, basis=basis)
    else:
        if not _is_scripted(plan.facts):
            about_to_time(plan.facts.spec)
        asked = [(request, turns * _draws(plan, request)) for request, turns in pending]
        share = _by_asking(share, model, asked, list(_lengths(plan, pending)))
    return _at_once(share, job, plan.facts, left)


def _judges_share(
    job: Job, judge: PanelJudge, requests: Sequence[Request], about_to_time: Callable[[str], None]
) -> _Share:
    """Earlier replies of a judge say little: its tests, or other models' answers to them, have
    other lengths.
    """
    facts = judge.model.facts
    share = _Share(requests=len(requests), reused=0, at_least=True)
    if not requests:
        return replace(share, seconds=(0.0, 0.0))
    if _scheme(facts) == "hf":
        return replace(share, basis=_not_estimated())
    if not _is_scripted(facts):
        about_to_time(facts.spec)
    asked = [(request, 1) for request in requests]
    share = _by_asking(share, judge.model, asked, [_length_of_judgement(each) for each in requests])
    if share.tokens:
        low, high = share.tokens
        told = tr(
            "{speed}, and judgements of {low} to {high} tokens are assumed",
            speed=share.speed,
            low=low,
            high=high,
        )
        share = replace(share, basis=told, speed="", tokens=None)
    return _at_once(share, job, facts, len(requests))


def _at_once(share: _Share, job: Job, facts: ModelFacts, left: int) -> _Share:
    """With the time to load, and requests that run side by side."""
    if share.seconds is None:
        return share
    low, high = share.seconds
    width = min(job.connections or USUAL_CONNECTIONS.get(_scheme(facts), 1), left)
    return replace(share, seconds=(share.load_s + low / width, share.load_s + high / width))


def _not_estimated() -> str:
    return tr("checkpoints answer in batches, and how long that takes is not estimated")


# ----------------------------------------------------------------------------- what is to be asked


def _pending(plan: Plan, store: Store | None, run: Run) -> list[tuple[Request, int]]:
    """The next request of every test that is not answered yet, and how many turns are left."""
    tests = [TestDialogue(plan, exchange) for exchange in plan.exchanges]
    if store is not None:
        find_unanswered(tests, StoredReplies(store, run, plan.facts.fingerprint))
    return [(test.request, test.left) for test in tests if test.request]


def _draws(plan: Plan, request: Request) -> int:
    """A server's k best are k answers: of Ollama k requests, of others one while they can."""
    if plan.facts.predicts_by != "sampled" or not isinstance(request.work, ToAnswer):
        return 1
    return request.work.sampling.predictions if _scheme(plan.facts) == "ollama" else 1


def _may_take_more(plan: Plan, request: Request) -> bool:
    """A letter that the first token does not decide is written instead; a server that does not
    give several answers at once is asked for each.
    """
    if isinstance(request.work, ToChoose):
        return request.work.otherwise is not None
    several = isinstance(request.work, ToAnswer) and request.work.sampling.predictions > 1
    return several and plan.facts.predicts_by == "sampled" and _scheme(plan.facts) != "ollama"


def _scheme(facts: ModelFacts) -> str:
    return read_spec(facts.spec).scheme


def _is_scripted(facts: ModelFacts) -> bool:
    return _scheme(facts) == "scripted"


# -------------------------------------------------------------------------------- by one question


def _by_asking(
    share: _Share,
    model: Model,
    asked: Sequence[tuple[Request, int]],
    lengths: Sequence[tuple[int, int]],
) -> _Share:
    """`asked`: requests and how often each is sent; `lengths`: tokens of their answers."""
    facts = model.facts
    pace = time_one_question(model)
    if _is_scripted(facts):  # it waits, whatever it says
        total = (pace.waited_s or 0.0) * sum(times for _, times in asked)
        basis = tr("a script answers as fast as it says")
        return replace(share, seconds=(total, total), basis=basis)
    if isinstance(pace, Untimed):
        told = tr("{model} could not be timed: {why}", model=facts.name, why=pace.why)
        return replace(share, basis=told)
    low = high = 0.0
    for (request, times), (short, long) in zip(asked, lengths, strict=True):
        shortest, longest = pace.seconds_to_read(characters_of(request))
        if isinstance(request.work, ToChoose) and request.turn:
            shortest = 0.0  # one more question on the same text, which servers keep if they can
        low += times * (shortest + pace.token_s * short)
        high += times * (longest + pace.token_s * long)
    return replace(
        share,
        seconds=(low, high),
        load_s=pace.load_s,
        speed=tr("{model} wrote {rate} tokens/s", model=facts.name, rate=pace.rate),
        tokens=(max(short for short, _ in lengths), max(long for _, long in lengths)),
    )


def _lengths(plan: Plan, pending: Sequence[tuple[Request, int]]) -> Iterator[tuple[int, int]]:
    """Of a short and of a long answer, in tokens. A letter chosen by its likelihood is one token;
    where that does not decide, a short answer follows.
    """
    judged = {each.key for each in plan.exchanges if each.case.check.judged}
    thinks = plan.facts.thinks and plan.options.think != "off"
    for request, _ in pending:
        work = request.work
        if isinstance(work, ToChoose):
            more = min(SHORT_ANSWER, work.otherwise.max_tokens) if work.otherwise else 0
            yield 1, 1 + more
        elif isinstance(work, ToAnswer):
            is_open = (request.suite, request.test_id, request.repeat) in judged
            short, long = OPEN_ANSWER if is_open else (SHORT_ANSWER, LONG_ANSWER)
            most = work.sampling.max_tokens
            yield min(short, most), min(max(long, LONG_THOUGHT if thinks else 0), most)
        else:
            yield 1, 1


def _length_of_judgement(request: Request) -> tuple[int, int]:
    """A yes or no is one token; where it does not decide, one is written."""
    work = request.work
    if not isinstance(work, ToAnswer):
        return 1, 2
    short, long = JUDGEMENT
    return min(short, work.sampling.max_tokens), min(long, work.sampling.max_tokens)

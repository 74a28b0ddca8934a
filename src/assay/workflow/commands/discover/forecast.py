"""A forecast of a job: how many requests, and about how long. Each served model is asked one
question that no cache has seen; checkpoints answer in batches and are not timed.
"""

import math
import os
import statistics
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import nullcontext, suppress
from dataclasses import dataclass
from pathlib import Path

from assay.ask_loop import find_unanswered
from assay.errors import AssayError
from assay.messages import joined, tr
from assay.models.opening import read_spec
from assay.plan import Plan
from assay.request_identity import JUDGE_SUITE
from assay.store import Run, Store
from assay.store.verbs import FILE_NAME
from assay.text.number_format import fixed
from assay.types import (
    Model,
    Request,
    ToAnswer,
    ToChoose,
)
from assay.workflow.running.beginning import key_of
from assay.workflow.running.job import Job
from assay.workflow.running.judging.judge_scales import cases_to_judge, requests_to_judge
from assay.workflow.running.judging.panel import requests_at_once
from assay.workflow.running.ledgers import StoredReplies
from assay.workflow.running.model_pace import CHARACTERS_PER_TOKEN, ModelPace, time_one_question
from assay.workflow.running.preparation import Prepared, prepare
from assay.workflow.running.run_folder import RunFolder
from assay.workflow.running.trials import TestTrial

Range = tuple[float, float]

# Tokens of a short and of a long answer.
USUAL_ANSWER = 50, 200
OPEN_ANSWER = 300, 1200  # of small models, whose circles are stopped
JUDGEMENT = 400, 1500  # a reason for every score, a quote for every item of the checklist
LONG_THOUGHT = 1000
ENOUGH_LENGTHS = 3  # answers of a model in the store, from which on its own lengths are taken
HIGH_END = 0.9  # of forecasts by own lengths stay below it, and as many above the low end
LEAST_SPREAD = 1.5  # high end over low end

# A run that is still to begin may use every stored reply; one that began with --fresh may not.
_TO_COME = Run(id="", key="")


@dataclass(frozen=True, slots=True, kw_only=True)
class Forecast:
    """`at_least`: answers decide whether more follow. Seconds: None where not timed."""

    requests: int
    reused: int
    seconds_low: float | None
    seconds_high: float | None
    basis: str
    at_least: bool = False
    judge_requests: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class UnfinishedRun:
    command: str
    created: str
    answered: int
    planned: int


def find_unfinished(out: Path) -> UnfinishedRun | None:
    """The newest run of a folder, where it stopped on the way and no process is at it."""
    with suppress(AssayError), Store(out, read_only=True) as store:
        run = store.find_run("latest")
        with RunFolder(out, run.id) as folder:
            if run.finished or not run.command.startswith("assay run ") or not folder.take():
                return None
        tests = sum(1 for suite in store.read_suites(run) for _ in suite.cases)
        return UnfinishedRun(
            command=run.command,
            created=run.created,
            answered=sum(len(store.find_scored(run, model)) for model in run.models),
            planned=tests * run.repeats * len(run.models),
        )
    return None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Share:
    model: Model
    asked: list[tuple[Request, int, tuple[int, int]]]
    reused: int = 0
    at_least: bool = False
    judges: bool = False

    @property
    def requests(self) -> int:
        return sum(times for _, times, _ in self.asked)


def forecast(job: Job, about_to_time: Callable[[str], None] = lambda spec: None) -> Forecast:
    """Raises every mistake of the job. `about_to_time` hears of each model before it is asked."""
    prepared = prepare(job)
    exists = (job.out / FILE_NAME).is_file() and not job.fresh
    try:
        with Store(job.out, read_only=True) if exists else nullcontext() as store:
            shares, times, bases = [], [], []
            for share in _shares(job, prepared, store):
                seconds, basis = _time(share, job, about_to_time)
                share.model.close()
                shares.append(share)
                times.append(seconds)
                bases.append(basis)
    finally:
        prepared.close()
    known = [each for each in times if each is not None]
    low, high = sum(low for low, _ in known), sum(high for _, high in known)
    if high < LEAST_SPREAD * low:  # a range, also where every answer takes equally long
        low, high = low / math.sqrt(LEAST_SPREAD), high * math.sqrt(LEAST_SPREAD)
    complete = len(known) == len(times)
    return Forecast(
        requests=sum(share.requests for share in shares if not share.judges),
        reused=sum(share.reused for share in shares),
        seconds_low=low if complete else None,
        seconds_high=high if complete else None,
        basis=joined(filter(None, dict.fromkeys(bases))),
        at_least=any(share.at_least for share in shares),
        judge_requests=sum(share.requests for share in shares if share.judges),
    )


def _shares(job: Job, prepared: Prepared, store: Store | None) -> Iterator[_Share]:
    begun = store.find_unfinished_run(key_of(job, prepared)) if store else None
    run = begun or _TO_COME
    unanswered = []
    for plan, model in zip(prepared.plans, prepared.models, strict=True):
        tests = [TestTrial(plan, trial) for trial in plan.trials]
        if store is not None:
            find_unanswered(tests, StoredReplies(store, run, plan.facts.fingerprint))
        pending = [(test.request, test) for test in tests if test.request]
        unanswered.append([request for request, _ in pending])
        thinks = plan.facts.thinks and plan.options.think != "off"
        left = Counter(request.suite for request, _ in pending)
        own = _own_lengths(store, plan.facts.fingerprint, left)
        asked = []
        for request, test in pending:
            short, long = OPEN_ANSWER if test.planned.case.check.judged else USUAL_ANSWER
            usual = short, max(long, LONG_THOUGHT) if thinks else long
            length = _length(request, *own.get(request.suite, usual))
            asked.append((request, test.left * _draws(plan, request), length))
        yield _Share(
            model=model,
            asked=asked,
            reused=plan.turns - sum(test.left for _, test in pending),
            # Each call of a tool is answered, and the model asked on.
            at_least=any(getattr(request.work, "tools", None) for request, _ in pending),
        )
    panel = prepared.panel
    if panel is None:
        return
    for judge in panel.judges:
        cases = [
            case
            for plan, left in zip(prepared.plans, unanswered, strict=True)
            for case in cases_to_judge(plan, left, judge, store, begun=begun is not None)
        ]
        requests = requests_to_judge(panel, judge, cases, store, run)
        left = Counter({JUDGE_SUITE: len(requests)})
        own = _own_lengths(store, judge.model.facts.fingerprint, left)
        length = own.get(JUDGE_SUITE, JUDGEMENT)
        asked = [(request, 1, _length(request, *length)) for request in requests]
        yield _Share(model=judge.model, asked=asked, judges=True)


def _own_lengths(
    store: Store | None, fingerprint: str, left: Mapping[str, int]
) -> dict[str, tuple[int, int]]:
    """Of each suite in which this model has answered enough, given how many answers are left."""
    found = {suite: store.find_lengths(fingerprint, suite) if store else [] for suite in left}
    known = {suite: each for suite, each in found.items() if len(each) >= ENOUGH_LENGTHS}
    spread = spread_of([(lengths, left[suite]) for suite, lengths in known.items() if left[suite]])
    means = {suite: statistics.fmean(lengths) for suite, lengths in known.items()}
    return {
        suite: (max(1, round(mean / spread)), max(1, round(mean * spread)))
        for suite, mean in means.items()
    }


def spread_of(suites: Sequence[tuple[Sequence[int], int]]) -> float:
    """How many times longer or shorter than foretold from the answers stored (their lengths) those
    left (their number) may be: Student's t on logarithms, with one variance for all suites. Assumes
    that the answers left are of the same kind, and that suites err independently.
    """
    from scipy.special import stdtrit

    freedom = sum(len(lengths) - 1 for lengths, _ in suites)
    if not freedom:
        return 1.0
    squares = sum(
        (len(lengths) - 1) * statistics.variance(map(math.log, lengths)) for lengths, _ in suites
    )
    tokens = [statistics.fmean(lengths) * left for lengths, left in suites]
    error = sum(
        each**2 * (1 / len(lengths) + 1 / left)
        for each, (lengths, left) in zip(tokens, suites, strict=True)
    )
    deviation = math.sqrt(squares / freedom * error) / sum(tokens)
    return math.exp(float(stdtrit(freedom, HIGH_END)) * deviation)


def _draws(plan: Plan, request: Request) -> int:
    """A server's k best are k requests."""
    if plan.facts.predicts_by != "sampled" or not isinstance(request.work, ToAnswer):
        return 1
    return request.work.sampling.predictions


def _length(request: Request, short: int, long: int) -> tuple[int, int]:
    work, most = request.work, 1
    if isinstance(work, ToAnswer):
        most = work.sampling.max_tokens
    elif isinstance(work, ToChoose) and work.written and work.otherwise:
        most = work.otherwise.max_tokens
    return min(short, most), min(long, most)


def _time(
    share: _Share, job: Job, about_to_time: Callable[[str], None]
) -> tuple[Range | None, str]:
    facts, scheme = share.model.facts, read_spec(share.model.facts.spec).scheme
    if not share.asked:
        return (0.0, 0.0), ""
    if scheme in ("hf", "gguf"):
        return None, tr("checkpoints answer in batches, and how long that takes is not estimated")
    if scheme != "scripted":
        about_to_time(facts.spec)
    pace = time_one_question(share.model)
    if isinstance(pace, str):
        return None, tr("{model} could not be timed: {why}", model=facts.name, why=pace)
    width = min(requests_at_once(facts, job.connections), share.requests)
    if scheme == "scripted":  # it waits equally long for every answer
        total = pace.waited_s * share.requests / width
        return (total, total), tr("a script answers as fast as it says")
    low, high = _seconds(share, pace)
    return (pace.load_s + low / width, pace.load_s + high / width), _basis(share, pace)


def _seconds(share: _Share, pace: ModelPace) -> Range:
    """A judge reads a beginning once that its next request has too."""
    low = high = 0.0
    before = ""
    for request, times, (short, long) in share.asked:
        messages = getattr(request.work, "messages", ())
        words = "\n".join(message.content for message in messages)
        tokens = len(words) / CHARACTERS_PER_TOKEN
        if share.judges:
            shared = len(os.path.commonprefix([before, words]))  # noqa: RUF071
            tokens, before = tokens * (1 - shared / max(1, len(words))), words
        reading = pace.prompt_token_s * tokens
        low += times * (reading + pace.token_s * short)
        high += times * (reading + pace.token_s * long)
    return low, high


def _basis(share: _Share, pace: ModelPace) -> str:
    low = max(short for _, _, (short, _) in share.asked)
    high = max(long for _, _, (_, long) in share.asked)
    return tr(
        "{model} wrote {rate} tokens/s, and {what} of {low} to {high} tokens are assumed",
        model=share.model.facts.name,
        rate=fixed(1 / pace.token_s, 0) if pace.token_s > 0 else "?",
        what=tr("judgements") if share.judges else tr("answers"),
        low=low,
        high=high,
    )

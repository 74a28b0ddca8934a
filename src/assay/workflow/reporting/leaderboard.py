"""Ranks every model in the store, best first.

Models are ranked beside each other only where they answered the same tests in the same way: one
table per suite, content of it, and way of asking. A run whose tests asked the same and were scored
by older rules joins the newest table: its stored answers are scored again, in memory.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from assay.errors import SuiteNotFound
from assay.messages import tr
from assay.reports.formats.notebook import LeaderboardResult
from assay.store import Run, RunModel, Store, StoredTrial
from assay.store.bodies import content_hash
from assay.summary.comparisons import rank
from assay.summary.trials import summarise
from assay.types import Answered, Suite, Trial
from assay.types.options import DEFAULT_OUT
from assay.types.results import Footprint, ModelLeftOut, Standing
from assay.workflow.reporting.footprints import FitLimits, find_footprint, read_memory, read_tokens
from assay.workflow.reporting.letters import likely_letters, methods_of
from assay.workflow.reporting.new_scores import new_scores, questions
from assay.workflow.reporting.trials import trials_of
from assay.workflow.running.baselines import baselines_of
from assay.workflow.running.own_prompts import is_own


def leaderboard(
    *,
    suite: str | None = None,
    max_memory: str | None = None,
    min_speed: float | None = None,
    context: str | None = None,
    out: str | Path = DEFAULT_OUT,
) -> LeaderboardResult:
    """Every model in the store, best first, hidden runs left out; with limits, those that were
    measured to keep them: memory such as "8GB", decoded tokens/s, tokens of context in use such as
    "16k".

    Example: `assay.leaderboard(suite="example").to_pandas()`.
    """
    out = Path(out)
    limits = FitLimits(
        max_memory=None if max_memory is None else read_memory(max_memory),
        min_speed=min_speed,
        context=None if context is None else read_tokens(context),
    )
    limited = limits != FitLimits()
    left_out: dict[str, ModelLeftOut] = {}
    with Store(out, read_only=True) as store:
        known = store.read_suite_names()
        if suite is not None and suite not in known:
            raise SuiteNotFound(
                tr("no run in {path} has a suite {suite!r}", path=store.path, suite=suite),
                hint=tr("it has: {names}", names=", ".join(known) or "-"),
            )
        hidden = store.read_hidden_runs()
        runs = store.read_runs()
        shown = [run for run in runs if run.id not in hidden]
        ranked = _Tables(store, suite)
        entered = [
            (run, model)
            for run in reversed(shown)
            for model in (run.evaluated if run.finished and run.digests else ())
        ]
        served = _served_footprints(store, entered, limits) if limited else {}
        for run, model in entered:
            found = None
            if limited and is_our_engine(model):
                found = served.get(identity_of(model)) or not_served(model)
            elif limited:
                found = find_footprint(store, run, model, limits)
            if isinstance(found, ModelLeftOut):
                left_out.setdefault(identity_of(model), found)
            else:
                ranked.enter(run, model, found)
    notes = [*ranked.notes()]
    if unfinished := sum(run.finished is None for run in shown):
        notes.append(tr("unfinished runs that are left out: {count}", count=unfinished))
    if len(shown) < len(runs):
        notes.append(tr("hidden runs that are left out: {count}", count=len(runs) - len(shown)))
    if not ranked.tables and not left_out:
        notes.append(tr("no finished run with scores yet: start one with `assay run`"))
    return LeaderboardResult(
        out=str(out.resolve()),
        suites=tuple(
            rank(
                table.suite.name,
                tuple(table.rows.values()),
                content=table.content[:8],
                tests=sum(1 for _ in table.suite.cases),
                asked=table.asked,
                of=table.suite,
                baselines=baselines_of(table.suite),
            )
            for table in ranked.tables
        ),
        left_out=tuple(left_out.values()),
        notes=tuple(notes),
    )


OUR_ENGINE = "gguf:"  # a file that is served elsewhere, and that our engine reads


def is_our_engine(model: RunModel) -> bool:
    return model.spec.startswith(OUR_ENGINE)


def identity_of(model: RunModel) -> str:
    """The same for one file, whatever serves it."""
    return model.facts.weights or model.facts.fingerprint


def _served_footprints(
    store: Store, entered: Sequence[tuple[Run, RunModel]], limits: FitLimits
) -> dict[str, Footprint | ModelLeftOut]:
    """By identity, of the newest run of what serves it."""
    found: dict[str, Footprint | ModelLeftOut] = {}
    for run, model in entered:
        if model.facts.weights and not is_our_engine(model):
            found.setdefault(model.facts.weights, find_footprint(store, run, model, limits))
    return found


def not_served(model: RunModel) -> ModelLeftOut:
    return ModelLeftOut(
        model=model.spec,
        why=tr("not measured as served; the speed of gguf: is our engine's"),
        command="assay speed ollama:NAME",
    )


@dataclass(slots=True)
class _Table:
    """Models that answered the tests of one suite in one way; `rows` by the weights of a model, or
    by its fingerprint where those are not known.
    """

    suite: Suite
    content: str
    asked: str
    rows: dict[str, Standing] = field(default_factory=dict)
    seen: set[str] = field(default_factory=set)  # fingerprints

    def enter(self, model: RunModel, standing: Standing, *, by_likelihood: bool) -> None:
        """One file is one row: of what serves it. Only likelihoods are our engine's, where it read
        them: a server tells those of a few tokens.
        """
        key, ours = identity_of(model), is_our_engine(model)
        self.seen.add(model.facts.fingerprint)
        known = self.rows.get(key)
        if known is None:
            self.rows[key] = standing
            return
        also = tuple(dict.fromkeys((*known.also, standing.model)))
        if ours == known.model.startswith(OUR_ENGINE) or known.scored_as:  # the newest counts
            self.rows[key] = replace(known, also=tuple(s for s in also if s != known.model))
            return
        engine, server = (standing, known) if ours else (known, standing)
        of, scored_as = (engine, engine.model) if by_likelihood else (server, "")
        self.rows[key] = replace(
            of,
            model=server.model,
            name=server.name,
            also=tuple(dict.fromkeys((*known.also, engine.model))),
            scored_as=scored_as,
            footprint=server.footprint,
        )


class _Tables:
    """Runs come newest first: the first entry of a model counts, and the first form of a suite is
    the one that older runs are scored by.
    """

    def __init__(self, store: Store, only: str | None) -> None:
        self.tables: list[_Table] = []
        self._store, self._only = store, only
        self._contents: dict[str, str] = {}  # by digest of the stored suite
        self._scored_again: dict[str, set[str]] = {}  # by suite, the runs

    def notes(self) -> Iterator[str]:
        for name, runs in self._scored_again.items():
            yield tr("{suite}: runs of an older version, whose answers were scored again by the "
                     "newest: {count}", suite=name, count=len(runs))  # fmt: skip

    def enter(self, run: Run, model: RunModel, footprint: Footprint | None) -> None:
        fingerprint = model.facts.fingerprint
        stored: tuple[StoredTrial, ...] | None = None
        for digest, suite in zip(run.digests, self._store.read_suites(run), strict=True):
            if self._only not in (None, suite.name) or is_own(suite):
                continue
            if stored is None:
                stored = tuple(self._store.read_trials(run, model))
            trials = tuple(trials_of(suite, stored))
            for method, _ in methods_of(trials):
                asked = ", ".join(filter(None, (method, *_ways_of_asking(run, suite, trials))))
                table = self._table(digest, suite, asked, model)
                if fingerprint in table.seen:
                    continue
                counted = trials
                if table.content != self._content(digest, suite):
                    counted = self._scored_by(table.suite, run, model, stored)
                    self._scored_again.setdefault(suite.name, set()).add(run.id)
                counted = dict(methods_of(counted)).get(method, counted)
                summary = summarise(table.suite, counted)
                table.enter(
                    model,
                    Standing(
                        model=model.spec,
                        name=model.facts.name,
                        score=summary.score,
                        categories=summary.categories,
                        run=run.id,
                        when=run.created,
                        footprint=footprint,
                        command=run.command,
                        version=run.version,
                    ),
                    by_likelihood=method == likely_letters(),
                )

    def _content(self, digest: str, suite: Suite) -> str:
        if digest not in self._contents:
            self._contents[digest] = content_hash(suite)
        return self._contents[digest]

    def _table(self, digest: str, suite: Suite, asked: str, model: RunModel) -> _Table:
        """The table whose suite has this content, or asks the same; a new one where none does."""
        content = self._content(digest, suite)
        beside = [
            each for each in self.tables if (each.suite.name, each.asked) == (suite.name, asked)
        ]
        for table in beside:
            if table.content == content:
                return table
        for table in beside:
            if questions(table.suite, model.facts) == questions(suite, model.facts):
                return table
        self.tables.append(_Table(suite, content, asked))
        return self.tables[-1]

    def _scored_by(
        self, suite: Suite, run: Run, model: RunModel, stored: Sequence[StoredTrial]
    ) -> tuple[Trial, ...]:
        cases = {(suite.name, case.id): case for case in suite.cases}
        mine = [kept for kept in stored if kept.suite == suite.name]
        new = {key: score for key, _, score in new_scores(self._store, run, model, cases, mine)}
        return tuple(
            trials_of(suite, [replace(kept, score=new.get(kept.key, kept.score)) for kept in mine])
        )


def _ways_of_asking(run: Run, suite: Suite, trials: Sequence[Trial]) -> Iterator[str]:
    """What makes two scores incomparable although the tests are the same."""
    if run.sampling == "server":
        yield tr("sampling left to the server")
    replies = (trial.reply for trial in trials)
    if any(isinstance(each, Answered) and each.prediction_method == "beam" for each in replies):
        yield tr("the k best by beam search")
    if judged := _judged(run, suite):
        yield judged


def _judged(run: Run, suite: Suite) -> str:
    """Another judge, or the same one beside what running the code showed, gives other scores."""
    if not any(case.check.judged for case in suite.cases):
        return ""
    if run.judging is None:
        return tr("scored without a judge")
    judges = ", ".join(each.spec for each in run.judging.judges)
    who = tr("judged by {judges}", judges=judges) if judges else tr("judged elsewhere")
    return tr("{who}, code run", who=who) if run.judging.isolation else who

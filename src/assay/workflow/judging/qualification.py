"""`assay judge-check`: whether a judge may be trusted, from answers whose faults are known.

A few gold answers are tried in every form and layout; in the way that orders them best the judge
reads all of them, repeats, swapped pairs and injections. Replies are stored beside the cards, in
the user's data folder: a check that was stopped goes on where it was, from any folder.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass, field

from assay.ask_loop import Dialogue, ask_all, find_unanswered
from assay.judge.qualification.marks import (
    Measured,
    choose_way,
    false_alarms,
    injection_success,
    marks_of,
)
from assay.judge.qualification.readings import (
    AnyQuestionnaire,
    GoldReadings,
    Way,
    WholeReadings,
    find_ways,
    gold_digest,
)
from assay.messages import tr
from assay.models.opening import open_model
from assay.store import Run, RunModel, Store, new_run_id, utc_now
from assay.types import Model, ModelFacts, Observer, Reply, Request, Timed
from assay.types.judge_cards import JudgeCard, JudgeCheck
from assay.types.options import JudgeCheckOptions
from assay.workflow.evaluate.asking import StoredReplies
from assay.workflow.evaluate.evaluation import resumable, slug_of
from assay.workflow.judging.panel import (
    card_file,
    cards_folder,
    no_likelihoods,
    read_card,
    write_card,
)


def check_judge(options: JudgeCheckOptions, observer: Observer) -> JudgeCheck:
    command = options.command_line("judge-check", str(options.model))
    given = options.model
    model = open_model(given, options, options) if isinstance(given, str) else given
    with closing(model), resumable(cards_folder(), command):
        model.probe()
        facts = model.facts
        ways = find_ways(facts, options.judge_form, options.judge_layout)
        if not ways:
            raise no_likelihoods(facts)
        card = None if options.fresh else read_card(facts.fingerprint)
        if card is not None and Way(card.layout) in ways:
            file = str(card_file(facts.fingerprint))
            return JudgeCheck(card=card, file=file, command=command)
        with Store(cards_folder()) as store:
            run = _begin(store, model, command, fresh=options.fresh)
            check = _Check(model, ways, _CountedReplies(store, run, facts.fingerprint), observer)
            result = check.result(command, options.budget)
            if not result.failed:
                store.update_run(run, finished=utc_now())
        return result


class _Check:
    def __init__(
        self, model: Model, ways: Sequence[Way], ledger: _CountedReplies, observer: Observer
    ) -> None:
        self._model, self._ways, self._ledger = model, ways, ledger
        self._observer = observer
        self._facts = model.facts
        self._first = WholeReadings(model.facts, ways[0])

    def result(self, command: str, budget: float | None) -> JudgeCheck:
        until = None if budget is None else time.monotonic() + budget
        self._observer.note(self._forecast())
        trials = self._trials(until)
        best = choose_way(trials) if trials else self._ways[0]
        is_first = best == self._ways[0]
        whole = self._first if is_first else WholeReadings(self._facts, best)
        self._ask(tr("judge-check {spec}", spec=self._facts.spec), whole.questionnaires(), until)
        measured = Measured(whole)
        others = [each for each in trials if each.readings.way != best]
        card = JudgeCard(
            judge=self._facts.spec,
            name=self._facts.name,
            fingerprint=self._facts.fingerprint,
            digest=gold_digest(),
            made=utc_now(),
            form=best.form,
            layout=best.layout,
            marks=marks_of(whole, measured),
            scales=tuple(scale for each in (measured, *others) for scale in each.card_scales()),
            trials=tuple(each.trial for each in trials),
            guarded=injection_success(whole, measured.scales, guarded=True),
            false_alarms=false_alarms(),
            requests=self._ledger.replies,
            seconds=self._ledger.seconds,
            notes=tuple(_notes(self._facts)),
        )
        failed = whole.failed + sum(each.readings.failed for each in others)
        file = card_file(card.fingerprint) if failed else write_card(card)
        return JudgeCheck(
            card=card, file=str(file), asked=self._ledger.asked, failed=failed, command=command
        )

    def _trials(self, until: float | None) -> list[Measured]:
        if len(self._ways) < 2:
            return []
        readings = [GoldReadings(self._facts, way, trials=True) for way in self._ways]
        name = tr("judge-check {spec}: forms and layouts", spec=self._facts.spec)
        self._ask(name, (each for one in readings for each in one.questionnaires()), until)
        return [Measured(each) for each in readings]

    def _ask(self, name: str, what: Iterable[AnyQuestionnaire], until: float | None) -> None:
        ask_all(self._model, what, self._ledger, self._observer, name=name, until=until)

    def _forecast(self) -> str:
        """How many requests are left, as if the first way were the best."""
        planned = list(self._first.questionnaires())
        for way in self._ways[1:]:
            planned += GoldReadings(self._facts, way, trials=True).questionnaires()
        return tr(
            "Requests that the check makes, about: {count}. It can be stopped, and the same "
            "command continues it.",
            count=len(find_unanswered(planned, self._ledger)),
        )


@dataclass(slots=True)
class _CountedReplies(StoredReplies):
    asked: int = 0
    _seconds: dict[str, float] = field(default_factory=dict)

    @property
    def replies(self) -> int:
        return len(self._seconds)

    @property
    def seconds(self) -> float:
        return sum(self._seconds.values())

    def reuse_reply(self, dialogue: Dialogue, request: Request) -> Reply | None:
        reply = StoredReplies.reuse_reply(self, dialogue, request)
        if reply is not None:
            self._seconds[request.id] = _seconds_of(reply)
        return reply

    def store_reply(self, dialogue: Dialogue, request: Request, reply: Reply) -> None:
        StoredReplies.store_reply(self, dialogue, request, reply)
        self.asked += 1
        self._seconds[request.id] = _seconds_of(reply)


def _seconds_of(reply: Reply) -> float:
    return 0.0 if isinstance(reply, Timed) else reply.total_s or 0.0


def _begin(store: Store, model: Model, command: str, *, fresh: bool) -> Run:
    facts = model.facts
    key = f"judge-check {facts.fingerprint} {gold_digest()}"
    unfinished = None if fresh else store.find_unfinished_run(key)
    judge = RunModel(position=0, spec=facts.spec, slug=slug_of(model), facts=facts)
    run = Run(id=new_run_id(), key=key, models=(judge,), command=command)
    return unfinished or store.begin_run(run, (), fresh=fresh)


def _notes(facts: ModelFacts) -> Iterable[str]:
    if facts.fingerprint_is_weak:
        yield tr("The server does not say which weights it serves: the card is of its name and "
                 "address, and another model behind them would inherit it.")  # fmt: skip

"""`assay judge --check`: whether a judge may be trusted, from answers whose faults are known.

A few gold answers are tried in every form; in the one that orders them best the judge
reads all of them, repeats and injections. Replies are stored beside the cards, in
the user's data folder: a check that was stopped goes on where it was, from any folder.
"""

import time
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, field

from assay.ask_loop import RunningTrial, ask_all, find_unanswered
from assay.judge.qualification.marks import (
    Measured,
    choose_form,
    marks_of,
)
from assay.judge.qualification.readings import (
    GoldReadings,
    WholeReadings,
    find_forms,
    gold_digest,
)
from assay.messages import tr
from assay.models.opening import open_model
from assay.store import Run, RunModel, Store, new_run_id, utc_now
from assay.types import Model, Observer, Reply, Request, Timed
from assay.types.choices import JudgeForm
from assay.types.judging.cards import JudgeCard, JudgeCheck
from assay.types.options import JudgeCheckOptions
from assay.workflow.running.beginning import resumable, slug_of
from assay.workflow.running.judging.panel import (
    card_file,
    cards_folder,
    no_likelihoods,
    read_card,
    write_card,
)
from assay.workflow.running.ledgers import StoredReplies


def check_judge(options: JudgeCheckOptions, observer: Observer) -> JudgeCheck:
    command = options.command_line("judge", "--check", str(options.model))
    given = options.model
    model = open_model(given, options, options) if isinstance(given, str) else given
    with closing(model), resumable(cards_folder(), command):
        model.probe()
        facts = model.facts
        forms = find_forms(facts, options.judge_form)
        if not forms:
            raise no_likelihoods(facts)
        card = None if options.fresh else read_card(facts.fingerprint)
        if card is not None and card.form in forms:
            known = str(card_file(facts.fingerprint))
            return JudgeCheck(card=card, file=known, command=command)
        with Store(cards_folder()) as store:
            run = _begin(store, model, command, fresh=options.fresh)
            ledger = _CountedReplies(store, run, facts.fingerprint)
            until = None if options.budget is None else time.monotonic() + options.budget
            card, failed = _make_card(model, forms, ledger, observer, until)
            file = card_file(facts.fingerprint) if failed else write_card(card)
            if not failed:
                store.update_run(run, finished=utc_now())
        return JudgeCheck(
            card=card, file=str(file), asked=ledger.asked, failed=failed, command=command
        )


def _make_card(
    model: Model,
    forms: Sequence[JudgeForm],
    ledger: "_CountedReplies",
    observer: Observer,
    until: float | None,
) -> tuple[JudgeCard, int]:
    """A card, and how many readings failed."""
    facts = model.facts
    first = WholeReadings(facts, forms[0])
    readings = [GoldReadings(facts, form, trials=True) for form in forms]
    to_try = [each for one in readings for each in one.questionnaires()]
    # As if the first form were the best.
    to_ask = find_unanswered([*first.questionnaires(), *to_try], ledger)
    observer.note(
        tr(
            "The check makes about {count} requests. You can stop it; the same command continues "
            "it.",
            count=len(to_ask),
        )
    )
    trials: list[Measured] = []
    if len(forms) > 1:
        name = tr("check of {spec}: forms", spec=facts.spec)
        ask_all(model, to_try, ledger, observer, name=name, until=until)
        trials = [Measured(each) for each in readings]
    best = choose_form(trials) if trials else forms[0]
    whole = first if best == forms[0] else WholeReadings(facts, best)
    name = tr("check of {spec}", spec=facts.spec)
    ask_all(model, whole.questionnaires(), ledger, observer, name=name, until=until)
    measured = Measured(whole)
    others = [each for each in trials if each.readings.form != best]
    weak = tr("The server does not say which weights it serves: the card is of its name and "
              "address, and another model behind them would inherit it.")  # fmt: skip
    card = JudgeCard(
        judge=facts.spec,
        name=facts.name,
        fingerprint=facts.fingerprint,
        digest=gold_digest(),
        made=utc_now(),
        form=best,
        marks=marks_of(whole, measured),
        scales=tuple(scale for each in (measured, *others) for scale in each.card_scales()),
        trials=tuple(each.trial for each in trials),
        requests=len(ledger.seconds),
        seconds=sum(ledger.seconds.values()),
        notes=(weak,) if facts.fingerprint_is_weak else (),
    )
    return card, whole.failed + sum(each.readings.failed for each in others)


@dataclass(slots=True)
class _CountedReplies(StoredReplies):
    """`seconds`: by request, of reused replies too."""

    asked: int = 0
    seconds: dict[str, float] = field(default_factory=dict)

    def reuse_reply(self, trial: RunningTrial, request: Request) -> Reply | None:
        reply = StoredReplies.reuse_reply(self, trial, request)
        if reply is not None:
            self._count(reply)
        return reply

    def store_reply(self, trial: RunningTrial, request: Request, reply: Reply) -> None:
        StoredReplies.store_reply(self, trial, request, reply)
        self.asked += 1
        self._count(reply)

    def _count(self, reply: Reply) -> None:
        timed = not isinstance(reply, Timed) and reply.total_s
        self.seconds[reply.request_id] = timed or 0.0


def _begin(store: Store, model: Model, command: str, *, fresh: bool) -> Run:
    facts = model.facts
    key = f"judge --check {facts.fingerprint} {gold_digest()}"
    unfinished = None if fresh else store.find_unfinished_run(key)
    judge = RunModel(position=0, spec=facts.spec, slug=slug_of(model), facts=facts)
    run = Run(id=new_run_id(), key=key, models=(judge,), command=command)
    return unfinished or store.begin_run(run, (), fresh=fresh)

"""The card of a loop of training: whether a round was accepted, or which one comes closest."""

from collections.abc import Iterator

from assay.messages import tr, trn
from assay.reports.cards.checkpoints import decisive_criteria
from assay.reports.checkpoints.facts import sentences
from assay.reports.checkpoints.figures import in_words
from assay.reports.checkpoints.headlines import criteria_missed
from assay.text import number_format as numbers
from assay.text.safe_text import one_line
from assay.types.decisions import DEFAULT_GATE
from assay.types.documents import Card, Line, Span, make_card
from assay.types.rounds import LoopRound, TrainingLoop


def loop_card(loop: TrainingLoop) -> Card:
    best = best_round(loop)
    accepted = loop.ended == "accepted"
    shown = loop.rounds[-1] if accepted else best
    return make_card(
        one_line(_decision(loop, shown)),
        tone="good" if accepted else "warning" if loop.ended == "undecided" else "bad",
        reasons=_reasons(loop, shown) if shown else (),
        caveats=_caveats(loop, shown),
        next=_next(loop),
        gate=loop.gate.title if loop.gate.source == DEFAULT_GATE else "",
    )


def best_round(loop: TrainingLoop) -> LoopRound | None:
    return next((each for each in loop.rounds if each.number == loop.best), None)


def _decision(loop: TrainingLoop, shown: LoopRound | None) -> str:
    if loop.ended == "accepted" and shown:
        return tr("Ship {name}: accepted in round {number}.", name=shown.measured.name,
                  number=shown.number)  # fmt: skip
    count = len(loop.rounds)
    why = {
        "rounds": trn("out of budget after {count} round", "out of budget after {count} rounds",
                      count),
        "minutes": tr("out of time in round {number}", number=count + 1),
        "tokens": tr("out of tokens after round {number}", number=count),
        "undecided": tr("round {number} is undecided, for not all that the gate asks for was "
                        "measured", number=count),
        "unchanged": tr("ended after round {number}, because the next would train nothing new",
                        number=count),
    }[loop.ended]  # fmt: skip
    if shown is None:
        return tr("Ship none: {why}.", why=why)
    return tr("Ship none: {why}; round {number} comes closest.", why=why, number=shown.number)


def _reasons(loop: TrainingLoop, shown: LoopRound) -> Iterator[str]:
    if missed := criteria_missed(shown.acceptance):
        yield tr("{name} misses {criteria}.", name=shown.measured.name,
                 criteria=", ".join(missed))  # fmt: skip
    for each in decisive_criteria(shown.acceptance):
        yield sentences(each.reasons)


def _caveats(loop: TrainingLoop, shown: LoopRound | None) -> Iterator[str]:
    if shown is not None and shown.acceptance.accepted and not shown.acceptance.clear:
        near = [name for name, each in shown.acceptance.criteria.items() if not each.clear]
        yield tr("The pass is marginal, not clear: the interval of {criteria} crosses the limit.",
                 criteria=", ".join(near))  # fmt: skip
    for each in loop.rounds:
        if each.review.failed:
            yield tr("The review of round {number} failed, and Assay's advice took its place: "
                     "{why}", number=each.number, why=each.review.failed)  # fmt: skip
    if shown is not None and shown.standing == "equal" and shown.difference:
        yield tr("Round {number} shows no significant difference from round {best}: {by}.",
                 number=shown.number, best=shown.best_before,
                 by=in_words(shown.difference))  # fmt: skip
    if len(loop.rounds) > 1:
        yield tr("Best of {count}, not confirmed.", count=numbers.count(len(loop.rounds)))
    yield from loop.notes


def _next(loop: TrainingLoop) -> Line:
    command = Span(loop.command, "code")
    if loop.ended == "unchanged":
        return tr(
            "the command of --train can carry out none of these changes: give it {changes}, "
            "or change it by hand and call it again: ",
            changes="{changes}",
        ), command
    if loop.ended in ("rounds", "minutes", "tokens"):
        return tr("go on with a larger --{what}: ", what=loop.ended), command
    return ""

"""By which method the letters of multiple-choice tests were read. Two methods are never ranked
beside each other: what a model writes depends on whether it follows the form, what is most likely
does not.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from assay.checks.scoring import score_reply
from assay.messages import tr
from assay.summary.letters import is_letter_test, likely_letter
from assay.types import Answered, ChoiceLikelihoods, Score, Trial

NOT_TOLD = Score(scorer="multiple_choice", unscored_reason="no_likelihood")


def written_letters() -> str:
    return tr("letters as written")


def likely_letters() -> str:
    return tr("letters by likelihood")


def methods_of(trials: Sequence[Trial]) -> Iterator[tuple[str, tuple[Trial, ...]]]:
    """Each method by which the trials of one model and suite can be scored, in words, with the
    trials as it has them; "" where no test asks for a letter.
    """
    letters = [trial for trial in trials if is_letter_test(trial)]
    written = sum(isinstance(trial.reply, Answered) for trial in letters)
    chosen = sum(isinstance(trial.reply, ChoiceLikelihoods) for trial in letters)
    if not written and not chosen:
        yield "", tuple(trials)
        return
    if not chosen:
        yield written_letters(), tuple(trials)
    elif not written:
        yield likely_letters(), tuple(trials)
    elif not any(likely_letter(trial.reply) for trial in letters):
        # Of before a server was asked for both: a first token that did not decide was written out.
        yield tr("letters by the first token, else as written"), tuple(trials)
    by_text = any(trial.case.check.requests().by_text for trial in letters)
    if written and not by_text and any(likely_letter(trial.reply) for trial in letters):
        yield likely_letters(), tuple(by_likelihood(trials))


def by_likelihood(trials: Sequence[Trial]) -> Iterator[Trial]:
    """As if each server's most likely letter had been its answer. One that told no likelihood has
    no score.
    """
    for trial in trials:
        if not is_letter_test(trial) or not isinstance(trial.reply, Answered):
            yield trial
            continue
        reply = likely_letter(trial.reply)
        score = score_reply(trial.case, reply) if reply else NOT_TOLD
        yield replace(trial, reply=reply or trial.reply, score=score)

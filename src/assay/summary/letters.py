"""What a served model wrote as the letter of a choice, beside the letter that was most likely to
begin its answer: whether it follows the form, and whether it knows.
"""

from collections.abc import Iterable, Mapping, Sequence

from assay.stats import estimates
from assay.types import LETTERS, Answered, ChoiceLikelihoods, Estimate, Reply, Trial

WRITTEN, LIKELY = "letter_written", "letter_likely"


def letter_figures(suite: str, asked: Iterable[Sequence[Trial]]) -> Mapping[str, Estimate]:
    """Shares of tests, by SUITE/NAME; none where no server told likelihoods with an answer. A test
    with repeats is their mean; where none of its letters was told, it is unscored.
    """
    every = [[trial for trial in of_test if is_written_letter(trial)] for of_test in asked]
    tests = [of_test for of_test in every if of_test]
    if not any(likely_letter(trial.reply) for of_test in tests for trial in of_test):
        return {}
    return {
        f"{suite}/{WRITTEN}": _share([_mean(map(_written, of_test)) for of_test in tests]),
        f"{suite}/{LIKELY}": _share([_mean(map(_likely, of_test)) for of_test in tests]),
    }


def likely_letter(reply: Reply) -> ChoiceLikelihoods | None:
    """What a server told of the first token of an answer."""
    if not isinstance(reply, Answered) or not reply.letters:
        return None
    return ChoiceLikelihoods(
        request_id=reply.request_id,
        log_likelihoods=reply.letters,
        bounded=reply.letters_bounded,
        method="first_token",
    )


def is_letter_test(trial: Trial) -> bool:
    return bool(trial.case.check.requests().letters)


def is_written_letter(trial: Trial) -> bool:
    return isinstance(trial.reply, Answered) and is_letter_test(trial)


def _written(trial: Trial) -> float | None:
    return trial.score.value if trial.score else None


def _likely(trial: Trial) -> float | None:
    chosen, right = likely_letter(trial.reply), trial.case.check.gold()
    if chosen is None or right is None:
        return None
    told = zip(chosen.log_likelihoods, chosen.bounded, LETTERS, strict=False)
    seen = {letter: value for value, bounded, letter in told if not bounded}
    return float(max(seen, key=lambda letter: seen[letter]) == right)


def _mean(scores: Iterable[float | None]) -> float | None:
    known = [score for score in scores if score is not None]
    return sum(known) / len(known) if known else None


def _share(scores: Sequence[float | None]) -> Estimate:
    known = [score for score in scores if score is not None]
    return estimates.mean_of(known, unscored=len(scores) - len(known))

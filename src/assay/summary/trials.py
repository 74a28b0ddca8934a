"""What the trials of one model say, by test, category and suite."""

import math
import statistics
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields, replace

from assay.messages import tr
from assay.stats import estimates
from assay.summary.causes import find_causes
from assay.summary.letters import letter_figures
from assay.types import (
    LETTERS,
    Answered,
    ChoiceLikelihoods,
    Estimate,
    Failed,
    OutcomeKind,
    Reply,
    Suite,
    Trial,
)
from assay.types.results import RightAnswerCost, SuiteSummary, TestRow, TrialRow

RIGHT_BITS = "right_bits_per_byte"
MARGIN = 1e-9  # the rounding that `Score.outcome` forgives, for means too
_OF_ONE_TRIAL = tuple(each.name for each in fields(TrialRow))


def summarise(
    suite: Suite,
    trials: Iterable[Trial],
    *,
    right_answers: Mapping[str, Reply] | None = None,
) -> SuiteSummary:
    """One model on one suite. Tests that were not asked yet have no row and count nowhere.
    `right_answers`: by test, how likely the right answer is.
    """
    by_test: dict[str, list[Trial]] = {}
    for trial in trials:
        by_test.setdefault(trial.case.id, []).append(trial)
    asked = [
        sorted(by_test[case.id], key=lambda t: t.repeat)
        for case in suite.cases
        if case.id in by_test
    ]
    rows = tuple(_row(of_test, suite) for of_test in asked)
    names = [category.name for category in suite.categories]
    weights = {name: suite.weight(name) for name in names}
    categories = _by_category(names, rows, _ways_of_asking(asked))
    counts = Counter(row.outcome for row in rows)
    every = [trial for of_test in asked for trial in of_test]
    causes = find_causes(every, suite.pass_mark)
    cost = right_answer_cost(every, suite.pass_mark)
    return SuiteSummary(
        suite=suite.name,
        title=suite.title,
        score=estimates.weighted([(share, weights[name]) for name, share in categories.items()]),
        categories=categories,
        tests=rows,
        outcomes={outcome: counts[outcome] for outcome in OutcomeKind},
        weights={name: weights[name] for name in categories},
        pass_mark=suite.pass_mark,
        measurements={
            **_of_repeats(rows),
            **_of_parts(asked),
            **_answer_seconds(asked),
            **_right_bits(asked, right_answers or {}),
            **{each.kind: estimates.proportion(each.count, each.n) for each in causes},
            **(
                {
                    "tokens_per_right_answer": cost.tokens,
                    "seconds_per_right_answer": cost.seconds,
                }
                if cost
                else {}
            ),
        },
        causes=causes,
        cost=cost,
        letters=letter_figures(suite.name, asked),
    )


def measurements(suites: Sequence[SuiteSummary]) -> dict[str, Estimate]:
    """A model's measurements: its suite's own names, or SUITE/NAME where there are several."""
    if len(suites) == 1:
        return dict(suites[0].measurements)
    return {
        f"{summary.suite}/{name}": estimate
        for summary in suites
        for name, estimate in summary.measurements.items()
    }


def _right_bits(
    asked: Sequence[Sequence[Trial]], right_answers: Mapping[str, Reply]
) -> dict[str, Estimate]:
    """Bits per byte of the right answers: they move long before a small model gives them."""
    bits: list[float] = []
    sizes: list[float] = []
    for trial in (of_test[0] for of_test in asked):
        read, form = right_answers.get(trial.case.id), trial.case.check.requests()
        reply, said, place = read or trial.reply, trial.case.check.gold(), 0
        if read is None and form.options and said:
            place = LETTERS.index(said)
            said = form.options[place] if form.by_text else said
        if isinstance(reply, ChoiceLikelihoods) and reply.method == "likelihood" and said:
            bits.append(-reply.log_likelihoods[place] / math.log(2))
            sizes.append(float(len(said.encode("utf-8", "surrogatepass"))))
    if not bits or not all(map(math.isfinite, bits)):
        return {}
    return {RIGHT_BITS: estimates.ratio(bits, sizes, unit="bits per byte")}


def _row(trials: Sequence[Trial], suite: Suite) -> TestRow:
    case, pass_mark = trials[0].case, suite.pass_mark
    repeats = tuple(_trial_row(trial, pass_mark) for trial in trials)
    shown = next((repeat for repeat in repeats if repeat.score is not None), repeats[0])
    row = TestRow(
        id=case.id,
        category=case.category,
        question=case.question,
        turns=case.turns(suite.system),
        temperature=None if case.check.is_scored else case.temperature,
        **{name: getattr(shown, name) for name in _OF_ONE_TRIAL},
    )
    if len(repeats) == 1:
        return row
    scores = [repeat.score for repeat in repeats if repeat.score is not None]
    mean = math.fsum(scores) / len(scores) if scores else None
    passed = sum(repeat.outcome is OutcomeKind.PASS for repeat in repeats)
    explanation = tr("{passed} of {tries} tries passed", passed=passed, tries=len(repeats))
    return replace(
        row,
        outcome=_outcome_of(repeats, mean, pass_mark),
        score=mean,
        explanation=explanation if scores else shown.explanation,
        repeats=repeats,
        unread=all(repeat.unread for repeat in repeats),
    )


def _trial_row(trial: Trial, pass_mark: float) -> TrialRow:
    reply, score = trial.reply, trial.score
    answer = None
    if isinstance(reply, Answered):
        answer = reply.transcript or "\n".join(reply.predictions)
    explanation = reply.reason if isinstance(reply, Failed) else ""
    if score is not None:
        explanation = score.explanation or score.unscored_reason or ""
    return TrialRow(
        repeat=trial.repeat,
        outcome=trial.outcome(pass_mark),
        score=score.value if score is not None else None,
        answer=answer,
        extracted=score.extracted if score is not None else None,
        explanation=explanation,
        sent=trial.sent,
        unread=score is not None and score.unread,
    )


def _outcome_of(repeats: Sequence[TrialRow], mean: float | None, pass_mark: float) -> OutcomeKind:
    if mean is None:
        all_failed = all(repeat.outcome is OutcomeKind.FAILED for repeat in repeats)
        return OutcomeKind.FAILED if all_failed else OutcomeKind.UNSCORED
    if all(
        repeat.outcome is OutcomeKind.NO_ANSWER for repeat in repeats if repeat.score is not None
    ):
        return OutcomeKind.NO_ANSWER
    return OutcomeKind.PASS if mean >= pass_mark - MARGIN else OutcomeKind.FAIL


def _by_category(
    names: Sequence[str], rows: Sequence[TestRow], ways: Mapping[str, str]
) -> dict[str, Estimate]:
    scores: dict[str, list[float | None]] = {}
    for row in rows:
        scores.setdefault(row.category, []).append(row.score)
    found = {name: _mean(scores[name]) for name in names if name in scores}
    # k samples are another question than the k best, the likeliest first tokens another than all
    # likelihoods, checks alone another than a judge: the method says so where it is shown.
    return {name: replace(of, method=ways.get(name, of.method)) for name, of in found.items()}


def _ways_of_asking(asked: Sequence[Sequence[Trial]]) -> dict[str, str]:
    """The categories where something was asked or scored in a lesser way, and which."""
    found: dict[str, set[str]] = {}
    for trial in (trial for of_test in asked for trial in of_test):
        reply = trial.reply
        if isinstance(reply, Answered) and reply.prediction_method == "sampled":
            found.setdefault(trial.case.category, set()).add("sampled")
        if isinstance(reply, ChoiceLikelihoods) and reply.method == "first_token":
            found.setdefault(trial.case.category, set()).add("first_token")
        if trial.case.check.judged and trial.score and trial.score.value is not None:
            found.setdefault(trial.case.category, set()).add(trial.score.scorer)
    return {
        category: " + ".join(sorted(ways)) for category, ways in found.items() if ways != {"judge"}
    }


def _mean(scores: Sequence[float | None]) -> Estimate:
    scored = [score for score in scores if score is not None]
    return estimates.mean_of(scored, unscored=len(scores) - len(scored))


def _of_repeats(rows: Sequence[TestRow]) -> dict[str, Estimate]:
    """pass@1, pass@N, pass^N and spread over tests; a test with fewer scored trials is unscored."""
    most = max((len(row.repeats) for row in rows), default=0)
    if most < 2:
        return {}
    tried: list[tuple[list[float], int]] = []
    for row in rows:
        scores = [repeat.score for repeat in row.repeats if repeat.score is not None]
        passed = sum(repeat.outcome is OutcomeKind.PASS for repeat in row.repeats)
        if row.repeats:
            tried.append((scores, passed))

    def over_tests(needed: int, value: Callable[[list[float], int], float]) -> Estimate:
        values = [value(scores, c) if len(scores) >= needed else None for scores, c in tried]
        return _mean(values)

    return {
        "pass@1": over_tests(1, lambda scores, c: c / len(scores)),
        f"pass@{most}": over_tests(most, lambda s, c: estimates.pass_at_k(len(s), c, most)),
        f"pass^{most}": over_tests(most, lambda s, c: estimates.pass_hat_k(len(s), c, most)),
        "spread": over_tests(2, lambda scores, _: statistics.stdev(scores)),
    }


def _of_parts(asked: Sequence[Sequence[Trial]]) -> dict[str, Estimate]:
    """Each part of the scores over tests, for checks whose parts are figures of their own."""
    values: dict[str, list[float]] = {}
    for of_test in asked:
        check = of_test[0].case.check
        trials: dict[str, list[float]] = {}
        for part in (part for each in of_test if each.score for part in each.score.parts):
            if check.reports_parts:
                trials.setdefault(f"{check.method}/{part.name}", []).append(part.value)
        for name, of_trials in trials.items():
            values.setdefault(name, []).append(statistics.fmean(of_trials))
    return {name: _mean(of) for name, of in values.items()}


def _answer_seconds(asked: Sequence[Sequence[Trial]]) -> dict[str, Estimate]:
    replies = [trial.reply for trials in asked for trial in trials]
    seconds = [
        reply.total_s
        for reply in replies
        if isinstance(reply, Answered | ChoiceLikelihoods) and reply.total_s is not None
    ]
    if not seconds:
        return {}
    untimed = len(replies) - len(seconds)
    return {"answer_s": estimates.average(seconds, unit="s", unscored=untimed)}


def right_answer_cost(trials: Sequence[Trial], pass_mark: float) -> RightAnswerCost | None:
    """Of a served model, which reports tokens and seconds; None for any other."""
    timed = [trial for trial in trials if _seconds(trial) is not None]
    if not any(getattr(trial.reply, "prompt_tokens", None) for trial in timed):
        return None
    missing = len(trials) - len(timed)

    def per_right(amount: Callable[[Trial], float | None], unit: str) -> Estimate:
        """All that was spent over all right answers; an amount that is not known is missing."""
        known = [(spent, trial) for trial in timed if (spent := amount(trial)) is not None]
        right = [float(trial.outcome(pass_mark) is OutcomeKind.PASS) for _, trial in known]
        unscored = missing + len(timed) - len(known)
        return estimates.ratio([spent for spent, _ in known], right, unit=unit, unscored=unscored)

    return RightAnswerCost(
        right=sum(trial.outcome(pass_mark) is OutcomeKind.PASS for trial in timed),
        answers=len(timed),
        total_tokens=int(math.fsum(_tokens(trial) or 0 for trial in timed)),
        total_s=math.fsum(_seconds(trial) or 0.0 for trial in timed),
        tokens=per_right(_tokens, "tokens"),
        seconds=per_right(_seconds, "s"),
    )


def _tokens(trial: Trial) -> float | None:
    return trial.reply.output_tokens if isinstance(trial.reply, Answered) else None


def _seconds(trial: Trial) -> float | None:
    """Of the model's wall time: several answers at once do not take the sum of their times."""
    reply = trial.reply
    if not isinstance(reply, Answered | ChoiceLikelihoods):
        return None
    return reply.total_s if reply.wall_s is None else reply.wall_s

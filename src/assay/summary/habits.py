"""What answers to a suite have in common: how many of all, and of those that failed.

A new habit is a kind in `HabitKind`, a line in `_kinds_of` and a sentence in
`reports.sentences.HABITS`.
"""

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from typing import Literal, NamedTuple, get_args

from assay.stats.intervals import wilson
from assay.summary.other_language import find_other_languages
from assay.summary.same_answers import AskedAnswer, find_same_answers
from assay.text.answer_words import declines_instead
from assay.text.circles import ends_in_circles, says_nothing_new
from assay.text.echo import adds_nothing, is_echo, words_beside
from assay.text.json_in_prose import find_function_call
from assay.text.listed_options import is_set_apart, names_all
from assay.text.written_calls import offered_functions, read_written_calls
from assay.types import LETTERS, Answered, Case, Context, OutcomeKind, Score, Trial
from assay.types.requests import LOOP
from assay.types.results import Habit, HabitKind

FEWEST_CHOICES, MOST = 10, 0.6
MOST_IN_ONE = 0.7  # of the answers in another language, for that language to be named
CALLS: Literal["calls_as_text"] = "calls_as_text"
FOREIGN: Literal["other_language"] = "other_language"
SAME: Literal["same_answer"] = "same_answer"
DECLINED: Literal["declined"] = "declined"
UNFINISHED: frozenset[HabitKind] = frozenset({"cut", "loops", "thought_only"})
MAY_BE_FOREIGN: frozenset[HabitKind] = frozenset({DECLINED})
MAY_BE_SAME = MAY_BE_FOREIGN | {FOREIGN}
MOST_TELLING: tuple[HabitKind, ...] = get_args(HabitKind)
WRONG = (OutcomeKind.FAIL, OutcomeKind.NO_ANSWER)


def find_habits(trials: Sequence[Trial], pass_mark: float) -> tuple[Habit, ...]:
    """Of written answers and chosen letters; what passed has only how it ended."""
    wrong = {id(trial) for trial in trials if trial.outcome(pass_mark) in WRONG}
    written = [trial for trial in trials if isinstance(trial.reply, Answered)]
    of_each = {id(each): {*_kinds_of(each, id(each) in wrong)} for each in written}
    ended = [each for each in written if id(each) in wrong and not of_each[id(each)] & UNFINISHED]
    for place in _echoes(ended):
        of_each[place].add("echoed")
    plain = [each for each in written if of_each[id(each)] <= MAY_BE_FOREIGN]
    languages = find_other_languages(plain, wrong)
    for place in languages:
        of_each[place].add(FOREIGN)
    same = _same_answers([each for each in written if of_each[id(each)] <= MAY_BE_SAME], wrong)
    for trial in same.of if same else ():
        of_each[id(trial)].add(SAME)
    declined = [kinds for kinds in of_each.values() if DECLINED in kinds]
    if same and (same.is_mixed or any(SAME in kinds for kinds in declined)):
        same = same._replace(is_mixed=same.is_mixed or not all(SAME in each for each in declined))
        for kinds in declined:  # one cause, not two halves of one
            kinds.discard(DECLINED)
            kinds.add(SAME)
    found = [
        Habit(
            kind=kind,
            count=sum(kind in of_each[id(each)] for each in written),
            n=len(written),
            explains=sum(kind in of_each[id(each)] for each in written if id(each) in wrong),
            failures=len(wrong),
        )
        for kind in dict.fromkeys(kind for kinds in of_each.values() for kind in kinds)
    ]
    for place, habit in enumerate(found):
        if habit.kind == CALLS:
            texts = [each for each in written if CALLS in of_each[id(each)]]
            found[place] = _with_calls(habit, texts, written, wrong)
        elif habit.kind == SAME and same:
            sentences = 0 if same.is_mixed else same.sentences
            found[place] = replace(habit, sentences=sentences, said=same.most)
        elif habit.kind == FOREIGN:
            found[place] = replace(habit, language=_most(languages.values()))
    chosen = [each for each in trials if each.score and each.score.scorer == "multiple_choice"]
    letters = [each.score.extracted if each.score else None for each in chosen]
    if one := find_one_letter(letters, [each.case.check.gold() for each in chosen]):
        letter, times, tests = one
        missed = [each for each, chose in zip(chosen, letters, strict=True) if chose == letter]
        explains = sum(id(each) in wrong for each in missed)
        found.append(Habit(kind="one_letter", count=times, n=tests, letter=letter,
                           explains=explains, failures=len(wrong)))  # fmt: skip
    return tuple(sorted(found, key=lambda each: (-each.count, MOST_TELLING.index(each.kind))))


def _kinds_of(trial: Trial, failed: bool) -> Iterator[HabitKind]:
    reply, score = trial.reply, trial.score
    if not isinstance(reply, Answered):
        return
    if reply.reasoning_unclosed and not reply.text.strip():
        yield "loops" if reply.finish == LOOP else "thought_only"
    elif reply.truncated:
        yield "loops" if reply.finish == LOOP or _goes_in_circles(reply.text) else "cut"
    elif failed and (says_nothing_new(reply.text) or ends_in_circles(reply.text, is_cut=False)):
        yield "loops"
    text = "\n".join(reply.predictions) or reply.text
    if not failed:
        return
    if not text.strip():
        if not (reply.calls or reply.truncated or reply.reasoning_unclosed):
            yield "empty"
        return
    value = (score.value or 0.0) if score else 0.0
    if trial.case.method == "tool_calls" and _has_call(reply, trial.case):
        yield CALLS
    elif declines_instead([text], value, trial.case.check.gold):
        yield DECLINED
    elif not reply.truncated and is_echo(
        text, (message.content for message in trial.case.messages)
    ):
        yield "echoed"
    elif (
        score
        and trial.case.check.requests().letters
        and _lists_options(text, trial.case, score.extracted)
    ):
        yield "options_listed"


def _goes_in_circles(text: str) -> bool:
    return ends_in_circles(text) or says_nothing_new(text)


def _most(languages: Collection[str]) -> str:
    """The language of nearly all; "" where they are of several."""
    code, count = Counter(languages).most_common(1)[0]
    return code if count >= MOST_IN_ONE * len(languages) else ""


def _echoes(wrong: Sequence[Trial]) -> set[int]:
    """Those that add to the question only words which frame it in other answers too."""
    beside = {
        id(each): (each.case.id, words)
        for each in wrong
        if isinstance(each.reply, Answered)
        and (words := words_beside(each.reply.text, _asked(each.case))) is not None
    }
    frames = Counter(word for _, words in dict(beside.values()).items() for word in words)
    return {place for place, (_, words) in beside.items() if adds_nothing(words, frames)}


def _asked(case: Case) -> tuple[str, ...]:
    return (case.prompt, *(message.content for message in case.messages))


class _Same(NamedTuple):
    of: Sequence[Trial]
    sentences: int
    most: str
    is_mixed: bool


def _same_answers(trials: Sequence[Trial], wrong: Collection[int]) -> _Same | None:
    """Of texts that nothing else is known of; a letter that is chosen again is another habit."""
    texts = [
        (trial, trial.reply.text)
        for trial in trials
        if isinstance(trial.reply, Answered)
        and not (trial.case.check.requests().letters and trial.score and trial.score.extracted)
    ]
    found = find_same_answers([
        AskedAnswer(trial.case.id, trial.case.question, text, id(trial) not in wrong)
        for trial, text in texts
    ])  # fmt: skip
    if found is None:
        return None
    return _Same(
        [texts[place][0] for place in found.places], found.sentences, found.most, found.is_mixed
    )


def _with_calls(
    habit: Habit, texts: Sequence[Trial], written: Sequence[Trial], wrong: Collection[int]
) -> Habit:
    """How many of the calls as text were right, and how many answers called as the interface has
    it.
    """
    native = [each for each in written if isinstance(each.reply, Answered) and each.reply.calls]
    native += [each for each in written if isinstance(each.reply, Answered) and each.reply.steps]
    only = {id(each): each for each in native if each not in texts}.values()
    return replace(
        habit,
        right=sum(map(_calls_what_was_expected, texts)),
        native=len(only),
        native_right=sum(id(each) not in wrong for each in only),
    )


def _has_call(reply: Answered, case: Case) -> bool:
    """Beside calls that came as such, only one of a function that was offered counts."""
    offered = offered_functions(case.check.requests().tools)
    if read_written_calls(reply.text, offered):
        return True
    return not reply.calls and find_function_call(reply.text, " ".join(offered)) is not None


def _calls_what_was_expected(trial: Trial) -> bool:
    """Whether its calls would have been right, had the server read them: the check itself says."""
    reply, case = trial.reply, trial.case
    assert isinstance(reply, Answered)
    calls = read_written_calls(reply.text, offered_functions(case.check.requests().tools))
    heard = replace(reply, text="", calls=(*reply.calls, *calls))
    score = case.check.score("", Context(case, heard)) if calls else None
    parts = score.parts if isinstance(score, Score) else ()
    called = [part.value for part in parts if part.name in ("name", "arguments")]
    return bool(called) and min(called) == 1


def _lists_options(text: str, case: Case, chosen: str | None) -> bool:
    """Whether it names all of them and sets none apart, though a letter may be read from it."""
    asked = case.check.requests()
    letters = asked.letters or LETTERS[: len(asked.options)]
    if not names_all(text, letters, asked.options):
        return False
    return chosen is None or not is_set_apart(text, chosen, letters, asked.options)


def find_one_letter(
    letters: Sequence[str | None], right: Sequence[str | None]
) -> tuple[str, int, int] | None:
    """The letter of most answers, its count, and how many tests; None where as many of the right
    answers may have it.
    """
    counts = Counter(filter(None, letters))
    if len(letters) < FEWEST_CHOICES or not counts:
        return None
    letter, times = counts.most_common(1)[0]
    share, explained = times / len(letters), right.count(letter) / len(letters)
    if share < MOST or wilson(share, len(letters)).low <= explained:
        return None
    return letter, times, len(letters)

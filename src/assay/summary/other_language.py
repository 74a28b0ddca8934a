"""Answers in another language than their question, whichever the two are."""

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence

from assay.text.spoken_language import language_beside, language_of, languages_named
from assay.types import Answered, Case, Trial

FEWEST_QUESTIONS = 3  # a single short answer may look like any language
LEAST_ASKED = 0.1  # of the questions: one that fewer are in is a mistake about a short question
# Where so many of the answers in it are right, and half as many as of the others, it is wanted.
LEAST_RIGHT, AS_RIGHT = 0.05, 0.5
MANY = 1 / 3  # of the wrong answers: then each may be in a language of its own
_PART = re.compile(r"[\n\"“”«»:]+")  # lines, quotations, and what stands behind a colon


def find_other_languages(written: Sequence[Trial], wrong: Collection[int]) -> Mapping[int, str]:
    """The language of each answer, by the id of the trial: of those that are wrong, and not where
    right answers went from the one language to the other.
    """
    asked = _asked_in([each.case for each in written])
    missed = [each for each in written if id(each) in wrong]
    found = {id(each): said for each in missed if (said := _said_in(each, asked))}
    texts = [each.reply.text for each in missed
             if id(each) in found and isinstance(each.reply, Answered)]  # fmt: skip
    if whole := language_of("\n".join(texts)):  # all of them tell it better than one
        found = {id(each): said for each in missed if (said := _said_in(each, asked, (whole,)))}
    tests = {(said, each.case.id) for each in missed if (said := found.get(id(each)))}
    questions = Counter(said for said, _ in tests)
    if len(found) < MANY * len(missed):
        found = {at: said for at, said in found.items() if questions[said] >= FEWEST_QUESTIONS}
    if not found:
        return {}
    right = [(asked.get(each.case.prompt), _said_in(each, asked))
             for each in written if id(each) not in wrong]  # fmt: skip
    passed = Counter(each for each in right if each[1])
    own = len(right) - passed.total()
    own_share = own / max(1, own + len(missed) - len(found))
    went = {id(each): (asked[each.case.prompt], found[id(each)]) for each in missed
            if id(each) in found}  # fmt: skip
    times = Counter(went.values())
    return {
        place: said
        for place, said in found.items()
        if not _is_wanted(passed[went[place]], times[went[place]], own_share)
    }


def _is_wanted(passed: int, failed: int, own_share: float) -> bool:
    """A letter is right in any language: some right answers alone do not show that it is."""
    if passed < max(1, LEAST_RIGHT * failed):
        return False
    return passed / (passed + failed) >= AS_RIGHT * own_share


def _asked_in(cases: Sequence[Case]) -> Mapping[str, str]:
    """Of each prompt its language, among those that many of the prompts are in."""
    prompts = {case.prompt: case for case in cases}
    first = {prompt: language_of(prompt) or case.language_code for prompt, case in prompts.items()}
    counts = Counter(filter(None, first.values()))
    if not counts:
        whole = language_of("\n".join(prompts))
        return dict.fromkeys(prompts, whole) if whole else {}
    among = {code for code, n in counts.items() if n >= LEAST_ASKED * len(prompts)}
    among = among or {counts.most_common(1)[0][0]}
    found = {}
    for prompt, code in first.items():
        known = code if code in among else language_of(prompt, among)
        found[prompt] = known if known in among else counts.most_common(1)[0][0]
    return found


def _said_in(trial: Trial, asked_in: Mapping[str, str], others: Collection[str] = ()) -> str | None:
    """The language of an answer where it is neither that of its question nor one that is wanted:
    the suite's, one that is named, that a part of what was asked has, or that the right answer has.
    """
    case, reply = trial.case, trial.reply
    asked = asked_in.get(case.prompt)
    if not isinstance(reply, Answered) or asked is None:
        return None
    said = language_beside(reply.text, {asked}, others)
    if said is None:
        return None
    turns = [message.content for message in case.turns(case.system)]
    parts = [case.check.gold() or "", *(part for turn in turns for part in _PART.split(turn))]
    of_parts = {language_beside(part, {asked}, (said,)) or language_of(part) for part in parts}
    named = frozenset().union(*map(languages_named, turns))
    wanted = {asked, *named, *filter(None, (case.language_code, *of_parts))}
    return language_beside(reply.text, wanted, others)

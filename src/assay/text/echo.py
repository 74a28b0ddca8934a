"""Whether a text only repeats what it was asked."""

import re
from collections.abc import Iterable

_ALIKE = 95.0  # of 100
_LONGEST_COMPARED = 100_000
_BEGIN = 10  # characters
_MOST_LEFT_OUT = 0.8  # an answer with a smaller part of what was asked may quote it
_FEWEST_REPEATED, _MOST_ADDED, _LONGEST_ADDED = 3, 2, 60  # words, words, characters
_WORD = re.compile(r"[^\W_]+")
_CLAUSE_END = re.compile(r"[.:;?!…\n]+")


def is_echo(answer: str, asked: Iterable[str]) -> bool:
    """Whether it is most of one of these texts in its own order, and nothing behind it."""
    from rapidfuzz import fuzz  # here: most answers are as unlike the question as can be

    said = " ".join(answer[:_LONGEST_COMPARED].split())
    for text in asked:
        task = " ".join(text[:_LONGEST_COMPARED].split())
        if task and said in task and len(said) * 2 >= len(task):
            return True
        if task and fuzz.ratio(said, task, score_cutoff=_ALIKE) > 0:
            return True
    return False


def begins_like(answer: str, asked: str) -> bool:
    """Whether an answer may repeat a text at all: a quick look, for most do not."""
    begin = asked[:_BEGIN]
    return begin in answer or begin.casefold() in answer[: _BEGIN + _LONGEST_ADDED].casefold()


def words_added(answer: str, asked: str) -> str | None:
    """What an answer adds to a text that it repeats, at most two words; None: it is no echo."""
    if not _MOST_LEFT_OUT * len(asked) < len(answer) < len(asked) + _LONGEST_ADDED:
        return None
    said, task = _WORD.findall(answer.casefold()), _WORD.findall(asked.casefold())
    if len(task) < _FEWEST_REPEATED or len(said) - len(task) > _MOST_ADDED:
        return None
    added, at = [], 0
    for word in said:
        if at < len(task) and word == task[at]:
            at += 1
        else:
            added.append(word)
    if at == len(task):
        return " ".join(added)
    return "" if is_echo(answer, (asked,)) else None


def is_piece(answer: str, asked: str) -> bool:
    """Whether an answer is a piece of a text: its first half at least, or one of its clauses."""
    begin = _WORD.search(answer)
    if begin is None or len(answer) > len(asked) + _BEGIN or begin[0] not in asked:
        return False
    said, task = _WORD.findall(answer.casefold()), _WORD.findall(asked.casefold())
    if len(said) < _FEWEST_REPEATED:
        return False
    if said == task[: len(said)] and len(said) * 2 >= len(task):
        return True
    return any(_WORD.findall(each) == said for each in _CLAUSE_END.split(asked.casefold()))

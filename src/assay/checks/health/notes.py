"""Notes on an answer, which do not count at the gate: length, coherence, terms, truncation.

In: an answer. Out: a HealthCheck each. Words are what white space separates, as the specification
counts them; terms are the words of terms.txt, and what has the form of a path, an option, an id, an
address, a version or a size. A base model that is stopped at its last token is always cut off.
"""

import re
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from assay.checks.health.reading import quote, read, without_marker
from assay.messages import tr, trn
from assay.types.samples import HealthCheck

MORE_THAN, FEWER_THAN = 10, 200  # words
JUDGED_FROM = 8  # words of prose
SMALL_WORDS_FROM, SMALL_WORDS = 20, 0.12  # words outside of lists; share of small words
TERMS_NEEDED, TERMS_SHOWN = 2, 6
TAIL, TAIL_READ = 80, 4_000  # characters shown of the end, and looked at
SENTENCE_WORDS = 6  # fewer may be a name or a heading, which need no full stop

_WORD = re.compile(r"[^\W\d_]+(?:['’\-][^\W\d_]+)*")
_EDGE = "\"'`*_~.,;:!?()[]{}<>|“”‘’«»…"
_FORM = re.compile(
    r"~?/[\w.+-]+(?:/[\w.+*-]*)*|--[a-z][\w-]+(?:=\S+)?|-[A-Za-z]{1,4}"  # paths, options
    r"|[0-9a-f]{2,4}(?:[:.][0-9a-f]{1,4})+|v?\d+(?:\.\d+){2,}\S*"  # ids, addresses, versions
    r"|\d+(?:[.,]\d+)?(?:[KMGT]i?B|[kMG]Hz|[KMG]bit/s|ms|[mk]?[VAW])"
    r"|[a-z]+(?:_[a-z0-9]+)+|\w+\.(?:conf|service|ko|sh|py|json|ya?ml|toml|log|so)"
    r"|[A-Za-z]+\d+\w*",
    re.ASCII,
)
_FENCE = re.compile(r"(?m)^[ \t>]*(?:```|~~~)")
_OPEN_END = re.compile(r"[\w,(\[{&=+–—-]\Z")
_OPEN_COMMAND = re.compile(r"(?:\\|&&|\|\|)\Z")


def length(text: str) -> HealthCheck:
    """Passes with more than 10 and fewer than 200 words."""
    count = len(text.split())
    explanation = trn(
        "{count} word; more than {least} and fewer than {most} are asked for.",
        "{count} words; more than {least} and fewer than {most} are asked for.",
        count,
        least=MORE_THAN,
        most=FEWER_THAN,
    )
    passed = MORE_THAN < count < FEWER_THAN
    passage = "" if passed else quote(text.strip(), 0, len(text))
    return HealthCheck(name="length", passed=passed, passage=passage, explanation=explanation)


def coherence(text: str, nonsense: HealthCheck) -> HealthCheck:
    """Passes where small words of one language hold it together; None where there are no sentences
    to judge.
    """
    name = "coherence"
    if nonsense.passed is False:
        return replace(nonsense, name=name, failure=False)
    about = read(text)
    prose = [about.text[line.start : line.end] for line in about.lines if line.is_prose]
    if sum(len(_WORD.findall(line)) for line in prose) < JUDGED_FROM:
        why = tr("There are no sentences that we could judge.")
        return HealthCheck(name=name, passed=None, explanation=why)
    plain = [line for line in prose if without_marker(line) == line]
    words = [word for line in plain for word in _WORD.findall(line.lower())]
    held = max(sum(word in small for word in words) for small in small_words())
    if len(words) >= SMALL_WORDS_FROM and held < SMALL_WORDS * len(words):
        why = tr("It lacks the small words that hold sentences together.")
        passage = quote(plain[0], 0, len(plain[0]))
        return HealthCheck(name=name, passed=False, passage=passage, explanation=why)
    return HealthCheck(name=name, passed=True, explanation=tr("Its sentences hang together."))


@lru_cache(maxsize=1)
def small_words() -> tuple[frozenset[str], ...]:
    """Those of each language of function_words.txt."""
    lines = Path(__file__).with_name("function_words.txt").read_text("utf-8").splitlines()
    words = (line.partition(": ")[2] for line in lines if not line.startswith("#"))
    return tuple(frozenset(each.split()) for each in words if each)


@lru_cache(maxsize=1)
def known_terms() -> frozenset[str]:
    """The technical terms of terms.txt."""
    lines = Path(__file__).with_name("terms.txt").read_text("utf-8").splitlines()
    return frozenset(word for line in lines if not line.startswith("#") for word in line.split())


def technical_terms(text: str) -> HealthCheck:
    """Passes where at least two different technical terms are used."""
    about = read(text)
    found: dict[str, tuple[int, int]] = {}
    for word in about.words:
        bare = word.text[:200].strip(_EDGE)
        term = next(filter(_is_term, (bare, *re.split(r"[-/:=]", bare)[:12])), None)
        if term is not None:
            found.setdefault(term.lower(), (word.start, word.end))
    if not found:
        why = tr("No technical term is used.")
        return HealthCheck(name="technical_terms", passed=False, explanation=why)
    places = list(found.values())[:TERMS_SHOWN]
    return HealthCheck(
        name="technical_terms",
        passed=len(found) >= TERMS_NEEDED,
        passage=quote(about.text, places[0][0], places[-1][1]),
        explanation=tr("Technical terms: {terms}.", terms=", ".join(list(found)[:TERMS_SHOWN])),
    )


def _is_term(word: str) -> bool:
    low = word.lower()
    return (
        low in known_terms()
        or (low.endswith("s") and low[:-1] in known_terms())
        or _FORM.fullmatch(word) is not None
    )


def truncation(text: str, *, truncated: bool = False) -> HealthCheck:
    """Passes where the answer ends as if it were meant to."""
    tail = text.rstrip()[-TAIL_READ:]
    if not tail:
        why = tr("There is nothing to be cut off.")
        return HealthCheck(name="truncation", passed=None, explanation=why)
    if truncated:
        why = tr("The model was stopped before it had finished.")
    elif _is_cut(text, tail):
        why = tr("It ends in the middle of a sentence, a command or a code block.")
    else:
        return HealthCheck(name="truncation", passed=True, explanation=tr("It ends as meant."))
    passage = tail[-TAIL:].lstrip()
    return HealthCheck(name="truncation", passed=False, passage=passage, explanation=why)


def _is_cut(text: str, tail: str) -> bool:
    if len(_FENCE.findall(text)) % 2:
        return True
    lines, last = read(tail).lines, tail.splitlines()[-1]
    if lines and not lines[-1].is_prose:
        return _OPEN_COMMAND.search(last) is not None
    long_enough = without_marker(last) == last and len(last.split()) >= SENTENCE_WORDS
    return long_enough and _OPEN_END.search(last) is not None

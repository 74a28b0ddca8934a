"""Every health check of one answer.

In: a sample prompt and what a model wrote after it; whether the model was stopped, and how unsure
it was. Out: a Health. Pure and deterministic, never raises on any text, and bounded in time: a
megabyte of anything takes no longer than the 20,000 characters that are read of it.

An answer repeats itself where much of it lies in runs of four words that come more than once and it
can be packed to little, where hardly any of its words are different ones, or where it stammers. One
that comes to its end by itself may repeat itself a little more.

Notes do not count at the gate: length, coherence, terms, truncation. Words are what white space
separates, as the specification counts them; terms are the words of terms.txt, and what has the form
of a path, an option, an id, an address, a version or a size. A base model that is stopped at its
last token is always cut off.
"""

import re
import zlib
from collections import Counter
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from assay.checks.health.loop import loop
from assay.checks.health.nonsense import nonsense
from assay.checks.health.reading import READ_AT_MOST, quote, read, without_marker
from assay.checks.health.ticks import accuracy, relevance
from assay.messages import tr, trn
from assay.types.measured.samples import (
    BY_RULE,
    Health,
    HealthCheck,
    JudgedSense,
    SamplePrompt,
)

NAME = "repetition"
FEWEST_WORDS, FEWEST_IF_STUCK = 40, 20
# Words in a row, packed size and not a count of phrases: "any phrase of three to six words that
# comes five times" calls 83 of 4,000 terse lists of commands a repetition.
RUN = 4  # words
# Shares of the words, chosen on labelled samples.
REPEATED, STUCK = 0.4, 0.25
PACKED, PACKED_IF_ENDED = 0.382, 0.36  # of its length, as zlib packs it
PACKED_AT_MOST = 1_000  # characters, from the end: a long text can always be packed to less

_WORD = re.compile(r"[^\W_]+(?:[:.'][^\W_]+)*")
_LETTERED = r"[^\W\d_]\w*"
_STAMMER = re.compile(rf"\b({_LETTERED}(?:,? {_LETTERED}){{2,7}}?),? \1\b", re.IGNORECASE)


def examine(
    sample: SamplePrompt,
    text: str,
    *,
    truncated: bool = False,
    uncertainty: float | None = None,
    judged: JudgedSense | None = None,
    terms: frozenset[str] | None = None,
) -> Health:
    """Examine one answer; the three failures come first, then the notes, then the tick list.

    `judged`: what judges say decides whether it makes sense, and the rule's finding is a note.
    `terms`: technical terms in place of those of terms.txt; with none, nothing is said of them.
    """
    about = relevance(sample, text)
    rule = nonsense(sample.prompt, text, uncertainty, on_subject=about.passed is True)
    readable, *by_rule = _decided(rule, judged)
    coherent = coherence(text, readable)
    return Health(
        checks=(
            loop(text),
            repetition(text, truncated=truncated),
            readable,
            *by_rule,
            length(text),
            coherent,
            technical_terms(text, terms),
            about,
            truncation(text, truncated=truncated),
            *accuracy(sample, text, coherent),
        )
    )


def _decided(rule: HealthCheck, judged: JudgedSense | None) -> tuple[HealthCheck, ...]:
    if judged is None:
        return (rule,)
    if judged.sensible is None:
        return (replace(rule, explanation=f"{rule.explanation} {judged.explanation}"),)
    decided = HealthCheck(
        name=rule.name,
        passed=judged.sensible,
        explanation=judged.explanation,
        failure=not judged.sensible,
    )
    return decided, replace(rule, name=BY_RULE, failure=False)


def repetition(text: str, *, truncated: bool = False) -> HealthCheck:
    """Passes unless too large a part of the answer was said before."""
    text = text[:READ_AT_MOST]
    found = list(_WORD.finditer(text))
    words = [each[0].lower() for each in found]
    runs = [tuple(words[at : at + RUN]) for at in range(len(words) - RUN + 1)]
    counted = Counter(runs)
    again = {
        place
        for at, run in enumerate(runs)
        if counted[run] > 1
        for place in range(at, at + RUN)
    }  # fmt: skip
    different = len(set(words))
    repeats = (
        len(words) >= FEWEST_WORDS
        and len(again) >= REPEATED * len(words)
        and packed_share(text) <= (PACKED if truncated else PACKED_IF_ENDED)
    )
    stuck = len(words) >= FEWEST_IF_STUCK and different <= STUCK * len(words)
    if not repeats and not stuck:
        return _stammer(text)
    run, _ = counted.most_common(1)[0]
    last = max(at for at, each in enumerate(runs) if each == run)
    return HealthCheck(
        name=NAME,
        passed=False,
        passage=quote(text, found[last].start(), found[last + RUN - 1].end()),
        explanation=tr(
            "{percent} % of its words are in phrases that come more than once; {different} of "
            "{words} words are different ones.",
            percent=round(100 * len(again) / len(words)),
            different=different,
            words=len(words),
        ),
        failure=True,
    )


def _stammer(text: str) -> HealthCheck:
    """Three words or more, said twice at once: "a key that is a key that is used"."""
    found = _STAMMER.search(text)
    if found is None:
        return HealthCheck(name=NAME, passed=True, explanation=tr("Little is said twice."))
    said = tr("The same words come twice at once.")
    passage = quote(text, *found.span())
    return HealthCheck(name=NAME, passed=False, passage=passage, explanation=said, failure=True)


def packed_share(text: str) -> float:
    """How small it can be packed, of its length: what comes again takes hardly any place."""
    end = " ".join(text.lower().split())[-PACKED_AT_MOST:]
    numbers: dict[str, int] = {}
    items = bytes(numbers.setdefault(letter, len(numbers)) % 256 for letter in end)
    return len(zlib.compress(items, 9)) / max(1, len(items))


MORE_THAN, FEWER_THAN = 10, 200  # words
JUDGED_FROM = 8  # words of prose
SMALL_WORDS_FROM, SMALL_WORDS = 20, 0.12  # words outside of lists; share of small words
TERMS_NEEDED, TERMS_SHOWN = 2, 6
TAIL, TAIL_READ = 80, 4_000  # characters shown of the end, and looked at
SENTENCE_WORDS = 6  # fewer may be a name or a heading, which need no full stop

_LETTERS_OF_A_WORD = re.compile(r"[^\W\d_]+(?:['’\-][^\W\d_]+)*")
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
    if sum(len(_LETTERS_OF_A_WORD.findall(line)) for line in prose) < JUDGED_FROM:
        why = tr("There are no sentences that we could judge.")
        return HealthCheck(name=name, passed=None, explanation=why)
    plain = [line for line in prose if without_marker(line) == line]
    words = [word for line in plain for word in _LETTERS_OF_A_WORD.findall(line.lower())]
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


def technical_terms(text: str, terms: frozenset[str] | None = None) -> HealthCheck:
    """Passes where at least two different technical terms are used; None where none are known."""
    if terms is not None and not terms:
        why = tr("No technical terms are listed for these prompts.")
        return HealthCheck(name="technical_terms", passed=None, explanation=why)
    about = read(text)
    found: dict[str, tuple[int, int]] = {}
    for word in about.words:
        bare = word.text[:200].strip(_EDGE)
        pieces = (bare, *re.split(r"[-/:=]", bare)[:12])
        term = next((each for each in pieces if _is_term(each, terms)), None)
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


def _is_term(word: str, own: frozenset[str] | None) -> bool:
    """Own terms are taken as they are listed, with or without an s; no form makes one."""
    low = word.casefold() if own else word.lower()
    known = known_terms() if own is None else own
    listed = low in known or (low.endswith("s") and low[:-1] in known)
    return listed or (own is None and _FORM.fullmatch(word) is not None)


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

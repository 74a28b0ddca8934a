"""Whether an answer makes no sense.

Any of five kinds of evidence is enough. The limits are chosen on labelled samples:
docs/reference/health.md has the rules and the figures.
"""

import math
import re

from assay.checks.health.forms import garbled_words, mere_punctuation, template_mark
from assay.checks.health.reading import READ_AT_MOST, quote
from assay.messages import tr
from assay.types.measured.samples import HealthCheck

NAME = "nonsense"
BROKEN_SHARE = 0.05  # of the characters
MANY_PARTS = 5  # of a word: end-to-end is none
TIED = 0.34  # of the words of a paragraph, known from the prompt and the beginning of the answer
FOREIGN_SHARE, FOREIGN_PARAGRAPHS = 0.5, 2  # of the words; paragraphs
LONG, LONG_PROMPT = 14, 10  # words
# One limit for all called short sound texts unsure and missed sure answers to another question,
# so the limit depends on how much of the prompt is taken up. The limits were chosen on 872
# labelled samples. A logistic regression on five figures and a random forest on 27 found no more
# of 300 unseen samples, so the readable rules stay.
UNSURE, UNSURE_IF_ASKED = 4.7, 2.6  # nats of a short text: 110 tokens; 13 where much was asked
# Of a long text: the share of the prompt's words that it takes up, nats.
UNSURE_IF_LONG = ((0.2, 0.3), (0.5, 2.35), (1.0, 2.9))
WHOLE, ASKING = (".", "?"), (":", "?")  # ends of a prompt: it wants no mere continuation
STEM = 5  # letters: "packages" is "package"

_WORD = re.compile(r"[^\W_]+")
_HYPHENATED = re.compile(r"[^\W_]+(?:-[^\W_]+)*")
_BROKEN = re.compile(r"[\ufffd\x00-\x08\x0b\x0c\x0e-\x1f]")
_EMPTY_LINES = re.compile(r"\n[ \t]*\n")
_FENCE = "```"
_SMALL = (
    "a an the of to in on for is are be that this it its with and or by at as from how do does you "
    "i can what which will not but if was were they their your my me we one all each other use "
    "used using run"
)
_SMALL_WORDS = frozenset(_SMALL.split())


def nonsense(
    prompt: str, text: str, uncertainty: float | None = None, *, on_subject: bool = False
) -> HealthCheck:
    """Passes unless something shows that it makes no sense. `uncertainty`: the mean entropy of the
    model's choices, in nats; None: not known. `on_subject`: it is known to take up the subject.
    """
    text = text[:READ_AT_MOST]
    found = (
        _nothing(text)
        or _made_up(text)
        or _foreign(prompt, text)
        or _unsure(prompt, text, uncertainty, on_subject)
        or _malformed(text)
    )
    if found is None:
        said = tr("Nothing shows that it makes no sense.")
        if uncertainty is None:
            said += " " + tr("How sure the model was of it is not known.")
        return HealthCheck(name=NAME, passed=True, explanation=said)
    explanation, passage = found
    return HealthCheck(
        name=NAME, passed=False, passage=passage, explanation=explanation, failure=True
    )


def _nothing(text: str) -> tuple[str, str] | None:
    if not text.strip():
        return tr("Nothing was written."), ""
    broken = list(_BROKEN.finditer(text))
    if len(broken) > BROKEN_SHARE * len(text):
        said = tr("It is full of characters that no text has.")
        return said, quote(text, broken[0].start(), broken[-1].end())
    return None


def _malformed(text: str) -> tuple[str, str] | None:
    if mark := template_mark(text):
        return tr("It contains a mark of a template."), quote(text, *mark)
    if words := garbled_words(text):
        return tr("Many of its words are garbled."), quote(text, *words)
    if signs := mere_punctuation(text):
        return tr("It is mostly punctuation."), quote(text, *signs)
    return None


def _made_up(text: str) -> tuple[str, str] | None:
    for match in _HYPHENATED.finditer(text):
        parts = match[0].lower().split("-")
        if len(parts) >= MANY_PARTS and len(set(parts)) < len(parts):
            return tr("It makes up words."), quote(text, *match.span())
    return None


def _foreign(prompt: str, text: str) -> tuple[str, str] | None:
    """A paragraph is foreign if it begins with another question, or if few of its words are known
    from the prompt and from the beginning of the answer.
    """
    first, *others = (text[start:end] for start, end in _paragraphs(text))
    asked = _content(prompt)
    known = asked | _content(first)
    foreign = []
    for each in others:
        words = _content(each)
        opening = each.strip().splitlines()[0]
        asks = "?" in opening and not asked <= _content(opening)
        if asks or len(words & known) < TIED * len(words):
            foreign.append(each)
    size = sum(len(each.split()) for each in foreign)
    if len(foreign) < FOREIGN_PARAGRAPHS or size <= FOREIGN_SHARE * len(text.split()):
        return None
    said = tr(
        "Most of it has nothing to do with the prompt: {count} of {all} paragraphs.",
        count=len(foreign),
        all=len(others) + 1,
    )
    return said, quote(foreign[0], 0, len(foreign[0]))


def _paragraphs(text: str) -> list[tuple[int, int]]:
    """Parts between empty lines; code belongs to the paragraph before it, and so does what a colon
    announces.
    """
    found: list[tuple[int, int]] = []
    start, fenced = 0, False
    for end, after in [*(gap.span() for gap in _EMPTY_LINES.finditer(text)), (len(text),) * 2]:
        piece = text[start:end]
        announced = text[: found[-1][1]].rstrip().endswith(":") if found else False
        if found and (fenced or announced or piece.lstrip().startswith(_FENCE)):
            found[-1] = (found[-1][0], end)
        elif piece.strip():
            found.append((start, end))
        fenced ^= bool(piece.count(_FENCE) % 2)
        start = after
    return found


def _content(text: str) -> set[str]:
    """The words that say what it is about, by their first letters."""
    words = (word.lower() for word in _WORD.findall(text))
    return {
        word[:STEM] if word.isalpha() else word
        for word in words
        if len(word) > 1 and word not in _SMALL_WORDS
    }


def _unsure(
    prompt: str, text: str, uncertainty: float | None, on_subject: bool
) -> tuple[str, str] | None:
    """The less of the prompt a text takes up, the surer the model must have been of it: a right
    answer may use none of its words, but then it is known by heart.
    """
    if uncertainty is None:
        return None
    asked, ends = _content(prompt), prompt.rstrip()[-1:]
    tied = len(asked & _content(text)) / len(asked) if asked and not on_subject else 1.0
    if len(text.split()) >= LONG or (ends in WHOLE and tied <= UNSURE_IF_LONG[0][0]):
        limit = next(most for share, most in UNSURE_IF_LONG if tied <= share)
    else:
        much_asked = len(prompt.split()) >= LONG_PROMPT or ends in ASKING
        limit = UNSURE_IF_ASKED if much_asked else UNSURE
    if uncertainty <= limit:
        return None
    said = tr(
        "The model is unsure of its own text: it hesitates between some {count} tokens at each "
        "one; {limit} are too many.",
        count=round(math.exp(min(uncertainty, 20.0))),
        limit=round(math.exp(limit)),
    )
    if limit < 1:
        said = tr("It takes up hardly a word of the prompt, and the model was not sure of it.")
    return said, quote(text, 0, len(text))

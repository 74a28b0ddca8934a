"""Whether an answer hangs together, by simple signs.

In: an answer, and what the nonsense check found. Out: a HealthCheck; `coherence` is a note. Refuses
to know: whether the answer is right.

It does not pass where the answer is nonsense, and else where one of these is seen: words in an
order that is odd though not quite salad; a text without the small words that hold sentences
together; sentences without verbs strung together; brackets or quotes that do not close; a change
of language between sentences; sentences of which none takes up anything of the one before.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from assay.checks.ewe.language import identify
from assay.checks.health.nonsense import heaviest
from assay.checks.health.reading import Read, quote, read
from assay.checks.health.sentences import Sentence, sentences_of
from assay.checks.health.word_evidence import main_language
from assay.checks.health.word_model import function_words
from assay.checks.health.word_order import language_of, order_evidence
from assay.checks.shell.programs import names
from assay.messages import tr
from assay.types.samples import HealthCheck

NAME = "coherence"
FEWEST_WORDS = 8  # of prose, to say anything
ODD_ORDER = 16.0  # nats; nonsense begins at 20
SMALL_WORDS_FROM, SMALL_WORDS = 20, 0.12  # words of prose; share of small words
FRAGMENTS_FROM, FRAGMENTS = 4, 0.6  # sentences outside of lists; share without a verb
UNCLOSED = 2  # brackets left open or closed too often
LINKS_FROM = 5  # sentences, of which none is linked to the one before
LANGUAGE_LETTERS, LANGUAGE_SURE = 40, 0.95

_PAIRS = {")": "(", "]": "[", "}": "{"}
_VERB_ENDING = {
    "eng": re.compile(r"\w{2,}(?:ed|ing|s|ize|ise|ify|ate)$"),
    "fra": re.compile(r"\w{2,}(?:e|es|ez|ent|ons|er|ir|re|ait|ant|é|ée|és|ées|it|is|t)$"),
}
_VERBS = names(
    "am is are was were be been being has have had do does did can could will would shall should "
    "may might must let make get go come take use run set put see show find give keep add ask try "
    "need want know work start stop open close check test read write copy move build boot load "
    "turn plug press click type enter change install update reload restart reboot mount format "
    "log look wait think help mean send tell call call connect remove replace repair restore "
    "store save type hold fit fail fix edit begin become bring buy choose cut draw fall feel grow "
    "happen hear keep lead learn leave lose pay reach say sell speak stand stay win allow est "
    "sont a ont était être avoir peut doit faut fait va vont sera nye le wɔ ate"
)
_LINKS = names(
    "it its this that these those they them their he she his her such so then thus therefore "
    "however also but and or instead otherwise finally first next after afterwards before if when "
    "once because both each same other another one yes no here there il elle ils elles cela ce "
    "cette ces puis ensuite alors donc mais et ou si car aussi eye gake ne emegbe"
)


def coherence(text: str, nonsense: HealthCheck) -> HealthCheck:
    """Passes where nothing speaks against it; None where there are no sentences to judge."""
    if nonsense.passed is False:
        return _no(nonsense.passage, nonsense.explanation)
    about = read(text)
    said = sentences_of(about)
    count = sum(len(sentence.words) for sentence in said)
    if nonsense.passed is None or count < FEWEST_WORDS:
        return HealthCheck(
            name=NAME,
            passed=None,
            passage="",
            explanation=tr("There are no sentences that we could judge."),
        )
    found = (
        _odd_order(about)
        or _few_small_words(about, said, count)
        or _fragments(about, said)
        or _unclosed(about)
        or _language_changes(about, said)
        or _unlinked(about, said)
    )
    if found is not None:
        return found
    return HealthCheck(
        name=NAME,
        passed=True,
        passage="",
        explanation=tr("Its sentences are whole and hang together."),
    )


def _no(passage: str, explanation: str) -> HealthCheck:
    return HealthCheck(name=NAME, passed=False, passage=passage, explanation=explanation)


def _odd_order(about: Read) -> HealthCheck | None:
    language = language_of(about.text)
    if language != main_language(about):
        return None
    found = order_evidence(about, language)
    worst = heaviest([each.evidence for each in found])
    if worst.total < ODD_ORDER:
        return None
    passage = quote(about.text, found[worst.start].start, found[worst.end - 1].end)
    return _no(passage, tr("Words follow each other in an odd order."))


def _few_small_words(about: Read, said: Sequence[Sentence], count: int) -> HealthCheck | None:
    small = function_words().get(main_language(about))
    plain = [sentence for sentence in said if not sentence.item]
    words = [word for sentence in plain for word in sentence.words]
    if small is None or len(words) < SMALL_WORDS_FROM:
        return None
    if sum(word in small for word in words) >= SMALL_WORDS * len(words):
        return None
    passage = quote(about.text, plain[0].start, plain[-1].end)
    return _no(passage, tr("It lacks the small words that hold sentences together."))


def _fragments(about: Read, said: Sequence[Sentence]) -> HealthCheck | None:
    ending = _VERB_ENDING.get(main_language(about))
    if ending is None:
        return None
    plain = [sentence for sentence in said if not sentence.item and len(sentence.words) > 1]
    broken = [
        sentence
        for sentence in plain
        if not any(word in _VERBS or ending.match(word) for word in sentence.words)
    ]
    if len(plain) < FRAGMENTS_FROM or len(broken) <= FRAGMENTS * len(plain):
        return None
    return _no(
        quote(about.text, broken[0].start, broken[0].end),
        tr("It is made of fragments: most of its sentences have no verb."),
    )


def _unclosed(about: Read) -> HealthCheck | None:
    """Brackets of the prose; smileys and "a)" are forgiven by the limit."""
    waiting: list[tuple[str, int]] = []
    astray: list[int] = []
    for match in re.finditer(r"[()\[\]{}]", about.text):
        if about.kind_at(match.start()) != "prose":
            continue
        sign = match[0]
        if sign not in _PAIRS:
            waiting.append((sign, match.start()))
        elif waiting and waiting[-1][0] == _PAIRS[sign]:
            waiting.pop()
        elif not re.search(
            r"(?:^|\s)\w{1,3}\)$", about.text[max(0, match.start() - 4) : match.end()]
        ):
            astray.append(match.start())
    wrong = sorted([*astray, *(at for _, at in waiting)])
    if len(wrong) <= UNCLOSED:
        return None
    return _no(
        quote(about.text, max(0, wrong[0] - 40), wrong[0] + 40),
        tr("{count} brackets have no counterpart.", count=len(wrong)),
    )


def _language_changes(about: Read, said: Sequence[Sentence]) -> HealthCheck | None:
    first: str | None = None
    for sentence in said:
        if sum(map(len, sentence.words)) < LANGUAGE_LETTERS:
            continue
        reading = identify(about.text[sentence.start : sentence.end])
        if reading.code is None or reading.confidence < LANGUAGE_SURE:
            continue
        first = first or reading.code
        if reading.code != first:
            return _no(
                quote(about.text, sentence.start, sentence.end),
                tr("The language changes from one sentence to the next."),
            )
    return None


def _unlinked(about: Read, said: Sequence[Sentence]) -> HealthCheck | None:
    plain = [sentence for sentence in said if not sentence.item]
    if len(plain) < LINKS_FROM or any(_linked(one, two) for one, two in pairwise(plain)):
        return None
    return _no(
        quote(about.text, plain[1].start, plain[1].end),
        tr("No sentence takes up anything of the one before."),
    )


def _linked(before: Sentence, after: Sentence) -> bool:
    if _LINKS.intersection(after.words):
        return True
    stems = {word[:5] for word in before.words if len(word) > 3}
    return any(word[:5] in stems for word in after.words if len(word) > 3)

"""Whether an answer says the same again and again, with other things between or small changes.

In: an answer. Out: a HealthCheck; `repetition` fails the gate.

Measured on the words of the prose, where a list's numbers and all punctuation are left out:

    restated  statements that say what an earlier one said, in nearly the same words
    carried   how few different content words carry it all
    copies    a sentence, or a run of six words, that comes again and again as it stands
    runs      the share of words inside runs of three, five or eight words that stand elsewhere too
    distinct  different words among all of them
    packed    how small the text becomes when compressed

Code, commands, tables and logs repeat by nature: only lines that come again as they stand, and
commands as long as sentences, count. The same goes for lists.
"""

from __future__ import annotations

import re
import zlib
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from assay.checks.health.line_kinds import without_marker
from assay.checks.health.reading import Read, quote, read
from assay.checks.health.restated import carried, lines_again, restated, statements
from assay.messages import tr
from assay.types.samples import HealthCheck

NAME = "repetition"
WORDS_READ = 2_000
FEWEST_WORDS = 20

# Chosen on text made for it and on real text; docs/health.md has the figures.
COPY_WORDS = 4  # of a sentence that counts as copied
COPY_LIMITS = ((3, 0.30), (4, 0.16), (5, 0.12))  # times it comes, and its share of the words
STUCK_LIMITS = ((6, 5, 0.2), (4, 8, 0.42))  # words of a run, times it comes, its share
VARIED_WORDS, VARIED_RUNS, VARIED_DISTINCT, VARIED_PACKED = 30, 0.70, 0.34, 0.38
PACKED_FEW = 2.5  # short texts pack badly
COPIED_WORDS, COPIED_EIGHT, COPIED_FIVE = 40, 0.60, 0.70
RESTATED, RESTATED_SHARE = 3, 0.33  # statements; share of the words
CARRIED_WORDS, CARRIED_PAIR, CARRIED_WITHIN = 24, 0.24, 0.25
CARRIED_OF_ALL = 0.6  # of the answer is prose
LINES_AGAIN, LINES_AGAIN_SHARE = 6, 0.5
LINE_TIMES, LINE_SHARE = 6, 0.4
LONG_LINE_WORDS, LONG_LINE_TIMES = 10, 3

_EDGES = re.compile(r"^[\W_]+|[\W_]+$")
_SENTENCE_END = re.compile(r"[.!?…]+[\"')\]*_`]*$")


class Spoken(NamedTuple):
    """A word of the prose, folded, and where it stands."""

    text: str
    start: int
    end: int
    ends_sentence: bool


class RepetitionFigures(NamedTuple):
    """What was measured of the prose."""

    words: int
    runs: dict[int, float]
    packed: float
    distinct: float


def repetition(text: str) -> HealthCheck:
    """Passes unless too large a part of the answer was said before."""
    about = read(text)
    found = _copied(about, _spoken(about, inline_code=True))
    found = found or _measured(about, _spoken(about))
    found = found or _said_again(about) or _in_lines(about)
    if found is None:
        return HealthCheck(
            name=NAME, passed=True, passage="", explanation=tr("Little is said twice.")
        )
    passage, explanation = found
    return HealthCheck(
        name=NAME, passed=False, passage=passage, explanation=explanation, failure=True
    )


def _spoken(about: Read, *, inline_code: bool = False) -> list[Spoken]:
    """The words of the prose, and of commands so long that they are like sentences."""
    found: list[Spoken] = []
    for line in about.lines:
        long_line = len(about.text[line.start : line.end].split()) >= LONG_LINE_WORDS
        if line.kind != "prose" and not (line.kind == "code" and long_line):
            continue
        raw = about.text[line.start : line.end]
        skip = len(raw) - len(without_marker(raw))
        for match in re.finditer(r"\S+", raw[skip:]):
            folded = _EDGES.sub("", match[0]).casefold()
            start = line.start + skip + match.start()
            if folded and (inline_code or line.kind != "prose" or about.kind_at(start) == "prose"):
                ends = _SENTENCE_END.search(match[0]) is not None
                found.append(Spoken(folded, start, start + len(match[0]), ends))
        if found:
            found[-1] = found[-1]._replace(ends_sentence=True)
    return found[:WORDS_READ]


def measure(spoken: Sequence[Spoken]) -> RepetitionFigures:
    """Everything that is measured of some words."""
    words = [word.text for word in spoken]
    return RepetitionFigures(
        words=len(words),
        runs={length: _repeated_share(words, length) for length in (3, 5, 8)},
        packed=len(zlib.compress(" ".join(words).encode("utf-8", "replace"), 9))
        / max(1, len(" ".join(words))),
        distinct=len(set(words)) / max(1, len(words)),
    )


def _repeated_share(words: Sequence[str], length: int) -> float:
    """The share of words inside runs of this length that stand elsewhere too."""
    runs = [tuple(words[at : at + length]) for at in range(len(words) - length + 1)]
    counted = Counter(runs)
    covered = bytearray(len(words))
    for at, run in enumerate(runs):
        if counted[run] > 1:
            covered[at : at + length] = b"\1" * length
    return sum(covered) / max(1, len(words))


# ------------------------------------------------------------------------------------- decisions


def _copied(about: Read, spoken: Sequence[Spoken]) -> tuple[str, str] | None:
    """A sentence or phrase that comes again and again as it stands."""
    if len(spoken) < FEWEST_WORDS:
        return None
    copies = _copies(spoken)
    if copies is not None:
        first, last, times = copies
        passage = quote(about.text, spoken[first].start, spoken[last].end)
        said = tr("A whole sentence comes {times} times.", times=times)
        return passage, said
    stuck = _stuck(spoken)
    if stuck is not None:
        first, last, times = stuck
        passage = quote(about.text, spoken[first].start, spoken[last].end)
        return passage, tr("The same phrase comes {times} times.", times=times)
    return None


def _measured(about: Read, spoken: Sequence[Spoken]) -> tuple[str, str] | None:
    """Too much that was said before, with small changes."""
    found = measure(spoken)
    varied = (
        found.words >= VARIED_WORDS
        and found.runs[3] >= VARIED_RUNS
        and found.distinct <= VARIED_DISTINCT
        and found.packed <= VARIED_PACKED + PACKED_FEW / found.words
    )
    copied = (
        found.words >= COPIED_WORDS
        and found.runs[8] >= COPIED_EIGHT
        and found.runs[5] >= COPIED_FIVE
    )
    if not varied and not copied:
        return None
    share = found.runs[3] if varied else found.runs[8]
    return _commonest_run(about, spoken), tr(
        "{percent} % of its words stand in phrases that come more than once; "
        "{different} of {words} words are different ones.",
        percent=round(100 * share),
        different=round(found.distinct * found.words),
        words=found.words,
    )


def _said_again(about: Read) -> tuple[str, str] | None:
    """Statements made before, few words that carry all, or lines that come again."""
    said = statements(about)
    words = sum(statement.words for statement in said)
    again = restated(said, max(words, len(about.words)))
    if again.first is not None and again.statements >= RESTATED and again.share >= RESTATED_SHARE:
        return quote(about.text, again.first.start, again.first.end), tr(
            "{count} of its {all} sentences say what another one said before.",
            count=again.statements,
            all=len(said),
        )
    few = carried(said)
    if (
        words >= max(CARRIED_WORDS, CARRIED_OF_ALL * len(about.words))
        and few.commonest >= CARRIED_PAIR
        and few.within >= CARRIED_WITHIN
    ):
        return quote(about.text, said[0].start, said[-1].end), tr(
            "The same two words make up {percent} % of it.", percent=round(100 * few.commonest)
        )
    lines = lines_again(about)
    if lines.place and lines.again >= max(LINES_AGAIN, LINES_AGAIN_SHARE * lines.telling):
        return quote(about.text, *lines.place), tr(
            "{times} of its {lines} lines stood there before.",
            times=lines.again,
            lines=lines.telling,
        )
    return None


def _copies(spoken: Sequence[Spoken]) -> tuple[int, int, int] | None:
    """First and last word of the second copy of a sentence that comes too often, and how often."""
    places: dict[tuple[str, ...], list[int]] = {}
    start = 0
    for at, word in enumerate(spoken):
        if word.ends_sentence:
            sentence = tuple(each.text for each in spoken[start : at + 1])
            if len(sentence) >= COPY_WORDS:
                places.setdefault(sentence, []).append(start)
            start = at + 1
    for sentence, starts in places.items():
        share = len(sentence) * len(starts) / len(spoken)
        if any(len(starts) >= times and share >= least for times, least in COPY_LIMITS):
            return starts[1], starts[1] + len(sentence) - 1, len(starts)
    return None


def _stuck(spoken: Sequence[Spoken]) -> tuple[int, int, int] | None:
    """The same for a run of words that is no sentence of its own."""
    words = [word.text for word in spoken]
    for length, times, share in STUCK_LIMITS:
        places: dict[tuple[str, ...], list[int]] = {}
        for at in range(len(words) - length + 1):
            apart = places.setdefault(tuple(words[at : at + length]), [])
            if not apart or at >= apart[-1] + length:
                apart.append(at)
        starts = max(places.values(), key=len, default=[])
        if len(starts) >= times and len(starts) * length >= share * len(words):
            return starts[1], starts[1] + length - 1, len(starts)
    return None


def _commonest_run(about: Read, spoken: Sequence[Spoken]) -> str:
    """The second place of the run of words that comes most often."""
    words = [word.text for word in spoken]
    for length in (8, 5, 3):
        runs: dict[tuple[str, ...], list[int]] = {}
        for at in range(len(words) - length + 1):
            runs.setdefault(tuple(words[at : at + length]), []).append(at)
        most = max(runs.values(), key=len)
        if len(most) >= 3 or length == 3:
            second = most[min(1, len(most) - 1)]
            return quote(about.text, spoken[second].start, spoken[second + length - 1].end)
    return ""


def _in_lines(about: Read) -> tuple[str, str] | None:
    """Code, tables and logs: the same line makes up much of them."""
    lines = [line for line in about.lines if line.kind != "prose"]
    said = [" ".join(about.text[line.start : line.end].split()) for line in lines]
    telling = Counter(line for line in said if len(line.split()) >= 2)
    if not telling:
        return None
    line, times = telling.most_common(1)[0]
    needed = LINE_TIMES if len(line.split()) < LONG_LINE_WORDS else LONG_LINE_TIMES
    if times < needed or times < LINE_SHARE * len(said):
        return None
    again = [at for at, each in enumerate(said) if each == line][1]
    return quote(about.text, lines[again].start, lines[again].end), tr(
        "The same line comes {times} times among {lines}.", times=times, lines=len(said)
    )

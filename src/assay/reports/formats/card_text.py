"""The parts of a card with their titles, and its lines on a terminal: at 80 columns at most 24."""

import math
import re
from dataclasses import dataclass

from rich.cells import cell_len, set_cell_size

from assay.messages import tr
from assay.text.safe_text import one_line
from assay.types.documents import Card, Line, Span, spans

USUAL_WIDTH = 80
# At the usual width; narrower, as many more as it takes. With the titles and a rule, 24 in all.
LINES_OF_DECISION, LINES_OF_TITLE, LINES_OF_ITEM, LINES_OF_NEXT = 3, 1, 2, 5
LINES_IN_ALL = 23  # and a rule above them; what is left over is for reasons
INDENT, DEEPER = "  ", "    "
_SHELL_WORD = re.compile(r"(?:'[^']*'|[^ ])+")
GOES_ON = " \\"  # a command that is broken can still be copied whole


@dataclass(frozen=True)
class CardLine:
    """`is_title`: of a part, or of the decision, which stands above all of them."""

    text: str
    is_title: bool = False
    is_decision: bool = False


def titled_parts(card: Card) -> list[tuple[str, tuple[Line, ...]]]:
    """Those that there are: reasons, caveats, what comes next."""
    why = tr("Why, by {gate}", gate=card.gate) if card.gate else tr("Why")
    caveats = tr("Caveats")
    if card.more:
        caveats = tr("Caveats (and {count} more)", count=card.more)
    parts: list[tuple[str, tuple[Line, ...]]] = [
        (why, card.reasons),
        (caveats, card.caveats),
        (tr("Next"), (card.next,) if card.next else ()),
    ]
    return [(title, items) for title, items in parts if items]


def card_lines(card: Card, width: int) -> list[CardLine]:
    """No line is wider than `width`, and none of the lines is empty."""
    decision = _wrapped(card.decision, width, LINES_OF_DECISION, "", "")
    lines = [CardLine(text, is_title=True, is_decision=True) for text in decision]
    parts = titled_parts(card)
    shown = [
        [_wrapped(item, width, _most_lines(card, item), INDENT, DEEPER) for item in items]
        for _, items in parts
    ]
    titles = [_wrapped(title, width, LINES_OF_TITLE, "", INDENT) for title, _ in parts]
    used = (
        len(decision) + sum(map(len, titles)) + sum(len(each) for items in shown for each in items)
    )
    left = math.floor(LINES_IN_ALL * max(1.0, USUAL_WIDTH / width)) - used
    for (_, items), texts in zip(parts, shown, strict=True):
        for place, item in enumerate(items if items == card.reasons else ()):
            longer = _wrapped(item, width, LINES_OF_ITEM + max(0, left), INDENT, DEEPER)
            left -= max(0, len(longer) - len(texts[place]))
            texts[place] = longer
    for title, texts in zip(titles, shown, strict=True):
        lines += [CardLine(text, is_title=True) for text in title]
        lines += [CardLine(text) for each in texts for text in each]
    return lines


def _most_lines(card: Card, item: Line) -> int:
    return LINES_OF_NEXT if item == card.next else LINES_OF_ITEM


def _wrapped(line: Line, width: int, most: int, first: str, next: str) -> list[str]:
    """Broken between words, and a word that is wider than a line where the line ends."""
    most = math.ceil(most * max(1.0, USUAL_WIDTH / width))
    lines, glued = [first], False
    for span in spans(line):
        sign = GOES_ON if span.tone == "code" else ""
        for place, word in enumerate(_words(span)):
            together = glued and not place and not span.text.startswith(" ")
            between = " " if lines[-1].strip() and not together else ""
            if cell_len(f"{lines[-1]}{between}{word}{sign}") <= width:
                lines[-1] += between + word
                continue
            if between:
                lines[-1] += sign
            lines += _pieces(word, width - len(next) - len(sign), next)
        glued = not span.text.endswith(" ")
    if len(lines) > most:
        last = lines[most - 1].removesuffix(GOES_ON)
        kept = set_cell_size(last, min(cell_len(last), width - 1)).rstrip()
        lines = [*lines[: most - 1], f"{kept}…"]
    return [each for each in lines if each.strip()]


def _words(span: Span) -> list[str]:
    """What a line may be broken between: of a command, not inside quotes."""
    text = one_line(span.text)
    return _SHELL_WORD.findall(text) if span.tone == "code" else text.split(" ")


def _pieces(word: str, width: int, indent: str) -> list[str]:
    found = []
    while cell_len(word) > width:
        cut = set_cell_size(word, width).rstrip()
        found.append(indent + cut)
        word = word[len(cut) :]
    return [*found, indent + word]

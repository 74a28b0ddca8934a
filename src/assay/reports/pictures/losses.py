"""Passages of a text with the losses of two models drawn above its characters, as SVG."""

from collections.abc import Iterator, Sequence
from xml.sax.saxutils import escape

from assay.messages import tr
from assay.reports.pictures import canvas as picture
from assay.reports.pictures.canvas import WIDTH, element, polyline, soft_words
from assay.text.number_format import readable
from assay.types.measured.losses import LossPassage

LETTERS = 64  # in a line
LEFT = 14
CURVES = 34  # pixels above a line of text
ROW = CURVES + 24
TITLE = 22


def one_sign_each(text: str) -> str:
    """Every character as one that can be seen and has its width."""
    signs = {"\n": "⏎", "\t": "→", "\r": "␍"}
    return "".join(signs.get(sign, sign if sign.isprintable() else "·") for sign in text)


def draw_passages(passages: Sequence[LossPassage], title: str, first: str, second: str) -> str:
    pieces: list[str] = []
    top = 10.0
    for each in passages:
        pieces += _drawn(each, top)
        top += TITLE + ROW * -(-len(each.text) // LETTERS) + 8
    legend = [
        tr("solid: {name}", name=first),
        tr("dashed: {name}", name=second),
        tr("height: bits of a character"),
    ]
    said = tr("{count} passages with the loss of both models above each character",
              count=len(passages))  # fmt: skip
    return picture.document(pieces, top + 12, legend=legend, title=title, description=said)


def _drawn(of: LossPassage, top: float) -> Iterator[str]:
    most = max((*of.first, *of.second, 1e-9))
    wide = (WIDTH - 2 * LEFT) / LETTERS
    said = tr("{change} bits per byte; at the top {most} bits of a character",
              change=readable(of.change), most=readable(most))  # fmt: skip
    yield soft_words(LEFT, top + 14, f"{of.document}  ·  {said}")
    for number, start in enumerate(range(0, len(of.text), LETTERS)):
        ground = top + TITLE + ROW * number + CURVES
        cut = slice(start, start + LETTERS)
        yield picture.line("grid", LEFT, ground, WIDTH - LEFT, ground)
        for class_, side in (("curve", of.first), ("second", of.second)):
            places = (
                (LEFT + wide * (at + 0.5), ground - (CURVES - 4) * bits / most)
                for at, bits in enumerate(side[cut])
            )
            yield polyline(class_, places)
        text = one_sign_each(of.text[cut])
        yield element(
            "text", escape(text.replace(" ", "\N{NO-BREAK SPACE}")), x=LEFT, y=ground + 16,
            textLength=wide * len(text), lengthAdjust="spacingAndGlyphs", class_="ink",
            font_family="monospace",
        )  # fmt: skip

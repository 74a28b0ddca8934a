"""Takes out of a text what differs from one machine or one moment to another.

In: what a command printed. Out: the same with names in capitals for run ids, dates, paths, ports,
times, speeds, memory and versions, with JSON laid out and floats rounded, and with HTML as text.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Mapping
from html.parser import HTMLParser
from typing import Any

import assay

WIDTH = 150
MASKS = (
    (r"\d{8}T\d{6}Z-[0-9a-f]{6}", "RUN"),
    (r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d)?(\.\d+)?( ?UTC|Z|\+00:00)?", "TIME"),
    (r"\b\d{4}-\d\d-\d\d\b", "DAY"),
    (r"\b\d{1,2}(er)? [^\W\d]{3,9} 20\d\d( à \d\d:\d\d UTC)?", "TIME"),
    (r"(127\.0\.0\.1|localhost):\d{2,5}", r"\1:PORT"),
    (r"(?<![\w.])Assay \d+\.\d+\.\d+\S*", "Assay VERSION"),
    (r"(Machine\s?:\s).*", r"\1…"),
    (r"(?<![\w.–-])[\d.,\u202f\u00a0]*\d(?:[–-][\d.,]+)? ?(?:ms|s|min|h)(?![\w/'’])", "DURATION"),
    (r"(?<![\w.–-])[\d.,\u202f\u00a0]*\d(?:[–-][\d.,]+)? ?tokens/s", "SPEED"),
    (r"(?<![\w.–-])[\d.,\u202f\u00a0]*\d(?:[–-][\d.,]+)? ?[KMGT]i?[Bo]\b", "SIZE"),
    (r"\d+(\.\d+)?/(s|min|h)\b", "RATE"),
    # The rows of "Every try" in performance.md.
    (r"^(\| \S+ \| \w+_\d{3} \| \d+ \| )\d+\.\d{3}( \|)", r"\1SECONDS\2"),
    # The interval of a time, which has no unit of its own.
    (r"(DURATION[ |\\]+)\[[^\]]*\]", r"\1[…]"),
)
# Figures of the machine, by the name that documents give them. A null stays a null.
MACHINE_KEYS = re.compile(
    r"(?:^|_)(s|ms|mb|bytes|seconds|duration|latency|per_s|per_second|per_token|speed|created"
    r"|finished|timestamp|machine|platform|python|torch|processor|system|cores|ram|port|size"
    r"|versions|profile|bandwidth|others_share)$"
)
LONG_NUMBER = re.compile(r"-?\d+\.\d{5,}(?:e-?\d+)?|-?\d(?:\.\d+)?e-\d+")


def mask_text(text: str, names: Mapping[str, str]) -> str:
    """Return the text as it would be on any machine; `names` maps paths to what stands for them."""
    lines = [mask_line(line.rstrip(), names) for line in text.splitlines()]
    return "\n".join(lines)


def mask_line(line: str, names: Mapping[str, str]) -> str:
    """Return one line without what differs; spaces that aligned it go with what was replaced."""
    masked = line
    for path, name in names.items():
        masked = masked.replace(path, name)
    for pattern, name in MASKS:
        masked = re.sub(pattern, name, masked)
    masked = LONG_NUMBER.sub(lambda found: shorten(float(found[0])), masked)
    if masked != line:
        indent = len(masked) - len(masked.lstrip(" "))
        masked = " " * indent + re.sub(r" {3,}", "  ", masked.lstrip(" "))
        masked = re.sub(r"─{4,}", "───", masked)
    return masked


def shorten(number: float) -> str:
    """Return a number with four digits after the point, of a small or large one fewer."""
    if number == 0 or 0.1 <= abs(number) < 10:
        return f"{number:.4f}".rstrip("0").rstrip(".")
    return f"{number:.4g}" if abs(number) < 0.1 else f"{number:.6g}"


# ------------------------------------------------------------------------------------------- JSON


def lay_out(document: Any) -> str:
    """Return JSON with what fits on a line on one line."""
    return _laid_out(_plain(document), 0)


def _plain(value: Any) -> Any:
    """Round floats and mask figures of the machine, at any depth."""
    if isinstance(value, float):
        return float(shorten(value))
    if value == assay.__version__:
        return "VERSION"
    if isinstance(value, list):
        return [_plain(item) for item in value]
    if not isinstance(value, dict):
        return value
    plain: dict[str, Any] = {}
    for key, item in value.items():
        of_machine = MACHINE_KEYS.search(key) and item not in (None, False, True)
        plain[key] = mask_figures(item) if of_machine else _plain(item)
    return plain


def mask_figures(value: Any) -> Any:
    """Replace the numbers of a value that the machine decides; its shape stays."""
    if isinstance(value, dict):
        said = ("unit", "method")
        return {key: item if key in said else mask_figures(item) for key, item in value.items()}
    if isinstance(value, list):
        return ["…"] if value else []
    if isinstance(value, bool) or value is None:
        return value
    return "…"


def _laid_out(value: Any, indent: int) -> str:
    line = json.dumps(value, ensure_ascii=False)
    if len(line) + indent <= WIDTH or not isinstance(value, dict | list) or not value:
        return line
    space = " " * (indent + 1)
    if isinstance(value, list):
        parts = [space + _laid_out(item, indent + 1) for item in value]
        return "[\n" + ",\n".join(parts) + "]"
    parts = []
    for key, item in value.items():
        name = json.dumps(key, ensure_ascii=False)
        parts.append(f"{space}{name}: {_laid_out(item, indent + 1)}")
    return "{\n" + ",\n".join(parts) + "}"


def shape_of(value: Any) -> Any:
    """Return a document with the kinds of its values in their place."""
    if isinstance(value, dict):
        return {key: shape_of(item) for key, item in value.items()}
    if isinstance(value, list):
        kinds: list[Any] = []
        for item in value:
            kind = shape_of(item)
            if kind not in kinds:
                kinds.append(kind)
        return kinds
    return type(value).__name__


def mask_table(text: str) -> str:
    """Return a CSV table with the figures of the machine masked, by the names of its columns."""
    rows = list(csv.reader(io.StringIO(text)))
    of_machine = {at for at, name in enumerate(rows[0]) if MACHINE_KEYS.search(name)}
    masked = io.StringIO()
    writer = csv.writer(masked, lineterminator="\n")
    writer.writerow(rows[0])
    for row in rows[1:]:
        writer.writerow("…" if at in of_machine and cell else cell for at, cell in enumerate(row))
    return masked.getvalue()


# ------------------------------------------------------------------------------------------- HTML

# fmt: off
BLOCKS = frozenset((
    "article", "aside", "body", "br", "dd", "details", "div", "dl", "dt", "fieldset", "figcaption",
    "figure", "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6", "header", "legend", "li",
    "main", "nav", "ol", "option", "p", "pre", "section", "summary", "table", "tr", "ul",
))
# fmt: on
HIDDEN = frozenset(("script", "style", "svg"))


class PageText(HTMLParser):
    """Collects the words of a page, a block a line, cells with a bar between them."""

    def __init__(self) -> None:
        super().__init__()
        self.parts: list[str] = []
        self.hidden = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in HIDDEN:
            self.hidden += 1
        if self.hidden:
            return
        if tag in BLOCKS:
            self.parts.append("\n")
        if tag in ("td", "th"):
            self.parts.append(" | ")
        if tag in ("input", "select", "textarea", "button"):
            given = dict(attrs)
            self.parts.append(f" [{tag} {given.get('name') or ''}={given.get('value') or ''}] ")

    def handle_endtag(self, tag: str) -> None:
        if tag in HIDDEN and self.hidden:
            self.hidden -= 1
        if tag in BLOCKS and not self.hidden:
            self.parts.append("\n")

    def handle_data(self, data: str) -> None:
        if not self.hidden:
            self.parts.append(data)


def page_text(page: str) -> str:
    """Return what a reader of an HTML page sees, without pictures, line by line."""
    reader = PageText()
    reader.feed(page)
    lines = (" ".join(line.split()) for line in "".join(reader.parts).splitlines())
    return "\n".join(line for line in lines if line)

"""Text that a model wrote, made harmless where it is shown.

A model may answer with terminal escape sequences, right-to-left overrides that reorder the line it
is printed on, invisible tag characters, Markdown or rich markup. All of it is shown, none obeyed.
"""

import re

_TAKEN_BACK = re.compile(r"\x1b\[(\d{0,3})D\x1b\[0?K")
_CODES = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]"  # CSI: colours, cursor, erasing
    r"|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)"  # OSC: titles, links
    r"|\x1b[PX^_][^\x1b]*\x1b\\"  # other strings
    r"|\x1b[ -/]*[0-~]"
)

NEW_LINE = "⏎"
# To a spreadsheet a cell that starts like this is a formula, unless it is a plain number.
_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")
_PLAIN_NUMBER = re.compile(r"[+-]?\d+(?:[.,]\d+)?")

# Control characters but tab and line end, lone surrogates, separators, direction marks and
# overrides, and the tag block, whose letters are invisible.
_UNSAFE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\u2028\u2029"
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\U000e0000-\U000e007f]"
)
_MARKDOWN = re.compile(r"[\\`*\[\]<>!|~&$]|(?<![^\W_])_|_(?![^\W_])")  # no _ in facts_001
# What opens a heading, a list or a rule: "# a", "- a", "1. a", but not 0.3 or 2026-01-02.
_LINE_START = re.compile(r"^(\d*)((?<=\d)[.)](?=\s|$)|(?<!\d)[#+=-])")
_FENCE = re.compile(r"`+")


def visible(text: str) -> str:
    r"""Control and direction characters as escapes such as \x1b; line ends and tabs stay."""
    if text.isprintable():
        return text
    return _UNSAFE.sub(_escaped, text.replace("\r\n", "\n"))


def one_line(text: str, *, longest: int | None = None) -> str:
    """The same on one line, cut with … where it is too long."""
    flat = text.strip()
    if not flat.isprintable():
        flat = visible(flat).replace("\n", f" {NEW_LINE} ").replace("\t", " ")
    if longest is not None and len(flat) > longest:
        return flat[: longest - 1].rstrip() + "…"
    return flat


_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def harmless(text: str, *, longest: int | None = None) -> str:
    """One line of text for XML; a long one loses its middle: checkpoints differ at the end."""
    flat = _NOT_XML.sub(lambda found: f"\\u{ord(found.group()):04x}", one_line(text))
    if longest is None or len(flat) <= longest:
        return flat
    head = (longest - 1) // 3
    return flat[:head].rstrip() + "…" + flat[len(flat) - (longest - 1 - head) :].lstrip()


def markdown_inline(text: str, *, longest: int | None = None) -> str:
    """One line that Markdown takes for plain words, in a table cell too."""
    escaped = one_line(text, longest=longest)
    if _MARKDOWN.search(escaped):  # most texts have nothing to escape
        escaped = _MARKDOWN.sub(r"\\\g<0>", escaped)
    return _LINE_START.sub(r"\1\\\2", escaped) if _LINE_START.match(escaped) else escaped


def markdown_code(text: str) -> str:
    """One line as code, for a command to copy: in paragraphs and bullets, not in table cells."""
    flat = one_line(text)
    ticks = "`" * (max((len(run) for run in _FENCE.findall(flat)), default=0) + 1)
    return f"{ticks} {flat} {ticks}" if "`" in flat else f"{ticks}{flat}{ticks}"


def markdown_block(text: str, language: str = "text") -> str:
    """A code block that the text cannot close: its fence is longer than any run of backticks."""
    longest = max((len(run) for run in _FENCE.findall(text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{visible(text)}\n{fence}"


def _escaped(unsafe: re.Match[str]) -> str:
    code = ord(unsafe[0])
    return f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}"


def spreadsheet_cell(text: str) -> str:
    """A text that no spreadsheet computes: a formula gets a "'" in front."""
    formula = text.startswith(_FORMULA_STARTS) and not _PLAIN_NUMBER.fullmatch(text)
    return f"'{text}" if formula else text


def drop_terminal_codes(text: str) -> str:
    if "\x1b" not in text:
        return text
    kept = ""
    at = 0
    for found in _TAKEN_BACK.finditer(text):
        kept += _CODES.sub("", text[at : found.start()])
        kept = kept[: len(kept) - int(found[1] or 1)]
        at = found.end()
    return kept + _CODES.sub("", text[at:])

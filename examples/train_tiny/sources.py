"""Files of unpacked Debian packages, read as English paragraphs.

In: a folder into which a package was unpacked, or apt's lists. Out: Documents: a title and the
paragraphs that read as prose, each on one line. Manual pages are rendered by mandoc; of HTML only
paragraphs are taken; code, lists of names, tables, "see also" sections and other languages are
dropped here.
"""

from __future__ import annotations

import gzip
import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from html.parser import HTMLParser
from pathlib import Path

IN_ENGLISH = ("-o", "Acquire::Languages=en")  # descriptions may be switched off
MOST_HTML = 12_000_000  # bytes per package: API references would drown the manuals
LARGEST_FILE = 3_000_000
PATIENCE = 15  # seconds for one manual page
LEAST_LETTERS = 0.78  # of what is not blank
LEAST_SMALL_WORDS = 0.16  # of all words; English prose has 0.35 to 0.5, tables near 0
SHORTEST, LONGEST = 40, 4_000  # characters of a paragraph

_SMALL = """the of to and a in is for that it be on or as with are by this from not an if can will
which you at when has have was but all may must used only any use its"""
_SMALL_WORDS = frozenset(_SMALL.split())
_SKIPPED_SECTIONS = re.compile(
    r"^(see also|synopsis|authors?|copyright|licen[cs]e|reporting bugs|colophon|availability|"
    r"history|credits|standards|attributes|table of contents|name)\b", re.IGNORECASE
)  # fmt: skip
_SKIPPED_FILES = re.compile(
    r"(changelog|copyright|licen[cs]e|copying|authors|thanks|credits|maintainers|todo|"
    r"translations?/|/(de|fr|es|ja|zh|zh_CN|zh_TW|ru|it|pt|pt_BR|ko|pl|nl|ko_KR|it_IT|sp_SP)/|"
    r"devicetree|examples?/|/po/|\.(de|fr|es|ja|ru)\.)", re.IGNORECASE
)  # fmt: skip
_TEXT_NAME = re.compile(
    r"(readme[^/]*|[^/]*\.(txt|rst|md|text)|news|faq|howto|[^/]*\.info)(\.gz)?$", re.I
)
_BULLET = re.compile(r"^\s*([-*•o+·–#|>]|\d+[.)]|\(\w\)|\[\w+\]|\.\.)\s")
_MARKUP = re.compile(r":\w+:`([^`<]+?)(?:\s*<[^>]*>)?`|``([^`]+)``|`([^`]+)`_{0,2}|\*\*([^*]+)\*\*")
_UNDERLINE = re.compile(r"[=\-~^\"'*#+.]{3,}\s*$")
_OVERSTRIKE = re.compile(r".\x08")


@dataclass(frozen=True)
class Document:
    """One page: where it is from, what it is called, its paragraphs."""

    source: str
    title: str
    paragraphs: tuple[str, ...]


def is_prose(paragraph: str) -> bool:
    """Whether a joined paragraph reads as English sentences."""
    if not SHORTEST <= len(paragraph) <= LONGEST or paragraph[-1] not in ".?!:)\"'":
        return False
    if not paragraph.isascii() and sum(ord(c) > 0x2FF for c in paragraph) > len(paragraph) // 50:
        return False
    solid = [c for c in paragraph if not c.isspace()]
    if sum(c.isalpha() for c in solid) < LEAST_LETTERS * len(solid):
        return False
    found = paragraph.lower().split()
    return len(found) > 6 and sum(w in _SMALL_WORDS for w in found) >= LEAST_SMALL_WORDS * len(
        found
    )


def joined(lines: list[str]) -> str:
    """Hard-wrapped lines as one; a word split by a hyphen at a line's end stays as it is."""
    return " ".join(" ".join(line.split()) for line in lines).strip()


def paragraphs_of_text(text: str) -> Iterator[str]:
    """Blocks between blank lines that are prose, without bullets, code and skipped sections."""
    skipping = False
    for block in re.split(r"\n[ \t]*\n", text):
        lines = [line.rstrip() for line in block.split("\n") if line.strip()]
        if lines and _is_heading(lines):
            skipping = bool(_SKIPPED_SECTIONS.match(lines[0]))
        if not lines or skipping:
            continue
        if len(lines) > 1 and _UNDERLINE.match(lines[1]):
            lines = lines[2:]
        # A term of a manual page stands less deep than its text.
        if len(lines) > 1 and _indent(lines[0]) < _indent(lines[1]) == _indent(lines[-1]):
            lines = lines[1:]
        if not lines or any(_BULLET.match(line) for line in lines) or lines[0].endswith("::"):
            continue
        paragraph = _MARKUP.sub(lambda m: next(g for g in m.groups() if g), joined(lines))
        if is_prose(paragraph):
            yield paragraph


def _is_heading(lines: list[str]) -> bool:
    """A short line that is not indented, alone, underlined, or above indented text."""
    if lines[0].startswith((" ", "\t")) or len(lines[0]) > 60:
        return False
    return len(lines) == 1 or _UNDERLINE.match(lines[1]) is not None or _indent(lines[1]) > 0


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


class _Paragraphs(HTMLParser):
    """The text of paragraphs; code blocks and what is around the page are left out."""

    _OUTSIDE = frozenset(("pre", "script", "style", "nav", "table", "ul", "ol", "header", "footer"))

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.found: list[str] = []
        self.title = ""
        self._text: list[str] | None = None
        self._outside = 0
        self._in_title = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in self._OUTSIDE:
            self._outside += 1
        elif tag in ("p", "dd"):
            self._close()
            self._text = []
        elif tag == "title":
            self._in_title = True

    def handle_endtag(self, tag: str) -> None:
        if tag in self._OUTSIDE:
            self._outside = max(0, self._outside - 1)
        elif tag in ("p", "dd", "dl", "div", "body"):
            self._close()
        elif tag == "title":
            self._in_title = False

    def handle_data(self, data: str) -> None:
        if self._in_title:
            self.title += data
        elif self._text is not None and not self._outside:
            self._text.append(data)

    def _close(self) -> None:
        if self._text is not None:
            self.found.append(" ".join("".join(self._text).replace("¶", "").split()))
        self._text = None


def read_text(path: Path) -> str:
    """A file as text, unpacked if need be; bytes that are no UTF-8 are read as Latin-1."""
    try:
        data = (
            gzip.decompress(path.read_bytes())
            if path.suffix in (".gz", ".dz")
            else path.read_bytes()
        )
    except (OSError, EOFError):
        return ""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("latin-1")


def manual_pages(root: Path) -> Iterator[Document]:
    """The English manual pages of a package."""
    for path in sorted(root.glob("usr/share/man/man*/*")):
        if not path.is_file() or path.is_symlink():
            continue
        source = read_text(path)
        if len(source) < 300 or source.lstrip().startswith(".so "):
            continue
        rendered = _rendered(source)
        plain = _OVERSTRIKE.sub("", rendered)
        body = "\n".join(plain.split("\n")[1:-2])  # without the running head and foot
        yield Document("manual pages", path.name.split(".")[0], tuple(paragraphs_of_text(body)))


def _rendered(source: str) -> str:
    """A manual page as text; one that mandoc does not finish, some loop for ever, as none."""
    try:
        return subprocess.run(
            ["mandoc", "-T", "utf8", "-O", "width=100"], input=source, capture_output=True,
            encoding="utf-8", errors="replace", check=False, timeout=PATIENCE,
        ).stdout  # fmt: skip
    except subprocess.TimeoutExpired:
        return ""


def html_pages(root: Path) -> Iterator[Document]:
    """Paragraphs of the HTML manuals of a package, up to a limit."""
    read = 0
    for path in sorted(root.rglob("*.htm*")):
        name = str(path.relative_to(root))
        if not path.is_file() or path.is_symlink() or _SKIPPED_FILES.search(name):
            continue
        if path.suffixes[-1] not in (".html", ".htm", ".gz") or path.stat().st_size > LARGEST_FILE:
            continue
        read += path.stat().st_size
        if read > MOST_HTML:
            return
        parser = _Paragraphs()
        parser.feed(read_text(path))
        parser.close()
        kept = tuple(p for p in parser.found if is_prose(p))
        yield Document("HTML manuals", " ".join(parser.title.split()), kept)


def text_files(root: Path) -> Iterator[Document]:
    """README files, text manuals and the kernel's documentation."""
    for path in sorted([*root.glob("usr/share/doc/**/*"), *root.glob("usr/share/info/*")]):
        name = str(path.relative_to(root))
        if not path.is_file() or path.is_symlink() or _SKIPPED_FILES.search(name.lower()):
            continue
        if not _TEXT_NAME.search(path.name) or path.stat().st_size > LARGEST_FILE:
            continue
        source = "kernel documentation" if "linux-doc" in name else "texts in usr/share/doc"
        yield Document(source, path.name, tuple(paragraphs_of_text(read_text(path))))


def dictionaries(root: Path) -> Iterator[Document]:
    """Entries of dictd dictionaries (FOLDOC, the Jargon File): a term and its explanation."""
    for path in sorted(root.glob("usr/share/dictd/*.dict.dz")):
        for entry in re.split(r"\n(?=\S)", read_text(path)):
            term, _, body = entry.partition("\n")
            kept = tuple(paragraphs_of_text(re.sub(r"[{}]", "", body)))
            yield Document("dictionaries", term.strip(), kept)


def package_descriptions() -> Iterator[Document]:
    """Short and long descriptions of all packages, from apt's own lists."""
    listed = subprocess.run(
        ["apt-get", *IN_ENGLISH, "indextargets", "--format", "$(FILENAME)",
         "Created-By: Translations"],
        capture_output=True, encoding="utf-8", check=True,
    ).stdout.split()  # fmt: skip
    for filename in listed:
        text = subprocess.run(
            ["/usr/lib/apt/apt-helper", "cat-file", filename],
            capture_output=True, encoding="utf-8", check=True,
        ).stdout  # fmt: skip
        for stanza in text.split("\n\n"):
            yield from _description(stanza)


def _description(stanza: str) -> Iterator[Document]:
    found = re.match(r"Package: (\S+)\n.*?Description-en: (.+?)\n(.*)", stanza, re.DOTALL)
    if found is None or "transitional" in found[2] or "debug symbols" in found[2]:
        return
    long_text = re.sub(r"^ \.$", "", found[3], flags=re.MULTILINE)
    kept = [" ".join(found[2].split())]
    kept.extend(paragraphs_of_text(re.sub(r"^ (?=\S)", "", long_text, flags=re.MULTILINE)))
    yield Document("package descriptions", found[1], tuple(kept))

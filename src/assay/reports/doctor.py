"""What a machine can do, as a Document or as JSON."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from assay.messages import tr
from assay.types.documents import Document, Line, Span, Tone, table
from assay.types.results import MachineFinding

TONES: dict[str, Tone] = {"good": "good", "note": "warning", "missing": "bad"}


def examination_document(lines: Iterable[MachineFinding]) -> Document:
    """One row a line; what to do is under what was found."""
    rows = (row for line in lines for row in _rows(line))
    return Document(title=tr("This machine"), blocks=(table(("", "", ""), rows),))


def _rows(line: MachineFinding) -> Iterable[tuple[Line, ...]]:
    words = {"good": tr("good"), "note": tr("note"), "missing": tr("missing")}
    part = line.name.startswith(" ")
    name = Span(f"  {line.name.strip()}" if part else line.name, "dim" if part else "strong")
    yield Span(words[line.state], TONES[line.state]), name, line.says
    if line.todo:
        yield "", "", Span(f"→ {line.todo}", "name")


def examination_json(
    lines: Iterable[MachineFinding], **behind: Mapping[str, Any] | Sequence[Mapping[str, Any]]
) -> dict[str, Any]:
    return {
        "lines": [
            {"name": line.name.strip(), "state": line.state, "says": line.says, "next": line.todo}
            for line in lines
        ],
        **behind,
        "exit_code": 0,
    }

"""HellaSwag, asked as lm-evaluation-harness 0.4.13 asks it (0-shot, task `hellaswag` 1.0).

Copies of the data exist whose contexts were joined and cleaned by somebody else (only `ctx`). They
are asked unchanged, and the suite's title and version say so: the scores are not comparable.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

from annotated_types import Ge, Le, Len

from assay.files.fields import Text
from assay.files.validation import Validator
from assay.messages import tr
from assay.suites.fetching.made import HARNESS, ConvertedBenchmark, drop_repeats, test_of
from assay.suites.fetching.rows import BenchmarkItem, Row, RowPlace, broken_source, check_row

NAME = "hellaswag"
LICENCE = "MIT; its WikiHow passages stem from text under CC BY-NC-SA"
TECHNICAL = "Computers and Electronics"
TECHNICAL_CATEGORY = "technical_subset"
ENDINGS = 4
PROMPTS = f"0-shot, by text, validation split, as {HARNESS} asks hellaswag 1.0"
JOINED_PROMPTS = (
    f"0-shot, by text, validation split, joined contexts as they stand: NOT the form of {HARNESS}"
)
_MARKER = re.compile(r"\[.*?\]")


@dataclass(frozen=True)
class PassageRow:
    """A row; the hub has the label as a text, and an empty one in the test split."""

    activity_label: Text
    endings: Annotated[tuple[Text, ...], Len(ENDINGS, ENDINGS)]
    label: Annotated[int, Ge(0), Le(3)] | Literal["0", "1", "2", "3"]
    ctx: str = ""
    ctx_a: str = ""
    ctx_b: str = ""
    split_type: str = ""
    source_id: str = ""


_ROW = Validator(PassageRow, ignores_others=True)


def read_passages(rows: Iterable[tuple[RowPlace, Row]]) -> tuple[list[BenchmarkItem], bool]:
    """The items, and whether somebody else joined contexts, which are then used unchanged."""
    items: list[BenchmarkItem] = []
    some_joined = False
    for place, row in rows:
        joined = "ctx_a" not in row and "ctx_b" not in row
        some_joined = some_joined or joined
        items.append(_item(place, row, joined=joined))
    return items, some_joined


def _item(place: RowPlace, row: Row, *, joined: bool) -> BenchmarkItem:
    read: PassageRow = check_row(_ROW, place, row)
    context = read.ctx if joined else f"{read.ctx_a} {read.ctx_b.capitalize()}"
    if not context.strip():
        raise broken_source(place, tr("row {row}: there is no context", row=place.row))
    if not all(cleaned(ending).strip() for ending in read.endings):
        raise broken_source(place, tr("row {row}: an ending is empty", row=place.row))
    question = f"{read.activity_label}: {context}"
    return BenchmarkItem(
        place=place,
        subject=read.activity_label,
        question=question if joined else cleaned(question),
        options=read.endings if joined else tuple(map(cleaned, read.endings)),
        answer=int(read.label),
        tags=("validation", *filter(None, (read.split_type, read.source_id))),
    )


def cleaned(text: str) -> str:
    """A text without the marks of WikiHow's pages, exactly as the harness cleans it."""
    text = text.strip().replace(" [title]", ". ")
    return _MARKER.sub("", text).replace("  ", " ")


def make(passages: Sequence[BenchmarkItem], source: str, *, joined: bool) -> ConvertedBenchmark:
    """The suite: the technical activity."""
    technical = [item for item in passages if item.subject == TECHNICAL]
    kept, dropped = drop_repeats(technical)
    tests = [
        test_of(item, f"{TECHNICAL_CATEGORY}_{number:04d}", item.question, "text")
        for number, item in enumerate(kept, start=1)
    ]
    joined_note = tr(
        "the contexts of this copy were joined before and are asked unchanged: scores on "
        "them cannot be compared with scores on the official form"
    )
    about = f"HellaSwag, {TECHNICAL}"
    return ConvertedBenchmark(
        name=NAME,
        title=f"{about} (joined contexts)" if joined else about,
        prompts=JOINED_PROMPTS if joined else PROMPTS,
        source=source,
        categories={TECHNICAL_CATEGORY: tests} if tests else {},
        weights={TECHNICAL_CATEGORY: len(tests)} if tests else {},
        dropped=dropped,
        notes=(joined_note,) if joined else (),
    )

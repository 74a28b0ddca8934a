"""MMLU, asked as lm-evaluation-harness 0.4.13 asks it with five shots.

The shots are the first five of dev, in their order, for every question of the subject. Questions
are stripped, options are shown unchanged. (Tasks `mmlu` 1.0 and `mmlu_continuation` 1.0;
`first_n`, target delimiter " ", few-shot delimiter two line breaks.)
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

from annotated_types import Ge, Le, Len

from assay.files.fields import Text
from assay.files.validation import Validator
from assay.messages import tr
from assay.suites.fetching.made import (
    HARNESS,
    ChoiceTest,
    ConvertedBenchmark,
    drop_repeats,
    test_of,
)
from assay.suites.fetching.rows import BenchmarkItem, Row, RowPlace, broken_source, check_row
from assay.types import LETTERS

NAME = "mmlu"
LICENCE = "MIT"
COMPUTER_SCIENCE = (
    "college_computer_science",
    "high_school_computer_science",
    "computer_security",
    "machine_learning",
    "electrical_engineering",
)
CATEGORY = "computer_science"
SHOTS = 5
OPTIONS = 4
PROMPTS = f"5-shot, by letter, test split, as {HARNESS} asks mmlu 1.0"


@dataclass(frozen=True)
class QuestionRow:
    question: Text
    choices: Annotated[tuple[Text, ...], Len(OPTIONS, OPTIONS)]
    answer: Annotated[int, Ge(0), Le(3)] | Literal["A", "B", "C", "D"]


_ROW = Validator(QuestionRow, ignores_others=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """One subject. `test` is None where the source has no such split."""

    name: str
    dev: tuple[BenchmarkItem, ...]
    test: tuple[BenchmarkItem, ...] | None

    @property
    def shots(self) -> tuple[BenchmarkItem, ...]:
        return self.dev[:SHOTS]


def read_subject(
    name: str, place: RowPlace, splits: Mapping[str, Iterable[tuple[RowPlace, Row]]]
) -> Subject:
    items = {split: tuple(items_of_rows(name, split, rows)) for split, rows in splits.items()}
    dev, test = items.get("dev", ()), items.get("test")
    if test is not None and len(dev) < SHOTS:
        problem = tr(
            "{subject} has {count} examples in dev, and the prompts show {needed}",
            subject=name,
            count=len(dev),
            needed=SHOTS,
        )
        raise broken_source(place, problem)
    return Subject(name=name, dev=dev, test=test)


def items_of_rows(
    subject: str, split: str, rows: Iterable[tuple[RowPlace, Row]]
) -> Iterator[BenchmarkItem]:
    for place, row in rows:
        read: QuestionRow = check_row(_ROW, place, row)
        letter = read.answer
        yield BenchmarkItem(
            place=place,
            subject=subject,
            question=read.question,
            options=read.choices,
            answer=letter if isinstance(letter, int) else LETTERS.index(letter),
            tags=(split,),
        )


def make(subjects: Mapping[str, Subject], source: str) -> ConvertedBenchmark:
    """Return the suite, with computer science as its only category."""
    chosen = [subjects[name] for name in COMPUTER_SCIENCE if name in subjects]
    kept, dropped = drop_repeats(
        [item for subject in chosen for item in subject.test or ()],
        [shot for subject in chosen for shot in subject.shots],
    )
    weights = {CATEGORY: len(kept)} if kept else {}
    return ConvertedBenchmark(
        name=NAME,
        title="MMLU, computer science",
        prompts=PROMPTS,
        source=source,
        categories={category: _tests(kept, subjects) for category in weights},
        weights=weights,
        dropped=dropped,
        left_out=tuple(
            name for name in COMPUTER_SCIENCE if name not in subjects or subjects[name].test is None
        ),
    )


def _tests(items: Sequence[BenchmarkItem], subjects: Mapping[str, Subject]) -> list[ChoiceTest]:
    return [
        test_of(item, f"{CATEGORY}_{number:04d}", prompt_of(subjects[item.subject], item), "letter")
        for number, item in enumerate(items, start=1)
    ]


def prompt_of(subject: Subject, item: BenchmarkItem) -> str:
    """Return five examples with their letters, then the question up to "Answer:"."""
    name = subject.name.replace("_", " ")
    about = f"The following are multiple choice questions (with answers) about {name}."

    def shown(one: BenchmarkItem) -> str:
        lines = [f"{letter}. {text}" for letter, text in zip(LETTERS, one.options, strict=False)]
        return "\n".join([one.question.strip(), *lines, "Answer:"])

    shots = [f"{shown(shot)} {shot.letter}" for shot in subject.shots]
    return "\n\n".join([about, *shots, shown(item)])

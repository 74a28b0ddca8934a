"""A rubric's folder to a Rubric, or every mistake in it at once; and the questions of a test.

rubric.toml     title, version, [[criterion]] key, label, weight, questions, anchors
questions.toml  [TEST-ID] criterion = ["Is …?", …]
examples.toml   [[example]] id, test, file, why, scores = {criterion = 7, …}
"""

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from annotated_types import Ge, Le, Len

from assay.errors import UsageError
from assay.files.fields import Mistake, Rule, Text, form
from assay.files.file_text import Refused
from assay.files.notes import Notes, invalid_files
from assay.files.toml_file import MAX_BYTES, read_toml
from assay.files.validation import Validator
from assay.files.wording import did_you_mean, shown
from assay.messages import tr
from assay.types import Case, FileFinding
from assay.types.judging.judgements import (
    MOST,
    Anchor,
    Rubric,
    RubricCriterion,
    RubricQuestion,
    ScoredExample,
)

SHIPPED = Path(__file__).resolve().parents[1] / "builtin" / "rubrics"
CHECKLIST_CRITERION = "completeness"  # what a test's checklist speaks for


def load_rubric(name_or_path: str, beside: Path | None = None) -> Rubric:
    """A shipped name, or a folder, relative to the suite's (`beside`). Raises all mistakes."""
    folder = _folder(name_or_path, beside)
    files = RubricFiles(folder)
    tables, criteria = files.rubric()
    keys = [each.key for each in criteria]
    questions = files.questions(keys) if (folder / "questions.toml").exists() else {}
    examples = files.examples(keys) if (folder / "examples.toml").exists() else ()
    if tables is None or files.findings:
        where = tr("the rubric {name}", name=folder.name)
        raise invalid_files(where, files.findings)
    return Rubric(
        name=folder.name,
        title=tables.title,
        version=tables.version,
        criteria=criteria,
        questions=questions,
        examples=examples,
        digest=_digest(files.raw, examples),
    )


def questions_for(rubric: Rubric, case: Case) -> tuple[RubricQuestion, ...]:
    """The rubric's own for a test; else the general ones, with its checklist for completeness."""
    own = rubric.questions.get(case.id, ())
    checklist = judged.checklist if (judged := case.check.judged) else ()
    asked: list[RubricQuestion] = []
    for criterion in rubric.criteria:
        key = criterion.key
        asked += [each for each in own if each.criterion == key] or [
            RubricQuestion(id=f"{key}.{number}", criterion=key, text=text)
            for number, text in enumerate(criterion.questions, 1)
        ]
        if not own and key == CHECKLIST_CRITERION:
            for number, item in enumerate(checklist, 1):
                is_one = item.rstrip().endswith("?")
                text = item if is_one else f'Does the answer meet this: "{item}"?'
                asked.append(RubricQuestion(id=f"checklist.{number}", criterion=key, text=text))
    return tuple(asked)


def shipped_rubrics() -> tuple[str, ...]:
    return tuple(sorted(each.parent.name for each in SHIPPED.glob("*/rubric.toml")))


def _folder(name_or_path: str, beside: Path | None) -> Path:
    has_separator = "/" in name_or_path or "\\" in name_or_path
    if not has_separator and name_or_path in shipped_rubrics():
        return SHIPPED / name_or_path
    folder = (beside or Path()) / name_or_path
    # Without this, a zero character in a name would raise, and "" would be the suite's own folder.
    if name_or_path.strip() and "\0" not in name_or_path and (folder / "rubric.toml").is_file():
        return folder.resolve()
    raise UsageError(
        tr("there is no rubric '{name}'", name=name_or_path.replace("\0", "\\0")[:200]),
        hint=tr(
            "Rubrics that ship: {names}; or name a folder beside the suite that has a rubric.toml.",
            names=", ".join(shipped_rubrics()),
        ),
    )


def _digest(files: Mapping[str, bytes], examples: Sequence[ScoredExample]) -> str:
    whole = hashlib.sha256()
    for name, raw in files.items():
        whole.update(name.encode() + b"\0" + raw + b"\0")
    for example in examples:
        whole.update(example.id.encode() + b"\0" + example.answer.encode() + b"\0")
    return whole.hexdigest()[:32]


_ANCHOR = re.compile(r"(\d{1,2})(?:-(\d{1,2}))?")

_Questions = Annotated[tuple[Text, ...], Len(1)]
_Id = Annotated[str, form(r"[\w-]{1,120}", lambda: tr('word characters and "-"'))]


def _read_anchors(given: Mapping[str, str]) -> tuple[Anchor, ...]:
    """Best first. Every score from 0 to 10 has exactly one."""
    anchors = []
    for span, text in given.items():
        found = _ANCHOR.fullmatch(span)
        low = int(found[1]) if found else -1
        high = int(found[2] or found[1]) if found else -1
        if not 0 <= low <= high <= MOST:
            message = tr("'{span}' is neither a score nor a range of scores", span=shown(span))
            raise Mistake(message, (span,), about_key=True)
        anchors.append(Anchor(low=low, high=high, text=text.strip()))
    covered = [score for each in anchors for score in range(each.low, each.high + 1)]
    if odd := [score for score in range(MOST + 1) if covered.count(score) != 1]:
        raise Mistake(tr("each score from 0 to 10 needs exactly one text; look at {scores}",
                         scores=", ".join(map(str, odd))))  # fmt: skip
    return tuple(sorted(anchors, key=lambda anchor: -anchor.high))


@dataclass(frozen=True)
class _CriterionTable:
    key: Annotated[
        str, form("[a-z][a-z0-9_]{0,39}", lambda: tr("small letters, digits and _, a letter first"))
    ]
    label: Text
    weight: Annotated[int, Ge(1), Le(1000)]  # tenths
    questions: _Questions
    anchors: Annotated[Mapping[str, Text], Rule(_read_anchors)]


@dataclass(frozen=True)
class RubricTables:
    """rubric.toml"""

    title: Text
    version: Annotated[int, Ge(1), Le(1_000_000)]
    criterion: Annotated[tuple[_CriterionTable, ...], Len(1)]


@dataclass(frozen=True)
class _ExampleTable:
    id: _Id
    test: _Id
    file: Text
    why: Text
    scores: Mapping[str, Annotated[int, Ge(0), Le(MOST)]]


@dataclass(frozen=True)
class _ExampleTables:
    example: tuple[_ExampleTable, ...] = ()


_RUBRIC = Validator(RubricTables, toml=True)
_QUESTIONS = Validator(Mapping[str, Annotated[Mapping[str, _Questions], Len(1)]], toml=True)
_EXAMPLES = Validator(_ExampleTables, toml=True)


class RubricFiles:
    """`findings` has the mistakes of all files that were read, `raw` their bytes by name."""

    def __init__(self, folder: Path) -> None:
        self.findings: list[FileFinding] = []
        self.raw: dict[str, bytes] = {}
        self._folder = folder

    def rubric(self) -> tuple[RubricTables | None, tuple[RubricCriterion, ...]]:
        """rubric.toml; nothing where it has a mistake."""
        tables: RubricTables | None
        with self._checked("rubric.toml", _RUBRIC) as (tables, notes):
            for name in ("key", "label") if tables else ():
                values = [getattr(each, name) for each in tables.criterion]
                _note_repeats("criterion", name, values, notes)
        if tables is None or notes.errors:
            return None, ()
        return tables, tuple(RubricCriterion(**vars(each)) for each in tables.criterion)

    def questions(self, criteria: Sequence[str]) -> dict[str, tuple[RubricQuestion, ...]]:
        """questions.toml, by test; `criteria` are the keys that a question may have."""
        asked: dict[str, tuple[RubricQuestion, ...]] = {}
        with self._checked("questions.toml", _QUESTIONS) as (tables, notes):
            for test_id, table in (tables or {}).items():
                for key in table:
                    if criteria and key not in criteria:
                        problem = tr("unknown criterion '{key}'", key=shown(key))
                        message = did_you_mean(problem, key, criteria)
                        notes.error((test_id, key), message, about_key=True)
                asked[test_id] = tuple(numbered_questions(test_id, table))
        return asked

    def examples(self, criteria: Sequence[str]) -> tuple[ScoredExample, ...]:
        examples = []
        tables: _ExampleTables | None
        with self._checked("examples.toml", _EXAMPLES) as (tables, notes):
            given = tables.example if tables else ()
            _note_repeats("example", "id", [each.id for each in given], notes)
            for index, each in enumerate(given):
                if criteria and set(each.scores) != set(criteria):
                    message = tr("'scores' needs exactly {names}", names=", ".join(criteria))
                    notes.error(("example", index, "scores"), message)
                answer = _read_answer(self._folder, each.file)
                if isinstance(answer, Mistake):
                    notes.error(("example", index, "file"), str(answer))
                    continue
                example = ScoredExample(
                    id=each.id, test_id=each.test, answer=answer, scores=each.scores, why=each.why
                )
                examples.append(example)
        return tuple(examples)

    @contextmanager
    def _checked(self, name: str, validator: Validator) -> Iterator[tuple[Any, Notes]]:
        """What a file holds, None where it cannot be read; its mistakes are kept at the end."""
        notes = Notes()
        try:
            file = read_toml(self._folder / name, kind=tr("a rubric is made of TOML files"))
        except Refused as refused:
            self.findings.append(refused.finding)
            yield None, notes
            return
        self.raw[name] = file.text.encode()
        yield validator.check(file.document, notes), notes
        self.findings += file.findings(notes)


def numbered_questions(
    test_id: str, texts: Mapping[str, Sequence[str]]
) -> Iterator[RubricQuestion]:
    for criterion, questions in texts.items():
        for number, text in enumerate(questions, 1):
            yield RubricQuestion(
                id=f"{test_id}.{criterion}.{number}", criterion=criterion, text=text
            )


def _note_repeats(table: str, key: str, values: Sequence[str], notes: Notes) -> None:
    folded = [value.casefold() for value in values]
    for index, value in enumerate(folded):
        if value in folded[:index]:
            message = tr("this {key} appears twice", key=key)
            notes.error((table, index, key), message)


def _read_answer(folder: Path, name: str) -> str | Mistake:
    try:
        spots = [(folder / name).resolve(), (folder / "examples" / name).resolve()]
        inside = [each for each in spots if each.is_relative_to(folder.resolve())]
        path = next((each for each in inside if each.is_file()), None)
        if path is None:
            return Mistake(tr("there is no such file in the rubric's folder"))
        raw = path.read_bytes() if path.stat().st_size <= MAX_BYTES else b""
        if not raw.strip():
            limit = MAX_BYTES // 1000
            return Mistake(tr("the file is empty, or larger than {limit} kB", limit=limit))
        return raw.decode("utf-8").replace("\r\n", "\n")
    except (OSError, ValueError):  # also: no UTF-8, a zero character in the name
        return Mistake(tr("the file cannot be read as text"))

"""A rubric's folder to a Rubric, or every mistake in it at once; and the questions of a test.

In: the name of a shipped rubric, or a folder with `rubric.toml` and, where there are any,
`questions.toml`, `examples.toml` and the answers the latter names. Out: a Rubric; for a test, its
Questions.

    rubric.toml     title, version, [[criterion]] key, label, weight, questions, anchors
    questions.toml  [TEST-ID] criterion = ["Is …?", …]
    examples.toml   [[example]] id, test, file, why, scores = {criterion = 7, …}
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from assay.errors import InvalidFiles, UsageError
from assay.judge.rubric_files import MAX_BYTES, RubricFile, read_rubric_file
from assay.messages import tr, trn
from assay.types import Case, Finding, Judge
from assay.types.judgements import MOST, Anchor, Criterion, Example, Question, Rubric

SHIPPED = Path(__file__).resolve().parents[1] / "builtin" / "rubrics"
CHECKLIST_CRITERION = "completeness"  # what a test's checklist speaks for

_KEY = re.compile(r"[a-z][a-z0-9_]{0,39}")
_ID = re.compile(r"[\w-]{1,120}")
_ANCHOR = re.compile(r"(\d{1,2})(?:-(\d{1,2}))?")


def load_rubric(name_or_path: str, beside: Path | None = None) -> Rubric:
    """Load a rubric.

    Args:
        name_or_path: a shipped name, or a folder; a shipped name wins unless there is a path
            separator.
        beside: what a relative folder is relative to: the suite's folder; None: the current one.

    Raises:
        UsageError: there is no such rubric.
        InvalidFiles: with every mistake and its place.
    """
    folder = _folder(name_or_path, beside)
    main = read_rubric_file(folder / "rubric.toml")
    criteria = _criteria(main)
    files = [main]
    questions: Mapping[str, tuple[Question, ...]] = {}
    if (folder / "questions.toml").exists():
        files.append(read_rubric_file(folder / "questions.toml"))
        questions = _questions(files[-1], [each.key for each in criteria])
    examples: tuple[Example, ...] = ()
    if (folder / "examples.toml").exists():
        files.append(read_rubric_file(folder / "examples.toml"))
        examples = _examples(files[-1], folder, [each.key for each in criteria])
    findings = [finding for file in files for finding in file.findings]
    if findings:
        raise _invalid(folder, findings)
    return Rubric(
        name=folder.name,
        title=main.document["title"],
        version=main.document["version"],
        criteria=criteria,
        questions=questions,
        examples=examples,
        digest=_digest(files, examples),
    )


def questions_for(rubric: Rubric, case: Case) -> tuple[Question, ...]:
    """The yes-or-no questions of a test, criterion by criterion: the rubric's own for it; where it
    has none, the general ones, and the test's checklist as questions of completeness.
    """
    own = rubric.questions.get(case.id, ())
    checklist = case.check.checklist if isinstance(case.check, Judge) else ()
    asked: list[Question] = []
    for criterion in rubric.criteria:
        its_own = [each for each in own if each.criterion == criterion.key]
        asked += its_own or _general(criterion)
        if not own and criterion.key == CHECKLIST_CRITERION:
            asked += _ticks(checklist)
    return tuple(asked)


def shipped_rubrics() -> tuple[str, ...]:
    """The names of those that ship."""
    return tuple(sorted(each.parent.name for each in SHIPPED.glob("*/rubric.toml")))


def _general(criterion: Criterion) -> list[Question]:
    return [
        Question(id=f"{criterion.key}.{number}", criterion=criterion.key, text=text)
        for number, text in enumerate(criterion.questions, 1)
    ]


def _ticks(checklist: Sequence[str]) -> list[Question]:
    return [
        Question(
            id=f"checklist.{number}",
            criterion=CHECKLIST_CRITERION,
            text=item if item.rstrip().endswith("?") else f'Does the answer meet this: "{item}"?',
        )
        for number, item in enumerate(checklist, 1)
    ]


# ----------------------------------------------------------------------------------- the folder


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


def _invalid(folder: Path, findings: Sequence[Finding]) -> InvalidFiles:
    return InvalidFiles(
        trn(
            "{count} mistake in the rubric {where}",
            "{count} mistakes in the rubric {where}",
            len(findings),
            where=folder.name,
        ),
        findings,
        hint=tr("Nothing was asked of any model. Mend the files, then try again."),
    )


def _digest(files: Sequence[RubricFile], examples: Sequence[Example]) -> str:
    whole = hashlib.sha256()
    for file in files:
        whole.update(file.path.name.encode() + b"\0" + file.raw + b"\0")
    for example in examples:
        whole.update(example.id.encode() + b"\0" + example.answer.encode() + b"\0")
    return whole.hexdigest()[:32]


# --------------------------------------------------------------------------------- rubric.toml


def _criteria(file: RubricFile) -> tuple[Criterion, ...]:
    if file.findings:
        return ()
    document = file.document
    file.unknown_keys(document, ("title", "version", "criterion"))
    if not _is_text(document.get("title")):
        file.wrong(tr("a text is needed"), key="title")
    if not _is_whole(document.get("version"), 1):
        file.wrong(tr("a whole number from 1 on is needed"), key="version")
    tables = document.get("criterion")
    if not isinstance(tables, list) or not tables or not all(isinstance(t, dict) for t in tables):
        file.wrong(tr("at least one [[criterion]] is needed"), key="criterion")
        return ()
    criteria = tuple(
        _criterion(file, table, number)
        for number, table in enumerate(tables, 1)
        if isinstance(table, dict)
    )
    for what in ("key", "label"):
        _note_twice(file, "criterion", what, [getattr(each, what).casefold() for each in criteria])
    return criteria


def _criterion(file: RubricFile, table: dict[str, Any], number: int) -> Criterion:
    def wrong(key: str, message: str) -> None:
        file.wrong(message, key=key, table="criterion", number=number)

    known = ("key", "label", "weight", "questions", "anchors")
    file.unknown_keys(table, known, table="criterion", number=number)
    key, label, weight = table.get("key"), table.get("label"), table.get("weight")
    if not isinstance(key, str) or not _KEY.fullmatch(key):
        wrong("key", tr("small letters, digits and _ are needed, a letter first"))
    if not _is_text(label):
        wrong("label", tr("a text is needed"))
    if not _is_whole(weight, 1, 1000):
        wrong("weight", tr("a whole number from 1 on is needed (tenths)"))
    questions = table.get("questions")
    if not _are_texts(questions):
        wrong("questions", tr("a list of at least one question is needed"))
    return Criterion(
        key=key if isinstance(key, str) else "",
        label=label if isinstance(label, str) else "",
        weight=weight if isinstance(weight, int) else 0,
        anchors=_anchors(table.get("anchors"), wrong),
        questions=tuple(questions) if isinstance(questions, list) else (),
    )


def _anchors(given: object, wrong: Callable[[str, str], None]) -> tuple[Anchor, ...]:
    """Best first. Every score from 0 to 10 has exactly one."""
    if not isinstance(given, dict):
        wrong("anchors", tr('a table such as "8-9" = "what such an answer looks like" is needed'))
        return ()
    anchors = []
    for span, text in given.items():
        found = _ANCHOR.fullmatch(span)
        low = int(found[1]) if found else -1
        high = int(found[2] or found[1]) if found else -1
        if not 0 <= low <= high <= MOST:
            wrong("anchors", tr("'{span}' is no score and no span of scores", span=span))
        elif not _is_text(text):
            wrong("anchors", tr("'{span}' has no text", span=span))
        else:
            anchors.append(Anchor(low=low, high=high, text=text.strip()))
    covered = sorted(score for a in anchors for score in range(a.low, a.high + 1))
    if covered != list(range(MOST + 1)):
        odd = [s for s in range(MOST + 1) if covered.count(s) != 1]
        wrong("anchors", tr("each score from 0 to 10 needs exactly one text; look at {scores}",
                            scores=", ".join(map(str, odd))))  # fmt: skip
    return tuple(sorted(anchors, key=lambda anchor: -anchor.high))


# ------------------------------------------------------------------------------ questions.toml


def _questions(file: RubricFile, criteria: Sequence[str]) -> dict[str, tuple[Question, ...]]:
    asked: dict[str, tuple[Question, ...]] = {}
    for test_id, table in file.document.items():
        if not isinstance(table, dict) or not table:
            file.wrong(tr("a table of questions by criterion is needed"), table=test_id)
            continue
        if criteria:
            file.unknown_keys(table, criteria, table=test_id)
        for key, texts in table.items():
            if not _are_texts(texts):
                file.wrong(tr("a list of questions is needed"), key=key, table=test_id)
                continue
            asked[test_id] = asked.get(test_id, ()) + tuple(
                Question(id=f"{test_id}.{key}.{number}", criterion=key, text=text)
                for number, text in enumerate(texts, 1)
            )
    return asked


# ------------------------------------------------------------------------------- examples.toml


def _examples(file: RubricFile, folder: Path, criteria: Sequence[str]) -> tuple[Example, ...]:
    file.unknown_keys(file.document, ("example",))
    tables = file.document.get("example", [])
    if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
        file.wrong(tr("examples are written as [[example]]"), key="example")
        return ()
    examples = tuple(
        _example(file, table, number, folder, criteria) for number, table in enumerate(tables, 1)
    )
    _note_twice(file, "example", "id", [each.id for each in examples])
    return examples


def _example(
    file: RubricFile, table: dict[str, Any], number: int, folder: Path, criteria: Sequence[str]
) -> Example:
    def wrong(key: str, message: str) -> None:
        file.wrong(message, key=key, table="example", number=number)

    known = ("id", "test", "file", "why", "scores")
    file.unknown_keys(table, known, table="example", number=number)
    texts = {key: table.get(key) for key in known[:4]}
    for key, value in texts.items():
        if not _is_text(value) or (key in ("id", "test") and not _ID.fullmatch(str(value))):
            wrong(key, tr("a text is needed"))
    scores = table.get("scores")
    if not isinstance(scores, dict) or not all(_is_whole(s, 0, MOST) for s in scores.values()):
        wrong("scores", tr("whole numbers from 0 to 10 by criterion are needed"))
        scores = {}
    elif criteria and set(scores) != set(criteria):
        wrong("scores", tr("exactly these are needed: {names}", names=", ".join(criteria)))
    answer = _answer(folder, table["file"], wrong) if _is_text(table.get("file")) else ""
    return Example(
        id=str(texts["id"]),
        test_id=str(texts["test"]),
        answer=answer,
        scores=scores,
        why=str(texts["why"]),
    )


def _answer(folder: Path, name: str, wrong: Callable[[str, str], None]) -> str:
    """An example's text, from a file inside the rubric's folder."""
    try:
        spots = [(folder / name).resolve(), (folder / "examples" / name).resolve()]
        inside = [each for each in spots if each.is_relative_to(folder.resolve())]
        path = next((each for each in inside if each.is_file()), None)
        if path is None:
            wrong("file", tr("there is no such file in the rubric's folder"))
            return ""
        raw = path.read_bytes() if path.stat().st_size <= MAX_BYTES else b""
        if not raw.strip():
            wrong("file", tr("the file is empty, or larger than {limit} kB",
                             limit=MAX_BYTES // 1000))  # fmt: skip
        return raw.decode("utf-8").replace("\r\n", "\n")
    except (OSError, ValueError):  # also: no UTF-8, a zero character in the name
        wrong("file", tr("the file cannot be read as text"))
        return ""


# ------------------------------------------------------------------------------------ small ones


def _note_twice(file: RubricFile, table: str, key: str, values: Sequence[str]) -> None:
    for number, value in enumerate(values, 1):
        if value and value in values[: number - 1]:
            file.wrong(tr("stands twice"), key=key, table=table, number=number)


def _is_text(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _are_texts(value: object) -> bool:
    return isinstance(value, list) and bool(value) and all(map(_is_text, value))


def _is_whole(value: object, least: int, most: int = 1_000_000) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and least <= value <= most

"""A rubric's folder to a Rubric, or every mistake in it at once; and the questions of a test.

In: the name of a shipped rubric, or a folder with `rubric.toml` and, where there are any,
`questions.toml`, `examples.toml` and the answers the latter names. Out: a Rubric; for a test, its
Questions.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path

from assay.errors import UsageError
from assay.files.notes import invalid_files
from assay.judge.rubric_files import RubricFiles
from assay.messages import tr
from assay.types import Case
from assay.types.judgements import Rubric, RubricQuestion, ScoredExample

SHIPPED = Path(__file__).resolve().parents[1] / "builtin" / "rubrics"
CHECKLIST_CRITERION = "completeness"  # what a test's checklist speaks for


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
    """The yes-or-no questions of a test, criterion by criterion: the rubric's own for it; where it
    has none, the general ones, and the test's checklist as questions of completeness.
    """
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
            asked += [
                RubricQuestion(id=f"checklist.{number}", criterion=key, text=_as_question(item))
                for number, item in enumerate(checklist, 1)
            ]
    return tuple(asked)


def _as_question(item: str) -> str:
    return item if item.rstrip().endswith("?") else f'Does the answer meet this: "{item}"?'


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

"""Writes a test to begin with: an entry of a category file, or a whole test folder."""

from __future__ import annotations

import json
import re
from pathlib import Path

from assay.errors import UsageError
from assay.files.file_text import Refused
from assay.files.json_file import ID_FORM, read_json
from assay.files.notes import invalid_files
from assay.messages import tr

TEMPLATE = Path(__file__).resolve().parents[2] / "builtin" / "templates" / "judged"
MAX_NAME = 100
_NUMBERED = re.compile(r".+_[0-9]{3,}")
_ID_HOLE = "{{id}}"


def new_test(name: str, *, suite: Path = Path("my-tests"), judged: bool = False) -> Path:
    """Write a test to begin with, and return where it is. `judged`: a test folder `name` with a
    checker of its own; else one more entry in the category file `name`.
    """
    return _write_folder(name, suite) if judged else _write_entry(name, suite)


def _write_folder(name: str, suite: Path) -> Path:
    _check_name(name)
    folder = suite / name
    if folder.exists():
        raise UsageError(
            tr("{folder} is there already", folder=folder),
            hint=tr("choose another name, or remove that folder"),
        )
    test_id = name if _NUMBERED.fullmatch(name) else f"{name}_001"
    for source in sorted(TEMPLATE.rglob("*")):
        if source.suffix in (".json", ".md", ".py"):
            text = source.read_text("utf-8").replace(_ID_HOLE, test_id)
            _write(folder / source.relative_to(TEMPLATE), text)
    return folder


def _write_entry(category: str, suite: Path) -> Path:
    _check_name(category)
    file = suite / f"{category}.json"
    text, ids = _read_category(file)
    number = next(each for each in range(1, 1_000_000) if f"{category}_{each:03}" not in ids)
    entry = {
        "id": f"{category}_{number:03}",
        "prompt": "What is the capital of Togo? Answer with the name alone.",
        "eval_method": "exact_match",
        "expected": ["Lomé", "Lome"],
        "description": "An example: write your own prompt and what is expected.",
    }
    lines = json.dumps(entry, ensure_ascii=False, indent=2).splitlines()
    # Before the last bracket, so that what is there keeps its form.
    before = text.rstrip()[:-1].rstrip()
    comma = "," if ids or before != "[" else ""
    _write(file, f"{before}{comma}\n" + "\n".join(f"  {line}" for line in lines) + "\n]\n")
    return file


def _read_category(file: Path) -> tuple[str, set[str]]:
    if not file.exists():
        return "[]", set()
    try:
        opened = read_json(file)
    except Refused as refused:
        raise invalid_files(str(file), [refused.finding]) from refused
    if not isinstance(opened.value, list):
        raise UsageError(
            tr("{file} is no category file: it contains no list of tests", file=file),
            hint=tr("choose another name"),
        )
    return opened.text, {str(each.get("id")) for each in opened.value if isinstance(each, dict)}


def _check_name(name: str) -> None:
    if not ID_FORM.fullmatch(name) or len(name) > MAX_NAME:
        raise UsageError(
            tr("'{name}' cannot be the name of a test", name=name[:MAX_NAME]),
            hint=tr("use letters, digits, '_' and '-', as in monthly_sales"),
        )


def _write(file: Path, text: str) -> None:
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, "utf-8")
    except OSError as error:
        raise UsageError(
            tr("{file} cannot be written: {why}", file=file, why=error.strerror or str(error)),
            hint=tr("name another folder with --suite"),
        ) from error

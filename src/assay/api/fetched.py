"""What `fetch` wrote, as lines and as a document."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from assay.files.file_text import shown_path
from assay.messages import tr, trn
from assay.reports.formats.json import render_json
from assay.reports.json_values import JsonObject
from assay.suites.fetching.made import ConvertedBenchmark
from assay.types.suites import OS_FILES
from assay.workflow.commands.benchmarks import LICENCES, Fetched, FilesToEdit


def render_fetched(fetched: Fetched, form: str, *, ascii_only: bool = False) -> str:
    """As `json`, or as text: each benchmark with what is known of it, then the next command."""
    if form == "json":
        values: JsonObject = {
            "benchmarks": str(fetched.folder.resolve()),
            "fetched": [_values(made, fetched.folder / made.name) for made in fetched.benchmarks],
            "to_edit": _values_to_edit(fetched.to_edit) if fetched.to_edit else None,
            "next": fetched.following,
            "exit_code": 0,
        }
        return render_json(values, ascii_only=ascii_only) + "\n"
    lines: list[str] = []
    for made in fetched.benchmarks:
        lines.append(f"{made.name}: {made.title}")
        lines += (f"  {line}" for line in _about(made, fetched.folder / made.name))
    if fetched.to_edit:
        lines.append(tr("{name}: the suite os as files to edit", name=OS_FILES))
        lines += (f"  {line}" for line in _about_to_edit(fetched.to_edit))
    return "\n".join([*lines, tr("next: {hint}", hint=fetched.following), ""])


def _about(made: ConvertedBenchmark, folder: Path) -> Iterator[str]:
    yield tr("prompts: {form}", form=made.prompts)
    yield tr("source: {source}", source=made.source)
    yield tr("licence: {licence}", licence=LICENCES[made.name])
    for name, tests in made.categories.items():
        count = trn("{count} test", "{count} tests", len(tests))
        yield tr("{name}: {count}, weight {weight}", name=name, count=count,
                 weight=made.weights[name])  # fmt: skip
    if made.left_out:
        yield tr("left out, no test split: {names}", names=", ".join(made.left_out))
    yield trn(
        "dropped: {count} question, listed in dropped.tsv",
        "dropped: {count} questions, listed in dropped.tsv",
        len(made.dropped),
    )
    reasons = {
        "repeated": tr("asked before"),
        "shown": tr("answered by an example of its own prompt"),
        "equal_options": tr("two options are the same"),
    }
    for reason, times in Counter(one.reason for one in made.dropped).items():
        yield f"  {times} {reasons[reason]}"
    for note in made.notes:
        yield tr("note: {note}", note=note)
    yield tr("written: {folder}", folder=shown_path(folder))


def _about_to_edit(files: FilesToEdit) -> Iterator[str]:
    copied = [name for name in files.written if name not in files.shipped]
    if files.shipped:
        yield tr("written as shipped: {names}", names=", ".join(files.shipped))
    if copied:
        yield tr("written from your copy: {names}", names=", ".join(copied))
    if files.kept:
        yield tr("kept, because they exist: {names}", names=", ".join(files.kept))
    yield tr("each of them takes the place of its category of os")
    yield tr("folder: {folder}", folder=shown_path(files.folder))


def _values_to_edit(files: FilesToEdit) -> JsonObject:
    return {
        "suite": OS_FILES,
        "folder": str(files.folder.resolve()),
        **{name: list(getattr(files, name)) for name in ("written", "shipped", "kept")},
    }


def _values(made: ConvertedBenchmark, folder: Path) -> JsonObject:
    return {
        "suite": made.name,
        **{name: getattr(made, name) for name in ("title", "version", "prompts", "source")},
        "licence": LICENCES[made.name],
        "folder": str(folder.resolve()),
        "categories": {name: len(tests) for name, tests in made.categories.items()},
        "weights": dict(made.weights),
        "left_out": list(made.left_out),
        "notes": list(made.notes),
        "dropped": [
            {
                "subject": one.subject,
                "file": one.place.name,
                "row": one.place.row,
                "reason": one.reason,
                "like": None if one.like is None else {"file": one.like.name, "row": one.like.row},
            }
            for one in made.dropped
        ],
    }

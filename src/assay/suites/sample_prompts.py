"""The sample prompts of the generation check: those of `builtin/samples.json`, or a user's own.

In: a JSON file of prompts, each with the words that take up its subject and the ticks of a good
answer, and a text file of terms. Out: SamplePrompts and words, or every mistake with its place.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Annotated

from annotated_types import Len

from assay.files.fields import Doc, Mistake, Phrases, Rule, SomePhrases, Text, form
from assay.files.file_text import Refused, decode, read_bytes, shown_path
from assay.files.json_file import read_json
from assay.files.validation import DIALECT, Validator
from assay.messages import tr
from assay.types import FileFinding
from assay.types.measured.samples import SampleCheck, SampleCheckKind, SamplePrompt

SHIPPED = Path(__file__).resolve().parents[1] / "builtin" / "samples.json"
MAX_TERMS_BYTES = 1_000_000
WITH_WORDS, WITH_COMMANDS = ("words",), ("commands", "sequence")


@dataclass(frozen=True)
class TickEntry:
    name: Annotated[Text, Doc("What this line of the checklist says, in a few words.")]
    kind: Annotated[
        SampleCheckKind,
        Doc(
            "`words`: each item appears, in one of its alternatives; `commands`: each command is "
            "there; `sequence`: in this order; `syntax`: there are commands, and all parse; "
            "`coherent`: its sentences hang together."
        ),
    ]
    words: Annotated[SomePhrases | None, Doc("Words, each a text or a list of alternatives.")] = (
        None
    )
    commands: Annotated[
        SomePhrases | None, Doc("Commands, each a text or a list of those that are accepted.")
    ] = None


def _refuse_wrong_fields(tick: TickEntry) -> TickEntry:
    for field, kinds in (("words", WITH_WORDS), ("commands", WITH_COMMANDS)):
        given, wanted = getattr(tick, field) is not None, tick.kind in kinds
        if wanted and not given:
            raise Mistake(tr("the kind '{kind}' needs '{field}'", kind=tick.kind, field=field))
        if given and not wanted:
            message = tr("the kind '{kind}' has no '{field}'", kind=tick.kind, field=field)
            raise Mistake(message, (field,), about_key=True)
    return tick


@dataclass(frozen=True)
class SampleEntry:
    id: Annotated[
        str,
        form(r"[\w-]{1,120}", lambda: tr("letters, digits, '_' and '-'")),
        Doc("The name of the sample in reports."),
    ]
    prompt: Annotated[Text, Doc("What the model continues or answers.")]
    subject: Annotated[
        Phrases,
        Doc("Words that take up the subject: each item is a text or a list of alternatives."),
    ] = ()
    ticks: Annotated[
        tuple[Annotated[TickEntry, Rule(_refuse_wrong_fields)], ...],
        Doc("The checklist of a good answer, which is technically right if every line holds."),
    ] = ()


def _refuse_second_ones(samples: Sequence[SampleEntry]) -> Sequence[SampleEntry]:
    for key in ("id", "prompt"):
        seen: set[str] = set()
        for index, each in enumerate(samples):
            value = getattr(each, key)
            if value in seen:
                raise Mistake(tr("another sample has this {key}", key=key), (index, key))
            seen.add(value)
    return samples


SampleList = Annotated[tuple[SampleEntry, ...], Len(1), Rule(_refuse_second_ones)]


@cache
def samples_validator() -> Validator:
    return Validator(SampleList)


def samples_schema() -> dict[str, object]:
    return {
        "$schema": DIALECT,
        "title": tr("Assay samples"),
        **samples_validator().schema(),
        "description": tr("Own sample prompts of the generation check, named by a gate."),
    }


def load_samples() -> tuple[SamplePrompt, ...]:
    """Those that ship."""
    return read_samples(SHIPPED)[0]


def read_samples(path: Path) -> tuple[tuple[SamplePrompt, ...], tuple[FileFinding, ...]]:
    """A file of samples, and every mistake in it."""
    try:
        file = read_json(path)
    except Refused as refused:
        return (), (refused.finding,)
    notes = file.notes
    entries = samples_validator().check(file.value, notes)
    findings = tuple(file.findings(notes))
    return (() if entries is None or findings else tuple(map(_sample, entries))), findings


def _sample(entry: SampleEntry) -> SamplePrompt:
    ticks = tuple(
        SampleCheck(
            name=tick.name, kind=tick.kind, words=tick.words or (), commands=tick.commands or ()
        )
        for tick in entry.ticks
    )
    return SamplePrompt(id=entry.id, prompt=entry.prompt, subject=entry.subject, ticks=ticks)


def read_terms(path: Path) -> tuple[tuple[str, ...], tuple[FileFinding, ...]]:
    """Words of a text file, separated by white space; a line that begins with # says something."""
    name = shown_path(path)
    try:
        text = decode(name, read_bytes(path, MAX_TERMS_BYTES, kind=tr("terms are a text file")))
    except Refused as refused:
        return (), (refused.finding,)
    lines = (line for line in text.splitlines() if not line.startswith("#"))
    words = tuple(dict.fromkeys(word.casefold() for line in lines for word in line.split()))
    if words:
        return words, ()
    problem = FileFinding(file=name, line=1, column=1, message=tr("there is no term in this file"))
    return (), (problem,)

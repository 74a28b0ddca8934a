"""A user's own prompts as a suite that is asked and never scored (`assay ask`)."""

import re
from collections.abc import Mapping
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

from assay.checks.own_prompt import OwnPrompt
from assay.errors import UsageError
from assay.files.file_text import Refused, read_bytes
from assay.messages import tr
from assay.types import Case, Category, Message, Suite

SUITE = "ask"


SEPARATOR = re.compile(r"^[^\S\n]*---[^\S\n]*$", re.MULTILINE)


MAX_BYTES = 10 * 1024 * 1024


def own_prompts(path: Path, *, system: str | None = None) -> Suite:
    """One prompt a line; or, where a line is just `---`, one between each two of those."""
    text = _read(path)
    prompts = _split(text)
    if not prompts:
        raise UsageError(
            tr("{path} holds no prompt", path=path),
            hint=tr("write one a line, or longer ones with a line of --- between them"),
        )
    width = max(3, len(str(len(prompts))))
    numbered = {f"ask_{number:0{width}d}": each for number, each in enumerate(prompts, start=1)}
    suite = prompt_suite(SUITE, "prompts", numbered, path=str(path), system=system)
    return replace(suite, title=path.name, source=sha256(text.encode()).hexdigest())


def prompt_suite(
    name: str, category: str, prompts: Mapping[str, str], *, path: str, system: str | None = None
) -> Suite:
    """Prompts by their ids as tests that are asked and never scored."""
    cases = tuple(
        Case(
            id=test_id,
            suite=name,
            category=category,
            messages=(Message("user", prompt),),
            check=OwnPrompt(),
            system=system,
        )
        for test_id, prompt in prompts.items()
    )
    categories = (Category(name=category, cases=cases),)
    return Suite(name=name, path=path, categories=categories, system=system)


def is_own(suite: Suite) -> bool:
    """Whether it holds prompts of `assay ask`, of which none can be scored."""
    return not any(case.check.is_scored for case in suite.cases)


def _split(text: str) -> list[str]:
    parts = SEPARATOR.split(text)
    if len(parts) == 1:
        parts = text.split("\n")  # splitlines would break a prompt at U+2028 and others
    return [whole for part in parts if (whole := part.strip())]


def _read(path: Path) -> str:
    try:
        data = read_bytes(path, MAX_BYTES, kind=tr("prompts are a text file"))
        return data.decode("utf-8-sig").replace("\r\n", "\n")
    except (Refused, UnicodeDecodeError) as error:
        why = error.finding.message if isinstance(error, Refused) else tr("it is not UTF-8")
        raise UsageError(
            tr("cannot read {path}: {why}", path=path, why=why),
            hint=tr("give a text file in UTF-8 with a prompt on each line"),
        ) from error

"""`assay ask`: a user's own prompts as a suite of tests that are never scored."""

import hashlib
import re
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
    cases = tuple(
        Case(
            id=f"ask_{number:0{width}d}",
            suite=SUITE,
            category="prompts",
            messages=(Message("user", prompt),),
            check=OwnPrompt(),
            system=system,
        )
        for number, prompt in enumerate(prompts, start=1)
    )
    return Suite(
        name=SUITE,
        path=str(path),
        categories=(Category(name="prompts", cases=cases),),
        title=path.name,
        system=system,
        source=hashlib.sha256(text.encode()).hexdigest(),
    )


def is_own(suite: Suite) -> bool:
    """Whether it holds prompts of `assay ask`, of which none can be scored."""
    return all(not case.check.in_files for case in suite.cases)


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

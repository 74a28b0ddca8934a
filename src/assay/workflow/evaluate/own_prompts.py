"""`assay ask`: a user's own prompts, put to models like the tests of any suite, and never marked.

In: a text file, models. Out: a Job whose only suite holds the prompts; `evaluate` does the rest, so
that answers are kept, reused and continued as always.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

from assay.checks.own_prompt import OwnPrompt
from assay.errors import UsageError
from assay.messages import tr
from assay.types import Case, Category, Message, Suite

SUITE = "ask"
SEPARATOR = "---"
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
    lines = text.split("\n")  # splitlines would break a prompt at U+2028, a form feed and others
    if not any(line.strip() == SEPARATOR for line in lines):
        return [line.strip() for line in lines if line.strip()]
    prompts: list[list[str]] = [[]]
    for line in lines:
        if line.strip() == SEPARATOR:
            prompts.append([])
        else:
            prompts[-1].append(line)
    return [whole for lines in prompts if (whole := "\n".join(lines).strip())]


def _read(path: Path) -> str:
    try:
        if path.is_file() and path.stat().st_size > MAX_BYTES:
            raise UsageError(
                tr("{path} is larger than 10 MB", path=path),
                hint=tr("split it, or write a suite of tests (docs/tests.md)"),
            )
        return path.read_bytes().decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        raise UsageError(
            tr("{path} is not UTF-8", path=path), hint=tr("save it as UTF-8 and try again")
        ) from error
    except OSError as error:
        raise UsageError(
            tr("cannot read {path}: {why}", path=path, why=error.strerror),
            hint=tr("give a text file with a prompt on each line"),
        ) from error

"""Tutorials are transcripts: their commands are run again, and what they print is compared.

In: a page of docs/tutorials, or of docs/fr. A block ```console holds commands, each after `$ `, and
what each prints on stdout; a block after a line "`NAME`:" is a file. `echo $?` is the exit code of
the command before. Out: a Step for each command, with what the page shows and what came.

What differs from one machine to another is masked on both sides, by one rule: run ids, dates, the
line about the machine, and numbers with a unit of time, speed or memory. Spaces and line breaks
count as one space. A line `…` stands for lines that the page leaves out.

`python -m tests.transcripts` writes what the commands print today into the pages, where it differs;
`python -m tests.transcripts trainer` into one of them.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path

from assay.suites.load import find, load_suite
from tests.command_runs import run_assay
from tests.servers.fixtures import Server

ROOT = Path(__file__).resolve().parents[1]
TUTORIALS = ROOT / "docs" / "tutorials"
FRENCH = ROOT / "docs" / "fr"
LEFT_OUT = "…"
COLUMNS = "80"
FRENCH_MONTHS = (
    "janvier|février|mars|avril|mai|juin|juillet|août|septembre|octobre|novembre|décembre"
)
MASKS = (
    (r"\d{8}T\d{6}Z-[0-9a-f]{6}", "RUN"),
    (r"\d{4}-\d\d-\d\d(?:T\d\d:\d\d:\d\dZ)?", "DATE"),
    (r"\d{4}-\d\d-\d\d(?!T)", "DAY"),
    (rf"\d{{1,2}}(?:er)? (?:{FRENCH_MONTHS}) \d{{4}}(?: à \d\d:\d\d UTC)?", "DAY"),
    (r"Machine: .*? Reproduce:", "Machine: … Reproduce:"),
    (r"Machine : .*? Pour refaire la même :", "Machine : … Pour refaire la même :"),
    (r"[\d.,]+(?:–[\d.,]+)? (?:ms|s|min|h|tokens/s|[KMG]i?[Bo])\b", "FIGURE"),
    (r"─+", "─"),
    # The sentence about speed, and the cells of speed and memory in a table of Markdown.
    (r"[\d.]+ (tokens per second, .*? runs range from) [\d.]+ to [\d.]+", r"FIGURE \1 FIGURES"),
    (r"[\d,]+ (tokens par seconde, .*? exécutions vont de) [\d,]+ à [\d,]+", r"FIGURE \1 FIGURES"),
    (r"\| [\d.]+ \\\[[\d.–]+\\\] n=3 \| [\d.]+ n=1 \|", "| FIGURE | FIGURE |"),
)
RUN_LINE = re.compile(r"(· Machine ?:).*")
BLOCK = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FILE = re.compile(r"^`(\S+)`\s?:\n\n(`{3,})\w+\n(.*?)^\2$", re.MULTILINE | re.DOTALL)
COMMAND = re.compile(r"^\$ ((?:.*\\\n)*.*)\n((?:(?!\$ ).*\n)*)", re.MULTILINE)


@dataclass(frozen=True)
class Step:
    """One command of a page."""

    command: str
    shown: str
    printed: str

    @property
    def agrees(self) -> bool:
        pattern = ".*".join(re.escape(mask(part)) for part in split_parts(self.shown))
        return re.fullmatch(pattern, mask(self.printed)) is not None


def mask(text: str) -> str:
    """A text without what differs from one machine to another."""
    text = RUN_LINE.sub(r"\1 …", text)
    text = " ".join(text.split())
    for pattern, name in MASKS:
        text = re.sub(pattern, name, text)
    return text


def follow(page: Path, folder: Path, environment: Mapping[str, str]) -> Iterator[Step]:
    """Write the files of a page and run its commands, in the order in which they stand."""
    text, code = page.read_text("utf-8"), 0
    environment = {**environment, "COLUMNS": COLUMNS}
    for found in re.finditer(f"{FILE.pattern}|{BLOCK.pattern}", text, re.MULTILINE | re.DOTALL):
        if found[1]:
            (folder / found[1]).parent.mkdir(parents=True, exist_ok=True)
            (folder / found[1]).write_text(found[3], "utf-8")
            continue
        for command, shown in COMMAND.findall(found[4]):
            if command == "echo $?":
                yield Step(command, shown, f"{code}\n")
                continue
            asked = command
            if page.parent == FRENCH and command.startswith("assay ") and "--lang" not in command:
                asked += " --lang fr"  # as a French locale does, in a Python that is loaded
            done = run_command(asked, folder, environment)
            code = done.returncode
            yield Step(command, shown, done.stdout)


def run_command(
    command: str, folder: Path, environment: Mapping[str, str]
) -> subprocess.CompletedProcess[str]:
    """Run `assay` in this process; anything else is the shell's."""
    words = command.replace("\\\n", " ").split()
    if words[0] == "assay":
        return run_assay(words[1:], folder, environment)
    return subprocess.run(
        command, shell=True, cwd=folder, env=dict(environment), text=True, capture_output=True,
        check=False,
    )  # fmt: skip


# ------------------------------------------------------------------------ what a page starts from

RECORDED = {
    "qwen2.5-coder:0.5b": "qwen2.5-coder-0.5b-instruct-q4_k_m",
    "smollm2:135m": "smollm2-135m-instruct-q4_1",
}
SIZES = {"qwen2.5-coder:0.5b": 397_821_319, "smollm2:135m": 91_736_576}


@contextmanager
def replaying_ollama() -> Iterator[dict[str, str]]:
    """An Ollama in which two small models say what they were recorded to say."""
    answers = ROOT.parent / "shared" / "recordings" / "answers"
    also = [f"{name}={size}" for name, size in SIZES.items()]
    server = Server("ollama", no_replay=True, also=also)
    try:
        server.answers(
            {
                case.prompt[:60]: {
                    "by_model": {
                        model: (answers / folder / f"{case.id}.md").read_text("utf-8")
                        for model, folder in RECORDED.items()
                    }
                }
                for case in load_suite(find("coding")).cases
            }
        )
        yield {"OLLAMA_HOST": f"127.0.0.1:{server.port}"}
    finally:
        server.stop()


AROUND: Mapping[str, Callable[[], AbstractContextManager[dict[str, str]]]] = {
    "ollama-user": replaying_ollama
}


@contextmanager
def prepare(page: Path, folder: Path) -> Iterator[dict[str, str]]:
    """The environment of a page's commands: a user with no settings, who has activated the virtual
    environment with Assay in it, and the server that the page needs.
    """
    environment = {**os.environ, "PYTHONWARNINGS": "error", "OLLAMA_HOST": "127.0.0.1:1"}
    environment["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment["XDG_DATA_HOME"] = str(folder / "users-data")
    for name in ("OPENAI_BASE_URL", "OPENAI_API_KEY", "PYTHONUNBUFFERED"):
        environment.pop(name, None)
    with AROUND.get(page.stem, lambda: nullcontext({}))() as more:
        yield {**environment, **more}


# ------------------------------------------------------------------------ writing the pages again


def write_again(page: Path) -> None:
    """Put what the commands print today into the page. Where it leaves lines out, it goes on to
    show as many before and after as it does now.
    """
    with tempfile.TemporaryDirectory() as folder, prepare(page, Path(folder)) as environment:
        steps = iter(list(follow(page, Path(folder), environment)))

    def renew(found: re.Match[str]) -> str:
        step = next(steps)
        return f"$ {step.command}\n{shorten(step)}"

    text = page.read_text("utf-8")
    text = BLOCK.sub(lambda b: f"```console\n{COMMAND.sub(renew, b[1])}```", text)
    page.write_text(text, "utf-8")


def shorten(step: Step) -> str:
    """What is shown of a command: all of it, or where the page leaves lines out, parts that begin
    as they do now and are as long.
    """
    if step.agrees:
        return step.shown
    lines = [line.rstrip() for line in step.printed.splitlines()]
    first, *later = (part.splitlines() for part in split_parts(step.shown))
    kept, at = (lines[: len(first)], len(first)) if later else (lines, 0)
    for part in later:
        kept.append(LEFT_OUT)
        begins = [
            n
            for n, line in enumerate(lines)
            if n >= at and [mask(line)] == [mask(text) for text in part[:1]]
        ]
        at = begins[0] if begins else len(lines)
        kept += lines[at : at + len(part)]
    return "".join(f"{line}\n" for line in kept)


def split_parts(shown: str) -> list[str]:
    return re.split(rf"^{LEFT_OUT}\n", shown, flags=re.MULTILINE)


def french_pages() -> list[Path]:
    """The pages of docs/fr that are transcripts, too."""
    return [page for page in sorted(FRENCH.glob("*.md")) if BLOCK.search(page.read_text("utf-8"))]


if __name__ == "__main__":
    for each in [*sorted(TUTORIALS.glob("*.md")), *french_pages()]:
        if len(sys.argv) == 1 or each.stem in sys.argv[1:]:
            write_again(each)

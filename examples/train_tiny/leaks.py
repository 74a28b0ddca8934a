"""What the training text must not hold: the tests that ship, and the held-out text.

In: the folder `src/assay/builtin`. Out: a Forbidden, which says of any text whether it leaks. The
facts the tests ask for may be taught, in other words; these runs of words may not occur:

    eight in a row   of "prompt + answer", for each accepted answer of each test and worked example,
                     and of the held-out text
    a whole prompt   of four to seven words
    prompt + answer  as a whole, where the prompt has fewer than four words: "Fedora: install rsync"
                     alone is a title any page may have

Words are runs of letters, digits and underscores in lower case, so punctuation, line breaks and
quotes hide nothing. A test with several commands counts with its first accepted form of each, and
with every further form of one command behind the first forms of those before it. Choices of a
multiple-choice test count as answers, right or wrong.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

BUILTIN = Path(__file__).resolve().parents[2] / "src" / "assay" / "builtin"
RUN = 8  # words in a row
SHORTEST_PROMPT = 4  # words; shorter ones count together with their answer
# Came after the training, whose text is English: suites for served models, general ones, and Ewe in
# version 2.0; and tests of which an option was reworded since. The text was not searched for these
# when it was made; `later_runs` is what a search afterwards looks for.
AFTER_THE_TRAINING = ("coding", "data", "tools", "ewe", "everyday")
REWORDED_SINCE = frozenset(
    (
        "hardware_004",
        "networks_014",
        "networks_016",
        "services_003",
        "services_006",
        "services_016",
        "system_administration_016",
    )
)
LATER_SUITES = ("everyday", "technical", "troubleshooting")
_WORD = re.compile(r"\w+")


def words(text: str) -> list[str]:
    """The words of a text as they are compared."""
    return _WORD.findall(text.lower())


class Forbidden:
    """Runs of at least four words, each as words with one blank between."""

    def __init__(self, runs: frozenset[str]) -> None:
        self.runs = runs
        self._lengths = sorted({run.count(" ") + 1 for run in runs})
        self._beginnings = {" ".join(run.split(" ")[:SHORTEST_PROMPT]) for run in runs}

    def found_in(self, text: str) -> str | None:
        """The first forbidden run in a text, or None."""
        found = words(text)
        for start in range(len(found) - SHORTEST_PROMPT + 1):
            if " ".join(found[start : start + SHORTEST_PROMPT]) in self._beginnings:
                for length in self._lengths:
                    run = " ".join(found[start : start + length])
                    if run in self.runs:
                        return run
        return None

    @property
    def sha256(self) -> str:
        """Names the set: any change of a prompt, an answer or the held-out text changes it."""
        return hashlib.sha256("\n".join(sorted(self.runs)).encode()).hexdigest()


def forbidden_runs(builtin: Path = BUILTIN) -> Forbidden:
    """Everything that must not occur, from the files as they are now."""
    runs: set[str] = set()
    for prompt, answers in _tests(builtin):
        runs.update(_of_test(prompt, answers))
    for text in sorted((builtin / "texts").glob("*.txt")):
        runs.update(_windows(words(text.read_text(encoding="utf-8"))))
    return Forbidden(frozenset(runs))


def later_runs(builtin: Path = BUILTIN) -> Forbidden:
    """The same of the suite `everyday` and of the tests that were reworded since."""
    runs: set[str] = set()
    files = (builtin / "suites").rglob("*.json")
    for path in sorted(path for path in files if path.parent.name in LATER_SUITES):
        for test in _every_test(json.loads(path.read_text(encoding="utf-8"))):
            if path.parent.name == "everyday" or test.get("id") in REWORDED_SINCE:
                for prompt, answers in _asked_by(test):
                    runs.update(_of_test(prompt, answers))
    return Forbidden(frozenset(runs))


def _of_test(prompt: str, answers: Sequence[str]) -> Iterator[str]:
    asked = words(prompt)
    if SHORTEST_PROMPT <= len(asked) < RUN:
        yield " ".join(asked)
    yield from _windows(asked)
    for answer in answers:
        whole = asked + words(answer)
        if len(asked) < SHORTEST_PROMPT <= len(whole) < RUN:
            yield " ".join(whole)
        yield from _windows(whole)


def _windows(found: Sequence[str]) -> Iterator[str]:
    for start in range(len(found) - RUN + 1):
        yield " ".join(found[start : start + RUN])


def _tests(builtin: Path) -> Iterator[tuple[str, list[str]]]:
    """Every prompt with its accepted answers, worked examples and sample prompts included."""
    suites = sorted((builtin / "suites").rglob("*.json"))
    files = [
        *(path for path in suites if path.parent.name not in AFTER_THE_TRAINING),
        builtin / "samples.json",
    ]
    for path in files:
        yield from _in_file(json.loads(path.read_text(encoding="utf-8")))


def _in_file(value: Any) -> Iterator[tuple[str, list[str]]]:
    for test in _every_test(value):
        if test.get("id") not in REWORDED_SINCE:
            yield from _asked_by(test)


def _every_test(value: Any) -> Iterator[dict[str, Any]]:
    """Whatever has a prompt or messages, wherever it is in a file."""
    if isinstance(value, dict) and _is_test(value):
        yield value
    elif isinstance(value, dict | list):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _every_test(item)


def _is_test(value: dict[str, Any]) -> bool:
    return isinstance(value.get("prompt"), str) or isinstance(value.get("messages"), list)


def _asked_by(test: dict[str, Any]) -> Iterator[tuple[str, list[str]]]:
    if isinstance(test.get("prompt"), str):
        yield test["prompt"], _answers(test)
        return
    spoken = [str(message.get("content", "")) for message in test["messages"]]
    yield from ((text, []) for text in spoken[:-1])
    yield spoken[-1], _answers(test)


def _answers(test: dict[str, Any]) -> list[str]:
    found: list[str] = []
    for name in ("expected", "expected_any", "expected_keywords", "choices", "reference"):
        found.extend(_strings(test.get(name)))
    found.extend(_sequences(test.get("expected_commands") or []))
    for tick in test.get("ticks", []):
        found.extend(_sequences(tick.get("commands") or []))
    return found


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for item in value:
            yield from _strings(item)


def _sequences(steps: Sequence[Any]) -> Iterator[str]:
    """Commands one behind the other; each further form of a step behind the first ones before."""
    forms = [list(_strings(step)) for step in steps]
    before: list[str] = []
    for step in forms:
        for form in step:
            yield "\n".join([*before, form])
        before.append(step[0])

"""What to do about the cause of most failures: a sentence, and a command that runs as it stands.

Each command repeats the run's own with one thing changed. There is none for a scripted model, which
would say the same again, none where the change was made already, and none that needs something
which is not known, such as where a file lies.
"""

import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from assay.messages import tr
from assay.reports.cards.scores import causes_of
from assay.types.documents import Line, Span
from assay.types.results import Cause, CauseKind, ModelReport, Report, SuiteSummary

MORE_TOKENS = 4096  # four times the default
# What a model is told: in English, whatever language the report is in.
EVERY_QUESTION = "Answer every question."
NO_REPEATING = "Answer the question. Do not repeat it."
_SERVED = ("ollama", "openai", "http", "https")


@dataclass(frozen=True, slots=True)
class _Again:
    """The run's own command, and of whom and of what the cause is."""

    words: Sequence[str]
    model: ModelReport
    summary: SuiteSummary
    cause: Cause

    @property
    def is_served(self) -> bool:
        return self.model.spec.partition(":")[0] in _SERVED

    def value(self, option: str) -> str | None:
        return _value(self.words, option)

    def having(self, option: str, value: str) -> str:
        """The command with this option in place of its own; "" where it has it already."""
        if self.value(option) == value:
            return ""
        kept, skip = [], False
        for word in self.words:
            if not skip and word != option:
                kept.append(word)
            skip = word == option and not skip
        return shlex.join([*kept, option, value])

    def told(self, text: str) -> str:
        """With a system prompt, where the suite has none of its own. One with a title has a
        suite.json, which decides even where it says nothing.
        """
        if self.summary.title:
            return ""
        roles = {turn.role for test in self.summary.tests for turn in test.turns}
        is_the_suites = "system" in roles and self.value("--system") is None
        return "" if is_the_suites else self.having("--system", text)

    def with_more_tokens(self) -> str:
        given = self.value("--max-tokens") or ""
        more = max(MORE_TOKENS, 4 * int(given)) if given.isdecimal() else MORE_TOKENS
        return self.having("--max-tokens", str(more))

    def of_the_file(self) -> str:
        """The same of the file behind a model of Ollama's own store."""
        scheme, _, name = self.model.spec.partition(":")
        if scheme != "ollama" or "@" in name or self.words.count(self.model.spec) != 1:
            return ""
        file = f"gguf:ollama/{name}"
        return shlex.join([file if word == self.model.spec else word for word in self.words])


def _heard(again: _Again) -> tuple[str, str]:
    said = tr("give the server the model's tool template and parser (llama-server: --jinja; "
              "vLLM: --tool-call-parser), then: ")  # fmt: skip
    fresh = [] if "--fresh" in again.words else ["--fresh"]
    return said, shlex.join([*again.words, *fresh]) if again.is_served else ""


def _longer_or_without_thinking(again: _Again) -> tuple[str, str]:
    is_mostly_thinking = 2 * again.cause.thinking > again.cause.count
    if is_mostly_thinking and again.value("--think") != "off":
        return tr("ask without thinking: "), again.having("--think", "off")
    return tr("give answers more room: "), again.with_more_tokens()


def _as_the_server_samples(again: _Again) -> tuple[str, str]:
    said = tr("let the server sample with its own penalties against repetition: ")
    return said, again.having("--sampling", "server") if again.is_served else ""


def _from_file(again: _Again) -> tuple[str, str]:
    return tr("read the likeliest option from the file itself: "), again.of_the_file()


def _as_chat(again: _Again) -> tuple[str, str]:
    if again.value("--api") == "completions":
        return tr("ask through the chat template: "), again.having("--api", "chat")
    return tr("ask for an answer in the system prompt: "), again.told(NO_REPEATING)


def _answer(again: _Again) -> tuple[str, str]:
    return tr("ask for an answer in the system prompt: "), again.told(EVERY_QUESTION)


def _without_template(again: _Again) -> tuple[str, str]:
    said = tr("see whether the server's chat template ends the answer: ask without it: ")
    is_chat = again.model.spec.startswith("openai:") and again.value("--api") is None
    return said, again.having("--api", "completions") if is_chat else ""


_CURES: Mapping[CauseKind, Callable[[_Again], tuple[str, str]]] = {
    "calls_as_text": _heard,
    "loops": _as_the_server_samples,
    "cut": _longer_or_without_thinking,
    "one_letter": _from_file,
    "echoed": _as_chat,
    "declined": _answer,
    "empty": _without_template,
}


def _value(words: Sequence[str], option: str) -> str | None:
    """Of an option with one; the last counts."""
    places = [place for place, word in enumerate(words[:-1]) if word == option]
    return words[places[-1] + 1] if places else None


def what_to_do(report: Report) -> Line:
    """About the cause that explains most failures; "" where reading the wrong answers comes
    first.
    """
    causes = causes_of(report.models)
    words = shlex.split(report.command)
    if not causes or words[:2] != ["assay", "run"]:
        return ""
    cause, model, summary = causes[0]
    if model.spec.startswith("scripted:"):
        return ""
    said, command = _CURES[cause.kind](_Again(words, model, summary, cause))
    return (said, Span(command, "code")) if command else ""


def with_its_folder(report: Report, *words: str) -> str:
    """A command about this run, with the folder of its store where that is not the usual one."""
    folder = _value(shlex.split(report.command), "--out")
    return shlex.join(["assay", *words, *(["--out", folder] if folder else [])])

"""top_k: an accepted answer is among the k best, read from the first line of each.

The rules, with tested examples, are in `docs/reference/shell.md`; nothing is ever executed.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Annotated, Literal

from annotated_types import Ge, Le

from assay.checks.keywords import states
from assay.files.fields import Doc, SomeTexts
from assay.messages import fill, message, tr
from assay.plugins import check
from assay.text.folding import fold_for_matching
from assay.types import AnswerCheck, Answered, Context, Requests, Score

if TYPE_CHECKING:
    from assay.checks.shell.reading import AnswerLine
    from assay.checks.shell.syntax import Command

MAX_K = 100
ANNOUNCED_AT_MOST = 3  # "Sure!", a heading and a comment before the line that answers
# After a pipe these show what came before and leave nothing out.
VIEWERS = frozenset(["less", "more", "most", "cat", "sort", "nl", "column"])
_METHODS = {
    "given": message("predictions as given"),
    "beam": message("beam search"),
    "sampled": message("sampled"),
}
_ITSELF = message("the answer itself")


@check("top_k")
class TopK(AnswerCheck):
    """An accepted answer is among the k best: 1 or 0."""

    version = 7
    all_or_nothing = True

    expected_any: Annotated[SomeTexts, Doc("The accepted answers.")]
    k: Annotated[int, Ge(1), Le(MAX_K), Doc("How many of the model's best answers count.")] = 3
    match: Annotated[
        Literal["word", "command", "module"],
        Doc("Whether answers are compared as words, as shell commands or as kernel modules."),
    ] = "word"

    def score(self, answer: str, context: Context, /) -> Score:
        reply = context.reply
        assert isinstance(reply, Answered)
        programs: frozenset[str] = frozenset()
        if self.match == "command":
            from assay.checks.shell.sequence import known_programs

            programs = known_programs(self.expected_any)
        answers = reply.predictions or (answer,)
        lines = [_answering_line(each, self, programs) for each in answers[: self.k]]
        readable = [line for line in lines if line.text]
        if self.match == "command":
            readable = [line for line in lines if _first_snippet(line, programs)]
        texts = [line.text for line in lines]
        for rank, line in enumerate(lines, start=1):
            accepted = _accepted_by(line, self, programs)
            if accepted is not None:
                explanation = tr(
                    "{accepted} is at rank {rank} of {count} ({method}).",
                    accepted=accepted, rank=rank, count=len(lines), method=_method(reply),
                )  # fmt: skip
                return Score(value=1.0, extracted="\n".join(texts), explanation=explanation)
        if not readable:
            explanation = (
                tr("No command could be read from the first lines ({method}).",
                   method=_method(reply))
                if self.match == "command"
                else tr("The answer is empty ({method}).", method=_method(reply))
            )  # fmt: skip
            return Score(value=0.0, no_answer=True, explanation=explanation)
        from assay.checks.shell.sequence import list_briefly

        explanation = tr(
            "Read {read} ({method}), which is not an accepted answer. Accepted: {accepted}.",
            read=list_briefly(texts),
            method=_method(reply),
            accepted=list_briefly(self.expected_any),
        )
        return Score(value=0.0, extracted="\n".join(texts), explanation=explanation)

    def gold(self) -> str:
        return self.expected_any[0]

    def requests(self) -> Requests:
        return Requests(predictions=self.k)

    def baselines(self) -> Iterable[str]:
        return self.expected_any


def _answering_line(answer: str, check: TopK, programs: frozenset[str]) -> AnswerLine:
    """The first line; a later one where those before it only lead to it ("You can use:")."""
    from assay.checks.shell.reading import AnswerLine, answer_lines

    lines = list(islice(answer_lines(answer), ANNOUNCED_AT_MOST + 1))
    for at, line in enumerate(lines[:-1]):
        following = lines[at + 1 :]
        if not _leads_on(line, following, check, programs) or _accepted_by(line, check, programs):
            return line
    return lines[-1] if lines else AnswerLine("", in_code=False)


def _leads_on(
    line: AnswerLine, following: Sequence[AnswerLine], check: TopK, programs: frozenset[str]
) -> bool:
    """Whether a line announces what follows, itself no answer."""
    from assay.checks.shell.reading import announces, snippets_of_line

    if check.match != "command":
        return announces(line.text)
    snippets = snippets_of_line(line, programs)
    if not snippets:
        before_code = not line.in_code and any(later.in_code for later in following)
        return announces(line.text) or before_code
    answering = next(filter(None, (_first_snippet(later, programs) for later in following)), ())
    words_of_shell = sum(len(snippet.source.split()) for snippet in snippets)
    is_sentence = announces(line.text) or len(line.text.split()) > words_of_shell
    named = [command for snippet in snippets for command in snippet.commands]
    return is_sentence and any(_comes_again(each, answering[0]) for each in named if answering)


def _comes_again(command: Command, answering: Command) -> bool:
    """Whether what is named ("the `lsof` command", "`systemctl status`") is used in the answer."""
    from assay.checks.shell.programs import PAIRS

    one, other = (PAIRS["aliases"].get(c.program, c.program) for c in (command, answering))
    operands = {word for word in command.words[1:] if not word.startswith("-")}
    return one == other and operands <= set(answering.words)


def _method(reply: Answered) -> str:
    return fill(_METHODS.get(reply.prediction_method or "", _ITSELF), {})


def _accepted_by(line: AnswerLine, check: TopK, programs: frozenset[str]) -> str | None:
    """The accepted answer that a line gives."""
    if not line.text:
        return None
    if check.match == "module":
        from assay.checks.shell.meaning import module_name
        from assay.checks.shell.modules import looks_like_a_module, modules_in

        wanted = {module_name(text.strip()): text for text in check.expected_any}
        given = modules_in(line.text, frozenset(wanted))
        names = [name for name in given if name in wanted or looks_like_a_module(name)]
        if len(names) > max(check.k, len(wanted)):  # more names than there are choices
            return None
        return next((text for name, text in wanted.items() if name in given), None)
    if check.match == "command":
        return next(
            (text for text in check.expected_any if _is_command(line, text, programs)), None
        )
    folded, expected = fold_for_matching(line.text), check.expected_any
    return next((text for text in expected if states(text, folded, expected=expected)), None)


def _first_snippet(line: AnswerLine, programs: frozenset[str]) -> tuple[Command, ...]:
    from assay.checks.shell.reading import snippets_of_line

    snippets = snippets_of_line(line, programs)
    return snippets[0].commands if snippets else ()


def _is_command(line: AnswerLine, accepted: str, programs: frozenset[str]) -> bool:
    """The line's first command line does all that is accepted, and nothing besides."""
    from assay.checks.shell.meaning import actions_of, fulfils
    from assay.checks.shell.sequence import CommandsFound, pipelines_of

    if " ".join(line.text.split()) == " ".join(accepted.split()):
        return True
    commands = _first_snippet(line, programs)
    if not commands or not CommandsFound(commands).match([(accepted,)]):
        return False
    wanted = [a for pipeline in pipelines_of(accepted) for stage in pipeline for a in stage]
    for command in commands:
        actions = actions_of(command)
        is_part = any(fulfils(done, one) for done in actions for one in wanted)
        only_shows = command.piped and command.program in VIEWERS
        if not (is_part or only_shows or all(action.is_refresh for action in actions)):
            return False
    return True

"""command_sequence: the share of the steps found in order among the commands of an answer."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import TYPE_CHECKING, Annotated

from assay.files.fields import Doc, SomePhrases
from assay.messages import tr, trn
from assay.plugins import check
from assay.types import AnswerCheck, Context, Score, ScorePart

if TYPE_CHECKING:
    from assay.checks.shell.sequence import CommandsFound


@check("command_sequence")
class CommandSequence(AnswerCheck):
    """The share of the steps found in order; 0 if the answer destroys data or undoes a step."""

    version = 6

    expected_commands: Annotated[
        SomePhrases,
        Doc(
            "The steps in order. A step is a command, or a list of commands of which one is enough."
        ),
    ]

    def score(self, answer: str, context: Context, /) -> Score:
        from assay.checks.shell.reading import READ_AT_MOST, snippets_in
        from assay.checks.shell.sequence import CommandsFound, harm_in, known_programs

        steps = self.expected_commands
        snippets = snippets_in(answer, known_programs(chain.from_iterable(steps)))
        found = CommandsFound([command for snippet in snippets for command in snippet.commands])
        sources = [command.source for command in found.commands]
        met = found.match(steps)
        parts = tuple(_part(step, at, met, found) for at, step in enumerate(steps))
        harm = harm_in(found, steps)
        sentences = [*filter(None, [harm]), *_explanation(parts, sources)]
        if len(answer) > READ_AT_MOST:
            sentences.append(tr("Only the first {count} characters were read.", count=READ_AT_MOST))
        return Score(
            value=len(met) / len(steps) if steps and not harm else 0.0,
            no_answer=not sources,
            extracted="\n".join(sources) or None,
            explanation=" ".join(sentences),
            parts=parts,
        )

    def gold(self) -> str:
        return "\n".join(step[0] for step in self.expected_commands)

    def baselines(self) -> Iterable[str]:
        return [step[0] for step in self.expected_commands]


def _part(step: tuple[str, ...], at: int, met: dict[int, int], found: CommandsFound) -> ScorePart:
    name = tr(" or ").join(step)
    if at in met:
        by = found.commands[met[at]].source
        return ScorePart(name=name, value=1.0, explanation=tr("Met by {command}.", command=by))
    if found.match([step]):
        return ScorePart(name=name, value=0.0, explanation=tr("There, but out of order."))
    return ScorePart(name=name, value=0.0, explanation=tr("Not found."))


def _explanation(parts: tuple[ScorePart, ...], sources: list[str]) -> Iterator[str]:
    from assay.checks.shell.sequence import list_briefly

    if not sources:
        yield tr("No command was found in the answer.")
        return
    missing = [part.name for part in parts if not part.value]
    yield trn(
        "{met} of {count} step was found in order.",
        "{met} of {count} steps were found in order.",
        len(parts),
        met=len(parts) - len(missing),
    )
    if missing:
        yield tr("Missing or out of order: {steps}.", steps=list_briefly(missing))
    yield tr("Commands read: {commands}.", commands=list_briefly(sources))

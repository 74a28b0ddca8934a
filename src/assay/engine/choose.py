"""How likely each continuation is, by lm-evaluation-harness's rules: a choice's last token is never
fed; a context that is too long loses its beginning.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import chain

import numpy as np
import torch
from torch import Tensor

from assay.engine.layout.batches import one_behind
from assay.engine.layout.packing import Kept, PackedRow, Trunk, grow, pack
from assay.engine.layout.trunks import computed
from assay.engine.network import Network
from assay.engine.predicted import predicted_alone, predicted_at, together

Tokens = Sequence[int]


@dataclass(frozen=True, slots=True)
class Question:
    context: Tokens
    choices: tuple[Tokens, ...]


@dataclass(frozen=True, slots=True)
class Likelihood:
    """Natural logarithms. A model that overflowed gives no number, and is not corrected."""

    total: float
    tokens: tuple[float, ...]
    greedy: bool


def choose(
    network: Network, questions: Sequence[Question], *, budget: int | None = None
) -> Iterator[tuple[int, tuple[Likelihood, ...]]]:
    """Yield (index of the question, likelihoods of its choices), each once, in any order."""
    asked = _gather(questions, network.context_length)
    answers = _PartialAnswers(questions)
    yield from answers.of_nothing()
    if not network.serves_trees:
        for one in asked:
            found = together(
                predicted_alone(network, [*one.context, *choice[:-1]], choice)
                for choice in one.wanted
            )
            greedy = (found.likelier == 0).tolist()
            yield from answers.given(one, found.log_likelihood.tolist(), greedy)
        return
    forest = grow([one.context for one in asked])
    for one, trunk in zip(asked, forest.trunk_of, strict=True):
        one.hang_on(trunk)
    at_once = budget or network.tokens_at_once
    for batch, tensor in one_behind(
        computed(network, asked, forest, at_once, partial(_scored, network))
    ):
        yield from _landed(answers, batch, tensor)


def truncated(context: tuple[int, ...], choice: Tokens, limit: int) -> tuple[int, ...]:
    """What is left of a context so that it and all of the choice but its end fit the window."""
    too_many = len(context) + len(choice) - 1 - limit
    return context[too_many:] if too_many > 0 else context


@dataclass(slots=True, eq=False)
class _AskedContext:
    """`wanted`: whose choices they are; `places`: where in the row each token is predicted."""

    context: tuple[int, ...]
    wanted: dict[tuple[int, ...], list[tuple[int, int]]] = field(default_factory=dict)
    row: PackedRow = field(default_factory=lambda: PackedRow(None, ()))
    places: list[int] = field(default_factory=list)

    def hang_on(self, trunk: Trunk | None) -> None:
        """Only what the trunk does not hold is left to compute."""
        context = self.context[trunk.end if trunk else 0 :]
        last = len(context) - 1
        branch_at: dict[tuple[int, ...], int] = {}
        behind = len(context)
        for choice in self.wanted:
            fed = choice[:-1]
            first = branch_at.setdefault(fed, behind)
            if first == behind:
                behind += len(fed)
            self.places.append(last)
            self.places += range(first, first + len(fed))
        self.row = PackedRow(trunk, context, tuple(fed for fed in branch_at if fed))


def _gather(questions: Sequence[Question], limit: int) -> list[_AskedContext]:
    found: dict[tuple[int, ...], _AskedContext] = {}
    for number, question in enumerate(questions):
        whole = tuple(question.context)
        held, one = None, None  # looking a context up takes as long as it is
        for place, choice in enumerate(question.choices):
            if len(choice) > limit:
                raise ValueError(f"question {number}: a choice of {len(choice)} tokens > {limit}")
            context = truncated(whole, choice, limit)
            if one is None or context is not held:
                held, one = context, found.setdefault(context, _AskedContext(context))
            one.wanted.setdefault(tuple(choice), []).append((number, place))
    return list(found.values())


class _PartialAnswers:
    def __init__(self, questions: Sequence[Question]) -> None:
        self._found: list[list[Likelihood | None]] = [[None] * len(q.choices) for q in questions]
        self._left = [len(question.choices) for question in questions]

    def of_nothing(self) -> Iterator[tuple[int, tuple[Likelihood, ...]]]:
        yield from ((number, ()) for number, left in enumerate(self._left) if not left)

    def given(
        self, one: _AskedContext, values: Sequence[float], greedy: Sequence[float]
    ) -> Iterator[tuple[int, tuple[Likelihood, ...]]]:
        start = 0
        for choice, wanted in one.wanted.items():
            here = slice(start, start + len(choice))
            tokens = tuple(values[here])
            likelihood = Likelihood(sum(tokens), tokens, all(greedy[here]))
            start = here.stop
            for number, place in wanted:
                self._found[number][place] = likelihood
                self._left[number] -= 1
                if not self._left[number]:
                    yield number, tuple(each for each in self._found[number] if each is not None)


def _scored(
    network: Network, batch: Sequence[_AskedContext], kept: dict[Trunk, Kept], threads: int
) -> Tensor:
    packing = pack([one.row for one in batch], kept, network.device)
    counts = [len(one.places) for one in batch]
    starts = np.repeat([span.start for span in packing.spans], counts)
    places = starts + np.fromiter(chain.from_iterable(one.places for one in batch), np.int64)
    tokens = np.fromiter(
        chain.from_iterable(chain.from_iterable(one.wanted for one in batch)), np.int64
    )
    found = predicted_at(network, network.hidden(packing), places, tokens, threads)
    return torch.stack((found.log_likelihood, (found.likelier == 0).to(found.log_likelihood)))


def _landed(
    answers: _PartialAnswers, batch: Sequence[_AskedContext], found: Tensor
) -> Iterator[tuple[int, tuple[Likelihood, ...]]]:
    values, greedy = found.tolist()
    start = 0
    for one in batch:
        end = start + len(one.places)
        yield from answers.given(one, values[start:end], greedy[start:end])
        start = end

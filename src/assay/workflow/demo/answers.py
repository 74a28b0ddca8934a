"""The written answers of the stand-in server: found by what is asked, as a server has to.

In: a scripted model's file; the last user message of a conversation and its seed. Out: the answer
written for the test of the shipped suite `example` that asks this, the script's default for any
other, and how likely each letter is where there are choices. The seed tells repeats and samples
apart.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from assay.checks.scoring import score_reply
from assay.models.sampled import SEEDS_APART
from assay.models.scripted import ScriptedModel
from assay.plan import LETTERS, AskOptions, make_plan
from assay.request_identity import make_unstored_request
from assay.suites.catalogue import find
from assay.suites.load import load_suite
from assay.types import Answered, Case, MultipleChoice, Request, Sampling, ToAnswer

SURE = 0.9  # how likely the letter that an answer takes is said to be
ANY_OTHER = make_unstored_request(
    "", ToAnswer(messages=(), sampling=Sampling(temperature=0, seed=0, max_tokens=1))
)


@dataclass(frozen=True, slots=True)
class Said:
    """A written answer; for a question with choices, how likely each letter is, the best first."""

    text: str
    likely: Mapping[str, float] = field(default_factory=dict)


class WrittenAnswers:
    """A script, asked without test ids."""

    def __init__(self, script: Path) -> None:
        self._model = ScriptedModel(script)
        self.name = f"demo-{self._model.facts.name}"
        self.digest = self._model.facts.fingerprint.removeprefix("sha256:")
        self._asked: dict[str, tuple[Case, Request]] = {}
        plan = make_plan([load_suite(find("example"))], self._model.facts, AskOptions())
        for exchange in plan.exchanges:
            for turn in range(len(exchange.asked)):
                request = plan.request(exchange, turn, [""] * turn)
                if isinstance(request.work, ToAnswer):  # a script measures no likelihoods
                    question = request.work.messages[-1].content
                    self._asked[question] = (exchange.case, request)

    def say(self, question: str, seed: int) -> Said | None:
        """Takes the script's `delay_s`. None where nothing is written."""
        sample, repeat = divmod(seed, SEEDS_APART)
        case, request = self._asked.get(question, (None, ANY_OTHER))
        (reply,) = self._model.answer([replace(request, repeat=repeat)])
        if not isinstance(reply, Answered):
            return None
        drawn = reply.predictions or (reply.text,)
        thought = f"<think>{reply.reasoning}</think>\n" if reply.reasoning else ""
        likely = {} if case is None else _likely(case, reply)
        return Said(thought + drawn[sample % len(drawn)], likely)


def _likely(case: Case, reply: Answered) -> dict[str, float]:
    """Nothing where no letter can be read from the answer."""
    check = case.check
    if not isinstance(check, MultipleChoice) or not check.choices:
        return {}
    score = score_reply(case, reply)
    if score is None or not score.extracted:
        return {}
    others = [one for one in LETTERS[: len(check.choices)] if one != score.extracted]
    return {score.extracted: SURE} | dict.fromkeys(others, (1 - SURE) / len(others))

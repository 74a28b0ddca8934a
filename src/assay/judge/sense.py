"""Whether a text that a checkpoint wrote makes sense after its prompt: one yes-or-no question.

A judge sees what no rule does: a fluent answer to another question. It is asked whether the text
can be read and keeps to the prompt, not whether it is true. The question comes first, so that a
judge computes it once for all texts. Not translated: a judgement must not change with the user's
language.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from assay.judge.fencing import fence
from assay.judge.likelihood.prompts import CLOSING, NO, YES, before_all, shown_task
from assay.judge.likelihood.questionnaire import (
    likelihood_of_yes,
    room_for_answer,
    why_unanswered,
)
from assay.judge.questionnaire import greedy_sampling
from assay.judge.reasoned.reading import object_of, read_text, text_of, written
from assay.messages import tr
from assay.request_identity import GENERATION, make_judge_request
from assay.text.json_in_prose import objects_in
from assay.types import Answered, Message, ModelFacts, Reply, Request, ToAnswer, ToChoose
from assay.types.judging.judgements import ChecklistAnswer, Judgement
from assay.types.measured.samples import JudgedSense

MOST_TOKENS = 400
QUESTION = "Is the work a sensible continuation of the prompt, or a sensible answer to it?"
_ROLE = (
    "You examine what a language model wrote after a prompt, and answer one question about it. The "
    "task is the prompt, and the work is what the model wrote. The question is always the same: "
    f"{QUESTION} It is sensible if it can be read, goes on with this prompt or answers it, and "
    "says something. An error in what it says is no fault: a wrong option, reason or figure; and "
    "neither is a short text, an end that is cut off, or a description of the very thing that the "
    "prompt names where something else about it was asked for. What comes after the answer is no "
    "fault either: some models go on with other questions and answers of their own, so examine "
    "the answer to this prompt and leave those out. It is not sensible if its words do not fit "
    "together; if it answers something else than the prompt, such as another program, device, "
    "fault or task than the one that is named; if it is a bare name, kind or command that cannot "
    "be an answer to it; if it wanders off to something else before it has answered; or if it says "
    "the same over and over, be it in other words. If you hesitate between the two, call it "
    "sensible."
)
_FORM = (
    "Reply with one JSON object and nothing else: reason (one sentence), sensible (true or false)."
)
_SCHEMA = written(object_of({"reason": text_of(300), "sensible": {"type": "boolean"}}))


@dataclass(slots=True, kw_only=True, eq=False)
class SenseQuestion:
    """A trial of one request, read by likelihood or as one JSON object."""

    judge: ModelFacts
    key: str
    prompt: str
    text: str
    by_likelihood: bool
    _reply: Reply | None = None

    def pending(self) -> tuple[Request, ...]:
        return () if self._reply else (self._request(),)

    @property
    def left(self) -> int:
        return 0 if self._reply else 1

    def take(self, request: Request, reply: Reply) -> None:
        self._reply = reply

    def judgement(self) -> Judgement:
        """Its checklist has the answer; unscored: there is none."""
        said, reason, code = self._read()
        return Judgement(
            judge=self.judge.spec,
            fingerprint=self.judge.fingerprint,
            form="likelihood" if self.by_likelihood else "reasoned",
            unscored_reason=code or None,
            explanation=reason,
            checklist=(said,) if said else (),
        )

    def _read(self) -> tuple[ChecklistAnswer | None, str, str]:
        """The answer, its reason, and a code where there is none."""
        reply = self._reply
        assert reply is not None
        if self.by_likelihood:
            likelihood = likelihood_of_yes(reply)
            if likelihood is not None:
                return ChecklistAnswer(question=QUESTION, probability=likelihood), "", ""
        elif isinstance(reply, Answered):
            # What the text has word for word is not the judge's.
            theirs = "".join(self.text.split())
            found = [
                one
                for one in objects_in(reply.text)
                if isinstance(one.get("sensible"), bool)
                and "sensible" not in one.twice
                and "".join(one.written.split()) not in theirs
            ]
            if found:
                answer = ChecklistAnswer(
                    question=QUESTION, answer="yes" if found[-1]["sensible"] else "no"
                )
                return answer, read_text(found[-1].get("reason")), ""
            return None, tr("the judge's answer could not be read"), "unreadable"
        code, why = why_unanswered(reply)
        return None, why, code

    def _request(self) -> Request:
        answer = fence(self.text, limit=room_for_answer(self.judge, self.prompt))
        _, beginning = before_all(shown_task(self.prompt), answer, "")
        closing = CLOSING if self.by_likelihood else _FORM
        said = "\n".join([beginning, f"Question: {QUESTION}", closing])
        messages = (Message("system", _ROLE), Message("user", said))
        work: ToAnswer | ToChoose
        if self.by_likelihood:
            sampling = greedy_sampling(self.judge, 0, 1)
            work = ToChoose(messages=messages, continuations=(YES, NO), otherwise=sampling)
        else:
            structured = "structured_output" in self.judge.capabilities
            sampling = greedy_sampling(self.judge, 0, MOST_TOKENS)
            schema = _SCHEMA if structured else None
            work = ToAnswer(messages=messages, sampling=sampling, schema=schema)
        return make_judge_request(self.judge.fingerprint, self.key, work, judged_suite=GENERATION)


def decide_sense(judgements: Sequence[Judgement]) -> JudgedSense:
    """What most judges say; the rule decides where none answers, or as many say yes as no."""
    votes = [each.checklist[0].is_yes for each in judgements if each.checklist]
    said = " ".join(map(_sentence, judgements))
    if 2 * sum(votes) == len(votes):
        why = tr("The judges are undecided, so the rule applies.")
        return JudgedSense(sensible=None, explanation=f"{said} {why}")
    return JudgedSense(sensible=2 * sum(votes) > len(votes), explanation=said)


def _sentence(judgement: Judgement) -> str:
    gaps = {"judge": judgement.judge, "why": judgement.explanation}
    if not judgement.checklist:
        return tr("{judge} gave no answer: {why}.", **gaps)
    (said,) = judgement.checklist
    if said.probability is None:
        if said.is_yes:
            return tr("{judge}: it makes sense. {why}", **gaps).strip()
        return tr("{judge}: it makes no sense. {why}", **gaps).strip()
    likely = {"judge": judgement.judge, "likelihood": said.probability}
    if said.is_yes:
        return tr("{judge}: it makes sense (likelihood of yes {likelihood:.2f}).", **likely)
    return tr("{judge}: it makes no sense (likelihood of yes {likelihood:.2f}).", **likely)

"""Answers of a served model in words, with what the server dropped of the request.

Several answers are asked for at once (`n`) until a server gives fewer, gives the same one k times,
or refuses: then each is asked for with a seed of its own.
"""

from __future__ import annotations

import json
from dataclasses import replace

from assay.messages import tr
from assay.models.http.faults import Fault
from assay.models.http.served import answered_by
from assay.models.openai.bodies import to_write
from assay.models.openai.client import PatientClient
from assay.models.openai.dialect import MATTERS
from assay.models.openai.reading import OneAnswer, OpenAIAnswers
from assay.models.sampled import draws, together
from assay.types import Answered, Sampling, Timing, ToAnswer


class Writing:
    def __init__(self, name: str, asking: PatientClient) -> None:
        self._name = name
        self._asking = asking
        self._several_at_once = True

    def write(self, request_id: str, work: ToAnswer, *, dropped: tuple[str, ...] = ()) -> Answered:
        drawn: list[Answered] = []
        if work.sampling.predictions > 1 and self._several_at_once:
            drawn = self._at_once(request_id, work)
        if len(drawn) < work.sampling.predictions:
            rest = list(draws(work.sampling))[len(drawn) :]
            drawn += [self._one(request_id, work, how) for how in rest]
            answered = together(drawn)
        else:
            answered = _as_one(drawn)
        missing = {*answered.dropped, *dropped}
        return replace(answered, dropped=tuple(sorted(missing)))

    def _at_once(self, request_id: str, work: ToAnswer) -> list[Answered]:
        try:
            written, attempts = self._written(work, work.sampling)
        except Fault as fault:
            if fault.cause != "refused" or fault.status not in (400, 422):
                raise
            self._without_n(tr("the server refuses to give several answers at once (n)"))
            return []
        answers = [
            self._answered(request_id, work, written, said, attempts) for said in written.choices
        ]
        wanted = work.sampling.predictions
        if len(answers) < wanted:
            self._without_n(tr("the server gave one answer instead of several (n)"))
            return [replace(answers[0], dropped=(*answers[0].dropped, "n"))]
        if len({answer.text for answer in answers}) == 1:
            # All drawn with one seed, as some servers do, or all the model has to say: seeds tell.
            self._several_at_once = False
            return answers[:1]
        return answers[:wanted]

    def _without_n(self, sentence: str) -> None:
        self._several_at_once = False
        self._asking.note("n", sentence)

    def _one(self, request_id: str, work: ToAnswer, sampling: Sampling) -> Answered:
        written, attempts = self._written(work, sampling)
        return self._answered(request_id, work, written, written.choices[0], attempts)

    def _written(self, work: ToAnswer, sampling: Sampling) -> tuple[OpenAIAnswers, int]:
        return self._asking.streamed(lambda dialect: to_write(self._name, work, sampling, dialect))

    def _answered(
        self,
        request_id: str,
        work: ToAnswer,
        written: OpenAIAnswers,
        said: OneAnswer,
        attempts: int,
    ) -> Answered:
        answered = answered_by(
            request_id,
            written,
            text=said.text,
            thinking=said.thinking,
            finish=said.finish,
            timing=timing_of(written),
            attempts=attempts,
        )
        return replace(answered, dropped=self._dropped(work, answered))

    def _dropped(self, work: ToAnswer, answered: Answered) -> tuple[str, ...]:
        dialect = self._asking.dialect
        dropped = {field for field in MATTERS if field in dialect.left_out}
        if answered.prompt_tokens is None or answered.output_tokens is None:
            dropped.add("usage")
            self._asking.note(
                "usage", tr("the server did not count the tokens of every answer (usage)")
            )
        if work.schema is not None and not answered.truncated and not _is_json(answered.text):
            dropped.add("response_format")
            self._asking.note(
                "response_format",
                tr("the server accepted a JSON Schema and ignored it (response_format)"),
            )
        return tuple(sorted(dropped))


def timing_of(written: OpenAIAnswers) -> Timing | None:
    """The server's own clock, where it tells (llama.cpp does)."""
    told = (written.prefill_s, written.decode_s, written.cached_tokens)
    if all(value is None for value in told):
        return None
    return Timing(
        prefill_s=written.prefill_s,
        decode_s=written.decode_s,
        cached_tokens=written.cached_tokens,
    )


def _as_one(answers: list[Answered]) -> Answered:
    """Answers of one request: its tokens and times are those of all of them already."""
    first = answers[0]
    whole = together(answers)
    return replace(
        whole,
        prompt_tokens=first.prompt_tokens,
        output_tokens=first.output_tokens,
        total_s=first.total_s,
        timing=first.timing,
    )


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True

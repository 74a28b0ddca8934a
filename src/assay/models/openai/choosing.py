"""How likely texts are to a served model: its choices, and a text token by token.

In: ToChoose or ToRead. Out: Chosen or ReadText; or nothing, where the server's few likelihoods do
not decide.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import replace

from assay.messages import tr
from assay.models.first_token import read_first_token
from assay.models.http.faults import Fault
from assay.models.openai.asking import Asking
from assay.models.openai.bodies import first_token, to_echo
from assay.models.openai.echo import NEXT, Token, likelihood_after, read_echo
from assay.models.openai.probe import are_likeliest
from assay.models.openai.writing import timing_of
from assay.models.plain_text import as_text
from assay.types import Chosen, ReadText, Sampling, ToChoose, ToRead

ONE_TOKEN = Sampling(temperature=0.0, seed=0, max_tokens=1)


def by_first_token(
    name: str, asking: Asking, request_id: str, work: ToChoose
) -> tuple[Chosen | None, tuple[str, ...]]:
    """The choices among the likeliest first tokens, and what the server dropped. A model that
    thinks first chooses later.
    """
    one = replace(work.otherwise or ONE_TOKEN, temperature=0.0, max_tokens=1, stop=())
    written, attempts = asking.whole(lambda dialect: first_token(name, work.messages, one, dialect))
    if written.thinks:
        return None, ()
    if not are_likeliest(written.first_logprobs):
        asking.note(
            "logprobs",
            tr(
                "the server told no log-probabilities of some answers, or such as cannot be "
                "(logprobs)"
            ),
        )
        return None, ("logprobs",)
    letters = read_first_token(written.first_logprobs, work.continuations)
    if letters is None:
        return None, ()
    chosen = Chosen(
        request_id=request_id,
        log_likelihoods=letters.log_likelihoods,
        bounded=letters.bounded,
        method="first_token",
        prompt_tokens=written.prompt_tokens,
        total_s=written.ended_at,
        timing=timing_of(written),
        attempts=attempts,
    )
    return chosen, ()


def by_echo(name: str, asking: Asking, request_id: str, work: ToChoose) -> Chosen:
    """Each choice behind the prompt, scored as text."""
    started = time.perf_counter()
    prompt = as_text(work.messages)
    found = [_behind(name, asking, prompt, continuation) for continuation in work.continuations]
    return Chosen(
        request_id=request_id,
        log_likelihoods=tuple(value for value, _ in found),
        total_s=time.perf_counter() - started,
        attempts=max((attempts for _, attempts in found), default=1),
    )


def _behind(name: str, asking: Asking, prompt: str, continuation: str) -> tuple[float, int]:
    text = prompt + _joint(prompt, continuation) + continuation
    tokens, attempts = _echoed(name, asking, text, likeliest=1)
    value = likelihood_after(tokens, len(prompt))
    if value is None:
        raise _unreadable()
    return value, attempts


def _joint(prompt: str, continuation: str) -> str:
    """A space where neither side has one: tokens of words begin with theirs."""
    return " " if prompt and not (prompt[-1].isspace() or continuation[:1].isspace()) else ""


def read(name: str, asking: Asking, request_id: str, work: ToRead) -> ReadText:
    """A whole text. Its first token is not scored where nothing stands before it."""
    started = time.perf_counter()
    tokens, _ = _echoed(name, asking, work.text, likeliest=NEXT)
    scored = [(token.logprob, token.rank) for token in tokens if token.logprob is not None]
    ranks = [rank for _, rank in scored if rank is not None]
    if not scored or len(ranks) != len(scored):
        raise _unreadable()
    return ReadText(
        request_id=request_id,
        log_likelihood=math.fsum(logprob for logprob, _ in scored),
        tokens=len(scored),
        words=len(work.text.split()),
        bytes=len(work.text.encode()),
        top1=sum(rank == 0 for rank in ranks),
        top5=sum(rank < NEXT for rank in ranks),
        total_s=time.perf_counter() - started,
    )


def _echoed(name: str, asking: Asking, text: str, *, likeliest: int) -> tuple[Sequence[Token], int]:
    written, attempts = asking.whole(
        lambda dialect: to_echo(name, text, likeliest=likeliest, dialect=dialect)
    )
    tokens = read_echo(written.logprobs, text)
    if tokens is None:
        raise _unreadable()
    return tokens, attempts


def _unreadable() -> Fault:
    return Fault(
        "unreadable", tr("the server's log-probabilities do not belong to the text that was sent")
    )

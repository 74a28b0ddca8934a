"""How likely texts are to a served model. Many completions servers drop `echo`, and some are off by
one, so `is_right` compares it with what the server says comes next.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from assay.messages import tr
from assay.models.base import as_text
from assay.models.http.faults import Fault
from assay.models.http.served import chosen_by
from assay.models.openai.bodies import first_token, to_echo
from assay.models.openai.client import OpenAIClient
from assay.stats.documents import BLOCK, block_length
from assay.types import ChoiceLikelihoods, ReadText, Sampling, ToChoose, ToRead, ToScore

# Its last token is a full stop, so that the text without it has the same tokens.
KNOWN_TEXT = "The little dog sat on the floor, and the little cat sat on the bed."
AGREE_WITHIN = 0.05  # the same token in a batch of another shape differs in the third decimal
FEWEST_TOKENS = 4  # of the known text, so that its middle is not its beginning
NEXT = 5  # the most that OpenAI's completions tell
ABOVE_ZERO = 1e-4  # rounding of a certain token
MOST_SHARED = 1.01  # of one probability, with room for what was rounded
LEAST = -1e6  # some servers write -9999 for "hardly ever"


@dataclass(frozen=True, slots=True)
class EchoedToken:
    """`end`: where in the text it ends. `logprob` None: nothing comes before it."""

    text: str
    end: int
    logprob: float | None
    best: Mapping[str, float]

    @property
    def rank(self) -> int | None:
        if self.logprob is None or not self.best:
            return None
        return sum(value > self.logprob + 1e-9 for value in self.best.values())


def read_echo(logprobs: object, text: str) -> tuple[EchoedToken, ...] | None:
    if not isinstance(logprobs, dict):
        return None
    tokens: Any = logprobs.get("tokens")
    values = logprobs.get("token_logprobs")
    if not isinstance(tokens, list) or not tokens or not all(isinstance(t, str) for t in tokens):
        return None
    # The first has nothing before it; every other is a number, and no probability is above 1.
    if not isinstance(values, list) or len(values) != len(tokens) or values[0] is not None:
        return None
    if not all(map(is_logprob, values[1:])):
        return None
    for skip in (0, 1):  # 1: a token that opens every text, such as <s>
        if text and "".join(tokens[skip:]).startswith(text):
            ends = _ends_by_length(tokens[skip:], text)
            break
    else:
        skip, ends = 0, _ends_by_offsets(tokens, logprobs.get("text_offset"), text)
    return None if ends is None else _tokens(logprobs, skip, ends)


def likelihood_after(tokens: Sequence[EchoedToken], border: int) -> float | None:
    """The log-likelihood of what is behind a place; a token across it counts as behind."""
    behind = [token.logprob for token in tokens if token.end > border]
    told = [value for value in behind if value is not None]
    return math.fsum(told) if told and len(told) == len(behind) else None


def next_tokens(logprobs: object) -> dict[str, float]:
    best = logprobs.get("top_logprobs") if isinstance(logprobs, dict) else None
    return _best(best[0]) if isinstance(best, list) and best else {}


def is_right(echoed: Callable[[str], object], continued: Callable[[str], object]) -> bool:
    """Whether this server's echo can be trusted. Both functions give the `logprobs` for a text."""
    tokens = read_echo(echoed(KNOWN_TEXT), KNOWN_TEXT)
    if tokens is None or len(tokens) < FEWEST_TOKENS:
        return False
    if len({token.logprob for token in tokens if token.logprob is not None}) < 2:
        return False
    places = (len(tokens) - 1, len(tokens) // 2)
    return all(_is_right_at(place, tokens, echoed, continued) for place in places)


def _is_right_at(
    place: int,
    tokens: Sequence[EchoedToken],
    echoed: Callable[[str], object],
    continued: Callable[[str], object],
) -> bool:
    token = tokens[place]
    before, after = KNOWN_TEXT[: tokens[place - 1].end], KNOWN_TEXT[token.end :]
    told = next_tokens(continued(before))
    if token.text in told:
        return _agree(token.logprob, told[token.text])
    # Unlikely to this model: then a token it holds for likely, and that stays one in the text.
    for likely in sorted(told, key=lambda other: -told[other]):
        text = before + likely + after
        end = len(before + likely)
        for found in read_echo(echoed(text), text) or ():
            if found.end == end and found.text == likely:
                return _agree(found.logprob, told[likely])
    return False


def _agree(one: float | None, other: float) -> bool:
    return one is not None and abs(one - other) <= AGREE_WITHIN


def is_logprob(value: object) -> bool:
    """A number that can be one: JSON may hold NaN, true, and integers of 400 digits."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return LEAST <= value <= ABOVE_ZERO


def are_likeliest(entry: Mapping[str, Any] | None) -> bool:
    """Of the right shape: shares of one probability, and not all the same."""
    told = (entry or {}).get("top_logprobs")
    if not isinstance(told, list):
        return False
    shares: dict[str, float] = {}
    for one in told:
        token = one.get("token") if isinstance(one, dict) else None
        if not isinstance(token, str) or not is_logprob(one.get("logprob")):
            return False
        shares[token] = math.exp(one["logprob"])
    return len(set(shares.values())) > 1 and math.fsum(shares.values()) <= MOST_SHARED


def _ends_by_length(tokens: Sequence[str], text: str) -> list[int] | None:
    ends: list[int] = []
    end = 0
    for token in tokens:
        end += len(token)
        ends.append(end)
        if end >= len(text):
            break
    return ends if end == len(text) else None


def _ends_by_offsets(tokens: Sequence[str], offsets: Any, text: str) -> list[int] | None:
    """Where tokens are parts of letters their texts do not add up, but their places may."""
    if not isinstance(offsets, list) or len(offsets) != len(tokens) or offsets[0] != 0:
        return None
    if not all(type(offset) is int for offset in offsets) or offsets != sorted(offsets):
        return None
    for token, offset in zip(tokens, offsets, strict=True):
        whole = "\ufffd" not in token and not token.startswith("bytes:")
        if whole and offset < len(text) and text[offset : offset + len(token)] != token:
            return None
    inside = [offset for offset in offsets if offset < len(text)]
    behind = offsets[len(inside)] if len(inside) < len(offsets) else len(text)
    return [*inside[1:], len(text)] if behind == len(text) else None


def _tokens(logprobs: Mapping[str, Any], skip: int, ends: Sequence[int]) -> tuple[EchoedToken, ...]:
    best = logprobs.get("top_logprobs")
    bests = best if isinstance(best, list) else []
    return tuple(
        EchoedToken(
            text=logprobs["tokens"][place],
            end=end,
            logprob=None if place == 0 else min(0.0, float(logprobs["token_logprobs"][place])),
            best=_best(bests[place]) if place < len(bests) else {},
        )
        for place, end in enumerate(ends, start=skip)
    )


def _best(told: object) -> dict[str, float]:
    if not isinstance(told, dict):
        return {}
    return {str(token): float(value) for token, value in told.items() if is_logprob(value)}


ONE_TOKEN = Sampling(temperature=0.0, seed=0, max_tokens=1)


def by_first_token(
    client: OpenAIClient, request_id: str, work: ToChoose
) -> tuple[ChoiceLikelihoods | None, tuple[str, ...]]:
    """And what the server dropped. A model that thinks first chooses later."""
    one = replace(work.otherwise or ONE_TOKEN, temperature=0.0, max_tokens=1, stop=())
    written = client.whole(lambda dialect: first_token(client.name, work.messages, one, dialect))
    if written.thinks:
        return None, ()
    if not are_likeliest(written.first_logprobs):
        note_no_likeliest(client)
        return None, ("logprobs",)
    return chosen_by(request_id, written, work.continuations), ()


def note_no_likeliest(client: OpenAIClient) -> None:
    client.note(
        "logprobs",
        tr("the server gave no log-probabilities for some answers, or impossible ones (logprobs)"),
    )


def by_echo(client: OpenAIClient, request_id: str, work: ToChoose) -> ChoiceLikelihoods:
    before = client.spent
    prompt = as_text(work.messages)
    values, most_attempts = [], 1
    for choice in work.continuations:
        # A space where neither side has one: tokens of words begin with theirs.
        apart = not prompt or prompt[-1].isspace() or choice[:1].isspace()
        text = prompt + ("" if apart else " ") + choice
        tokens, attempts = _echoed(client, text, likeliest=1)
        value = likelihood_after(tokens, len(prompt))
        if value is None:
            raise _unreadable()
        values.append(value)
        most_attempts = max(most_attempts, attempts)
    spent = client.spent.since(before)
    return ChoiceLikelihoods(
        request_id=request_id,
        log_likelihoods=tuple(values),
        total_s=spent.answering_s,
        queue_s=spent.queue_s,
        wall_s=spent.wall_s,
        attempts=most_attempts,
    )


def as_written(client: OpenAIClient, request_id: str, work: ToScore) -> ChoiceLikelihoods:
    """White space at the end of a context is scored with what follows it, as
    lm-evaluation-harness does. The first token of a whole text has no likelihood on most servers.
    """
    before = client.spent
    values: list[float] = []
    greedy: list[bool] = []
    counts: list[int] = []
    for context, continuations in work.texts:
        border = len(context.rstrip())
        for each in continuations:
            tokens, _ = _echoed(client, context + each, likeliest=NEXT)
            behind = [token for token in tokens if token.end > border]
            told = [token.logprob for token in behind if token.logprob is not None]
            if len(told) < len(behind) and work.rolling:
                client.note(
                    "first_token",
                    tr("the server gives the first token of a document no likelihood, which "
                       "lm-evaluation-harness would score"),
                )  # fmt: skip
            elif len(told) < len(behind) or not told:
                raise _unreadable()
            values.append(math.fsum(told))
            greedy.append(all(token.rank == 0 for token in behind))
            counts.append(len(told))
    spent = client.spent.since(before)
    return ChoiceLikelihoods(
        request_id=request_id,
        log_likelihoods=tuple(values),
        greedy=tuple(greedy),
        tokens=tuple(counts),
        total_s=spent.answering_s,
        queue_s=spent.queue_s,
        wall_s=spent.wall_s,
    )


def read(client: OpenAIClient, request_id: str, work: ToRead) -> ReadText:
    """A whole text. Its first token is not scored where nothing comes before it."""
    before = client.spent
    tokens, _ = _echoed(client, work.text, likeliest=NEXT)
    scored = [(token.logprob, token.rank) for token in tokens if token.logprob is not None]
    ranks = [rank for _, rank in scored if rank is not None]
    if not scored or len(ranks) != len(scored):
        raise _unreadable()
    told = tokens if work.each_token else ()
    size = block_length(len(scored)) or BLOCK
    cuts = [scored[start : start + size] for start in range(0, len(scored), size)]
    return ReadText(
        request_id=request_id,
        token_texts=tuple(token.text for token in told),
        logprobs=tuple(token.logprob for token in told),
        log_likelihood=math.fsum(logprob for logprob, _ in scored),
        tokens=len(scored),
        words=len(work.text.split()),
        bytes=len(work.text.encode()),
        top1=sum(rank == 0 for rank in ranks),
        top5=sum(rank < NEXT for rank in ranks),
        blocks=tuple((math.fsum(logprob for logprob, _ in cut), len(cut)) for cut in cuts),
        block_hits=tuple(
            (sum(rank == 0 for _, rank in cut), sum((rank or 0) < NEXT for _, rank in cut))
            for cut in cuts
        ),
        total_s=client.spent.since(before).answering_s,
    )


def _echoed(
    client: OpenAIClient, text: str, *, likeliest: int
) -> tuple[Sequence[EchoedToken], int]:
    written = client.whole(
        lambda dialect: to_echo(client.name, text, likeliest=likeliest, dialect=dialect)
    )
    tokens = read_echo(written.logprobs, text)
    if tokens is None:
        raise _unreadable()
    return tokens, written.attempts


def _unreadable() -> Fault:
    return Fault(
        "unreadable", tr("the server's log-probabilities do not belong to the text that was sent")
    )

"""How fast a model reads and writes, by one short question that no cache has seen."""

import time
from dataclasses import dataclass

from assay.ask_loop import ask
from assay.messages import tr
from assay.request_identity import make_unstored_request
from assay.types import Answered, Failed, Message, Model, Sampling, Timing, ToAnswer

TIMED_TOKENS = 16
CHARACTERS_PER_TOKEN = 4  # of English prose, about
CAME_AT_ONCE = 0.05  # share of the time between the first token and the last, where none was seen
QUESTION = (
    "Note {number}. On Monday the ferry left the harbour at seven with forty people, nine bicycles "
    "and a brown dog that belonged to nobody. It stopped twice: once for fog, and once because the "
    "captain wanted to show everyone a seal. On the island the people bought bread, cheese and "
    "apples, walked to the lighthouse and back, and wrote postcards. By evening the fog had gone, "
    "the dog had found a family, and the ferry was home before nine. Now forget the ferry, and "
    "count from one to twenty in words."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelPace:
    waited_s: float
    load_s: float
    prompt_token_s: float
    token_s: float


def time_one_question(model: Model) -> ModelPace | str:
    text = QUESTION.format(number=time.time_ns())
    sampling = Sampling(temperature=0.0, seed=0, max_tokens=TIMED_TOKENS)
    work = ToAnswer(messages=(Message("user", text),), sampling=sampling)
    reply = next(ask(model, [make_unstored_request("timing", work)]))
    if isinstance(reply, Failed) and not model.facts.spec.startswith("scripted:"):
        return reply.reason
    if not isinstance(reply, Answered | Failed) or reply.total_s is None:
        return tr("it was not reported")
    if isinstance(reply, Failed):  # a script that has no answer to this question
        return ModelPace(waited_s=reply.total_s, load_s=0.0, prompt_token_s=0.0, token_s=0.0)
    total = reply.total_s
    timing = reply.timing or Timing()
    first = min(reply.first_token_s or 0.0, total)
    if total - first < CAME_AT_ONCE * total:  # a proxy held the stream back, or there was none
        first = total / 2
    prompt = reply.prompt_tokens or len(QUESTION) // CHARACTERS_PER_TOKEN
    written = reply.output_tokens or TIMED_TOKENS
    return ModelPace(
        waited_s=total,
        load_s=(timing.load_s or 0.0) if timing.cold else 0.0,
        prompt_token_s=first / prompt,
        token_s=(total - first) / max(1, written - 1),
    )

"""A model of this machine behind the OpenAI protocol: what its server asks of it."""

from collections.abc import Sequence

from assay.api.scoring import open_scorer
from assay.errors import ModelUnavailable
from assay.models.local.completions import (
    Completed,
    Completions,
    ToComplete,
    Unanswerable,
    WrittenToken,
)
from assay.types import Message
from assay.types.options import LocalOptions

__all__ = ["Completed", "OfferedModel", "ToComplete", "Unanswerable", "WrittenToken"]


class OfferedModel:
    """Loaded once, asked from many threads."""

    def __init__(self, spec: str, local: LocalOptions) -> None:
        self._model, self._scorer = open_scorer(spec, local)
        self.facts = self._model.facts
        self._completions = Completions(self._scorer)

    def close(self) -> None:
        self._model.close()

    @property
    def context_length(self) -> int:
        return self._scorer.network.context_length

    def encode(self, text: str, *, special: bool = True) -> list[int]:
        """With what the tokenizer puts before a text, unless the text begins with it."""
        if special:
            return self._scorer.encode([text])[0]
        return self._scorer.tokenizer.encode_batch([text], special=False)[0]

    def render(self, messages: Sequence[Message]) -> str:
        """Raises Unanswerable where the template cannot write this conversation."""
        try:
            return self._scorer.tokenizer.render_chat(messages)
        except ModelUnavailable as error:
            raise Unanswerable(error.message) from error

    def complete(self, asked: Sequence[ToComplete]) -> list[Completed]:
        return self._completions.ask(asked)

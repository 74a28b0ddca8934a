"""Two scorers behind one face: lm-eval's HFLM, and the engine by the product's own path.

In: a model, a tokenizer, strings. Out: log-likelihoods, texts' log-likelihoods, generated texts,
and how many tokens were forwarded to get them.
"""

from __future__ import annotations

import io
import logging
from collections.abc import Sequence
from contextlib import redirect_stderr
from pathlib import Path
from typing import Any, Protocol

from transformers import PreTrainedTokenizerFast
from vs_lm_eval_items import Asked

from assay.engine.choose import Question, choose
from assay.engine.generate import Prompt, generate
from assay.engine.network import make_ready
from assay.engine.read import read_all
from assay.models.local.answering import StopStrings
from assay.models.local.tokens.encoding import encode_pairs, encode_prompts, encode_texts
from assay.models.local.tokens.tokenizer import LocalTokenizer

Answer = list[tuple[float, bool]]


class Forwarded:
    """Counts the tokens that pass a model's body, padding included."""

    def __init__(self, model: Any) -> None:
        self.tokens = 0
        model.base_model.register_forward_pre_hook(self._count, with_kwargs=True)

    def _count(self, _module: Any, given: Any, named: Any) -> None:
        ids = named.get("input_ids", given[0] if given else None)
        self.tokens += ids.numel() if ids is not None else named["inputs_embeds"].shape[:2].numel()


class Side(Protocol):
    """Who is timed."""

    name: str
    forwarded: Forwarded

    def choose(self, items: Sequence[Asked]) -> list[Answer]:
        """(log-likelihood, is greedy) of each choice of each item."""

    def read(self, texts: Sequence[str]) -> list[float]:
        """Log-likelihood of each text."""

    def write(self, prompts: Sequence[str], until: Sequence[str], limit: int) -> list[str]:
        """Greedy texts, cut before the first stop string."""

    def forget(self) -> None:
        """Nothing may be known from an earlier time."""


class Theirs:
    """lm-eval, by Instance objects and without tasks."""

    name = "lm-eval"

    def __init__(self, model: Any, tokenizer: PreTrainedTokenizerFast) -> None:
        from lm_eval.models.huggingface import HFLM  # not there where only our memory is measured

        logging.getLogger("lm_eval").setLevel(logging.ERROR)
        self._lm = HFLM(pretrained=model, tokenizer=tokenizer, batch_size=1)
        self.forwarded = Forwarded(model)

    @property
    def batch_size(self) -> int:
        """How many requests at once."""
        return int(self._lm.batch_size_per_gpu)

    @batch_size.setter
    def batch_size(self, size: int) -> None:
        self._lm.batch_size_per_gpu = size

    def choose(self, items: Sequence[Asked]) -> list[Answer]:
        """One request a choice."""
        pairs = [(item.context, text) for item in items for text in item.continuations]
        found = iter(self._lm.loglikelihood(_instances("loglikelihood", pairs), True))
        return [[next(found) for _ in item.choices] for item in items]

    def read(self, texts: Sequence[str]) -> list[float]:
        """One request a text."""
        requests = _instances("loglikelihood_rolling", [(text,) for text in texts])
        with redirect_stderr(io.StringIO()):  # its progress bars cannot be turned off
            return [float(value) for value in self._lm.loglikelihood_rolling(requests, True)]

    def write(self, prompts: Sequence[str], until: Sequence[str], limit: int) -> list[str]:
        """One request a prompt."""
        options = {"until": list(until), "max_gen_toks": limit, "do_sample": False}
        requests = _instances("generate_until", [(prompt, options) for prompt in prompts])
        return list(self._lm.generate_until(requests, True))

    def forget(self) -> None:
        """It remembers nothing."""


def _instances(kind: Any, arguments: Sequence[tuple[Any, ...]]) -> list[Any]:
    from lm_eval.api.instance import Instance

    return [Instance(kind, {}, given, number) for number, given in enumerate(arguments)]


class Ours:
    """What `assay run` does for a local model, from texts on."""

    name = "assay"

    def __init__(self, model: Any, tokenizer: Path) -> None:
        self._network = make_ready(model, context_length=model.config.max_position_embeddings)
        self._tokenizer = LocalTokenizer.load(tokenizer)
        self.forwarded = Forwarded(model)

    def choose(self, items: Sequence[Asked]) -> list[Answer]:
        """One question an item, all of them in one tree."""
        pairs = [(item.context, item.continuations) for item in items]
        encoded = encode_pairs(self._tokenizer, pairs)
        questions = [Question(each.context, each.choices) for each in encoded]
        found = dict(choose(self._network, questions))
        return [
            [(each.total, each.greedy) for each in found[number]] for number in range(len(items))
        ]

    def read(self, texts: Sequence[str]) -> list[float]:
        """By the windows lm-eval has."""
        ids = encode_texts(self._tokenizer, texts)
        prefix = self._tokenizer.prefix_token_id
        assert prefix is not None
        found = read_all(self._network, ids, prefix=prefix)
        return [one.log_likelihood for one in found]

    def write(self, prompts: Sequence[str], until: Sequence[str], limit: int) -> list[str]:
        """Prompts that are too long lose their beginning, as lm-eval has it."""
        stop = StopStrings(self._tokenizer.decode, until)
        ends = self._tokenizer.end_ids()
        room = self._network.context_length - limit
        asked = [
            Prompt(tokens=ids[-room:], most_new=limit, ends=ends, stopped=stop)
            for ids in encode_prompts(self._tokenizer, prompts)
        ]
        before, texts = self.forwarded.tokens, [""] * len(prompts)
        needed = 0
        for number, written in generate(self._network, asked):
            texts[number] = stop.cut(self._tokenizer.decode(written.tokens))
            needed += len(asked[number].tokens) + max(0, len(written.tokens) - 1)
        # Steps that a GPU replays from a recorded graph do not pass the meter.
        self.forwarded.tokens = max(self.forwarded.tokens, before + needed)
        return texts

    def forget(self) -> None:
        """Nothing is kept."""

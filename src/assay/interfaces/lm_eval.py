"""The engine as a model of lm-evaluation-harness: `--model assay`. Importing this module registers
it. In: the harness's requests, all of a run at once. Out: results in their order.

Its prompts, the splitting of context and continuation, its stops and its faults are the harness's
(`docs/how-to/use-lm-eval.md` has the differences).
"""

import json
import logging
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

import lm_eval.models  # noqa: F401 - the harness looks here only while its table is empty
from jinja2 import TemplateError
from lm_eval.api.model import TemplateLM
from lm_eval.api.registry import register_model
from lm_eval.models.utils import handle_stop_sequences, postprocess_generated_text
from tqdm import tqdm

from assay.api.scoring import (
    MAX_GEN_TOKS,
    TOP_K,
    GenerationOptions,
    TextRules,
    TextScorer,
    WantedText,
    open_scorer,
    read_generation,
)
from assay.errors import UsageError
from assay.messages import tr, trn
from assay.types.options import LocalOptions

log = logging.getLogger("lm_eval.assay")  # below the harness's, so that it is shown with the rest

ON_HUB = re.compile(r"[\w.-]+/[\w.-]+", re.ASCII)


@register_model("assay")
class AssayLM(TemplateLM):  # type: ignore[misc]
    """Arguments are those of `hf` that can be had, and mean the same. `batch_size` is ignored: the
    engine fills its batches by tokens.
    """

    def __init__(
        self,
        pretrained: str,
        *,
        tokenizer: str | None = None,
        revision: str | None = None,
        peft: str | None = None,
        dtype: str | None = None,
        device: str | None = None,
        trust_remote_code: bool = False,
        max_length: int | None = None,
        add_bos_token: bool | None = None,
        prefix_token_id: int | None = None,
        think_end_token: str | int | None = None,
        enable_thinking: bool | None = None,
        chat_template_args: dict[str, Any] | None = None,
        seed: int = 1234,
        batch_size: int | str | None = None,
        max_batch_size: int | None = None,
        **others: Any,
    ) -> None:
        super().__init__()
        if others:
            raise UsageError(
                tr("--model assay does not take {names}", names=", ".join(sorted(others))),
                hint=tr("leave it out of --model_args, or use --model hf"),
            )
        if enable_thinking and think_end_token is None:
            raise UsageError(
                tr("enable_thinking needs think_end_token"),
                hint=tr("name the text or the token that ends a thought, such as </think>"),
            )
        place = _with_revision(pretrained, revision)
        local = LocalOptions(
            device=device,
            dtype=str(dtype).removeprefix("torch.") if dtype else None,
            tokenizer=Path(tokenizer) if tokenizer else None,
            base=place if peft else None,
            trust_remote_code=bool(trust_remote_code),
        )
        rules = TextRules(max_length=max_length, add_bos=add_bos_token, prefix=prefix_token_id)
        model, self._scorer = open_scorer(peft or place, local, rules)
        self._facts = model.facts
        self.tokenizer = self._scorer.tokenizer.of_transformers
        self.think_end_token = (
            int(think_end_token)
            if isinstance(think_end_token, str) and think_end_token.isdigit()
            else think_end_token
        )
        self.enable_thinking = enable_thinking
        self.chat_template_args = dict(chat_template_args or {})
        if enable_thinking is not None:
            self.chat_template_args["enable_thinking"] = enable_thinking
        self.batch_sizes: dict[int, int] = {}
        self._device = self._scorer.network.device
        self._seed = seed
        self._drawn: Counter[str] = Counter()
        _tell_of_penalty(self._scorer)

    # ------------------------------------------------------------------- what the harness asks

    @property
    def scorer(self) -> TextScorer:
        return self._scorer

    @property
    def eot_token_id(self) -> int | None:
        found: int | None = self.tokenizer.eos_token_id
        return found

    @property
    def prefix_token_id(self) -> int | None:
        return self._scorer.tokenizer.prefix_token_id

    @property
    def max_length(self) -> int:
        return self._scorer.network.context_length

    @property
    def max_gen_toks(self) -> int:
        return MAX_GEN_TOKS

    @property
    def tokenizer_name(self) -> str:
        """Two models with one tokenizer and other templates are two: it is a key of caches."""
        template = json.dumps(getattr(self.tokenizer, "chat_template", None), default=str)
        digest = sha256(f"{self._facts.tokenizer} {template}".encode()).hexdigest()[:16]
        return f"{self._facts.name.replace('/', '__')}-{digest}"

    def get_model_info(self) -> dict[str, Any]:
        """Goes into the harness's results."""
        return {
            "model_num_parameters": self._facts.parameters,
            "model_dtype": str(self._scorer.network.dtype),
            "model_revision": self._facts.about.get("commit", ""),
            "model_sha": self._facts.fingerprint,
        }

    def apply_chat_template(
        self, chat_history: list[dict[str, str]], add_generation_prompt: bool = True
    ) -> str:
        def rendered(turns: list[dict[str, str]]) -> str:
            return str(
                self.tokenizer.apply_chat_template(
                    turns,
                    tokenize=False,
                    add_generation_prompt=add_generation_prompt,
                    continue_final_message=not add_generation_prompt,
                    **self.chat_template_args,
                )
            )

        try:
            return rendered(chat_history)
        except TemplateError:
            log.warning(tr("the chat template takes no system text, which is left out"))
            return rendered([turn for turn in chat_history if turn["role"] != "system"])

    def tok_encode(
        self,
        string: str,
        add_special_tokens: bool | None = None,
        left_truncate_len: int | None = None,
        **_: Any,
    ) -> list[int]:
        if add_special_tokens is None:
            ids = self._scorer.encode([string])[0]
        else:
            found = self.tokenizer.encode(string, add_special_tokens=add_special_tokens)
            ids = list(found)
        return ids[-left_truncate_len:] if left_truncate_len else ids

    def tok_decode(self, tokens: Sequence[int] | int, skip_special_tokens: bool = True) -> str:
        ids = [tokens] if isinstance(tokens, int) else tokens
        return self._scorer.decode(ids, special=not skip_special_tokens)

    # ---------------------------------------------------------------------------- likelihoods

    def loglikelihood(
        self, requests: Sequence[Any], disable_tqdm: bool = False
    ) -> list[tuple[float, bool]]:
        if self.enable_thinking:
            names = sorted({each.task_name for each in requests if each.task_name})
            raise UsageError(
                tr("enable_thinking cannot be used with tasks that compare likelihoods: {names}",
                   names=", ".join(names)),
                hint=tr("leave enable_thinking out, or name tasks that generate text"),
            )  # fmt: skip
        pairs = [each.args for each in requests]
        coded = self._scorer.encode_pairs(pairs)
        asked = [(pair, *ids) for pair, ids in zip(pairs, coded, strict=True)]
        return self._loglikelihood_tokens(asked, disable_tqdm=disable_tqdm)

    def _loglikelihood_tokens(
        self,
        requests: Sequence[tuple[tuple[str, str] | None, Sequence[int], Sequence[int]]],
        disable_tqdm: bool = False,
        override_bs: int | None = None,
    ) -> list[tuple[float, bool]]:
        self._refuse_unscorable(requests)
        answers: list[tuple[float, bool]] = [(0.0, False)] * len(requests)
        found = self._scorer.likelihoods([(tuple(each[1]), each[2]) for each in requests])
        for number, one in _shown(found, requests, "loglikelihood", disable_tqdm):
            answers[number] = (one.total, one.greedy)
            if (texts := requests[number][0]) is not None:
                self.cache_hook.add_partial("loglikelihood", texts, answers[number])
        return answers

    def _refuse_unscorable(
        self, requests: Iterable[tuple[tuple[str, str] | None, Sequence[int], Sequence[int]]]
    ) -> None:
        """Where the harness's `hf` fails an assertion, but with the text."""
        hint = tr("correct the choices or the delimiter in the task's file")
        for texts, context, continuation in requests:
            if not context or not continuation:
                raise UsageError(
                    tr("no token is left to score of {continuation!r} behind {context!r}",
                       continuation=texts and texts[1], context=texts and texts[0][-60:]),
                    hint=hint,
                )  # fmt: skip
            if len(continuation) > self.max_length:
                what = tr("a continuation of {size} tokens does not fit into {limit}: {text!r}",
                          size=len(continuation), limit=self.max_length,
                          text=texts and texts[1][:60])  # fmt: skip
                raise UsageError(what, hint=hint)

    def loglikelihood_rolling(
        self, requests: Sequence[Any], disable_tqdm: bool = False
    ) -> list[float]:
        texts = [each.args[0] for each in requests]
        answers = [0.0] * len(texts)
        found = self._scorer.rolling(texts)
        for number, value in _shown(found, texts, "loglikelihood_rolling", disable_tqdm):
            answers[number] = value
            self.cache_hook.add_partial("loglikelihood_rolling", (texts[number],), value)
        return answers

    # ----------------------------------------------------------------------------- generation

    def generate_until(self, requests: Sequence[Any], disable_tqdm: bool = False) -> list[str]:
        eos = None if self.eot_token_id is None else self.tok_decode(self.eot_token_id, False)
        wanted: dict[WantedText, list[int]] = {}
        stops: list[list[str]] = []
        self._drawn.clear()
        for number, request in enumerate(requests):
            context, given = request.args
            how = read_generation(given)
            stops.append(handle_stop_sequences(list(how.until), eos=eos))
            wish = self._wanted(context, how, tuple(stops[-1]))
            wanted.setdefault(wish, []).append(number)
        self._tell_of_beginnings(wanted)
        asked = list(wanted)
        answers, unfinished = [""] * len(requests), 0
        found = self._scorer.write(asked)
        for place, written in _shown(found, asked, "generate_until", disable_tqdm):
            numbers = wanted[asked[place]]
            text, ended = self._answer(written.tokens, stops[numbers[0]])
            unfinished += len(numbers) * (not ended)
            for number in numbers:
                answers[number] = text
                self.cache_hook.add_partial("generate_until", requests[number].args, text)
        if unfinished:
            log.warning(
                trn(
                    "{count} answer of {all} never ended its thoughts, which were scored instead",
                    "{count} answers of {all} never ended their thoughts, which were scored "
                    "instead",
                    unfinished,
                    all=len(requests),
                )
            )
        return answers

    def _wanted(self, context: str, how: GenerationOptions, stop: tuple[str, ...]) -> WantedText:
        limit = how.max_tokens
        if how.whole:  # of prompt and answer, as transformers has it
            limit = max(1, how.whole - len(self._scorer.encode([context])[0]))
        if not how.temperature > 0:
            return WantedText(context, limit, stop)
        told = self._scorer.generation
        return WantedText(
            context,
            limit,
            stop,
            temperature=how.temperature,
            seed=self._next_seed(context, how.temperature, limit, stop),
            top_k=int(told.get("top_k") or TOP_K) if how.top_k is None else how.top_k,
            top_p=float(told.get("top_p") or 1.0) if how.top_p is None else how.top_p,
        )

    def _next_seed(self, *asked: object) -> int:
        """Another one for every repeat of a request, whatever else is in the run."""
        key = sha256(json.dumps(asked).encode()).hexdigest()
        self._drawn[key] += 1
        return (self._seed + int(key[:12], 16) + self._drawn[key]) % 2**63

    def _answer(self, tokens: Sequence[int], stop: list[str]) -> tuple[str, bool]:
        """As `hf` cuts it, and whether a thought, if there may be one, has ended."""
        mark = self.think_end_token
        if isinstance(mark, int):
            ended = mark in tokens
            behind = len(tokens) - tokens[::-1].index(mark) if ended else 0
            text = self.tok_decode(tokens[behind:]).lstrip()
            return postprocess_generated_text(text, stop, None), ended
        text = self.tok_decode(tokens)
        return postprocess_generated_text(text, stop, mark), not mark or mark in text

    def _tell_of_beginnings(self, wanted: Iterable[WantedText]) -> None:
        """`hf` lets the first prompt of a batch decide whether any of it gets a BOS."""
        bos = self.tokenizer.bos_token
        begun = {bool(bos) and each.prompt.startswith(bos) for each in wanted}
        if len(begun) > 1:
            log.warning(
                tr("some prompts begin with {bos} and others do not: each is encoded as it is, "
                   "while hf goes by the first of a batch", bos=bos)
            )  # fmt: skip


def _with_revision(name: str, revision: str | None) -> str:
    """ORG/NAME is one of the hub here, as it is for `hf`, unless there is such a folder."""
    if Path(name).exists() or not ON_HUB.fullmatch(name.removeprefix("hf:")):
        return name
    spec = f"hf:{name.removeprefix('hf:')}"
    return spec if revision in (None, "main") else f"{spec}@{revision}"


def _shown(found: Iterable[Any], asked: Sequence[Any], name: str, hidden: bool) -> Iterable[Any]:
    said = f"Running {name} requests"
    shown: Iterable[Any] = tqdm(found, total=len(asked), desc=said, disable=hidden or None)
    return shown


def _tell_of_penalty(scorer: TextScorer) -> None:
    penalty = scorer.generation.get("repetition_penalty")
    if penalty not in (None, 1.0):
        log.warning(
            tr("generation_config.json has a repetition_penalty of {value}, which hf applies to "
               "generated texts and this model does not", value=penalty)
        )  # fmt: skip

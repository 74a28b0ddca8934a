"""Writes tests/golden/values.json and the tokenizers: what lm-eval 0.4.13 gives for the items.

Run by hand, with the environment of `make test-around`, from the repository:

    .venv-around/bin/python -m tests_around.make_golden

In: items.py and shapes.py. Out: for every shape log-likelihoods and is-greedy, accuracies by
lm-eval's own task code, rolling log-likelihoods, greedy texts, all in fp32 on the processor; and
three cases in which lm-eval is wrong, each with the value that is right. Values that another
processor's rounding could turn over (two best tokens nearer than GAP) are refused.
"""

from __future__ import annotations

import hashlib
import io
import json
import logging
from collections.abc import Sequence
from contextlib import redirect_stderr
from pathlib import Path
from typing import Any

import datasets
import lm_eval
import torch
import transformers
from lm_eval.api.instance import Instance
from lm_eval.api.task import ConfigurableTask
from lm_eval.models.huggingface import HFLM
from lm_eval.utils import get_rolling_token_windows, make_disjoint_window
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers
from transformers import PreTrainedTokenizerFast

from tests.golden import items as asked
from tests.golden.items import CORPUS, ITEMS, NEW_TOKENS, PROMPTS, TEXTS
from tests.golden.shapes import HERE, SHAPES, folder_of, model_of, tokenizer_of

GAP = 2e-4  # twenty times what two orders of adding up differ by here
VOCABULARY = 480
METRICS = ("acc", "acc_norm", "acc_bytes")


# ------------------------------------------------------------------------------- the tokenizers


def train_tokenizers() -> None:
    """Two byte-level BPE tokenizers: one that adds nothing, one that puts <s> before a text."""
    for name, special in (
        ("plain", {"eos_token": "<|endoftext|>"}),
        ("bos", {"bos_token": "<s>", "eos_token": "</s>"}),
    ):
        tokenizer = Tokenizer(models.BPE())
        tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
        tokenizer.decoder = decoders.ByteLevel()
        trainer = trainers.BpeTrainer(
            vocab_size=VOCABULARY,
            special_tokens=list(special.values()),
            initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
            show_progress=False,
        )
        tokenizer.train_from_iterator([CORPUS], trainer)
        if name == "bos":
            tokenizer.post_processor = processors.TemplateProcessing(
                single="<s> $A", pair="<s> $A $B", special_tokens=[("<s>", 0)]
            )
        wrapped = PreTrainedTokenizerFast(tokenizer_object=tokenizer, **special)
        wrapped.save_pretrained(folder_of(name))


# --------------------------------------------------------------------------------- asking lm-eval


def harness(name: str, dtype: torch.dtype = torch.float32, **options: Any) -> HFLM:
    """lm-eval's view of a shape."""
    return HFLM(
        pretrained=model_of(name, dtype),
        tokenizer=tokenizer_of(SHAPES[name].tokenizer),
        batch_size=1,
        **options,
    )


def likelihoods(lm: HFLM, pairs: Sequence[tuple[str, str]]) -> list[tuple[float, bool]]:
    """(log-likelihood, is greedy) of each pair."""
    requests = [Instance("loglikelihood", {}, pair, n) for n, pair in enumerate(pairs)]
    return [(float(value), bool(greedy)) for value, greedy in lm.loglikelihood(requests, True)]


def rolling(lm: HFLM, texts: Sequence[str]) -> list[float]:
    """As lm-eval gives them."""
    requests = [Instance("loglikelihood_rolling", {}, (text,), n) for n, text in enumerate(texts)]
    with redirect_stderr(io.StringIO()):  # its progress bars cannot be turned off
        return [float(value) for value in lm.loglikelihood_rolling(requests, True)]


def rolling_without_bos(lm: HFLM, texts: Sequence[str]) -> list[float]:
    """By lm-eval's windows, over tokens that hold no <s> of the tokenizer's own (D4)."""
    found = []
    for text in texts:
        windows = get_rolling_token_windows(
            token_list=lm.tok_encode(text, add_special_tokens=False),
            prefix_token=lm.prefix_token_id,
            max_seq_len=lm.max_length,
            context_len=1,
        )
        requests = [(None, *make_disjoint_window(window)) for window in windows]
        found.append(float(sum(value for value, _ in lm._loglikelihood_tokens(requests, True))))
    return found


def generated(lm: HFLM, prompt: str, until: Sequence[str]) -> str:
    """Greedy, at most NEW_TOKENS."""
    options = {"until": list(until), "max_gen_toks": NEW_TOKENS, "do_sample": False}
    return lm.generate_until([Instance("generate_until", {}, (prompt, options), 0)], True)[0]


def accuracies(answers: Sequence[Sequence[tuple[float, bool]]]) -> dict[str, list[float]]:
    """Each item's acc, acc_norm and acc_bytes, by lm-eval's own code."""
    found: dict[str, list[float]] = {metric: [] for metric in METRICS}
    rows = [{"query": item.context, "choices": item.choices, "gold": item.right} for item in ITEMS]
    task = ConfigurableTask(
        config={
            "task": "golden",
            "custom_dataset": lambda **_: {"test": datasets.Dataset.from_list(rows)},
            "test_split": "test",
            "output_type": "multiple_choice",
            "doc_to_text": "{{query}}",
            "doc_to_choice": "{{choices}}",
            "doc_to_target": "gold",
            "metric_list": [{"metric": metric} for metric in METRICS],
        }
    )
    for row, answer in zip(rows, answers, strict=True):
        for metric, value in task.process_results(row, list(answer)).items():
            found[metric].append(float(value))
    return found


# ------------------------------------------------------------------------------------- one shape


def values_of(name: str) -> dict[str, Any]:
    """All of one shape."""
    lm = harness(name)
    answers = [
        # One item at a time: two items that begin alike would meet lm-eval's fault D9.
        likelihoods(lm, [(item.context, text) for text in item.continuations])
        for item in ITEMS
    ]
    _refuse_close_calls(answers)
    greedy = greedy_pairs(lm)
    is_greedy = likelihoods(lm, greedy)
    assert all(yes for _, yes in is_greedy)
    return {
        "choices": answers,
        "accuracies": accuracies(answers),
        "greedy": [[*pair, value] for pair, (value, _) in zip(greedy, is_greedy, strict=True)],
        "texts": rolling_without_bos(lm, TEXTS),
        "texts_as_lm_eval": rolling(lm, TEXTS),
        "generated": list(generations(lm)),
    }


def _refuse_close_calls(answers: Sequence[Sequence[tuple[float, bool]]]) -> None:
    """Each item's best choice must be clear, by whichever length its value is divided."""
    for item, answer in zip(ITEMS, answers, strict=True):
        of_text = dict(zip(item.choices, (value for value, _ in answer), strict=True))
        lengths = (lambda _: 1, len, lambda text: len(text.encode()))
        for length in lengths:
            best = sorted(value / length(text) for text, value in of_text.items())[-2:]
            assert len(best) == 1 or best[1] - best[0] > GAP, (item, of_text)


def _best_tokens(lm: HFLM, prompt: str, count: int) -> tuple[list[int], float]:
    """What the model writes, and the least distance between its two best tokens."""
    tokens = lm.tok_encode(prompt)[-(lm.max_length - count) :]
    new: list[int] = []
    least = float("inf")
    for _ in range(count):
        with torch.no_grad():
            best = lm.model(torch.tensor([tokens + new])).logits[0, -1].topk(2)
        least = min(least, float(best.values[0] - best.values[1]))
        new.append(int(best.indices[0]))
    return new, least


def greedy_pairs(lm: HFLM) -> list[tuple[str, str]]:
    """Contexts with what the model itself would write, where text and tokens agree."""
    pairs: list[tuple[str, str]] = []
    for context in filter(str.strip, CORPUS.split("\n")):
        for count in (1, 3):
            new, gap = _best_tokens(lm, context, count)
            text = lm.tok_decode(new)
            if gap > GAP and lm._encode_pair(context, text)[1] == new and "\ufffd" not in text:
                pairs.append((context, text))
        if len(pairs) > 5:
            return pairs
    raise AssertionError("too few greedy continuations that are text")


def generations(lm: HFLM) -> Any:
    """Texts that end at the limit, and texts that end at a stop string found in them."""
    for prompt in PROMPTS:
        if _best_tokens(lm, prompt, NEW_TOKENS)[1] < GAP:
            continue
        whole = generated(lm, prompt, ["\x00never"])
        yield {"prompt": prompt, "until": ["\x00never"], "text": whole}
        middle = len(whole) // 2
        for stop in (whole[middle : middle + 2], whole[middle - 3 : middle + 4]):
            if stop.strip() and "\ufffd" not in stop:
                until = [stop, "\n\n\n"]
                yield {"prompt": prompt, "until": until, "text": generated(lm, prompt, until)}


# ------------------------------------------------------------------------- where lm-eval is wrong


def rolling_scores_bos() -> dict[str, Any]:
    """D4: the tokenizer's <s> is scored behind the prefix <s>."""
    lm = harness("llama")
    text = TEXTS[0]
    bos = lm.prefix_token_id
    prefix = float(lm._loglikelihood_tokens([(None, [bos], [bos])], True)[0][0])
    return {
        "shape": "llama",
        "text": text,
        "lm_eval": rolling(lm, [text])[0],
        "right": rolling_without_bos(lm, [text])[0],
        "bos_behind_bos": prefix,
    }


def sixteen_bits() -> dict[str, Any]:
    """D8: bf16 log-softmax makes different choices equal."""
    context, choices = "The pressure falls before the", sorted({f" {c}" for c in CORPUS if c > " "})
    pairs = [(context, choice) for choice in choices]
    rounded = likelihoods(harness("gpt2", torch.bfloat16), pairs)
    wide = likelihoods(harness("gpt2", torch.bfloat16, softmax_dtype="float32"), pairs)
    exact = likelihoods(harness("gpt2"), pairs)
    rows = [
        [choice, theirs[0], right[0], full[0]]
        for choice, theirs, right, full in zip(choices, rounded, wide, exact, strict=True)
    ]
    return {
        "shape": "gpt2",
        "context": context,
        "columns": ["choice", "lm_eval", "softmax in fp32", "all in fp32"],
        "rows": rows,
    }


def one_token_cache() -> dict[str, Any]:
    """D9: the same tokens split at two places."""
    pairs = [("The second disk is", " slower than"), ("The second disk is slower", " than")]
    together = likelihoods(harness("gpt2"), pairs)
    right = likelihoods(harness("gpt2", logits_cache=False), pairs)
    assert abs(together[1][0] - right[1][0]) > 0.1
    return {
        "shape": "gpt2",
        "pairs": pairs,
        "lm_eval": [value for value, _ in together],
        "right": [value for value, _ in right],
    }


# --------------------------------------------------------------------------------------- writing


def fingerprint() -> str:
    """Of all that is asked."""
    return hashlib.sha256(Path(asked.__file__).read_bytes()).hexdigest()


def main() -> None:
    logging.disable(logging.WARNING)
    torch.set_num_threads(1)
    train_tokenizers()
    values = {
        "made_with": {
            "lm_eval": lm_eval.__version__,
            "torch": torch.__version__,
            "transformers": transformers.__version__,
        },
        "items": fingerprint(),
        "shapes": {name: values_of(name) for name in SHAPES},
        "faults": {"D4": rolling_scores_bos(), "D8": sixteen_bits(), "D9": one_token_cache()},
    }
    text = json.dumps(values, ensure_ascii=False, indent=1)
    (HERE / "values.json").write_text(text + "\n", "utf-8")
    print(f"{len(text) / 1000:.0f} kB")


if __name__ == "__main__":
    main()

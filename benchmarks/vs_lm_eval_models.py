"""The two model classes of lm-evaluation-harness side by side: its `hf`, and our `assay`.

Needs the environment of `make test-around`. In: MMLU, HellaSwag and WikiText-2 in `--data`; a
checkpoint with seeded weights is made. Both classes load it, get the same lists of requests and are
timed from these to their results; on a processor by processor seconds, which a busy machine does
not change. `hf` gets the batch size that was best for it on a part of the requests. Each side is
timed `--rounds` times in turn, and the median counts; on a GPU the most memory that a side takes
beside the weights is told too. Out: a table, and as the last line one JSON object.

    python benchmarks/vs_lm_eval_models.py --questions 16
    python benchmarks/vs_lm_eval_models.py --device cuda --dtype bfloat16 --questions 4000
"""

from __future__ import annotations

import argparse
import json
import logging
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

import torch
import vs_lm_eval_items as items
from lm_eval.api.instance import Instance
from lm_eval.api.registry import get_model
from vs_lm_eval_model import CONTEXT, model_of, tokenizer_from
from vs_lm_eval_stops import choose_stops

from assay.interfaces.lm_eval import AssayLM

NEW_TOKENS = 64


def requests_of(options: argparse.Namespace) -> dict[str, tuple[str, list[Instance]]]:
    """By work: the method that answers it, and its requests."""
    count, data = options.questions, options.data
    letters = list(chain(*items.mmlu(data, quick=count < 500)))[:count]
    endings = items.hellaswag(data, quick=count < 500)[: max(1, count // 2)]
    texts = items.articles(data)[: max(1, count // 16)]
    texts = [text[: options.characters] for text in texts]
    return {
        "letters": ("loglikelihood", _pairs(letters)),
        "endings": ("loglikelihood", _pairs(endings)),
        "rolling": ("loglikelihood_rolling", _instances(*((text,) for text in texts))),
    }


def written_by(model: AssayLM, options: argparse.Namespace) -> tuple[str, list[Instance]]:
    """Prompts with stop strings that end answers early and late, as those of real tasks do."""
    texts = items.prompts(options.data, quick=options.questions < 500)
    texts = texts[: max(1, options.questions // 2)]

    def asked(prompts: Sequence[str], until: Sequence[str]) -> list[Instance]:
        how = {"max_gen_toks": NEW_TOKENS, "do_sample": False}
        return _instances(*((text, {**how, "until": list(until)}) for text in prompts))

    tried = texts[:: max(1, len(texts) // 20)][:20]
    found = model.generate_until(asked(tried, ["\x00"]), disable_tqdm=True)
    return "generate_until", asked(texts, choose_stops(found))


def _pairs(asked: Sequence[items.Asked]) -> list[Instance]:
    return _instances(*((one.context, text) for one in asked for text in one.continuations))


def _instances(*arguments: tuple[Any, ...]) -> list[Instance]:
    return [Instance("loglikelihood", {}, given, at) for at, given in enumerate(arguments)]


class Timed(NamedTuple):
    seconds: float
    found: Any
    bytes: int  # taken on a GPU beside what was there


def timed(do: Callable[[], Any], device: str) -> Timed:
    """Processor seconds, or on a GPU those of the clock."""
    if device == "cpu":
        started = time.process_time()
        return Timed(found=do(), seconds=time.process_time() - started, bytes=0)
    torch.cuda.synchronize()
    torch.cuda.empty_cache()
    torch.cuda.reset_peak_memory_stats()
    before, started = torch.cuda.memory_allocated(), time.perf_counter()
    found = do()
    torch.cuda.synchronize()
    seconds = time.perf_counter() - started
    return Timed(seconds, found, torch.cuda.max_memory_allocated() - before)


def main() -> None:
    options = _options()
    logging.disable(logging.WARNING)
    asked = requests_of(options)
    with tempfile.TemporaryDirectory() as folder:
        tokenizer = tokenizer_from(items.corpus(options.data))
        tokenizer.save_pretrained(folder)
        model_of(options.shape, "cpu", getattr(torch, options.dtype)).save_pretrained(folder)
        common = {"pretrained": folder, "dtype": options.dtype, "device": options.device}
        theirs = get_model("hf")(**common, batch_size=1, max_length=CONTEXT)
        ours = AssayLM(**common, max_length=CONTEXT)
        if "generation" in options.only:
            asked["generation"] = written_by(ours, options)
        result: dict[str, Any] = {"shape": options.shape, "device": options.device}
        for work in options.only.split(","):
            result.update(_compared(work, *asked[work], theirs, ours, options))
    print(json.dumps(result))


def _compared(
    work: str,
    method: str,
    requests: list[Instance],
    theirs: Any,
    ours: AssayLM,
    options: argparse.Namespace,
) -> dict[str, Any]:
    part = requests[:: max(1, len(requests) // options.tuned_on)][: options.tuned_on]
    tried: dict[int, float] = {}
    for model in (theirs, ours):  # what is done for the first time is slow
        getattr(model, method)(requests[:1], disable_tqdm=True)
    for size in options.batch_sizes:
        theirs.batch_size_per_gpu = size
        tried[size] = _answered(theirs, method, part, options.device).seconds
    theirs.batch_size_per_gpu = min(tried, key=lambda size: tried[size])
    rounds = [
        [_answered(model, method, requests, options.device) for model in (theirs, ours)]
        for _ in range(options.rounds)
    ]
    seconds = [statistics.median(each[side].seconds for each in rounds) for side in (0, 1)]
    memory = [max(each[side].bytes for each in rounds) for side in (0, 1)]
    ratio = seconds[0] / seconds[1]
    print(
        f"{work:11} {len(requests):6} requests  hf {seconds[0]:8.2f} s (batches of "
        f"{theirs.batch_size_per_gpu})  assay {seconds[1]:8.2f} s  ratio {ratio:.2f}"
        + (f"  MB beside the weights {memory[0] / 1e6:,.0f} and {memory[1] / 1e6:,.0f}"
           if any(memory) else ""),
        flush=True,
    )  # fmt: skip
    return {
        f"{work}_requests": len(requests),
        f"{work}_seconds": seconds,
        f"{work}_ratio": ratio,
        f"{work}_apart": _apart(*(one.found for one in rounds[0])),
        **({f"{work}_bytes": memory} if any(memory) else {}),
    }


def _answered(model: Any, method: str, requests: list[Instance], device: str) -> Timed:
    return timed(lambda: getattr(model, method)(requests, disable_tqdm=True), device)


def _apart(theirs: Sequence[Any], ours: Sequence[Any]) -> float:
    """The largest difference of a log-likelihood; of texts the share that differs."""
    if isinstance(theirs[0], str):
        return sum(one != other for one, other in zip(theirs, ours, strict=True)) / len(theirs)
    values = [
        [one[0] if isinstance(one, tuple) else one for one in side] for side in (theirs, ours)
    ]
    return max(abs(one - other) for one, other in zip(*values, strict=True))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    beside = Path(__file__).resolve().parents[2] / "shared" / "data"
    parser.add_argument("--data", type=Path, default=beside)
    parser.add_argument("--questions", type=int, default=100, help="of MMLU; others follow it")
    parser.add_argument("--only", default="letters,endings,rolling,generation")
    parser.add_argument("--shape", choices=("124m", "500m"), default="124m")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--dtype", choices=("float32", "bfloat16"), default="float32")
    parser.add_argument(
        "--batch-sizes", type=lambda text: [int(each) for each in text.split(",")], default=None
    )
    parser.add_argument(
        "--tuned-on", type=int, help="requests for each batch size: 8, on a GPU 512"
    )
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--characters", type=int, help="at most, of each whole document")
    options = parser.parse_args()
    on_gpu = options.device != "cpu"
    options.batch_sizes = options.batch_sizes or ([16, 64, 256, 512] if on_gpu else [1, 4])
    options.tuned_on = options.tuned_on or (512 if on_gpu else 8)
    return options


if __name__ == "__main__":
    main()

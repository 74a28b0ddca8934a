"""The engine beside lm-evaluation-harness 0.4.13: the same model, items and machine in one run.

Needs the extra `bench`, or the environment of `make test-around`. In: MMLU, HellaSwag and
WikiText-2 in `--data`. Out: a table, and as the last line one JSON object. Both sides are timed
from strings in memory to scores, tokenising included; lm-eval runs at the batch size that is best
for it.

    python benchmarks/vs_lm_eval.py --quick
    python benchmarks/vs_lm_eval.py --device cuda --dtype bfloat16 --shape 500m
"""

from __future__ import annotations

import argparse
import json
import platform
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

import torch
import vs_lm_eval_items as items
from vs_lm_eval_memory import Memory, memory_of, print_memory
from vs_lm_eval_model import CONTEXT, matrix_rate, model_of, parameters, tokenizer_from
from vs_lm_eval_sides import Ours, Side, Theirs
from vs_lm_eval_stops import choose_stops
from vs_lm_eval_works import Contest, Measured, agreement

WORKS = ("mmlu", "hellaswag", "perplexity", "generation")
QUICK_TOKENS = 20_000
NEW_TOKENS = 64
TUNED_ON = 10


@dataclass(slots=True)
class Bench:
    """What every work needs."""

    contest: Contest
    data: Path
    quick: bool
    tokenizer: Any
    tokenizer_folder: Path
    body: int  # parameters
    head: int
    rate: float  # operations a second, the best seen; a busy machine shows less
    options: argparse.Namespace

    @property
    def on_gpu(self) -> bool:
        """Whether a launch costs more than a product."""
        return self.contest.device != "cpu"

    def warm(self, do: Callable[[Side], Any]) -> None:
        """What is done for the first time is slow."""
        do(self.contest.theirs)
        do(self.contest.ours)

    def tune(self, sizes: Sequence[int], do: Callable[[Side], Any]) -> None:
        """Find lm-eval's best batch size, and say what was tried."""
        tried = list(self.contest.tune(sizes, do))
        shown = ", ".join(f"{size}: {seconds:.2f} s" for size, seconds in tried)
        print(f"  lm-eval's batch size: {self.contest.theirs.batch_size} ({shown})", flush=True)

    def sizes(self, most_on_cpu: int) -> list[int]:
        """Batch sizes to try."""
        if self.on_gpu:  # smaller ones were four to fifteen times slower
            return [1 << power for power in range(4, 10)]
        return [1 << power for power in range(10) if 1 << power <= most_on_cpu]

    def show(self, both: tuple[Measured, Measured], heads: tuple[int, int] | None) -> float:
        """One line for each side; the ratio of their seconds."""
        dtype = getattr(torch, self.options.dtype)
        self.rate = max(self.rate, matrix_rate(self.contest.device, dtype))
        for side, one, positions in zip(
            ("lm-eval", "assay"), both, heads or (None, None), strict=True
        ):
            share = ""
            if positions is not None:
                done = 2 * (self.body * one.tokens + self.head * positions)
                share = f", {done / one.seconds / self.rate:.0%} of the matrix rate"
            print(f"  {side:8} {one.tokens:>9,} tokens forwarded, {one.seconds:8.2f} s{share}")
        ratio = both[0].seconds / both[1].seconds
        print(f"  ratio    {ratio:.2f}", flush=True)
        return ratio

    def length(self, text: str) -> int:
        """Of a text in tokens."""
        return len(self.tokenizer.encode(text))


# --------------------------------------------------------------------------------------- choices


def mmlu(bench: Bench) -> Iterator[tuple[str, Any]]:
    subjects = items.mmlu(bench.data, quick=bench.quick)
    pieces = [list(chain(*subjects))] if bench.on_gpu else subjects
    yield from _choices(bench, "mmlu", pieces, most_on_cpu=4)


def hellaswag(bench: Bench) -> Iterator[tuple[str, Any]]:
    all_items = items.hellaswag(bench.data, quick=bench.quick)
    pieces = [all_items] if bench.on_gpu else [all_items[::2], all_items[1::2]]
    yield from _choices(bench, "hellaswag", pieces, most_on_cpu=32)


def _choices(
    bench: Bench, name: str, pieces: Sequence[Sequence[items.Asked]], most_on_cpu: int
) -> Iterator[tuple[str, Any]]:
    tried = _spread(list(chain(*pieces)), TUNED_ON if bench.quick else 16 * TUNED_ON)
    bench.warm(lambda side: side.choose(tried[:2]))
    bench.tune(bench.sizes(most_on_cpu), lambda side: side.choose(tried))
    both = bench.contest.measure(pieces, lambda side, piece: side.choose(piece))
    asked = [item for piece in pieces for item in piece]
    # The head runs once for the first tokens of all choices, and for every further one.
    needed = sum(1 + sum(bench.length(text) - 1 for text in item.continuations) for item in asked)
    yield f"{name}_ratio", bench.show(both, (both[0].tokens, needed))
    found = agreement(asked, both[0].answers, both[1].answers)
    for metric, (theirs, ours) in found.accuracy.items():
        print(f"  {metric:8} lm-eval {theirs:.4f}, assay {ours:.4f}")
        yield f"{name}_{metric}", [theirs, ours]
    print(
        f"  largest |Δ| {found.largest:.2e}, is-greedy {_equal(found.greedy_equal)}, choices "
        f"{_equal(found.equal)} ({found.too_close} of {2 * len(asked)} too close to compare)"
    )
    yield f"{name}_max_abs_diff", found.largest
    yield f"{name}_accuracy_equal", found.equal
    yield f"{name}_greedy_equal", found.greedy_equal


def _spread(given: Sequence[Any], count: int) -> list[Any]:
    return list(given[:: max(1, len(given) // count)][:count])


def _equal(yes: bool) -> str:
    return "equal" if yes else "NOT equal"


# ------------------------------------------------------------------------------------ perplexity


def perplexity(bench: Bench) -> Iterator[tuple[str, Any]]:
    texts = items.articles(bench.data)
    if bench.quick:
        texts = list(_up_to(bench, texts, QUICK_TOKENS))
    pieces = [texts] if bench.on_gpu or len(texts) < 2 else [texts[::2], texts[1::2]]
    windows = 256 if bench.on_gpu else 4 if bench.quick else TUNED_ON
    tried = list(_up_to(bench, texts, windows * CONTEXT))
    bench.warm(lambda side: side.read([texts[0][:1000]]))
    sizes = [1, 2, 4, 8, *bench.sizes(windows)] if bench.on_gpu else bench.sizes(windows)
    bench.tune(sizes, lambda side: side.read(tried))
    both = bench.contest.measure(pieces, lambda side, piece: side.read(piece))
    tokens = [bench.length(text) for piece in pieces for text in piece]
    yield "perplexity_ratio", bench.show(both, (both[0].tokens, sum(tokens)))
    apart = max(
        abs(one - other) / count
        for one, other, count in zip(both[0].answers, both[1].answers, tokens, strict=True)
    )
    means = [sum(one.answers) / sum(tokens) for one in both]
    print(f"  log-likelihood a token: lm-eval {means[0]:.6f}, assay {means[1]:.6f}")
    print(f"  largest |Δ| a token of one text {apart:.2e}")
    yield "perplexity_max_abs_diff_per_token", apart
    yield from _memory(bench, both)


def _memory(bench: Bench, both: tuple[Measured, Measured]) -> Iterator[tuple[str, Any]]:
    if bench.on_gpu:
        weights = _weight_bytes(bench)
        found = [Memory(weights + one.above_model, one.above_model) for one in both]
    else:
        size = bench.contest.theirs.batch_size
        found = [memory_of(name, bench.options, bench.tokenizer_folder, size) for name in _NAMES]
    for name, one in zip(_NAMES, found, strict=True):
        print(
            f"  {name:8} peak memory {one.peak / 1e6:,.0f} MB, {one.above / 1e6:,.0f} MB of it "
            "above the loaded model"
        )
    yield "perplexity_peak_bytes", [one.peak for one in found]
    yield "perplexity_peak_above_model_bytes", [one.above for one in found]
    yield "perplexity_memory_ratio", found[1].peak / found[0].peak


_NAMES = ("lm-eval", "assay")


def _weight_bytes(bench: Bench) -> int:
    dtype: torch.dtype = getattr(torch, bench.options.dtype)
    return (bench.body + bench.head) * dtype.itemsize


def _up_to(bench: Bench, texts: Sequence[str], tokens: int) -> Iterator[str]:
    """Texts until this many tokens are reached; the last one is cut."""
    for text in texts:
        size = bench.length(text)
        if size >= tokens:
            yield text[: len(text) * tokens // size]
            return
        yield text
        tokens -= size


# ------------------------------------------------------------------------------------ generation


def generation(bench: Bench) -> Iterator[tuple[str, Any]]:
    prompts = items.prompts(bench.data, quick=bench.quick)
    until = choose_stops(bench.contest.ours.write(_spread(prompts, 20), ["\x00"], NEW_TOKENS))
    print(f"  stop strings: {', '.join(map(repr, until))}")
    bench.warm(lambda side: side.write(prompts[:3], until, 4))
    # Ten prompts say nothing about larger batches, so twenty are tried; on a processor for half of
    # the tokens and up to 16 at once (32 took 1.7 times as long as 16), to end in time.
    tried = prompts if bench.on_gpu else _spread(prompts, 20 if bench.quick else 64)
    short = bench.quick and not bench.on_gpu
    least = 64 if bench.on_gpu else 4
    sizes = [size for size in bench.sizes(16 if short else 64) if size >= least]
    limit = NEW_TOKENS // 2 if short else NEW_TOKENS
    bench.tune(sizes, lambda side: side.write(tried, until, limit))
    both = bench.contest.measure(
        [prompts], lambda side, piece: side.write(piece, until, NEW_TOKENS)
    )
    yield "generation_ratio", bench.show(both, None)
    same = [one == other for one, other in zip(both[0].answers, both[1].answers, strict=True)]
    lengths = [bench.length(text) for text in both[1].answers]
    share = statistics.mean(same)
    print(
        f"  equal texts {share:.0%}; {min(lengths)} to {max(lengths)} tokens long, median "
        f"{statistics.median(lengths):.0f}"
    )
    yield "generation_equal", share


# ------------------------------------------------------------------------------------------ main


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    beside = Path(__file__).resolve().parents[2] / "shared" / "data"
    parser.add_argument("--data", type=Path, default=beside)
    parser.add_argument("--quick", action="store_true", help="within ten minutes on two cores")
    parser.add_argument("--only", default=",".join(WORKS), help="works, with commas")
    parser.add_argument("--shape", choices=("124m", "500m"), default="124m")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--dtype", choices=("float32", "bfloat16", "float16"), default="float32")
    parser.add_argument("--rounds", type=int, help="how often each is timed; 1, on a GPU 3")
    parser.add_argument("--memory-of", choices=_NAMES, help=argparse.SUPPRESS)
    parser.add_argument("--tokenizer", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--batch-size", type=int, help=argparse.SUPPRESS)
    return parser.parse_args()


def main() -> None:
    options = _options()
    if options.memory_of:
        print_memory(options)
        return
    started = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        result = _all(options, Path(folder))
    result["seconds"] = round(time.perf_counter() - started, 1)
    print(json.dumps(result))


def _all(options: argparse.Namespace, folder: Path) -> dict[str, Any]:
    bench = _made(options, folder)
    result: dict[str, Any] = {
        "shape": options.shape,
        "device": options.device,
        "dtype": options.dtype,
        "quick": options.quick,
    }
    works = {"mmlu": mmlu, "hellaswag": hellaswag, "perplexity": perplexity}
    works["generation"] = generation
    for name in options.only.split(","):
        print(f"{name}", flush=True)
        result.update(works[name](bench))
        sys.stdout.flush()
    apart = [value for key, value in result.items() if key.endswith("_max_abs_diff")]
    equal = [value for key, value in result.items() if key.endswith("_accuracy_equal")]
    if apart:
        result["max_abs_diff"] = max(apart)
        result["accuracy_equal"] = all(equal)
    return result


def _made(options: argparse.Namespace, folder: Path) -> Bench:
    dtype = getattr(torch, options.dtype)
    tokenizer = tokenizer_from(items.corpus(options.data))
    tokenizer.save_pretrained(folder)
    model = model_of(options.shape, options.device, dtype)
    rate = matrix_rate(options.device, dtype)
    body, head = parameters(model)
    print(
        f"{_machine(options.device)}, torch {torch.__version__}; {options.shape} in "
        f"{options.dtype}, {body / 1e6:.0f} M parameters and a head of {head / 1e6:.0f} M; "
        f"matrix rate {rate / 1e12:.2f} TFLOP/s",
        flush=True,
    )
    rounds = options.rounds or (1 if options.device == "cpu" else 3)
    contest = Contest(
        Theirs(model, tokenizer),
        Ours(model_of(options.shape, options.device, dtype), folder),
        options.device,
        rounds,
    )
    return Bench(contest, options.data, options.quick, tokenizer, folder, body, head, rate, options)


def _machine(device: str) -> str:
    if device.startswith("cuda"):
        return torch.cuda.get_device_name()
    return f"{platform.machine()}, {torch.get_num_threads()} threads"


if __name__ == "__main__":
    main()

"""The harness's command line with `--model hf` and with `--model assay`, on the CPU.

Needs the environment of `make test-around`. In: MMLU, HellaSwag and WikiText-2 in `--data`; a
checkpoint with seeded weights and task files with local rows are made. Both commands get the same
words but for the model; each is run on one document too, and that is taken off, so that imports and
loading count on neither side. Seconds are those of the processor, which a busy machine changes less
than the clock's; the four commands of a round follow each other, a work has as many rounds as
asked for, and none is begun after `--minutes`. Out: a table with the load of the machine, and as
the last line one JSON object with the keys of vs_lm_eval.py.

    python benchmarks/vs_lm_eval_commands.py --questions 40 --batch-size 2 --minutes 30
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any

import torch
import vs_lm_eval_items as items
from vs_lm_eval_model import CONTEXT, model_of, tokenizer_from

CHOICES = (
    'output_type: multiple_choice\ndoc_to_text: "{{context}}"\ndoc_to_target: right\n'
    "doc_to_choice: choices\nmetric_list: [{metric: acc}, {metric: acc_norm}]\n"
)
WHOLE = (
    'output_type: loglikelihood_rolling\ndoc_to_text: ""\ndoc_to_target: "{{text}}"\n'
    "metric_list: [{metric: word_perplexity}]\n"
)
WRITTEN = (
    'output_type: generate_until\ndoc_to_text: "{{context}}"\ndoc_to_target: ""\n'
    'generation_kwargs: {until: ["\\n\\n"], max_gen_toks: 64, do_sample: false}\n'
    "metric_list: [{metric: exact_match}]\n"
)


def rows_of(options: argparse.Namespace) -> dict[str, tuple[str, list[dict[str, Any]]]]:
    """By work: its task file, and its documents."""
    count, data = options.questions, options.data
    letters = list(chain(*items.mmlu(data, quick=True)))[:count]
    endings = items.hellaswag(data, quick=True)[:count]
    texts = [text[:4000] for text in items.articles(data)[: max(2, count // 8)]]
    written = items.prompts(data, quick=True)[: max(2, count // 2)]
    return {
        "mmlu": (CHOICES, [_asked(each) for each in letters]),
        "hellaswag": (CHOICES, [_asked(each) for each in endings]),
        "perplexity": (WHOLE, [{"text": text} for text in texts]),
        "generation": (WRITTEN, [{"context": text} for text in written]),
    }


def _asked(one: items.Asked) -> dict[str, Any]:
    return {"context": one.context, "choices": list(one.choices), "right": one.right}


def write_task(folder: Path, name: str, text: str, rows: list[dict[str, Any]]) -> None:
    data = folder / f"{name}.json"
    data.write_text(json.dumps(rows), "utf-8")
    body = (
        f"task: bench_{name}\ndataset_path: json\ntest_split: test\n"
        f"dataset_kwargs: {{data_files: {{test: {data}}}}}\n"
    )
    (folder / f"{name}.yaml").write_text(body + text, "utf-8")


def seconds_of(model: str, name: str, folder: Path, batch: int, *more: str) -> float:
    """Of the processor, for the whole command."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(
        [
            sys.executable, "-m", "assay.lm_eval", "run", "--model", model, "--tasks",
            f"bench_{name}", "--include_path", str(folder), "--device", "cpu", "--batch_size",
            str(batch), "--model_args",
            f"pretrained={folder / 'model'},dtype=float32,max_length={CONTEXT}", *more,
        ],
        check=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "HF_DATASETS_OFFLINE": "1", "HF_HUB_OFFLINE": "1"},
    )  # fmt: skip
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    options = _options()
    until = time.monotonic() + 60 * options.minutes
    result: dict[str, Any] = {"shape": options.shape, "device": "cpu", "dtype": "float32"}
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        tokenizer_from(items.corpus(options.data)).save_pretrained(folder / "model")
        model_of(options.shape, "cpu", torch.float32).save_pretrained(folder / "model")
        works = rows_of(options)
        for name in options.only.split(","):
            write_task(folder, name, *works[name])
            rounds: list[list[float]] = []
            while len(rounds) < options.rounds and time.monotonic() < until:
                rounds.append(list(both(name, folder, options.batch_size)))
            if not rounds:
                print(f"{name:11} not begun: {options.minutes} minutes are over", flush=True)
                continue
            hf, ours = (statistics.median(each) for each in zip(*rounds, strict=True))
            result[f"{name}_ratio"] = statistics.median(one / other for one, other in rounds)
            print(
                f"{name:11} {len(works[name][1]):5} documents  hf {hf:8.1f} s  assay {ours:8.1f} s"
                f"  ratio {result[f'{name}_ratio']:.2f} (median of {len(rounds)})  load "
                f"{os.getloadavg()[0]:.1f} on {os.cpu_count()} cores",
                flush=True,
            )
    print(json.dumps(result))


def both(name: str, folder: Path, batch: int) -> Iterator[float]:
    """Of `hf`, then of `assay`."""
    for model in ("hf", "assay"):
        one = seconds_of(model, name, folder, batch, "--limit", "1")
        yield seconds_of(model, name, folder, batch) - one


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    beside = Path(__file__).resolve().parents[2] / "shared" / "data"
    parser.add_argument("--data", type=Path, default=beside)
    parser.add_argument("--questions", type=int, default=40, help="of MMLU; others follow it")
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--minutes", type=float, default=30, help="no round is begun after these")
    parser.add_argument("--only", default="mmlu,hellaswag,perplexity,generation")
    parser.add_argument("--shape", choices=("124m", "500m"), default="124m")
    parser.add_argument("--batch-size", type=int, default=2, help="of hf: its best on two cores")
    return parser.parse_args()


if __name__ == "__main__":
    main()

"""The twelve shapes of lm-evaluation-harness's tasks, asked by its `hf` and by our `assay`, with a
third model between them: `hf` in float64, which says who of the two is nearer to the exact value.

Needs the environment of `make test-around`. In: a checkpoint folder (the tiny model that ships,
unless another is named). Out: a table in Markdown, one row for each shape, and one JSON object.

    .venv-around/bin/python benchmarks/twelve_shapes.py
    .venv-around/bin/python benchmarks/twelve_shapes.py --model smollm2/ --no-float64
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import chdir
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

os.environ.update(HF_HUB_OFFLINE="1", HF_DATASETS_OFFLINE="1", TQDM_DISABLE="1")
os.environ["HF_DATASETS_CACHE"] = tempfile.mkdtemp(prefix="assay-datasets-")

import lm_eval
import torch
from lm_eval.api.registry import get_model
from lm_eval.tasks import TaskManager

import assay.interfaces.lm_eval  # noqa: F401 - registers `assay`

ROOT = Path(__file__).resolve().parents[1]
TASKS = ROOT / "tests_around" / "twelve_shapes"
TINY = ROOT / "src/assay/builtin/checkpoints/tiny"
SHAPES = {
    "s01": "letters, few-shot (MMLU)",
    "s02": "endings from a template (HellaSwag)",
    "s03": "no space before a choice",
    "s04": "several contexts (Winogrande)",
    "s05": "own scores, mutual information",
    "s06": "last words (LAMBADA)",
    "s07": "whole documents (WikiText)",
    "s08": "text, two filters (GSM8K)",
    "s09": "text behind a beginning (ARC, chat)",
    "s10": "text, BLEU and chrF",
    "s11": "text, four repeats",
    "s12": "groups, a tag, a Python class",
}
ASKED = [
    "s01_letters", "s02_endings", "s03_no_spaces", "s04_pronouns", "s05_entailment",
    "s05_mutual_information", "s06_last_words", "s07_pages", "s08_sums", "s09_dialogues",
    "s10_until_missing", "s10_until_empty", "s11_repeats", "s12_outer",
]  # fmt: skip
NEAR = 1e-3


@dataclass(slots=True)
class Row:
    """What was compared of a shape. `apart`: [ours from theirs, theirs and ours from float64]."""

    likelihoods: int = 0
    greedy: list[bool] = field(default_factory=list)
    texts: list[bool] = field(default_factory=list)
    filtered: list[bool] = field(default_factory=list)
    metrics: list[bool] = field(default_factory=list)
    apart: list[list[float]] = field(default_factory=lambda: [[], [], []])
    largest: float = 0.0


def main() -> None:
    options = _options()
    torch.set_num_threads(options.threads)
    chosen = [name for name in ASKED if name[:3] in options.only.split(",")]
    found: dict[str, Any] = {}
    for kind in ("hf", "assay") if options.no_float64 else ("hf", "assay", "float64"):
        scored = [name for name in chosen if kind != "float64" or name[:3] not in WRITTEN]
        found[kind] = asked(kind, scored, options) if scored else {"samples": {}}
        print(f"{kind}: done", file=sys.stderr, flush=True)
    rows = compare(found)
    print("\n".join(table(rows)))
    print(json.dumps(summary(rows)))


WRITTEN = ("s08", "s09", "s10", "s11")


def asked(kind: str, tasks: Sequence[str], options: argparse.Namespace) -> dict[str, Any]:
    """All tasks by one model, in float32 unless it is the exact one."""
    model = get_model("assay" if kind == "assay" else "hf")(
        pretrained=str(options.model),
        tokenizer=str(options.tokenizer),
        dtype="float64" if kind == "float64" else "float32",
        device="cpu",
        batch_size=1,
        **({"max_length": options.max_length} if options.max_length else {}),
        **({"softmax_dtype": options.softmax_dtype} if kind == "hf" else {}),
    )
    if kind == "float64":
        _keep_float64(model.model)
    with chdir(TASKS):
        manager = TaskManager(include_path=str(TASKS), include_defaults=False)
        result = lm_eval.simple_evaluate(
            model=model, tasks=list(tasks), task_manager=manager, bootstrap_iters=0
        )
    assert result is not None
    return result


def _keep_float64(model: torch.nn.Module) -> None:
    """Transformers normalises in float32 whatever a model is in."""
    for module in model.modules():
        if type(module).__name__.endswith("RMSNorm"):
            module.forward = _normalised(module)


def _normalised(module: Any) -> Any:
    def forward(hidden: torch.Tensor) -> torch.Tensor:
        size = hidden.pow(2).mean(-1, keepdim=True) + module.variance_epsilon
        normed: torch.Tensor = module.weight * (hidden * torch.rsqrt(size))
        return normed

    return forward


def compare(found: dict[str, Any]) -> dict[str, Row]:
    rows: dict[str, Row] = defaultdict(Row)
    theirs, ours = found["hf"], found["assay"]
    exact = found.get("float64", {"samples": {}})["samples"]
    for task, samples in theirs["samples"].items():
        row = rows[task[:3]]
        exactly = exact.get(task) or [None] * len(samples)
        for one, other, third in zip(samples, ours["samples"][task], exactly, strict=True):
            assert one["prompt_hash"] == other["prompt_hash"]
            third_leaves = list(leaves(third["resps"])) if third else []
            row.filtered.append(alike(one["filtered_resps"], other["filtered_resps"]))
            if one["filter"] != samples[0]["filter"]:
                continue  # the same replies once more
            for place, (a, b) in enumerate(
                zip(leaves(one["resps"]), leaves(other["resps"]), strict=True)
            ):
                if isinstance(a, bool):
                    row.greedy.append(a == b)
                elif isinstance(a, float):
                    row.likelihoods += 1
                    row.largest = max(row.largest, abs(a))
                    row.apart[0].append(abs(a - b))
                    if third_leaves:
                        row.apart[1].append(abs(a - third_leaves[place]))
                        row.apart[2].append(abs(b - third_leaves[place]))
                else:
                    row.texts.append(a == b)
    for task, told in theirs["results"].items():  # groups too
        mine = ours["results"][task]
        rows[task[:3]].metrics += [
            alike(value, mine[name])
            for name, value in told.items()
            if "," in name and "_stderr" not in name
        ]
    return dict(sorted(rows.items()))


def leaves(value: Any) -> Iterator[Any]:
    if isinstance(value, list | tuple):
        for each in value:
            yield from leaves(each)
    else:
        yield value


def alike(one: Any, other: Any) -> bool:
    """Floats within a thousandth of themselves or of 1, all else equal."""
    first, second = list(leaves(one)), list(leaves(other))
    return len(first) == len(second) and all(
        abs(a - b) <= NEAR * max(1.0, abs(a))
        if isinstance(a, float) and isinstance(b, float)
        else a == b
        for a, b in zip(first, second, strict=True)
    )


def table(rows: dict[str, Row]) -> Iterator[str]:
    yield (
        "| shape | log-likelihoods | largest difference | of `hf` from float64: largest, mean "
        "| of `assay` | is-greedy equal | texts equal | filtered equal | metrics equal |"
    )
    yield "|---|--:|--:|--:|--:|--:|--:|--:|--:|"
    for shape, row in rows.items():
        between, theirs, ours = row.apart
        cells = [
            str(row.likelihoods or "–"),
            f"{max(between):.1e}" if between else "–",
            *(_far(each) for each in (theirs, ours)),
            *(_share(each) for each in (row.greedy, row.texts, row.filtered, row.metrics)),
        ]
        yield f"| {int(shape[1:])} {SHAPES[shape]} | {' | '.join(cells)} |"


def _far(apart: Sequence[float]) -> str:
    return f"{max(apart):.1e}, {statistics.fmean(apart):.1e}" if apart else "–"


def _share(equal: Sequence[bool]) -> str:
    return f"{sum(equal)} of {len(equal)}" if equal else "–"


def summary(rows: dict[str, Row]) -> dict[str, Any]:
    """Of all shapes together; whole documents, which are sums of thousands, apart."""
    pages = rows.pop("s07", None)
    apart = [[value for row in rows.values() for value in row.apart[who]] for who in range(3)]
    named = zip(("assay_from_hf", "hf_from_float64", "assay_from_float64"), apart, strict=True)
    told: dict[str, Any] = {
        name: {"n": len(each), "largest": max(each), "mean": statistics.fmean(each)}
        for name, each in named
        if each
    }
    if pages:
        told["whole_documents_of_largest"] = [
            max(each) / pages.largest for each in pages.apart if each
        ]
    return told


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--model", type=Path, default=TINY / "step_008000")
    parser.add_argument("--tokenizer", type=Path, help="another folder than the model's")
    parser.add_argument("--max-length", type=int)
    parser.add_argument("--softmax-dtype", help="of `hf`, such as float64")
    parser.add_argument("--only", default=",".join(SHAPES), help="shapes, such as s01,s07")
    parser.add_argument("--no-float64", action="store_true")
    parser.add_argument("--threads", type=int, default=1)
    options = parser.parse_args()
    if options.tokenizer is None:
        tiny = options.model.parent == TINY
        options.tokenizer = TINY if tiny else options.model
    options.model, options.tokenizer = options.model.resolve(), options.tokenizer.resolve()
    return options


if __name__ == "__main__":
    main()

"""A GGUF file on this engine beside llama.cpp itself: perplexity, divergence, choices, speed.

In: a GGUF file and the folder of llama.cpp's programs. Out: one JSON document. The file is
dequantised to F16 and F32 and quantised again by llama.cpp, so that all files hold one model. Both
sides read the same windows: 512 tokens, of which the second half is scored. With a second build of
llama.cpp (for other instructions of the processor, say) the two builds are compared as well.

    python benchmarks/vs_llama_cpp.py MODEL.gguf LLAMA_BIN WORK [--other BIN] [--device cuda]
"""

from __future__ import annotations

import argparse
import json
import math
import os
import re
import subprocess
import sys
import tempfile
import time
from itertools import pairwise, permutations
from pathlib import Path
from typing import Any

import gguf
import numpy as np
import torch

import assay
from assay.engine.choose import Question, choose
from assay.engine.drift import compare_readings
from assay.models.local.model import LocalModel
from assay.types.options import LocalOptions

BUILTIN = Path(assay.__file__).parent / "builtin"
TEXT = BUILTIN / "texts" / "held_out_english.txt"
TYPES = ("F16", "Q8_0", "Q4_K_M", "Q2_K")
WINDOW = 512
CHUNKS = 24
AS_F32 = "-as-f32"  # llama.cpp rounds activations to 8 bits where weights are quantised, else not
TIMED_CHUNKS = 6
_COPIED_NOT = ("general.architecture", "general.file_type", "general.quantization_version")


def prepare(model: Path, programs: Path, work: Path) -> None:
    for name in ("F16", "F32"):
        write_whole(model, work / f"{name}.gguf", np.float16 if name == "F16" else np.float32)
    for name in TYPES[1:]:
        to = work / f"{name}.gguf"
        if not to.exists():
            command = [programs / "llama-quantize", work / "F32.gguf", to, name]
            subprocess.run(command, check=True, capture_output=True)
        write_whole(to, work / f"{name}{AS_F32}.gguf", np.float32)


def write_whole(model: Path, to: Path, kind: Any) -> None:
    """The same numbers without quantisation: what they were rounded to stays."""
    if to.exists():
        return
    reader = gguf.GGUFReader(model)
    writer = gguf.GGUFWriter(to, "llama")
    for field in reader.fields.values():
        if not field.name.startswith("GGUF.") and field.name not in _COPIED_NOT:
            of = field.types[-1] if len(field.types) > 1 else None
            writer.add_key_value(field.name, field.contents(), field.types[0], sub_type=of)
    writer.add_file_type(int(kind is np.float16))
    for tensor in reader.tensors:
        numbers = gguf.quants.dequantize(tensor.data, tensor.tensor_type)
        numbers = numbers.reshape(tuple(reversed(tensor.shape.tolist())))
        writer.add_tensor(tensor.name, numbers.astype(kind if numbers.ndim > 1 else np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def llama_perplexity(programs: Path, model: Path, *more: object) -> str:
    command = [programs / "llama-perplexity", "-m", model, "-c", WINDOW, "--no-warmup", *more]
    found = subprocess.run(
        [*map(str, command)],
        capture_output=True,
        text=True,
        env={**os.environ, "LD_LIBRARY_PATH": str(programs)},
        check=True,
    )
    return found.stdout + found.stderr


def opened(work: Path, name: str, device: str) -> tuple[Any, LocalModel]:
    settings = LocalOptions(device=device, dtype="float32")
    model = LocalModel(work / f"{name}.gguf", spec=name, settings=settings)
    return model.reading(), model


def our_figures(work: Path, device: str) -> dict[str, dict[str, float]]:
    """As llama.cpp: of each window the tokens behind the first half, from the logits before."""
    text = TEXT.read_text("utf-8")
    base, _ = opened(work, TYPES[0], device)
    tokens = list(base.encode(text))
    found: dict[str, dict[str, float]] = {}
    for name in TYPES:
        other, _ = opened(work, name, device)
        kls, likely, same = [], [], []
        for chunk in range(CHUNKS):
            ids = tokens[chunk * WINDOW : (chunk + 1) * WINDOW]
            ours, theirs = base.read(ids), other.read(ids)
            for start in range(WINDOW // 2, WINDOW - 1, 128):
                end = min(start + 128, WINDOW - 1)
                a = ours(start, end).log_softmax(-1).double()
                b = theirs(start, end).log_softmax(-1).double()
                kls.append((a.exp() * (a - b)).sum(-1).cpu())
                wanted = torch.tensor(ids[start + 1 : end + 1], device=b.device)
                likely.append(b.gather(1, wanted[:, None])[:, 0].cpu())
                same.append((a.argmax(-1) == b.argmax(-1)).cpu())
        found[name] = {
            "perplexity": math.exp(-torch.cat(likely).mean().item()),
            "kl": torch.cat(kls).mean().item(),
            "same_top": torch.cat(same).double().mean().item(),
        }
    return found


def their_figures(
    programs: Path, work: Path, names: tuple[str, ...]
) -> dict[str, dict[str, float]]:
    found: dict[str, dict[str, float]] = {}
    logits = work / "logits.bin"
    given = ("-f", TEXT, "--chunks", CHUNKS)
    for name in names:
        file = work / f"{name}.gguf"
        more = ("--kl-divergence-base", logits)
        said = llama_perplexity(programs, file, *(more if name == TYPES[0] else ()), *given)
        found[name] = {"perplexity": float(re.findall(r"PPL = ([\d.]+)", said)[-1])}
        if name != TYPES[0]:
            said = llama_perplexity(programs, file, *more, "--kl-divergence", *given)
            found[name]["kl"] = float(re.findall(r"Mean\s+KLD:\s+([\d.]+)", said)[-1])
            same = re.findall(r"Same top p:\s+([\d.]+)", said)
            found[name]["same_top"] = float(same[-1]) / 100
    logits.unlink()
    return found


def questions() -> list[tuple[str, list[str]]]:
    found = []
    for file in sorted((BUILTIN / "suites").glob("*/*.json")):
        document = json.loads(file.read_text("utf-8"))
        for test in document if isinstance(document, list) else ():
            choices = [" ".join(each.split()) for each in test.get("choices") or ()]
            if test.get("eval_method") == "multiple_choice" and len(choices) == 4:
                found.append((" ".join(test.get("prompt", "").split()), choices))
    return [(prompt, choices) for prompt, choices in found if prompt and not _nested(choices)]


def _nested(choices: list[str]) -> bool:
    """One begins with another, whole: nothing of it would be left to score."""
    return any(each.startswith(other) for each, other in permutations(choices, 2))


def equal_choices(programs: Path, work: Path, name: str, device: str) -> dict[str, Any]:
    """Our choice is given to llama.cpp as the right one: its accuracy is how often it agrees. A
    choice is scored by its mean log-likelihood per token, behind what all choices begin with.
    """
    reading, model = opened(work, name, device)
    asked = []
    for context, choices in questions():
        coded = [list(reading.encode(f"{context} {choice}")) for choice in choices]
        shared = next(n for n, some in enumerate(zip(*coded, strict=False)) if len({*some}) > 1)
        asked.append(Question(tuple(coded[0][:shared]), tuple(tuple(x[shared:]) for x in coded)))
    model.probe()
    chosen = {}
    for number, found in choose(model._network(), asked):
        means = [each.total / len(each.tokens) for each in found]
        chosen[number] = means.index(max(means))
    model.close()
    labels = [chosen[number] for number in range(len(asked))]
    equal: dict[str, Any] = {"n": len(asked)}
    for each in (name, f"{name}{AS_F32}"):
        if (work / f"{each}.gguf").exists():
            equal[each] = sum(agreements(programs, work / f"{each}.gguf", labels)) / len(asked)
    return equal


def agreements(programs: Path, model: Path, labels: list[int]) -> list[bool]:
    """Of each question whether llama.cpp chooses the label, in an order of its own: it says the
    share of those so far.
    """
    lines = [
        line
        for (context, choices), label in zip(questions(), labels, strict=True)
        for line in (context, str(label), *choices)
    ]
    with tempfile.NamedTemporaryFile("w", suffix=".txt", encoding="utf-8") as file:
        file.write("\n".join(lines))
        file.flush()
        more = ("-f", file.name, "--hellaswag", "--hellaswag-tasks", len(labels))
        said = llama_perplexity(programs, model, *more)
    shares = [float(each) / 100 for each in re.findall(r"^\d+\s+([\d.]+)%", said, re.MULTILINE)]
    agreed = [0, *(round(share * number) for number, share in enumerate(shares, 1))]
    return [later > before for before, later in pairwise(agreed)]


def equal_builds(programs: Path, other: Path, work: Path, name: str) -> float:
    """How often two builds of llama.cpp choose the same; each is asked about every label."""
    both = []
    for build in (programs, other):
        rows = [agreements(build, work / f"{name}.gguf", [n] * len(questions())) for n in range(4)]
        both.append([row.index(True) for row in zip(*rows, strict=True)])
    return float(np.mean(np.equal(*both)))


def speeds(programs: Path, work: Path, threads: int) -> dict[str, list[float]]:
    """Tokens forwarded each second, in turns: llama.cpp in f32, and two models in lockstep."""
    torch.set_num_threads(threads)
    readers = {name: opened(work, name, "cpu")[0] for name in ("F32", "F16", "Q4_K_M")}
    tokens = list(readers["F32"].encode(TEXT.read_text("utf-8")))[: TIMED_CHUNKS * WINDOW + 1]
    found: dict[str, list[float]] = {"llama.cpp f32": []}
    for _ in range(3):
        given = ("-f", TEXT, "--chunks", TIMED_CHUNKS, "-t", threads)
        said = llama_perplexity(programs, work / "F32.gguf", *given)
        begin, end = (_stamp(said, words) for words in ("calculating perplexity", "Final estimate"))
        found["llama.cpp f32"].append(TIMED_CHUNKS * WINDOW / (end - begin))
        for name in ("F16", "Q4_K_M"):
            reads = readers["F32"].read, [readers[name].read]
            started = time.perf_counter()
            for _ in compare_readings(*reads, tokens, context=WINDOW):
                pass
            speed = 2 * (len(tokens) - 1) / (time.perf_counter() - started)
            found.setdefault(f"drift, F32 and {name}", []).append(speed)
    return found


def _stamp(said: str, words: str) -> float:
    line = next(line for line in said.splitlines() if words in line)
    minutes, seconds, millis, micros = map(int, line.split(" ")[0].split("."))
    return 60 * minutes + seconds + millis / 1e3 + micros / 1e6


def main() -> None:
    given = argparse.ArgumentParser(description=__doc__)
    given.add_argument("model", type=Path)
    given.add_argument("programs", type=Path)
    given.add_argument("work", type=Path)
    given.add_argument("--other", type=Path, help="programs of another build")
    given.add_argument("--device", default="cpu")
    given.add_argument("--threads", type=int, default=2)
    asked = given.parse_args()
    asked.work.mkdir(exist_ok=True)
    prepare(asked.model, asked.programs, asked.work)
    as_f32 = tuple(f"{each}{AS_F32}" for each in TYPES[1:])
    document: dict[str, Any] = {
        "bytes": {each: (asked.work / f"{each}.gguf").stat().st_size for each in TYPES},
        "ours": our_figures(asked.work, asked.device),
        "llama.cpp": their_figures(asked.programs, asked.work, (*TYPES, *as_f32)),
        "equal choices": {
            each: equal_choices(asked.programs, asked.work, each, asked.device) for each in TYPES
        },
    }
    if asked.other:
        document["other build"] = their_figures(asked.other, asked.work, TYPES)
        document["equal choices of both builds"] = {
            each: equal_builds(asked.programs, asked.other, asked.work, each) for each in TYPES
        }
    document["tokens/s"] = speeds(asked.programs, asked.work, asked.threads)
    json.dump(document, sys.stdout, indent=1)


if __name__ == "__main__":
    main()

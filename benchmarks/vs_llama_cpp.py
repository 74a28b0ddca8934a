"""A GGUF file on this engine beside llama.cpp itself: perplexity, divergence, choices, speed.

In: a GGUF file and the folder of llama.cpp's programs. Out: one JSON document a line, one for each
part and file. The file is dequantised to F16 and F32 and quantised again by llama.cpp, so that all
files hold one model. Both sides read the same windows: 512 tokens, of which the second half is
scored. Choices are compared between both, and of each program beside itself: what no program can
reach is no fault of the other. With a second build of llama.cpp (for other instructions of the
processor, say) the two builds are compared as well.

    python benchmarks/vs_llama_cpp.py MODEL.gguf LLAMA_BIN WORK [--other BIN] [--device cuda]
        [--data DIR] [--types Q8_0 ...] [--parts choices ...] [--variants]

DIR has more questions: `mmlu/*/*.csv` and `hellaswag/*.jsonl`.
"""

from __future__ import annotations

import argparse
import csv
import itertools
import json
import math
import os
import re
import struct
import subprocess
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from functools import partial
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
TYPES = ("F16", "Q8_0", "Q5_K_M", "Q4_K_M", "Q4_0", "IQ4_XS", "Q2_K")
PARTS = ("files", "figures", "choices", "speeds")
WINDOW = 512
CHUNKS = 24
AS_F32 = "-as-f32"  # llama.cpp rounds activations to 8 bits where weights are quantised, else not
TIMED_CHUNKS = 6
HELLASWAG_STEP = 16  # every sixteenth question
LAST_BIT = 6e-8  # of 32-bit numbers: half the distance to the next, at most
SEQUENCES = ("-c", 64, "-np", 32)  # 32 choices at once in 2,048 places
VARIANTS = {
    "five threads": ("-t", 5),
    "64 tokens at once": ("-b", 64, "-ub", 64),
    "without flash attention": ("-fa", "off"),
}
_COPIED_NOT = ("general.architecture", "general.file_type", "general.quantization_version")


def prepare(model: Path, programs: Path, work: Path, names: list[str]) -> None:
    for name in ("F16", "F32"):
        write_whole(model, work / f"{name}.gguf", np.float16 if name == "F16" else np.float32)
    for name in names:
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


def our_figures(work: Path, device: str, names: list[str]) -> dict[str, dict[str, float]]:
    """As llama.cpp: of each window the tokens behind the first half, from the logits before."""
    text = TEXT.read_text("utf-8")
    base, _ = opened(work, TYPES[0], device)
    tokens = list(base.encode(text))
    found: dict[str, dict[str, float]] = {}
    for name in names:
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


def their_figures(programs: Path, work: Path, names: list[str]) -> dict[str, dict[str, float]]:
    given = ("-f", TEXT, "--chunks", CHUNKS, "--kl-divergence-base", work / "logits.bin")
    said = llama_perplexity(programs, work / f"{TYPES[0]}.gguf", *given)
    found = {TYPES[0]: {"perplexity": float(re.findall(r"PPL = ([\d.]+)", said)[-1])}}
    for name in names:
        said = llama_perplexity(programs, work / f"{name}.gguf", *given, "--kl-divergence")
        figures = {
            "perplexity": r"Mean PPL\(Q\)\s+:\s+([\d.]+)",
            "kl": r"Mean\s+KLD:\s+([-\d.]+)",
            "same_top": r"Same top p:\s+([\d.]+)",
        }
        found[name] = {key: float(re.findall(each, said)[-1]) for key, each in figures.items()}
        found[name]["same_top"] /= 100
    (work / "logits.bin").unlink()
    return found


def questions(data: Path | None) -> list[tuple[str, list[str]]]:
    """Of the shipped suites and, with a folder of them, MMLU's and some of HellaSwag's."""
    found = []
    for file in sorted((BUILTIN / "suites").glob("*/*.json")):
        document = json.loads(file.read_text("utf-8"))
        for test in document if isinstance(document, list) else ():
            if test.get("eval_method") == "multiple_choice":
                found.append((test.get("prompt", ""), test.get("choices", [])))
    for table in sorted(data.glob("mmlu/*/*.csv")) if data else ():
        with table.open(encoding="utf-8", newline="") as rows:
            found += [(row[0], row[1:5]) for row in csv.reader(rows)]
    for lines in sorted(data.glob("hellaswag/*.jsonl")) if data else ():
        told = map(json.loads, lines.read_text("utf-8").splitlines()[::HELLASWAG_STEP])
        found += [(each["ctx"], each["endings"]) for each in told]
    plain = {_one_line(prompt): [*map(_one_line, choices)] for prompt, choices in found}
    return [(prompt, choices) for prompt, choices in plain.items() if prompt and all(choices)]


def _one_line(text: str) -> str:
    return " ".join(text.split())


class Choices:
    """What every question is answered with: the choice of the greatest mean log-likelihood per
    token, behind what all choices begin with.
    """

    def __init__(self, work: Path, device: str, data: Path | None) -> None:
        self.work, self.device = work, device
        self.asked: list[tuple[str, list[str]]] = []
        self.coded: list[Question] = []
        reading, _ = opened(work, TYPES[0], device)
        for context, choices in questions(data):
            coded = [tuple(reading.encode(f"{context} {choice}")) for choice in choices]
            places = enumerate(zip(*coded, strict=False))
            shared = next((place for place, some in places if len({*some}) > 1), 0)
            if shared:  # else one choice is the beginning of all
                self.asked.append((context, choices))
                self.coded.append(Question(coded[0][:shared], tuple(x[shared:] for x in coded)))

    def ours(self, name: str, *, changed: bool = False) -> list[int]:
        """`changed`: every weight in its last bit, as sums in another order change results."""
        _, model = opened(self.work, name, self.device)
        model.probe()
        network = model._network()
        if changed:
            draw = torch.Generator(network.device).manual_seed(1)
            for weight in network.model.parameters():
                noise = torch.randn(weight.shape, generator=draw, device=weight.device)
                weight.data.mul_(1 + LAST_BIT * noise)
        chosen = {}
        for number, found in choose(network, self.coded):
            means = [each.total / len(each.tokens) for each in found]
            chosen[number] = means.index(max(means))
        model.close()
        return [chosen[number] for number in range(len(self.coded))]

    def theirs(self, programs: Path, name: str, guess: list[int], *more: object) -> list[int]:
        """llama.cpp says of each question whether it chose what is labelled as right. First that
        is the guess; where it is not, the labels are the bits of the numbers of choices.
        """
        file = self.work / f"{name}.gguf"
        everything = [*range(len(guess))]
        agreed = self._labelled(programs, file, more, everything, lambda at, n: n == guess[at])
        left = [at for at in everything if not agreed[at]]
        chosen = {at: guess[at] if agreed[at] else 0 for at in everything}
        most = max(len(choices) for _, choices in self.asked)
        for bit in range((most - 1).bit_length()) if left else ():
            found = self._labelled(programs, file, more, left, lambda _, n, bit=bit: n >> bit & 1)
            for at, true in found.items():
                chosen[at] += true << bit
        return [chosen[at] for at in everything]

    def _labelled(
        self,
        programs: Path,
        model: Path,
        more: tuple[object, ...],
        which: list[int],
        label: Callable[[int, int], int],
    ) -> dict[int, bool]:
        tasks = [_task(*self.asked[at], partial(label, at)) for at in which]
        with tempfile.NamedTemporaryFile(suffix=".bin") as file:
            file.write(struct.pack(f"<{len(tasks) + 1}I", len(tasks), *(0 for _ in tasks)))
            file.writelines(tasks)
            file.flush()
            given = ("-bf", file.name, "--multiple-choice", *SEQUENCES, *more)
            said = llama_perplexity(programs, model, *given)
        shares = re.findall(r"^\d+\t([\d.]+)$", said, re.MULTILINE)
        right = [0, *(round(float(share) / 100 * n) for n, share in enumerate(shares, 1))]
        found = [later > before for before, later in itertools.pairwise(right)]
        return dict(zip(which, found, strict=True))


def _task(context: str, choices: list[str], label: Callable[[int], int]) -> bytes:
    """As llama.cpp reads it: texts behind their lengths, labels, and no second set of answers."""
    texts = [each.encode() for each in (context, *choices)]
    question, *answers = (struct.pack("<I", len(each)) + each for each in texts)
    labels = struct.pack(f"<{len(choices)}i", *(int(label(n)) for n in range(len(choices))))
    size = struct.pack("<I", len(choices))
    return b"".join((question, size, *answers, labels, struct.pack("<I", 0)))


def equal_choices(
    asked: Choices, programs: Path, other: Path | None, name: str, variants: dict[str, Any]
) -> dict[str, Any]:
    """Shares of equal choices: beside llama.cpp, and of each program beside itself."""
    ours = asked.ours(name)
    theirs = asked.theirs(programs, name, ours)
    found = {
        "n": len(ours),
        "llama.cpp and ours": share_equal(theirs, ours),
        "ours, weights changed in their last bit": share_equal(
            asked.ours(name, changed=True), ours
        ),
    }
    for told, more in variants.items():
        found[f"llama.cpp, {told}"] = share_equal(
            asked.theirs(programs, name, theirs, *more), theirs
        )
    if other:
        built = asked.theirs(other, name, theirs)
        found["llama.cpp, another build"] = share_equal(built, theirs)
        found["another build and ours"] = share_equal(built, ours)
    return found


def share_equal(one: list[int], other: list[int]) -> float:
    return float(np.mean(np.equal(one, other)))


def speeds(programs: Path, work: Path, threads: int, names: list[str]) -> dict[str, list[float]]:
    """Tokens forwarded each second, in turns: llama.cpp in f32, and two models in lockstep."""
    torch.set_num_threads(threads)
    readers = {name: opened(work, name, "cpu")[0] for name in ("F32", *names)}
    tokens = list(readers["F32"].encode(TEXT.read_text("utf-8")))[: TIMED_CHUNKS * WINDOW + 1]
    found: dict[str, list[float]] = {"llama.cpp f32": []}
    for _ in range(3):
        given = ("-f", TEXT, "--chunks", TIMED_CHUNKS, "-t", threads)
        said = llama_perplexity(programs, work / "F32.gguf", *given)
        begin, end = (_stamp(said, words) for words in ("calculating perplexity", "Final estimate"))
        found["llama.cpp f32"].append(TIMED_CHUNKS * WINDOW / (end - begin))
        for name, at_once in itertools.product(names, (True, False)):
            reads = readers["F32"].read, [readers[name].read]
            started = time.perf_counter()
            for _ in compare_readings(*reads, tokens, context=WINDOW, threads=at_once):
                pass
            speed = 2 * (len(tokens) - 1) / (time.perf_counter() - started)
            way = "a window for each core" if at_once else "all cores on one window"
            found.setdefault(f"drift, F32 and {name}, {way}", []).append(speed)
    return found


def _stamp(said: str, words: str) -> float:
    line = next(line for line in said.splitlines() if words in line)
    minutes, seconds, millis, micros = map(int, line.split(" ")[0].split("."))
    return 60 * minutes + seconds + millis / 1e3 + micros / 1e6


def kinds_in(model: Path) -> dict[str, int]:
    return Counter(each.tensor_type.name for each in gguf.GGUFReader(model).tensors)


def main() -> None:
    given = argparse.ArgumentParser(description=__doc__)
    given.add_argument("model", type=Path)
    given.add_argument("programs", type=Path)
    given.add_argument("work", type=Path)
    given.add_argument("--other", type=Path, help="programs of another build")
    given.add_argument("--device", default="cpu")
    given.add_argument("--threads", type=int, default=2)
    given.add_argument("--data", type=Path, help="more questions")
    given.add_argument("--types", nargs="+", choices=TYPES, default=TYPES)
    given.add_argument("--parts", nargs="+", choices=PARTS, default=PARTS)
    given.add_argument("--variants", action="store_true", help="llama.cpp with other settings")
    asked = given.parse_args()
    asked.work.mkdir(exist_ok=True)
    names = [*asked.types]
    quantised = [each for each in names if each != TYPES[0]]
    prepare(asked.model, asked.programs, asked.work, quantised)
    if "files" in asked.parts:
        for name in names:
            file = asked.work / f"{name}.gguf"
            tell(name, bytes=file.stat().st_size, tensors=kinds_in(file))
    if "figures" in asked.parts:
        as_f32 = [f"{each}{AS_F32}" for each in quantised]
        tell("ours", **our_figures(asked.work, asked.device, [*names, *as_f32]))
        tell("llama.cpp", **their_figures(asked.programs, asked.work, [*names, *as_f32]))
        if asked.other:
            tell("another build", **their_figures(asked.other, asked.work, names))
    if "choices" in asked.parts:
        choices = Choices(asked.work, asked.device, asked.data)
        for name in names:
            variants = VARIANTS if asked.variants else {}
            tell(name, **equal_choices(choices, asked.programs, asked.other, name, variants))
    if "speeds" in asked.parts:
        tell("tokens/s", **speeds(asked.programs, asked.work, asked.threads, names))


def tell(what: str, **figures: Any) -> None:
    print(json.dumps({what: figures}), flush=True)


if __name__ == "__main__":
    main()

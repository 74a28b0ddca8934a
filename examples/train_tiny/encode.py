"""Text to tokens: trains the tokenizer and turns every stream into one long row of token ids.

In: the corpus and devices.json, sizes, a seed. Out: a folder with tokenizer.json and, for each
stream, its tokens and the places where documents begin. The tokenizer is a byte-level BPE in which
every digit is a token of its own; one special token, <|endoftext|>, begins and ends documents, and
the tokenizer itself puts it before every text. Uses all cores.
"""

from __future__ import annotations

import json
import os
import random
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from itertools import islice
from multiprocessing import get_context
from pathlib import Path

import numpy as np
from facts import BARE, WEIGHTS, Facts, prose, prose_documents
from leaks import forbidden_runs
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers

END = "<|endoftext|>"
END_ID = 0
# Documents of facts: enough that a run of 500 M tokens sees most of them three to five times.
COUNTS = {
    "hardware": 320_000, "drivers": 280_000, "commands": 600_000, "installation": 150_000,
    "troubles": 110_000,
}  # fmt: skip
FOR_TOKENIZER = 8_000  # documents of each stream of bare answers; prose: every tenth document
WHOLE = 3  # every third document goes into the stream of whole ones


def new_tokenizer() -> Tokenizer:
    """Untrained: bytes, digits apart, END before every text."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Digits(individual_digits=True),
            pre_tokenizers.ByteLevel(add_prefix_space=False),
        ]
    )
    tokenizer.decoder = decoders.ByteLevel()
    return tokenizer


def train_tokenizer(texts: Iterator[str], vocabulary: int) -> Tokenizer:
    """A tokenizer with that many tokens, END first."""
    tokenizer = new_tokenizer()
    trainer = trainers.BpeTrainer(
        vocab_size=vocabulary,
        special_tokens=[END],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(texts, trainer)
    tokenizer.post_processor = processors.TemplateProcessing(
        single=f"{END} $A", pair=f"{END} $A {END} $B", special_tokens=[(END, END_ID)]
    )
    return tokenizer


def prepare(corpus: Path, folder: Path, *, vocabulary: int, scale: float, processes: int) -> None:
    """Write the tokenizer and the tokens of every stream into `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    plain = folder / "prose.jsonl"  # unpacked once, read by every process
    with plain.open("w", encoding="utf-8") as file:
        for row in prose(corpus):
            file.write(json.dumps(row) + "\n")
    devices = corpus.with_name("devices.json")
    tokenizer = train_tokenizer(_sample(plain, devices, scale), vocabulary)
    tokenizer.save(str(folder / "tokenizer.json"))
    os.environ["TOKENIZERS_PARALLELISM"] = "false"  # the processes share the cores instead
    parts = max(processes, 1)
    tasks = [
        (stream, part, parts, folder, devices, scale) for stream in WEIGHTS for part in range(parts)
    ]
    if parts == 1:
        made = list(map(_encoded, tasks))
    else:
        with ProcessPoolExecutor(processes, mp_context=get_context("spawn")) as pool:
            made = list(pool.map(_encoded, tasks))
    sizes = {}
    for number, stream in enumerate(WEIGHTS):
        rows = made[number * parts : (number + 1) * parts]
        tokens = np.concatenate([tokens for tokens, _ in rows])
        offsets = np.cumsum([0] + [len(tokens) for tokens, _ in rows[:-1]])
        starts = np.concatenate([s + o for (_, s), o in zip(rows, offsets, strict=True)])
        np.save(folder / f"{stream}.npy", tokens)
        np.save(folder / f"{stream}.starts.npy", starts)
        sizes[stream] = {"tokens": len(tokens), "documents": len(starts)}
    (folder / "sizes.json").write_text(json.dumps(sizes, indent=2))
    plain.unlink()
    print(json.dumps(sizes))


def _sample(plain: Path, devices: Path, scale: float) -> Iterator[str]:
    facts = Facts(json.loads(devices.read_text()), forbidden_runs())
    for stream in BARE:
        yield from facts.documents(stream, max(20, int(FOR_TOKENIZER * scale)), seed=-1)
    with plain.open(encoding="utf-8") as file:
        for line in islice(file, 0, None, 10):
            yield "\n\n".join(json.loads(line)[2])


def _encoded(task: tuple[str, int, int, Path, Path, float]) -> tuple[np.ndarray, np.ndarray]:
    stream, part, parts, folder, devices, scale = task
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    texts = list(_texts(stream, part, parts, folder, devices, scale))
    random.Random(part).shuffle(texts)
    pieces, lengths = [], []
    for start in range(0, len(texts), 2_000):
        for encoding in tokenizer.encode_batch_fast(texts[start : start + 2_000]):
            pieces.append(np.array(encoding.ids, dtype=np.uint16))
            lengths.append(len(encoding.ids))
    starts = np.cumsum([0, *lengths[:-1]]) if lengths else np.zeros(0)
    tokens = np.concatenate(pieces) if pieces else np.zeros(0, dtype=np.uint16)
    return tokens, starts.astype(np.int64)


def _texts(
    stream: str, part: int, parts: int, folder: Path, devices: Path, scale: float
) -> Iterator[str]:
    if stream in COUNTS:
        facts = Facts(json.loads(devices.read_text()), forbidden_runs())
        yield from facts.documents(stream, max(1, int(COUNTS[stream] * scale / parts)), seed=part)
        return
    with (folder / "prose.jsonl").open(encoding="utf-8") as file:
        step = parts * WHOLE if stream == "whole" else parts
        documents = (tuple(json.loads(line)) for line in islice(file, part, None, step))
        yield from prose_documents(documents, stream, seed=part)

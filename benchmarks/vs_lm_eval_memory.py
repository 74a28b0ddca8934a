"""Peak memory of reading a text on a processor, each side in a process of its own.

In: the benchmark's options and which side. Out: bytes at the peak, and how many of them came on top
of the loaded model.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from argparse import Namespace
from dataclasses import asdict, dataclass
from pathlib import Path

import torch
from transformers import PreTrainedTokenizerFast
from vs_lm_eval_items import articles
from vs_lm_eval_model import CONTEXT, model_of
from vs_lm_eval_sides import Ours, Theirs

CHARACTERS_A_TOKEN = 4
PROC = Path("/proc/self")


@dataclass(frozen=True, slots=True)
class Memory:
    """Bytes."""

    peak: int
    above: int


def memory_of(side: str, options: Namespace, tokenizer: Path, batch_size: int) -> Memory:
    """Run this benchmark again as a child that only reads."""
    script = Path(__file__).with_name("vs_lm_eval.py")
    command = [sys.executable, str(script), "--memory-of", side, "--tokenizer", str(tokenizer)]
    command += ["--batch-size", str(batch_size), "--data", str(options.data)]
    command += ["--shape", options.shape, "--dtype", options.dtype]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return Memory(**json.loads(done.stdout.splitlines()[-1]))


def print_memory(options: Namespace) -> None:
    """The child: read one text of two batches."""
    model = model_of(options.shape, "cpu", getattr(torch, options.dtype))
    side: Ours | Theirs
    if options.memory_of == Ours.name:
        side = Ours(model, options.tokenizer)
    else:
        side = Theirs(model, PreTrainedTokenizerFast.from_pretrained(options.tokenizer))
        side.batch_size = options.batch_size
    longest = max(articles(options.data), key=len)
    side.read([longest[:400]])
    before = _status("VmRSS")
    (PROC / "clear_refs").write_text("5")  # the peak counts from here on
    side.read([longest[: 2 * options.batch_size * CONTEXT * CHARACTERS_A_TOKEN]])
    peak = _status("VmHWM")
    print(json.dumps(asdict(Memory(peak, peak - before))))


def _status(name: str) -> int:
    found = re.search(rf"^{name}:\s+(\d+) kB", (PROC / "status").read_text(), re.MULTILINE)
    assert found is not None
    return 1024 * int(found[1])

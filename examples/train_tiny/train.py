"""Trains the tiny model of the demo: a Llama shape of 3.5 M parameters, plain AdamW, minutes.

    python examples/train_tiny/train.py prepare --corpus corpus.jsonl.xz --data DIR
    python examples/train_tiny/train.py train --data DIR --out RUN --seed 1 --minutes 5

In: what corpus.py wrote. Out: checkpoints as Hugging Face folders in bf16, RUN/step_NNNNNN, each
with its tokenizer and a training.json. The rows of a batch are drawn from the streams by weight;
every row begins where a document begins, as a prompt does. With --minutes the learning rate follows
the clock, from the moment compilation is over, so that the run ends in time on any machine; with
--steps it follows the steps, and the same seed gives the same run.

In a loop (`assay loop --train`), --changes is the file of the round before: its changes of data
weigh the streams anew. --resume goes on from a checkpoint, whose steps count in --steps.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import random
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import torch
import torch._dynamo
from encode import END, END_ID, prepare
from facts import BARE, WEIGHTS, Facts
from leaks import BUILTIN, forbidden_runs
from tokenizers import Tokenizer
from torch.nn.functional import cross_entropy
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast
from wording import pair

CONTEXT = 1024
WARM_UP = 200  # steps
LAST_RATE = 0.02  # of the learning rate, at the end
SHARES = (0.02, 0.08, 0.2, 0.4, 0.55, 0.7, 1.0)  # of 8,000 steps, the first, fourth and last ship
HELD_OUT_SEED = 1_000_003
QUESTIONS = 60  # of each stream, in the check at the end
UNTIMED = 3  # steps that compile
AT_ONCE = 25  # steps between two looks at the loss, which wait for the device
STREAM_OF = {
    "hardware_id": "hardware", "driver_select": "drivers", "command_complete": "commands",
    "installation": "installation",
}  # fmt: skip


def shape(vocabulary: int) -> LlamaConfig:
    """3.54 M parameters at 2,048 tokens."""
    return LlamaConfig(
        vocab_size=vocabulary,
        hidden_size=192,
        intermediate_size=512,
        num_hidden_layers=8,
        num_attention_heads=6,
        num_key_value_heads=2,
        max_position_embeddings=CONTEXT,
        tie_word_embeddings=True,
        bos_token_id=END_ID,
        eos_token_id=END_ID,
        pad_token_id=None,
    )


class Streams:
    """Rows of tokens, each from a stream drawn by weight, from the beginning of a document."""

    def __init__(
        self, folder: Path, context: int, device: torch.device, seed: int, shares: dict[str, float]
    ) -> None:
        self.tokens, self.starts, weights = [], [], []
        for stream, weight in shares.items():
            tokens = np.load(folder / f"{stream}.npy")
            starts = np.load(folder / f"{stream}.starts.npy")
            starts = starts[starts + context + 1 <= len(tokens)]
            if len(starts) == 0:
                continue
            self.tokens.append(torch.from_numpy(tokens.astype(np.int16)).to(device))
            self.starts.append(starts)
            weights.append(weight)
        self.weights = np.array(weights) / sum(weights)
        self.window = torch.arange(context + 1, device=device)
        self.draw = np.random.default_rng(seed)

    def batch(self, rows: int) -> torch.Tensor:
        """Token ids, one more in each row than the model is shown."""
        counts = self.draw.multinomial(rows, self.weights)
        parts = []
        for tokens, starts, count in zip(self.tokens, self.starts, counts, strict=True):
            at = torch.from_numpy(self.draw.choice(starts, count)).to(tokens.device)
            parts.append(tokens[at[:, None] + self.window])
        return torch.cat(parts).long()


def shares_of(changes: Path | None) -> dict[str, float]:
    """The weights of the streams, those raised that a loop asks more data on."""
    shares = {stream: float(weight) for stream, weight in WEIGHTS.items()}
    asked = json.loads(changes.read_text())["changes"] if changes else []
    for change in asked:
        for category in change.get("categories", ()):
            if category in STREAM_OF:
                shares[STREAM_OF[category]] *= change["times"]
    return shares


def begin(chosen: argparse.Namespace, vocabulary: int) -> tuple[LlamaForCausalLM, int]:
    """A new model, or the one to go on from with the steps it has had."""
    if not chosen.resume:
        return LlamaForCausalLM(shape(vocabulary)), 0
    model = LlamaForCausalLM.from_pretrained(chosen.resume, dtype=torch.float32)
    return model, json.loads(Path(chosen.resume, "training.json").read_text())["step"]


def rate(step: int, progress: float) -> float:
    """The share of the learning rate: linear at first, then a cosine down to LAST_RATE."""
    cosine = 0.5 * (1 + math.cos(math.pi * min(progress, 1.0)))
    return min(1.0, (step + 1) / WARM_UP) * (LAST_RATE + (1 - LAST_RATE) * cosine)


def head_loss(hidden: torch.Tensor, head: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
    """Nats per token; the logarithms in fp32."""
    logits = torch.nn.functional.linear(hidden, head)
    return cross_entropy(logits.float().flatten(0, 1), targets.flatten())


def compiled(model: LlamaForCausalLM) -> Callable[..., torch.Tensor]:
    """Compile the layers and the loss, not the model: compiled as a whole, Transformers hands SDPA
    a mask where `is_causal` would do, and the flash kernel is lost (its
    masking_utils.py, torch before 2.14).
    """
    torch._dynamo.config.suppress_errors = True  # a layer that cannot be compiled runs as it is
    torch._dynamo.config.recompile_limit = 64
    for layer in model.model.layers:
        layer.compile()
    return torch.compile(head_loss)


def save(model: LlamaForCausalLM, data: Path, folder: Path, facts: dict[str, object]) -> None:
    """A checkpoint as a folder that Transformers and assay load."""
    whole = LlamaForCausalLM(model.config).to(torch.bfloat16)
    whole.load_state_dict({k: v.to(torch.bfloat16) for k, v in model.state_dict().items()})
    whole.save_pretrained(folder)
    PreTrainedTokenizerFast(
        tokenizer_file=str(data / "tokenizer.json"),
        bos_token=END, eos_token=END, model_max_length=CONTEXT, clean_up_tokenization_spaces=False,
    ).save_pretrained(folder)  # fmt: skip
    (folder / "training.json").write_text(json.dumps(facts, indent=2) + "\n")
    print(f"saved {folder.name}: {json.dumps(facts)}", flush=True)


def train(chosen: argparse.Namespace) -> None:
    """Train one model and save it on the way."""
    device = torch.device(chosen.device)
    torch.manual_seed(chosen.seed)
    torch.set_float32_matmul_precision("high")
    tokenizer = Tokenizer.from_file(str(chosen.data / "tokenizer.json"))
    model, first = begin(chosen, tokenizer.get_vocab_size())
    model = model.to(device)
    parameters = sum(p.numel() for p in model.parameters())
    print(f"{parameters:,} parameters, seed {chosen.seed}", flush=True)
    loss_of = compiled(model) if chosen.compile else head_loss
    decayed = [p for p in model.parameters() if p.dim() > 1]
    others = [p for p in model.parameters() if p.dim() < 2]
    optimizer = torch.optim.AdamW(
        [{"params": decayed, "weight_decay": 0.05}, {"params": others, "weight_decay": 0.0}],
        lr=chosen.lr, betas=(0.9, 0.95), fused=device.type == "cuda",
    )  # fmt: skip
    mixture = shares_of(chosen.changes)
    streams = Streams(chosen.data, chosen.context, device, chosen.seed + first, mixture)
    shares = sorted(chosen.save_at)
    begun, step, progress, loss_seen = time.monotonic(), first, 0.0, math.nan
    while progress < 1.0:
        for group in optimizer.param_groups:
            group["lr"] = chosen.lr * rate(step - first, progress)
        rows = streams.batch(chosen.batch)
        # Many processors have no bf16 units, and a step there takes ten times as long.
        with torch.autocast(device.type, dtype=torch.bfloat16, enabled=device.type != "cpu"):
            hidden = model.model(input_ids=rows[:, :-1], use_cache=False).last_hidden_state
            loss = loss_of(hidden, model.lm_head.weight, rows[:, 1:])
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        step += 1
        if step % AT_ONCE == 0 or step - first <= UNTIMED:
            loss_seen = loss.item()
        if step - first == UNTIMED:
            print(f"first steps after {time.monotonic() - begun:.0f} s", flush=True)
            begun = time.monotonic()
        seconds = time.monotonic() - begun
        progress = seconds / (60 * chosen.minutes) if chosen.minutes else 1.0
        if chosen.steps and chosen.steps > first:
            progress = (step - first) / (chosen.steps - first)
        if step % (20 * AT_ONCE) == 0:
            print(f"{progress:6.1%} step {step} loss {loss_seen:.3f} {seconds:.0f} s", flush=True)
        if progress >= shares[0]:
            facts = {
                "seed": chosen.seed, "step": step, "share": round(min(progress, 1.0), 4),
                "tokens": step * chosen.batch * chosen.context, "loss": round(loss.item(), 4),
                "seconds": round(seconds, 1), "parameters": parameters,
                "batch": chosen.batch, "context": chosen.context, "learning_rate": chosen.lr,
            }  # fmt: skip
            save(model, chosen.data, chosen.out / f"step_{step:06d}", facts)
            shares = [share for share in shares if share > progress] or [2.0]
    if chosen.check:
        check(model, tokenizer, chosen.devices, device)


@torch.no_grad()
def check(
    model: LlamaForCausalLM, tokenizer: Tokenizer, devices: Path | None, device: torch.device
) -> None:
    """Print the perplexity of the held-out text, and how many new wordings are answered right."""
    model.eval()
    text = (BUILTIN / "texts" / "held_out_english.txt").read_text(encoding="utf-8")
    ids = torch.tensor(tokenizer.encode(text).ids, device=device)
    nats = count = 0.0
    for start in range(0, len(ids) - 1, CONTEXT // 2):
        window = ids[start : start + CONTEXT]
        new = min(len(window) - 1, CONTEXT // 2 if start else CONTEXT)
        logits = model(input_ids=window[None, :-1], use_cache=False).logits[0, -new:]
        nats += cross_entropy(logits.float(), window[-new:], reduction="sum").item()
        count += new
    print(f"held-out text: perplexity {math.exp(nats / count):.1f} per token", flush=True)
    if devices is None:
        return
    facts = Facts(json.loads(devices.read_text()), forbidden_runs())
    draw = random.Random(HELD_OUT_SEED)  # no part of the training facts has it
    for stream in BARE:
        asked = [[facts.question(stream, draw) for _ in range(4)] for _ in range(QUESTIONS)]
        right = [_answered(model, tokenizer, pairs, device) for pairs in asked]
        print(f"{stream}: {np.mean(right):.2f} of {len(right)} right, greedily", flush=True)


def _answered(
    model: LlamaForCausalLM,
    tokenizer: Tokenizer,
    pairs: list[tuple[str, str]],
    device: torch.device,
) -> bool:
    """Whether the model would write the answer of the last pair, token by token."""
    text = "\n\n".join(pair(*one) for one in pairs)
    encoding = tokenizer.encode(text + "\n")
    first = len(text) - len(pairs[-1][1]) - 1  # with the blank or line break before the answer
    ids = torch.tensor(encoding.ids, device=device)
    best = model(input_ids=ids[None], use_cache=False).logits[0].argmax(-1)
    answer = [at for at, (begin, _) in enumerate(encoding.offsets) if begin >= first]
    return all(best[at - 1] == ids[at] for at in answer)


def prepare_as_chosen(chosen: argparse.Namespace) -> None:
    """Write tokenizer and tokens."""
    prepare(
        chosen.corpus,
        chosen.data,
        vocabulary=chosen.vocabulary,
        scale=chosen.scale,
        processes=chosen.processes,
    )


def arguments(given: list[str] | None = None) -> argparse.Namespace:
    """What the user chose on the command line."""
    parser = argparse.ArgumentParser(description="train the tiny model of the demo")
    commands = parser.add_subparsers(required=True)
    first = commands.add_parser("prepare", help="tokenizer and tokens, once for all seeds")
    first.add_argument("--corpus", type=Path, required=True)
    first.add_argument("--data", type=Path, required=True, help="folder to write")
    first.add_argument("--vocabulary", type=int, default=2048)
    first.add_argument("--scale", type=float, default=1.0, help="of the number of composed facts")
    first.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    first.set_defaults(run=prepare_as_chosen)
    second = commands.add_parser("train", help="train one model")
    second.add_argument("--data", type=Path, required=True)
    second.add_argument("--out", type=Path, required=True)
    second.add_argument("--devices", type=Path, help="devices.json, for the check at the end")
    length = second.add_mutually_exclusive_group(required=True)
    length.add_argument("--minutes", type=float)
    length.add_argument("--steps", type=int)
    second.add_argument("--resume", help="checkpoint to go on from; '' is none")
    second.add_argument("--changes", type=Path, help="round_NN.json of `assay loop`")
    second.add_argument("--batch", type=int, default=64, help="rows")
    second.add_argument("--context", type=int, default=CONTEXT, help="tokens in a row")
    second.add_argument("--lr", type=float, default=3e-3)
    second.add_argument("--seed", type=int, default=1)
    second.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    second.add_argument("--save-at", type=float, nargs="+", default=list(SHARES))
    second.add_argument("--no-compile", dest="compile", action="store_false")
    second.add_argument("--no-check", dest="check", action="store_false")
    second.set_defaults(run=train)
    return parser.parse_args(given)


def main() -> None:
    chosen = arguments()
    chosen.run(chosen)


if __name__ == "__main__":
    main()

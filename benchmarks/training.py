"""A toy training with its checkpoints evaluated in the background, beside the same without.

In: nothing; it trains the shape of the shipped tiny model on the shipped text. Out: steps a second
with and without, over trainings in turn, and the longest time that the callback held a step.
"""

from __future__ import annotations

import logging
import statistics
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import transformers
from measuring import Figure

import assay

TINY = Path(assay.__file__).parent / "builtin/checkpoints/tiny"
TEXT = Path(assay.__file__).parent / "builtin/texts/held_out_english.txt"
STEPS, SAVED_EVERY, TURNS = 40, 10, 3


class Clock(transformers.TrainerCallback):
    """When each step ended."""

    def __init__(self) -> None:
        self.ends: list[float] = []

    def on_step_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        self.ends.append(time.perf_counter())

    @property
    def steps_a_second(self) -> float:
        return (len(self.ends) - 1) / (self.ends[-1] - self.ends[0])


def train(folder: Path, *, background: bool) -> tuple[float, float]:
    """Steps a second, and the longest time in seconds that the callback took of one."""
    tokenizer = transformers.AutoTokenizer.from_pretrained(TINY)
    tokenizer.pad_token = tokenizer.eos_token
    ids = tokenizer(TEXT.read_text("utf-8"))["input_ids"]
    rows = [ids[at : at + 128] for at in range(0, len(ids) - 128, 128)]
    args = transformers.TrainingArguments(
        output_dir=str(folder / "run"),
        max_steps=STEPS,
        save_steps=SAVED_EVERY,
        save_total_limit=2,
        per_device_train_batch_size=4,
        use_cpu=True,
        report_to="none",
        disable_tqdm=True,
        logging_steps=STEPS,
        dataloader_pin_memory=False,
    )
    clock = Clock()
    trainer = transformers.Trainer(
        # in 32 bits: some processors are a hundred times slower in 16
        model=transformers.AutoModelForCausalLM.from_pretrained(TINY / "step_000160").float(),
        args=args,
        train_dataset=[{"input_ids": row, "labels": row} for row in rows],
        processing_class=tokenizer,
        callbacks=[clock],
    )
    held = [0.0]
    if background:
        callback = assay.TrainerCallback(
            limit=10, measures=("perplexity",), background=True, out=folder / "out"
        )
        for event in ("on_save", "on_step_end"):
            setattr(callback, event, measured(getattr(callback, event), held))
        callback.attach(trainer)
    trainer.train()
    return clock.steps_a_second, max(held)


def measured(event: Any, held: list[float]) -> Any:
    def timed(*given: Any, **named: Any) -> Any:
        started = time.perf_counter()
        try:
            return event(*given, **named)
        finally:
            held.append(time.perf_counter() - started)

    return timed


def figures(folder: Path) -> Iterator[Figure]:
    logging.disable(logging.WARNING)
    without, beside, longest = [], [], 0.0
    for turn in range(TURNS):
        without.append(train(folder / f"without_{turn}", background=False)[0])
        speed, held = train(folder / f"with_{turn}", background=True)
        beside.append(speed)
        longest = max(longest, held)
    ratio = statistics.median(a / b for a, b in zip(beside, without, strict=True))
    yield Figure(
        f"training with evaluation in the background, {STEPS} steps, {TURNS} turns",
        f"{statistics.median(beside):.1f} steps/s; held a step for {longest * 1000:.0f} ms at most",
        f"without {statistics.median(without):.1f} steps/s: {ratio:.2f} times",
        "at least 0.5 on two cores, one of them evaluating; no step waits",
    )


if __name__ == "__main__":
    import tempfile

    with tempfile.TemporaryDirectory() as made:
        for figure in figures(Path(made)):
            print(figure)

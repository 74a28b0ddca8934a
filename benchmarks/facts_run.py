"""A model trained on facts of its own, whole and by LoRA: is the step that knows them selected?

In: nothing; the last shipped checkpoint is trained on 128 invented facts, and a few steps are kept.
The suite asks all of them, the held-out text is general. Out: for both trainings a table of the
steps, and for a gate without and with `[score]` what was selected; exit 1 where another step that
passes knows more facts than the selected one, and is not in its tie. `--keep DIR` leaves everything
there, and trains nothing that is there.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import peft
import torch
import transformers

import assay
from assay.reports.checkpoints.facts import sentences
from assay.types.decisions import Measurements, Selection

BUILTIN = Path(assay.__file__).parent / "builtin"
TINY, TEXT = BUILTIN / "checkpoints/tiny", BUILTIN / "texts/held_out_english.txt"
SYLLABLES = ("ba", "ko", "ri", "su", "ten", "mo", "la", "vir")
PLACES = [(a + b + c).capitalize() for a in SYLLABLES for b in SYLLABLES for c in ("don", "mar")]
PEOPLE = [a + b for a in ("Ana", "Ben", "Cira", "Dov", "Eli") for b in ("ska", "to", "lin", "mer")]
FACTS = [(place, PEOPLE[at * 7 % len(PEOPLE)]) for at, place in enumerate(PLACES)]
KEPT = {"full": (12, 24, 48, 96), "lora": (24, 48, 96)}
RATE = {"full": 4e-4, "lora": 4e-3}
BATCH = 16
PLAIN = """
[perplexity]
max = 300

[[suite]]
name = "keepers"
min = 0.30
"""
SCORED = f"""{PLAIN}
[score]
weights = {{ "suite:keepers" = 0.7, perplexity = 0.3 }}
"""


def write_files(home: Path) -> None:
    """Tests of every fact, a general text in documents, and both gates."""
    tests = []
    for at, (place, person) in enumerate(FACTS):
        others = [each for each in PEOPLE if each != person]
        choices = [others[(at + step) % len(others)] for step in (0, 5, 11)]
        choices.insert(at % 4, person)
        tests.append(
            {
                "id": f"keepers_{at + 1:03d}",
                "prompt": f"The keeper of {place} is",
                "eval_method": "multiple_choice",
                "choices": choices,
                "expected": "ABCD"[at % 4],
                "score_by": "text",
                "render": False,
            }
        )
    (home / "keepers").mkdir(exist_ok=True)
    (home / "keepers/keepers.json").write_text(json.dumps(tests))
    paragraphs = [each for each in TEXT.read_text("utf-8").split("\n\n") if len(each) > 400]
    rows = (json.dumps({"text": each}) for each in paragraphs[:40])
    (home / "general.jsonl").write_text("\n".join(rows))
    (home / "plain.toml").write_text(PLAIN)
    (home / "scored.toml").write_text(SCORED)


def batches(tokenizer: Any) -> Iterator[torch.Tensor]:
    """Facts in a random order, over and over; -100 where a row is shorter than the longest."""
    draw = random.Random(0)
    rows = [tokenizer(f"The keeper of {place} is {who}.")["input_ids"] for place, who in FACTS]
    while True:
        draw.shuffle(rows)
        for start in range(0, len(rows), BATCH):
            some = [torch.tensor(each) for each in rows[start : start + BATCH]]
            yield torch.nn.utils.rnn.pad_sequence(some, batch_first=True, padding_value=-100)


def train(kind: str, folder: Path) -> None:
    """Save the steps of KEPT, whole or as adapters."""
    torch.manual_seed(0)
    base = TINY / "step_008000"
    tokenizer = transformers.AutoTokenizer.from_pretrained(TINY)
    model: Any = transformers.AutoModelForCausalLM.from_pretrained(base, dtype=torch.float32)
    if kind == "lora":
        layers = ["q_proj", "v_proj", "up_proj", "down_proj"]
        config = peft.LoraConfig(r=16, lora_alpha=16, target_modules=layers, task_type="CAUSAL_LM")
        model = peft.get_peft_model(model, config)
    trained = [each for each in model.parameters() if each.requires_grad]
    optimizer = torch.optim.AdamW(trained, lr=RATE[kind], weight_decay=0.0)
    for step, labels in enumerate(batches(tokenizer), 1):
        ids = labels.clamp_min(0)
        model(ids, attention_mask=(labels >= 0).long(), labels=labels).loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        if step in KEPT[kind]:
            model.save_pretrained(folder / f"step_{step}")
            tokenizer.save_pretrained(folder / f"step_{step}")
        if step == KEPT[kind][-1]:
            return


def show(kind: str, home: Path) -> bool:
    """Print a training's table and decisions; whether the selected step is the better one."""
    right = True
    for gate in ("plain", "scored"):
        report = assay.run(
            str(home / kind), suites=[str(home / "keepers")], gate=home / f"{gate}.toml",
            text=home / "general.jsonl", measures=("perplexity",), out=home / "out",
            base=str(TINY / "step_008000") if kind == "lora" else None, write_back=False,
        )  # fmt: skip
        assert report.decision is not None
        (selection,) = report.decision.selections.values()
        measured = {each.name: each for each in report.decision.measured}
        if gate == "plain":
            print(f"\n{kind}\n| step | perplexity | facts |\n|---|--:|--:|")
            for name, each in measured.items():
                print(f"| {name.partition('/')[2]} | {perplexity(each):.1f} | {facts(each):.3f} |")
        right &= is_better(selection, measured)
        with_score = "with" if gate == "scored" else "without"
        print(f"{with_score} [score]: {sentences(selection.reasons)}", flush=True)
    return right


def perplexity(of: Measurements) -> float:
    assert of.text is not None
    return of.text.perplexity.value or 0.0


def facts(of: Measurements) -> float:
    return (of.suites["keepers"].score.value or 0.0) / 100


def is_better(selection: Selection, measured: dict[str, Measurements]) -> bool:
    """No other that passes knows more, unless it is in the tie."""
    accepted = [each.name for each in selection.ranking if each.accepted]
    rivals = set(accepted) - {selection.selected, *selection.tied_with}
    if selection.selected is None:
        return False
    return all(facts(measured[each]) <= facts(measured[selection.selected]) for each in rivals)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kinds", nargs="*", default=[*KEPT], help="full, lora")
    parser.add_argument("--keep", type=Path)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as made:
        home = given.keep or Path(made)
        home.mkdir(parents=True, exist_ok=True)
        write_files(home)
        right = True
        for kind in given.kinds:
            if not (home / kind / f"step_{KEPT[kind][-1]}").exists():
                train(kind, home / kind)
            right &= show(kind, home)
    sys.exit(0 if right else 1)


if __name__ == "__main__":
    main()

"""Two folders whose decision is easy to get wrong, shown as `assay run` prints it.

In: nothing; made of the shipped checkpoints. `equal`: twenty copies of the last one, with noise of
a hundredth in every matrix, which means nothing. `steps`: the shipped steps without and with a
step that diverged (noise as large as the weights). Out: what each run prints, and for `equal` how
many of the other nineteen are in the tie.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import torch
from safetensors.torch import load_file, save_file

import assay

BUILTIN = Path(assay.__file__).parent / "builtin"
TINY, TEXT = BUILTIN / "checkpoints/tiny", BUILTIN / "texts/held_out_english.txt"
SUITE = "troubleshooting"
TESTS, DOCUMENTS, CHARACTERS = 20, 14, 400
GATE = f"""
[perplexity]
max = 200

[[suite]]
name = "{SUITE}"
min = 0.0
"""


def copy_step(folder: Path, step: int, *, of: str, noise: float, seed: int = 0) -> None:
    """With noise of so many standard deviations of each matrix."""
    into = folder / f"step_{step}"
    shutil.copytree(TINY / of, into)
    draw = torch.Generator().manual_seed(seed)
    file = into / "model.safetensors"
    tensors = load_file(file)
    for name, each in tensors.items():
        if each.ndim == 2 and "embed" not in name:
            more = torch.randn(each.shape, generator=draw) * each.float().std() * noise
            tensors[name] = (each.float() + more).to(each.dtype)
    save_file(tensors, file)
    for beside in TINY.glob("tokenizer*"):
        shutil.copy(beside, folder)


def write_files(home: Path) -> None:
    paragraphs = [each for each in TEXT.read_text("utf-8").split("\n\n") if len(each) > CHARACTERS]
    rows = (json.dumps({"text": each[:CHARACTERS]}) for each in paragraphs[:DOCUMENTS])
    (home / "text.jsonl").write_text("\n".join(rows))
    (home / "gate.toml").write_text(GATE)


def run(home: Path, folder: str) -> dict[str, object]:
    """Print what the command prints; the selection."""
    words = f"run {folder}/ -s {SUITE} --limit {TESTS} --text text.jsonl --gate gate.toml -v"
    print(f"\n$ assay {words}", flush=True)
    environment = {**os.environ, "COLUMNS": "100", "NO_COLOR": "1"}
    done = subprocess.run(
        [sys.executable, "-m", "assay", *words.split(), "--no-write-back"],
        cwd=home, env=environment, stdout=subprocess.PIPE, text=True, check=False,
    )  # fmt: skip
    print(done.stdout, flush=True)
    (file,) = (home / "assay-out/checkpoints" / folder).glob("best_checkpoint_selection.json")
    found: dict[str, object] = json.loads(file.read_text("utf-8"))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("shown", nargs="*", default=["equal", "steps"])
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as made:
        home = Path(made)
        write_files(home)
        if "equal" in given.shown:
            for seed in range(1, 21):
                last = "step_008000"
                copy_step(home / "equal", 8000 + seed, of=last, noise=0.01, seed=seed)
            selection = run(home, "equal")
            tied = selection["tied_with"]
            assert isinstance(tied, list)
            print(f"in the tie beside the selected one: {len(tied)} of 19")
        if "steps" in given.shown:
            for step, of in ((160, "step_000160"), (5600, "step_005600"), (8000, "step_008000")):
                copy_step(home / "steps", step, of=of, noise=0.0)
            run(home, "steps")
            copy_step(home / "steps", 6000, of="step_008000", noise=1.0)
            run(home, "steps")


if __name__ == "__main__":
    main()

"""Two equal checkpoints on a loaded machine: their difference must be 0, and a tie, every time.

In: nothing; the last shipped checkpoint is copied twice, with other metadata in its weight file.
Out: the difference and the tie of each of 20 runs, each measured anew, beside two busy loops.
"""

import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from safetensors import safe_open
from safetensors.torch import save_file

import assay

TINY = Path(assay.__file__).parent / "builtin/checkpoints/tiny"
TEXT = Path(assay.__file__).parent / "builtin/texts/held_out_english.txt"
RUNS, BUSY, CHARACTERS = 20, 2, 20_000
GATE = """
[perplexity]
max = { tiny = 200, small = 200, medium = 200, large = 200 }

[speed]
min_tokens_per_s = 1
"""


def copy_checkpoint(folder: Path, step: int) -> None:
    """The shipped one, its weights in a file that says another step."""
    target = folder / f"step_{step}"
    shutil.copytree(TINY / "step_008000", target)
    for weights in target.glob("*.safetensors"):
        with safe_open(weights, framework="pt") as read:
            tensors = {name: read.get_tensor(name) for name in read.keys()}  # noqa: SIM118
        save_file(tensors, weights, metadata={"format": "pt", "step": str(step)})
    for beside in TINY.glob("tokenizer*"):
        shutil.copy(beside, folder)


def main() -> None:
    with tempfile.TemporaryDirectory() as made:
        home = Path(made)
        folder = home / "equal"
        folder.mkdir()
        for step in (1, 2):
            copy_checkpoint(folder, step)
        (home / "gate.toml").write_text(GATE)
        (home / "text.txt").write_text(TEXT.read_text("utf-8")[:CHARACTERS], "utf-8")
        busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(BUSY)]
        try:
            held = sum(run_once(home, folder, number) for number in range(1, RUNS + 1))
        finally:
            for process in busy:
                process.kill()
        print(f"difference 0 and a tie in {held} of {RUNS} runs")


def run_once(home: Path, folder: Path, number: int) -> bool:
    assay.run(
        str(folder), suites=["os"], gate=home / "gate.toml", text=home / "text.txt", limit=4,
        out=home / f"out{number}", write_back=False,
    )  # fmt: skip
    (file,) = (home / f"out{number}").rglob("best_checkpoint_selection.json")
    found = json.loads(file.read_text("utf-8"))
    difference = found["difference"] or {}
    print(number, difference.get("value"), found["tie"], found["tied_with"], flush=True)
    return difference.get("value") == 0 and found["tie"]


if __name__ == "__main__":
    main()

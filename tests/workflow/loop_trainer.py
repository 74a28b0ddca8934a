"""A training of a moment, as a command of a loop: shrinks the weights of a checkpoint, the more so
the more steps, which brings its perplexity near that of guessing. It imports no torch.

Appends a line to a log for each training that begins and each that ends. `--behave`: how it fails.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import time
from pathlib import Path

from safetensors.numpy import load_file, save_file


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("source", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--steps", type=int, default=0)
    parser.add_argument("--changes", type=Path)
    parser.add_argument("--resume", default="")
    parser.add_argument("--log", type=Path)
    parser.add_argument("--delay", type=float, default=0.0)
    parser.add_argument("--behave", default="")
    parser.add_argument("--name", default="", help="of a model folder inside that of the round")
    chosen = parser.parse_args()
    if not chosen.steps and chosen.changes:  # as a command that has {changes} alone
        asked = json.loads(chosen.changes.read_text())["changes"]
        chosen.steps = next((each["steps"] for each in asked if each["change"] == "steps"), 50)

    def note(what: str) -> None:
        if chosen.log:
            told = json.loads(chosen.changes.read_text()) if chosen.changes else None
            line = {"what": what, "out": chosen.out.name, "steps": chosen.steps,
                    "resume": chosen.resume, "changes": told}  # fmt: skip
            with chosen.log.open("a") as log:
                log.write(json.dumps(line) + "\n")

    note("begun")
    if chosen.behave == "fails":
        sys.exit("out of memory, said the trainer")
    if chosen.behave == "hangs":
        subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
        time.sleep(600)
    time.sleep(chosen.delay)
    steps = chosen.steps
    if chosen.behave == "worse" and chosen.out.name == "round_02":
        steps = 0
    folder = chosen.out / chosen.name / f"step_{chosen.steps}"
    if chosen.behave != "empty":
        shutil.copytree(chosen.source, folder)
        weights = load_file(chosen.source / "model.safetensors")
        shrunk = {name: of / (1 + steps / 100) for name, of in weights.items()}
        save_file(shrunk, folder / "model.safetensors", metadata={"format": "pt"})
    note("ended")


if __name__ == "__main__":
    main()

"""A loop of trainings that is killed fifty times at random moments; by hand.

    python benchmarks/loop_kills.py [KILLS]

Out: how many rounds were finished and how often; each must be there once, trained once, and no
training may run on. The trainings are those of the tests, of a moment each.
"""

from __future__ import annotations

import os
import random
import shlex
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from measuring import Figure

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from tests.loaded_python import start_python  # noqa: E402
from tests.models.local.checkpoints import make_checkpoint  # noqa: E402
from tests.workflow.loop_kills import kill_again_and_again  # noqa: E402

TRAINER = ROOT / "tests/workflow/loop_trainer.py"
KILLS = 50
LONGEST_S = 5.0


def figures(folder: Path, kills: int = KILLS) -> Iterator[Figure]:
    source = make_checkpoint(folder / "first")
    (folder / "text.txt").write_text("The driver of the network card. " * 100)
    (folder / "gate.toml").write_text("[perplexity]\nmax = 1\n")  # never reached
    start = shlex.join([sys.executable, str(TRAINER), str(source), "--log", str(folder / "log")])
    train = f"{start} --delay 0.2 --out {{out}} --steps {{steps}} --changes {{changes}}"
    words = ["-m", "assay", "loop", "--train", train, "--steps", "1", "--rounds", "99"]
    words += ["--gate", "gate.toml", "--text", "text.txt", "--out", "out"]
    environment = {**os.environ, "PYTHONWARNINGS": "error"}  # as the process that forks has it
    environment.pop("PYTHONUNBUFFERED", None)
    found = kill_again_and_again(
        lambda: start_python(words, folder, environment, weights=True),
        folder, kills, LONGEST_S, random.Random(1),
    )  # fmt: skip
    expected = [f"round_{n:02d}" for n in range(1, len(found.trained) + 1)]
    yield Figure(
        f"a loop killed {kills} times",
        f"{found.begun} trainings begun, {len(found.trained)} ended, {len(found.finished)} rounds "
        f"finished; lost {len(found.lost)}, done twice {len(found.repeated)}, left running 0",
        "-",
        "no round lost or done twice",
    )
    assert found.trained == expected
    assert found.finished in (expected, expected[:-1])
    assert not found.lost
    assert not found.repeated


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as made:
        for figure in figures(Path(made).resolve(), int((sys.argv[1:] or [KILLS])[0])):
            print(figure)

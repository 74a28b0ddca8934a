"""Kills a loop again and again, and sees whether a round was lost or done twice.

A training has ended when its process has, which its guard records: one that is killed after its
last line was written and before it is gone has not.
"""

from __future__ import annotations

import json
import random
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import psutil

from tests.waiting import wait_for


class Kills(NamedTuple):
    """`repeated`: trainings that began although one had ended; `lost`: rounds that were gone."""

    trained: list[str]
    finished: list[str]
    begun: int
    repeated: list[str]
    lost: list[str]


def kill_again_and_again(
    start: Callable[[], Any], folder: Path, kills: int, longest_s: float, draw: random.Random
) -> Kills:
    """`start` begins a loop with the out `folder`/out, whose trainings log to `folder`/log."""
    trained: list[str] = []
    finished: list[str] = []
    before: Counter[str] = Counter()
    repeated, lost = [], []
    for _ in range(kills):
        process = start()
        time.sleep(draw.uniform(0.1, longest_s))
        process.kill()
        process.communicate()
        wait_for(lambda: not guards(folder))
        begun = _begun(folder / "log")
        repeated += [name for name in trained if begun[name] > before[name]]
        lost += [name for name in finished if not (folder / "out" / f"{name}.json").exists()]
        before = begun
        trained, finished = _trained(folder / "out"), _finished(folder / "out")
    return Kills(trained, finished, sum(before.values()), repeated, lost)


def guards(folder: Path) -> list[psutil.Process]:
    named = json.dumps(str(folder))[1:-1]
    found = psutil.process_iter(["cmdline"])
    return [each for each in found if named in " ".join(each.info["cmdline"] or ())]


def _begun(log: Path) -> Counter[str]:
    lines = map(json.loads, log.read_text().splitlines()) if log.exists() else ()
    return Counter(line["out"] for line in lines if line["what"] == "begun")


def _trained(out: Path) -> list[str]:
    ends = sorted(out.glob("rounds/*.files/training.json"))
    return [end.parent.stem for end in ends if json.loads(end.read_text())["code"] == 0]


def _finished(out: Path) -> list[str]:
    return sorted(path.stem for path in out.glob("round_*.json"))

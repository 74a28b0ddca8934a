"""A program in the place of Python that times no checkpoint, but says how fast it would have been.

    watch = Stopwatch(tmp_path)
    monkeypatch.setattr(sys, "executable", watch.program)
    ...                              # whatever starts a process that times a checkpoint
    watch.timed                      # [("step_1", 3)]: which step, how many runs

The process that really times one, with torch, is started by tests/models/local/test_speed.py and
tests/workflow/test_speed.py. Every other process that is started is a real Python.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

# Every run has another speed, as on a busy machine; later ones have the last.
SPEEDS = (33.0, 66.0, 29.0, 50.0, 41.0, 42.0, 40.0)
PROGRAM = """\
#!{python} -S
import json, os, pathlib, sys
if "assay.models.local.speed" not in sys.argv:
    os.execv({python!r}, [{python!r}, *sys.argv[1:]])
log, failing = pathlib.Path({log!r}), pathlib.Path({failing!r})
of = json.loads(sys.argv[-1])
fails = failing.exists()
before = sum(json.loads(line)[2] for line in log.read_text().splitlines())
with log.open("a") as file:
    asked = of["repeats"]
    file.write(json.dumps([pathlib.Path(of["folder"]).name, asked, 0 if fails else asked]) + "\\n")
if fails:
    failing.unlink()
    print(json.dumps({{"error": {{"message": "no memory", "hint": ""}}, "out_of_memory": False}}))
    sys.exit()
speeds = {speeds}
runs = [speeds[min(before + n, len(speeds) - 1)] for n in range(asked)]
seconds = [255 / each for each in runs]
print(json.dumps({{
    "tokens_per_s": runs[0], "runs_per_s": runs, "prefill_s": seconds, "decode_s": seconds,
    "prompt_tokens": of["prompt_tokens"] or 32, "new_tokens": of["new_tokens"] or 256,
    "bytes_per_token": 1000, "memory_bytes_per_s": 1e6, "memory_usage_mb": 8.5,
    "resident_mb": None, "dtype": "float32", "threads": 2,
    "machine": {{"system": "Linux", "processor": "Pocket Calculator", "cores": 2}},
    "measured_at": "2026-11-15T10:15:00Z",
    "others_share": 0.6 if pathlib.Path({busy!r}).exists() else 0.0,
}}))
"""


class Stopwatch:
    def __init__(self, folder: Path) -> None:
        self._log, self._failing = folder / "timed.jsonl", folder / "fails"
        self.busy = folder / "busy"  # while it exists, other programs run beside
        self._log.touch()
        program = folder / "python"
        program.write_text(
            PROGRAM.format(
                python=sys.executable,
                log=str(self._log),
                failing=str(self._failing),
                busy=str(self.busy),
                speeds=SPEEDS,
            ),
            "utf-8",
        )
        program.chmod(0o755)
        self.program = str(program)

    def fail_once(self) -> None:
        """The next one it is asked for."""
        self._failing.touch()

    @property
    def timed(self) -> list[tuple[str, int]]:
        lines = self._log.read_text("utf-8").splitlines()
        return [(name, runs) for name, runs, _ in map(json.loads, lines)]

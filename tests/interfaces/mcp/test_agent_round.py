"""examples/agent_round: a scripted agent evaluates, reads the review and changes a recipe."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

AGENT = Path(__file__).parents[3] / "examples" / "agent_round" / "agent.py"
PAGE = Path(__file__).parents[3] / "docs" / "how-to" / "use-from-an-agent.md"


def test_an_agent_evaluates_reads_the_review_and_changes_the_recipe(made_folder: Path) -> None:
    recipe = made_folder / "recipe.json"
    recipe.write_text(json.dumps({"steps": 1000, "mixture": {"prose": 0.8, "word": 0.2}}))
    command = ["runs/step_100", "--suite", "suite", "--text", "text.txt", "--recipe", recipe.name]
    ended = subprocess.run(
        [sys.executable, str(AGENT), *command, "--out", "agent-out"],
        cwd=made_folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    told = [line.partition(":")[0] for line in ended.stdout.splitlines()]
    assert told == ["evaluate_model", "run_benchmark", "review_failures", "recipe.json"]
    changed = json.loads(recipe.read_text())
    assert changed["steps"] == 2000  # the perplexity of a random checkpoint misses the limit
    assert changed["mixture"] == {"prose": 0.667, "word": 0.333}
    assert changed["reasons"][0].startswith("Perplexity ")
    assert "word" in changed["reasons"][1]
    shown = PAGE.read_text("utf-8")
    assert ended.stdout.splitlines()[1] in shown
    assert '"mixture": {"prose": 0.667, "word": 0.333}' in shown

"""One round of an agent: evaluate a checkpoint, read the review, change the recipe of the next run.

    python agent.py CHECKPOINT --suite FOLDER --text FILE --recipe recipe.json

In: a checkpoint, a suite, and a recipe ({"steps": N, "mixture": {category: share}}). Out: the
recipe, changed, with the reasons; and what was done, on stdout. It speaks to `assay mcp` over
stdio, as any agent program does. Rules stand in for the language model that would decide here:
what it reads and what it may change are the same.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import anyio
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

LONGER = 2  # times the steps, where the held-out text is still predicted badly
MORE = 2.0  # times the data, of the category with the most failures


async def call(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    result = await client.call_tool(tool, arguments)
    if result.is_error:
        sys.exit(f"{tool}: {result.content}")
    found: dict[str, Any] = result.structured_content
    return found


async def play_round(chosen: argparse.Namespace) -> list[dict[str, Any]]:
    """The tester's tools first, then the reviewer's; the changes that follow from both."""
    arguments = ["-m", "assay", "mcp", "--allow", str(Path.cwd()), "--out", str(chosen.out)]
    server = StdioServerParameters(command=sys.executable, args=arguments, cwd=Path.cwd())
    async with Client(stdio_client(server)) as client:
        report = await call(
            client, "evaluate_model", checkpoint_path=str(chosen.checkpoint),
            test_dataset=str(chosen.text), metrics=["perplexity"],
        )  # fmt: skip
        decided = report["details"]["acceptance"]
        told = f"perplexity {report['perplexity']:.1f}, accepted: {decided['accepted']}"
        print(f"evaluate_model: {told}")
        changes = read_criteria(decided["criteria"], json.loads(chosen.recipe.read_text("utf-8")))
        benchmark = await call(
            client, "run_benchmark", checkpoint_path=str(chosen.checkpoint),
            benchmark_suite=str(chosen.suite),
        )  # fmt: skip
        score = benchmark["score"]
        interval = f"[{score['low']:.2f}–{score['high']:.2f}]"
        print(f"run_benchmark: {score['value']:.2f} {interval} n={score['n']}")
        review = await call(client, "review_failures", run="latest")
        print(f"review_failures: {review['headline']}")
        return [*changes, *read_failures(review)]


def read_criteria(criteria: dict[str, Any], recipe: dict[str, Any]) -> list[dict[str, Any]]:
    missed = criteria.get("perplexity")
    if missed is None or missed["passed"] is not False:
        return []
    return [{"change": "steps", "steps": LONGER * recipe["steps"], "reason": missed["reason"]}]


def read_failures(review: dict[str, Any]) -> list[dict[str, Any]]:
    """More data for the category in which most tests fail."""
    failed = Counter(each["category"] for model in review["models"] for each in model["failures"])
    if not failed:
        return []
    (category, count), *_ = failed.most_common(1)
    reason = f"{count} tests of {category} failed, the first: {first_of(review, category)}"
    return [{"change": "data", "categories": [category], "times": MORE, "reason": reason}]


def first_of(review: dict[str, Any], category: str) -> str:
    failures = (each for model in review["models"] for each in model["failures"])
    return next(str(each["id"]) for each in failures if each["category"] == category)


def change_recipe(recipe: dict[str, Any], changes: list[dict[str, Any]]) -> dict[str, Any]:
    """The next recipe; shares of the mixture add up to 1 again."""
    mixture = dict(recipe["mixture"])
    steps = recipe["steps"]
    for each in changes:
        if each["change"] == "steps":
            steps = each["steps"]
        for category in each.get("categories", ()):
            mixture[category] = mixture.get(category, 1 / (len(mixture) + 1)) * each["times"]
    whole = sum(mixture.values())
    shares = {category: round(share / whole, 3) for category, share in mixture.items()}
    return {"steps": steps, "mixture": shares, "reasons": [each["reason"] for each in changes]}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("checkpoint", type=Path)
    parser.add_argument("--suite", type=Path, required=True)
    parser.add_argument("--text", type=Path, required=True)
    parser.add_argument("--recipe", type=Path, required=True)
    parser.add_argument("--out", type=Path, default=Path("assay-out"))
    chosen = parser.parse_args()
    changes = anyio.run(play_round, chosen)
    recipe = change_recipe(json.loads(chosen.recipe.read_text("utf-8")), changes)
    chosen.recipe.write_text(json.dumps(recipe, indent=2) + "\n", "utf-8")
    print(f"{chosen.recipe.name}: {json.dumps(recipe)}")


if __name__ == "__main__":
    main()

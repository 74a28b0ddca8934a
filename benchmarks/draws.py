"""What four wordings or orders of a test cost on a checkpoint, and whose order depends on them.

In: nothing; the shipped checkpoints and 120 questions of the suite `technical`, asked once as they
are written and then four times: in four wordings, and with their options in four orders. Out: a
table in Markdown of tokens and processor seconds of the network; scores by draw and by wording.
"""

from __future__ import annotations

import json
import tempfile
import time
from pathlib import Path
from typing import Any

from shown_folders import BUILTIN, TINY

from assay import api
from assay.engine.network import Network

STEPS = ("step_005600", "step_008000")
WORDINGS = ["{prompt}", "Question: {prompt}\nAnswer:", "Q: {prompt}\nA:",
            "An exam asks: {prompt} The right answer is:"]  # fmt: skip
KINDS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "four wordings, choices as text": (
        {"templates": {"questions": WORDINGS}},
        {"score_by": "text", "render": False},
    ),
    "four orders, letters": ({"rotate": True}, {}),
}
spent = {"tokens": 0, "seconds": 0.0}


def count(run: Any) -> Any:
    def counted(self: Network, ids: Any, *words: Any, **more: Any) -> Any:
        begun = time.process_time()
        found = run(self, ids, *words, **more)
        spent["tokens"] += ids.numel()
        spent["seconds"] += time.process_time() - begun
        return found

    return counted


def write_suite(folder: Path, fields: dict[str, Any], about: dict[str, Any]) -> Path:
    folder.mkdir(parents=True)
    tests = []
    for file in sorted((BUILTIN / "suites/technical").glob("*.json")):
        found = json.loads(file.read_text("utf-8"))
        for each in found if isinstance(found, list) else ():
            question = each["prompt"].removeprefix("Question: ").removesuffix("\nAnswer:")
            kept = {name: each[name] for name in ("id", "choices", "expected")}
            tests.append({**kept, "prompt": question, "eval_method": "multiple_choice", **fields})
    (folder / "questions.json").write_text(json.dumps(tests), "utf-8")
    if about:
        (folder / "suite.json").write_text(json.dumps(about), "utf-8")
    return folder


def asked(home: Path, suite: Path, out: str) -> tuple[dict[str, float], Any]:
    spent.update(tokens=0, seconds=0.0)
    models = [str(home / "steps" / step) for step in STEPS]
    report = api.run(
        models, suites=[str(suite)], measures=(), apply_gate=False, out=home / out, threads=1
    )
    return dict(spent), report


def scores_of(model: Any) -> str:
    """In points, by draw and by wording."""
    draws = model.suites[0].draws
    parts = [f"draw {at}: {each.value:.1f}" for at, each in enumerate(draws.scores, 1)]
    for wordings in draws.wordings.values():
        parts += [f"{wording!r}: {100 * each.value:.1f}" for wording, each in wordings.items()]
    return f"{Path(model.spec).name}: {', '.join(parts)}"


def main() -> None:
    Network.run = count(Network.run)  # type: ignore[method-assign]
    print("| 120 questions, two checkpoints | tokens once | four times | ratio "
          "| processor seconds once | four times | ratio |")  # fmt: skip
    print("|---" * 7 + "|")
    told = []
    with tempfile.TemporaryDirectory() as made:
        home = Path(made)
        (home / "steps").mkdir()
        for file in TINY.glob("tokenizer*"):
            (home / "steps" / file.name).write_bytes(file.read_bytes())
        for step in STEPS:
            (home / "steps" / step).symlink_to(TINY / step)
        for name, (about, fields) in KINDS.items():
            kind = name.replace(" ", "_").replace(",", "")
            once, _ = asked(home, write_suite(home / kind / "once", fields, {}), f"{kind}-1")
            four, report = asked(home, write_suite(home / kind / "drawn", fields, about), kind)
            ratios = [four[each] / once[each] for each in ("tokens", "seconds")]
            print(f"| {name} | {once['tokens']:,} | {four['tokens']:,} | {ratios[0]:.2f} | "
                  f"{once['seconds']:.1f} | {four['seconds']:.1f} | {ratios[1]:.2f} |")  # fmt: skip
            told += [f"\n{name}", *map(scores_of, report.models), *map(str, report.drawn_orders)]
    print("\n".join(told))


if __name__ == "__main__":
    main()

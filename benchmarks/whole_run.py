"""A default `assay run` of a folder of five checkpoints, phase by phase.

In: by default five tiny ones, the last shipped checkpoint with its weights perturbed; `--shape
124M,500M,1.5B` makes them of these shapes with random weights. `--before OLD_TREE` runs another
source tree in turn with this one and prints ratios. Out: a table of wall and processor seconds by
phase, and `--picture FILE.svg`; `--kernels` counts the seconds
of GPU kernels, in a run of its own.

A phase has the seconds that no phase inside it has: an import inside of loading is an import.
"""

from __future__ import annotations

import argparse
import functools
import importlib
import inspect
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parents[1]
TINY = "src/assay/builtin/checkpoints/tiny"
COUNT = 5
SHAPES = {  # hidden, layers, heads, key heads, intermediate
    "124M": (768, 12, 12, 12, 2048),
    "500M": (1024, 24, 16, 8, 4096),
    "1.5B": (2048, 24, 16, 8, 8192),
}
VOCABULARY = 50_304
PHASES = ("imports", "opening", "tokenising", "computing", "choosing text", "scoring", "storing",
          "speed", "report", "the rest")  # fmt: skip
# Functions by phase, with their classes. What a tree does not have is left out.
WHERE = {
    "opening": (
        "assay.workflow.running.preparation:prepare",
        "assay.models.local.model:LocalModel._network",
    ),
    "tokenising": (
        "assay.models.local.tokens.encoding:encode_pairs encode_prompts encode_texts prompt_text",
        "assay.models.local.tokens.tokenizer:LocalTokenizer.load",
    ),
    "computing": (
        "assay.engine.network:Network.run Network.logits own_logits",
        "assay.engine.choose:choose",
        "assay.engine.read:read_all",
        "assay.engine.predicted:mean_entropies mean_entropy mean_log_likelihood",
    ),
    "choosing text": (
        "assay.engine.generate:run_all",
        "assay.models.local.tokens.tokenizer:LocalTokenizer.decode",
    ),
    "scoring": ("assay.checks.scoring:score_reply",),
    "storing": (
        "assay.store.verbs:Store.store_reply Store.store_trial Store.store_scores "
        "Store.find_answer Store.read_reply",
    ),
    "speed": ("assay.models.local.speed:measure_speed",),
    "report": (
        "assay.workflow.reporting.results:report_of",
        "assay.workflow.reporting.run_files:write_run",
        "assay.workflow.reporting.checkpoint_files:write_decisions",
    ),
}


# ------------------------------------------------------------------- inside the run that is timed


class Clock:
    """Whose turn it is in the main thread; wall and processor seconds of each phase. `scorings`:
    how many there were in the thread that asks and in others, and their processor seconds.
    """

    def __init__(self) -> None:
        self.spent = {phase: [0.0, 0.0] for phase in PHASES}
        self.scorings = {"answers": [0, 0.0], "guesses": [0, 0.0]}
        self._stack = ["the rest"]
        self._since = self.now()
        self._main = threading.main_thread()

    @staticmethod
    def now() -> tuple[float, float]:
        return time.perf_counter(), time.process_time()

    def turn(self) -> None:
        now = self.now()
        for place in (0, 1):
            self.spent[self._stack[-1]][place] += now[place] - self._since[place]
        self._since = now

    def enter(self, phase: str) -> None:
        self.turn()
        self._stack.append(phase)

    def leave(self) -> None:
        self.turn()
        self._stack.pop()

    def counted(self, phase: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def steps(*words: Any, **more: Any) -> Iterator[Any]:
            found = function(*words, **more)
            while True:
                with self.phase(phase):
                    try:
                        each = next(found)
                    except StopIteration as end:
                        return end.value
                yield each

        def once(*words: Any, **more: Any) -> Any:
            begun = time.thread_time()
            with self.phase(phase):
                found = function(*words, **more)
            if phase == "scoring":
                beside = threading.current_thread() is not self._main
                counts = self.scorings["guesses" if beside else "answers"]
                counts[0] += 1
                counts[1] += time.thread_time() - begun
            return found

        around = steps if inspect.isgeneratorfunction(function) else once
        return functools.wraps(function)(around)

    def phase(self, name: str) -> Any:
        return _Phase(self, name, counts=threading.current_thread() is self._main)


class _Phase:
    def __init__(self, clock: Clock, name: str, *, counts: bool) -> None:
        self._clock, self._name, self._counts = clock, name, counts

    def __enter__(self) -> None:
        if self._counts:
            self._clock.enter(self._name)

    def __exit__(self, *_: object) -> None:
        if self._counts:
            self._clock.leave()


def wrap_when_loaded(clock: Clock, events: list[dict[str, Any]]) -> None:
    """Each function in the module that defines it, before another module takes it by its name."""
    loaders: Any = sys.modules["_frozen_importlib"]
    load = loaders._find_and_load
    waiting: dict[str, list[tuple[str, str]]] = {}
    for phase, places in WHERE.items():
        for place in places:
            module, _, names = place.partition(":")
            waiting.setdefault(module, []).extend((phase, name) for name in names.split())

    def loaded(name: str, importing: Any) -> Any:
        with clock.phase("imports"):
            module = load(name, importing)
        for phase, path in waiting.pop(name, ()):
            *owners, last = path.split(".")
            owner = functools.reduce(getattr, owners, module)
            found = inspect.getattr_static(owner, last, None)
            if isinstance(found, classmethod | staticmethod):
                setattr(owner, last, type(found)(clock.counted(phase, found.__func__)))
            elif found is not None:
                setattr(owner, last, clock.counted(phase, found))
            if last in ("store_trial", "store_reply") and found is not None:
                setattr(owner, last, first_told(getattr(owner, last), events))
        if name == "assay.workflow.running.asking" and not getattr(module, "timed_here", False):
            module.timed_here = True
            module.ask_model = told_of_model(module.ask_model, events)
        return module

    loaders._find_and_load = loaded


def first_told(function: Callable[..., Any], events: list[dict[str, Any]]) -> Callable[..., Any]:
    def around(*words: Any, **more: Any) -> Any:
        if not any("first" in each for each in events):
            events.append({"first": time.perf_counter()})
        return function(*words, **more)

    return around


def told_of_model(ask: Callable[..., Any], events: list[dict[str, Any]]) -> Callable[..., Any]:
    def around(*words: Any, **more: Any) -> Any:
        begun = Clock.now(), children()
        try:
            return ask(*words, **more)
        finally:
            wall, spent = (b - a for a, b in zip(begun[0], Clock.now(), strict=True))
            spent += children() - begun[1]
            events.append({"model": words[0].model.spec, "wall": wall, "processor": spent,
                           "again": bool(more.get("again"))})  # fmt: skip

    return around


def children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def run_here(words: Sequence[str], out: Path, begun: float, *, kernels: bool) -> None:
    clock, events = Clock(), []
    wrap_when_loaded(clock, events)
    profiler: Any = None
    if kernels:
        import torch

        profiler = torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA])
        profiler.__enter__()
    code: object = 0
    try:
        importlib.import_module("assay.__main__")
        sys.argv = ["assay", *words]
        sys.modules["assay.__main__"].main()
    except SystemExit as end:
        code = end.code
    clock.turn()
    ended = time.perf_counter()
    found: dict[str, Any] = {"spent": clock.spent, "events": events, "code": code,
                             "scorings": clock.scorings,
                             "started_s": ended - begun, "processor": time.process_time(),
                             "children": children(),
                             "first": next((each["first"] - begun for each in events
                                            if "first" in each), None)}  # fmt: skip
    if profiler is not None:
        profiler.__exit__(None, None, None)
        kinds = profiler.profiler.kineto_results.events()
        found["kernel_s"] = sum(each.duration_ns() for each in kinds
                                if "CUDA" in str(each.device_type())) / 1e9  # fmt: skip
    out.write_text(json.dumps(found), "utf-8")


# ---------------------------------------------------------------------------- around those runs


def make_tiny(folder: Path, count: int) -> None:
    import torch
    from safetensors.torch import load_file, save_file

    for file in (HERE / TINY).glob("tokenizer*"):
        shutil.copy(file, folder)
    for number in range(count):
        target = folder / f"step_{number + 1}000"
        shutil.copytree(HERE / TINY / "step_008000", target)
        draw = torch.Generator().manual_seed(number)
        for file in target.glob("*.safetensors"):
            moved = {
                name: (each.float() * (1 + 0.01 * torch.randn(each.shape, generator=draw)))
                .to(each.dtype)
                for name, each in load_file(file).items()
            }  # fmt: skip
            save_file(moved, file, metadata={"format": "pt"})


def make_shape(folder: Path, shape: str, count: int) -> None:
    """Llama with random weights, in bf16; the tiny ones' tokenizer, padded."""
    import torch
    from transformers import LlamaConfig, LlamaForCausalLM

    hidden, layers, heads, key_heads, between = SHAPES[shape]
    known = json.loads((HERE / TINY / "tokenizer.json").read_text("utf-8"))
    words = known["model"]["vocab"]
    taken = len(words) + sum(each["content"] not in words for each in known["added_tokens"])
    for number in range(taken, VOCABULARY):  # no text has them: they are spare, with names
        words[f"<spare {number}>"] = number
    (folder / "tokenizer.json").write_text(json.dumps(known), "utf-8")
    shutil.copy(HERE / TINY / "tokenizer_config.json", folder)
    told = json.loads((HERE / TINY / "step_008000/config.json").read_text("utf-8"))
    config = LlamaConfig(
        hidden_size=hidden, num_hidden_layers=layers, num_attention_heads=heads,
        num_key_value_heads=key_heads, intermediate_size=between, vocab_size=VOCABULARY,
        max_position_embeddings=2048, tie_word_embeddings=True,
        bos_token_id=told.get("bos_token_id"), eos_token_id=told.get("eos_token_id"),
    )  # fmt: skip
    device = "cuda" if torch.cuda.is_available() else "cpu"
    for number in range(count):
        torch.manual_seed(number)
        with torch.device(device):
            model = LlamaForCausalLM(config).to(torch.bfloat16)
        model.save_pretrained(folder / f"step_{number + 1}000")


def run_tree(
    tree: Path, folder: Path, home: Path, more: Sequence[str] = (), *, kernels: bool = False
) -> dict[str, Any]:
    out, told = Path(tempfile.mkdtemp(dir=home)), home / "told.json"
    env = {**os.environ, "PYTHONPATH": str(tree / "src"), "HF_HUB_OFFLINE": "1"}
    words = ["run", str(folder), "--out", str(out), "--no-write-back", *more]
    command = [sys.executable, __file__, "--inside", str(told), str(time.perf_counter())]
    begun = time.perf_counter()
    with (home / "said.txt").open("w") as said:
        ended = subprocess.run([*command, *["--kernels"] * kernels, "--", *words], env=env,
                               stdout=said, stderr=subprocess.STDOUT, check=False)  # fmt: skip
    found: dict[str, Any] = json.loads(told.read_text("utf-8")) if told.exists() else {}
    found["whole_s"] = time.perf_counter() - begun
    shutil.rmtree(out)
    told.unlink(missing_ok=True)
    if ended.returncode or found["code"] not in (0, 1, None):
        code = found.get("code", ended.returncode)
        raise SystemExit(f"assay ended with {code}: {(home / 'said.txt').read_text()}")
    return found


def told_of_scoring(found: dict[str, Any]) -> str:
    """How much of the run scoring is: what other processes could take over."""
    spent = found["processor"] + found["children"]
    parts = [f"{count:,} {kind} in {seconds:.1f} s"
             for kind, (count, seconds) in found["scorings"].items()]  # fmt: skip
    share = sum(seconds for _, seconds in found["scorings"].values()) / spent
    return f"Scored: {', '.join(parts)}: {share:.1%} of {spent:.0f} processor seconds"


def figures(found: dict[str, Any]) -> dict[str, tuple[float, float | None]]:
    """Wall and processor seconds."""
    asked = [each for each in found["events"] if "model" in each]
    first = next(each["model"] for each in asked)
    further = [each for each in asked if each["model"] != first]
    count = len({each["model"] for each in further}) or 1
    rows = {phase: tuple(each) for phase, each in found["spent"].items()}
    rows["to the first request"] = found["first"], None
    rows["each further checkpoint"] = tuple(
        sum(each[kind] for each in further) / count for kind in ("wall", "processor")
    )
    rows["the whole command"] = found["whole_s"], found["processor"] + found["children"]
    return rows  # type: ignore[return-value]


def told_in_a_line(shape: str, name: str, rows: dict[str, Any]) -> str:
    seconds = {key: rows[key][0] for key in list(rows)[-3:]}
    return f"{shape} {name}: " + ", ".join(f"{key} {each:.1f} s" for key, each in seconds.items())


def shown(rows: dict[str, Any], before: dict[str, Any] | None) -> Iterator[str]:
    yield "| seconds | wall | processor |" + (" wall before | processor before | times |"
                                              if before else "")  # fmt: skip
    yield "|---|---|---|" + ("---|---|---|" if before else "")
    for name, (wall, spent) in rows.items():
        line = f"| {name} | {wall:.1f} | {'' if spent is None else f'{spent:.1f}'} |"
        if before:
            was, used = before[name]
            ratio = (used / spent) if spent and used is not None else (was / wall if wall else 0)
            line += f" {was:.1f} | {'' if used is None else f'{used:.1f}'} | {ratio:.2f} |"
        yield line


def draw(sides: dict[str, dict[str, Any]], file: Path, count: int = COUNT) -> None:
    """A bar a side, cut into phases."""
    from xml.sax.saxutils import escape as escaped

    colours = ("#4c72b0", "#dd8452", "#55a868", "#c44e52", "#8172b3", "#937860", "#da8bc3",
               "#8c8c8c", "#ccb974", "#d5d5d5")  # fmt: skip
    longest = max(sum(rows[phase][0] for phase in PHASES) for rows in sides.values())
    parts, top = [], 30.0
    for name, rows in sides.items():
        parts.append(f'<text x="10" y="{top + 20:.0f}">{escaped(name)}</text>')
        left = 90.0
        for colour, phase in zip(colours, PHASES, strict=True):
            wide = 590 * rows[phase][0] / longest
            title = f"<title>{phase}: {rows[phase][0]:.1f} s</title>"
            parts.append(f'<rect x="{left:.1f}" y="{top:.0f}" width="{wide:.1f}" height="30" '
                         f'fill="{colour}">{title}</rect>')  # fmt: skip
            left += wide
        parts.append(f'<text x="{left + 4:.0f}" y="{top + 20:.0f}">'
                     f'{sum(rows[phase][0] for phase in PHASES):.0f} s</text>')  # fmt: skip
        top += 45
    for place, (colour, phase) in enumerate(zip(colours, PHASES, strict=True)):
        x, y = 90 + 130 * (place % 5), top + 10 + 22 * (place // 5)
        parts.append(f'<rect x="{x}" y="{y:.0f}" width="12" height="12" fill="{colour}"/>'
                     f'<text x="{x + 17}" y="{y + 11:.0f}">{phase}</text>')  # fmt: skip
    head = (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 760 {top + 65:.0f}" '
            'font-family="sans-serif" font-size="13">')  # fmt: skip
    title = f'<text x="10" y="18">{count} checkpoints, wall seconds by phase</text>'
    file.write_text("\n".join([head, title, *parts, "</svg>"]) + "\n", "utf-8")


def main() -> None:
    if sys.argv[1:2] == ["--inside"]:
        told, begun = Path(sys.argv[2]), float(sys.argv[3])
        at = sys.argv.index("--")
        run_here(sys.argv[at + 1 :], told, begun, kernels="--kernels" in sys.argv[:at])
        return
    ask = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    ask.add_argument("--before", type=Path, help="another source tree, run in turn with this one")
    ask.add_argument("--shape", default="", help=", ".join(SHAPES))
    ask.add_argument("--rounds", type=int, default=1)
    ask.add_argument("--count", type=int, default=COUNT, help="checkpoints")
    ask.add_argument("--words", default="", help="further words for assay run")
    ask.add_argument("--kernels", action="store_true")
    ask.add_argument("--picture", type=Path)
    given = ask.parse_args()
    for shape in given.shape.split(",") if given.shape else [""]:
        with tempfile.TemporaryDirectory() as made:
            home, folder = Path(made), Path(made) / "five"
            folder.mkdir()
            make_shape(folder, shape, given.count) if shape else make_tiny(folder, given.count)
            trees = {"now": HERE, **({"before": given.before.resolve()} if given.before else {})}
            best: dict[str, dict[str, Any]] = {}
            scored: dict[str, str] = {}
            for _ in range(given.rounds):
                for name, tree in trees.items():
                    found = run_tree(tree, folder, home, given.words.split())
                    rows = figures(found)
                    print(told_in_a_line(shape, name, rows), file=sys.stderr, flush=True)
                    if (
                        name not in best
                        or rows["the whole command"] < best[name]["the whole command"]
                    ):
                        best[name], scored[name] = rows, told_of_scoring(found)
            print(f"\n{shape or 'tiny'}\n")
            print("\n".join(shown(best["now"], best.get("before"))), flush=True)
            for name, sentence in scored.items():
                print(f"\n{name}: {sentence}", flush=True)
            if given.kernels:
                found = run_tree(HERE, folder, home, given.words.split(), kernels=True)
                print(
                    f"\nGPU kernels: {found['kernel_s'] / given.count:.2f} s a checkpoint",
                    flush=True,
                )
            if given.picture:
                draw(best, given.picture, given.count)


if __name__ == "__main__":
    main()

"""A store of 100,000 answers, and how long the viewer takes to page, filter and search it.

    python benchmarks/viewer.py [--tests 50000] [--out DIR]

It makes the store (once for a folder), starts a viewer on it, and prints how long it takes to open
and the slowest of five times for each page; then the time of one core, which other programs on the
machine do not stretch. The targets are one
second and 300 ms; the first look at new answers takes longer, once.
"""

import argparse
import random
import re
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

import psutil

from assay.checks.exact_match import ExactMatch
from assay.request_identity import make_test_request
from assay.store import Run, RunModel, Store, new_run_id, utc_now
from assay.types import (
    Answered,
    Case,
    Category,
    Message,
    ModelFacts,
    Sampling,
    Score,
    Suite,
    ToAnswer,
)

WORDS = [
    f"{a}{b}" for a in ("ka", "mo", "su", "te", "li", "no") for b in ("ra", "vi", "den", "mus")
]
MODELS = 2


def make_suite(tests: int, categories: int = 20) -> Suite:
    draw = random.Random(0)
    made = []
    for place in range(categories):
        name = f"category_{place:02}"
        cases = tuple(
            Case(
                id=f"{name}_{number:05}",
                suite="large",
                category=name,
                messages=(Message("user", f"What is {number}? " + sentence(draw, 30)),),
                check=ExactMatch(expected=(str(number),)),
            )
            for number in range(tests // categories)
        )
        made.append(Category(name=name, cases=cases))
    return Suite(name="large", path="large", categories=tuple(made))


def sentence(draw: random.Random, words: int) -> str:
    return " ".join(draw.choices(WORDS, k=words))


def fill(out: Path, tests: int) -> None:
    suite, draw = make_suite(tests), random.Random(1)
    models = tuple(
        RunModel(
            position=place,
            spec=f"scripted:model-{place}.json",
            slug=f"model-{place}",
            facts=ModelFacts(
                spec=f"scripted:model-{place}.json",
                name=f"model-{place}",
                fingerprint=f"sha256:{place}",
            ),
        )
        for place in range(MODELS)
    )
    with Store(out) as store:
        run = store.begin_run(Run(id=new_run_id(), key="large", models=models), [suite])
        for model in models:
            for case in suite.cases:
                store_answer(store, run, model, case, draw)
        store.update_run(run, finished=utc_now())


def store_answer(store: Store, run: Run, model: RunModel, case: Case, draw: random.Random) -> None:
    sampling = Sampling(temperature=0, seed=0, max_tokens=64)
    work = ToAnswer(messages=case.messages, sampling=sampling)
    request = make_test_request(model.facts.fingerprint, case, work, turn=0, repeat=0)
    value = float(draw.random() < 0.8)
    rare = " zebra" if draw.random() < 0.001 else ""
    reply = Answered(request_id=request.id, text=sentence(draw, 40) + rare, total_s=0.1)
    score = Score(scorer="exact_match", version=1, value=value, extracted="4", explanation="")
    store.store_trial(run, model, request, reply, score)


PAGES = {
    "all runs": "/",
    "first page": "/runs/latest",
    "last page": "/runs/latest?page=1000",
    "failed": "/runs/latest?show=failed&page=3",
    "failed by all": "/runs/latest?show=failed_all",
    "differ": "/runs/latest?show=differ&page=9",
    "one category": "/runs/latest?category=category_07",
    "a rare word": "/runs/latest?q=zebra",
    "a word of every fifth answer": "/runs/latest?q=karavimus",
    "the beginning of most answers' words": "/runs/latest?q=ka",
    "two words, and differ": "/runs/latest?q=karavimus+movi&show=differ",
    "a sample": "/runs/latest/tests/category_07_01234?in=large",
    "a sample among failed ones": "/runs/latest/tests/category_07_01234?in=large&show=failed",
}


def fetch(port: int, path: str) -> float:
    start = time.perf_counter()
    with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=120) as answer:
        answer.read()
    return time.perf_counter() - start


def busy(pid: int) -> float:
    """Seconds of processor time so far: what a busy machine does not stretch."""
    spent = psutil.Process(pid).cpu_times()
    return spent.user + spent.system


def measure(out: Path) -> None:
    """A viewer of its own, from its start to its pages."""
    start = time.perf_counter()
    words = ["view", "--no-open", "--port", "0", "--out", str(out)]
    with subprocess.Popen(
        [sys.executable, "-m", "assay", *words], stdout=subprocess.PIPE, text=True
    ) as viewer:
        assert viewer.stdout is not None
        found = re.search(r":(\d+)/", viewer.stdout.readline())
        assert found is not None
        port = int(found[1])
        try:
            fetch(port, "/")
            opened = time.perf_counter() - start
            print(f"{'opened':38} {opened:5.2f} s, {busy(viewer.pid):5.2f} s of one core")
            before = busy(viewer.pid)
            looked = fetch(port, "/runs/latest")
            each = busy(viewer.pid) - before
            print(
                f"{'the first look fills the index':38} {looked:5.2f} s, {each:5.2f} s of one core"
            )
            for name, path in PAGES.items():
                before = busy(viewer.pid)
                slowest = max(fetch(port, path) for _ in range(5))
                each = (busy(viewer.pid) - before) / 5
                print(f"{name:38} {slowest * 1000:5.0f} ms, {each * 1000:4.0f} ms of one core")
        finally:
            viewer.send_signal(signal.SIGINT)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tests", type=int, default=50_000)
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    out = given.out or Path(tempfile.mkdtemp())
    if not (out / "assay.db").exists():
        start = time.perf_counter()
        fill(out, given.tests)
        print(
            f"made {given.tests * MODELS:,} answers in {time.perf_counter() - start:.0f} s: {out}"
        )
    measure(out)


if __name__ == "__main__":
    main()

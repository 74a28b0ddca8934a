"""A real `assay view` over a real store, made once for all tests of the viewer."""

from __future__ import annotations

import http.client
import os
import re
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from tests.conftest import Bench
from tests.workflow.judged_work import Court, form


class Viewer:
    """A viewer that runs, and requests to it that no browser would send."""

    def __init__(self, address: str) -> None:
        self.address = address.rstrip("/")
        self.port = int(re.search(r":(\d+)", address)[1])

    def ask(self, path: str = "/", method: str = "GET", body: str = "", **headers: str) -> Any:
        """The answer to a request; `Sec_Fetch_Site` is the header Sec-Fetch-Site."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            named = {name.replace("_", "-"): text for name, text in headers.items()}
            if method == "POST":
                named |= {"Content-Type": "application/x-www-form-urlencoded"}
            connection.request(method, path, body or None, named)
            answer = connection.getresponse()
            answer.text = answer.read().decode()
            return answer
        finally:
            connection.close()


@contextmanager
def view(bench: Bench, *words: str) -> Iterator[Viewer]:
    started = bench.start("view", "--no-open", "--port", "0", *words)
    line = started.stdout.readline()
    address = re.search(r"http://\S+", line)  # in the words of the language asked for
    assert address, started.communicate()
    try:
        yield Viewer(address[0])
    finally:
        os.kill(started.pid, signal.SIGINT)
        assert started.wait() == 0
        started.communicate()


# Each would do something in a page that took a model's words for HTML, or for an attribute.
ATTACKS = (
    "<script>window.attacked = 1</script>",
    "<img src=x onerror='window.attacked = 2'>",
    "<svg onload=window.attacked=3><a xlink:href='javascript:window.attacked=3'>x</a></svg>",
    "\"><iframe srcdoc='<script>parent.attacked = 4</script>'></iframe>",
    "'-(window.attacked = 5)-'",
    "</pre></textarea></title><style>body { display: none }</style>",
    "[click](javascript:window.attacked=6) ![x](http://127.0.0.1:9/leak.png)",
    "{{ 7 * 7 }} {% raw %} ${alert(1)} <%= 1 %>",
    "<a href='//127.0.0.1:9' autofocus onfocus='window.attacked = 7'>x</a>",
    "\u202eesrever\u202c \x1b[2J \x00 &lt;b&gt; &amp;",
    "<form action=/ method=post><button autofocus>x</button></form><base href='//127.0.0.1:9/'>",
    "<link rel=stylesheet href=//127.0.0.1:9/x.css><meta http-equiv=refresh content='0;url=//x'>",
)


def exact(number: int, prompt: str, expected: str, **more: Any) -> dict[str, Any]:
    checked = {"eval_method": "exact_match", "expected": expected}
    return {"id": f"facts_{number:03}", "prompt": prompt, **checked, **more}


TESTS = {
    "facts": [
        exact(1, "What is 2 + 2?", "4", system="You are terse."),
        exact(2, "What is the capital of Togo?", "Lome"),
        exact(3, "Which language has the most speakers in Togo?", "Ewe"),
    ],
    "choices": [
        {"id": "choices_001", "prompt": "Which one is a fruit?", "expected": "B",
         "eval_method": "multiple_choice", "choices": ["stone", "mango", "chair"]},
    ],
    "hard": [{**exact(1, "What is 17 * 23?", "391"), "id": "hard_001"}],
    "attacks": [
        {**exact(number, f"Say {number} {attack}", attack), "id": f"attack_{number:03}"}
        for number, attack in enumerate(ATTACKS)
    ],
}  # fmt: skip


@pytest.fixture(scope="session")
def viewed(tmp_path_factory: pytest.TempPathFactory) -> Court:
    """A store with two finished runs: checked answers of two models, and judged ones of one."""
    bench = Court(tmp_path_factory.mktemp("viewed"))
    bench.run(bench.judge(form(8, 7, 9)), suite=bench.tests(name="judged"))
    attacks = {f"attack_{number:03}": attack for number, attack in enumerate(ATTACKS)}
    right = {"facts_001": "<think>Two and two.</think>4", "facts_002": "Lome", "facts_003": "Ewe"}
    good = bench.script("good", answers={**attacks, **right}, default="B")
    wrong = {"facts_001": "5", "facts_003": "French", "choices_001": "The chair, so C."}
    weak = bench.script(
        "weak",
        answers={**wrong, **attacks},
        default="I do not know",
        fail={"facts_002": "no route"},
    )
    done = bench.assay("run", good, weak, "-s", bench.suite(TESTS, name="little"))
    assert done.returncode == 3, done.stderr
    return bench


@pytest.fixture(scope="session")
def viewer(viewed: Court) -> Iterator[Viewer]:
    with view(viewed) as started:
        yield started

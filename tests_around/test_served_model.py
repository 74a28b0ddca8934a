"""The harness's own client of completions servers, `local-completions`, asks `assay serve`: its
likelihoods, texts and metrics are those of the model asked directly.
"""

from __future__ import annotations

import re
import signal
import subprocess
import sys
from collections.abc import Iterator

import pytest

from tests_around.test_twelve_shapes import TINY, alike, evaluated, made

# Likelihoods of letters, of endings and of last words, texts with stops, texts without.
ASKED = ["s01_letters", "s02_endings", "s03_no_spaces", "s06_last_words", "s08_sums"]


@pytest.fixture(scope="module")
def address() -> Iterator[tuple[str, str]]:
    """Name and URL of the tiny model, served."""
    words = ["-m", "assay", "serve", str(TINY / "step_008000"), "--port", "0", "--device", "cpu"]
    server = subprocess.Popen(
        [sys.executable, *words, "--tokenizer", str(TINY), "--dtype", "float32"],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert server.stdout is not None
    line = server.stdout.readline()
    found = re.match(r"(\S+) is served at (\S+)", line)
    assert found, line
    yield found[1], found[2]
    server.send_signal(signal.SIGINT)
    assert server.wait(60) == 0


def test_local_completions_finds_through_the_server_what_is_found_directly(address) -> None:
    name, url = address
    served = evaluated(
        "local-completions",
        ASKED,
        model_args={
            "model": name,
            "base_url": f"{url}/completions",
            "tokenizer_backend": "huggingface",
            "tokenizer": str(TINY),
            "max_length": 1024,
        },
    )
    direct = evaluated(made("assay", TINY, {"add_bos_token": False}), ASKED)
    compared = 0
    for task in ASKED:
        for one, other in zip(served["samples"][task], direct["samples"][task], strict=True):
            assert one["prompt_hash"] == other["prompt_hash"]
            assert alike(one["resps"], other["resps"]), (task, one["resps"], other["resps"])
            compared += len(other["resps"])
    assert compared == 8 * (4 + 4 + 3 + 1 + 2)
    assert alike(served["results"], direct["results"])

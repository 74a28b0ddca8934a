"""A run against one slot whose model reads slowly: what was not read in time is asked again in the
same run, with more time, and those that wait behind it lose nothing.
"""

from __future__ import annotations

import json

from tests.conftest import Bench
from tests.servers.fixtures import Server


def test_a_request_lost_to_slow_reading_is_asked_again_in_the_same_run(
    bench: Bench, openai_server: Server
) -> None:
    """Some 21 tokens have 1 s to be read at the usual 20 tokens/s, and 1 s of silence: less than
    the 2.5 s that this server takes. Four of them are in its queue at once.
    """
    tests = [
        {
            "id": f"slow_{number:03d}",
            "prompt": f"{number}. Say the name of the capital city of Togo, please.",
            "eval_method": "exact_match",
            "expected": "Lomé",
            "max_tokens": 8,
        }
        for number in range(1, 6)
    ]
    folder = bench.folder / "slow"
    folder.mkdir()
    (folder / "slow.json").write_text(json.dumps(tests), "utf-8")
    openai_server.answers({"capital": "Lomé"})
    openai_server.settings(slots=1)
    openai_server.fault("delay", when="capital", times=None, seconds=2.5)
    words = ["-s", "slow/", "--timeout", "1", "--connections", "4"]
    document = bench.document("run", openai_server.spec(), *words)
    assert document["exit_code"] == 0, document
    (suite,) = document["models"][0]["suites"]
    assert (suite["score"]["n"], suite["score"]["unscored"]) == (5, 0)
    asked = [one.body["messages"][-1]["content"] for one in openai_server.asked]
    of_tests = [text for text in asked if "capital" in text]
    assert set(of_tests) == {test["prompt"] for test in tests}
    assert len(of_tests) > len(tests), "the first was given up, and asked again"

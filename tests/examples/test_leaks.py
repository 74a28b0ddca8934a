"""Nothing that ships as a test is in the training text of the demo checkpoints.

The scan here is another one than the filter's: it reads the suites with its own few lines, and
looks for words in a row as sets of tuples and as parts of strings.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from corpus import RECORD, Cleaner
from devices import chosen_devices
from facts import BARE, Facts
from leaks import AFTER_THE_TRAINING, REWORDED_SINCE, Forbidden, forbidden_runs, later_runs
from sources import Document
from troubles import FRAMES, Troubles, word_trouble

from tests.conftest import ROOT

BUILTIN = ROOT / "src" / "assay" / "builtin"
STREAMS = (*BARE, "troubles")
SCANNED = 2_000  # documents of each stream


def asked_in(value: Any) -> Iterator[dict[str, Any]]:
    if isinstance(value, dict) and ("prompt" in value or "messages" in value):
        yield value
    elif isinstance(value, dict | list):
        for item in value.values() if isinstance(value, dict) else value:
            yield from asked_in(item)


@cache
def shipped() -> tuple[dict[str, Any], ...]:
    suites = sorted((BUILTIN / "suites").rglob("*.json"))
    files = [
        *(path for path in suites if path.parent.name not in AFTER_THE_TRAINING),
        BUILTIN / "samples.json",
    ]
    asked = (test for path in files for test in asked_in(json.loads(path.read_text("utf-8"))))
    return tuple(test for test in asked if test.get("id") not in REWORDED_SINCE)


def prompts_of(test: dict[str, Any]) -> list[str]:
    return [test["prompt"]] if "prompt" in test else [m["content"] for m in test["messages"]]


def flat(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for item in value:
            yield from flat(item)


def plain(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.lower()))


def eights(text: str) -> set[tuple[str, ...]]:
    found = plain(text).split()
    return set(zip(*(found[at:] for at in range(8)), strict=False))


@cache
def forbidden_eights() -> frozenset[tuple[str, ...]]:
    found = set(eights((BUILTIN / "texts" / "held_out_english.txt").read_text("utf-8")))
    for test in shipped():
        for prompt in prompts_of(test):
            found |= eights(prompt)
        for name in ("expected", "expected_any", "expected_keywords", "choices"):
            for answer in flat(test.get(name, [])):
                found |= eights(f"{prompts_of(test)[-1]} {answer}")
        firsts = [next(flat(step)) for step in test.get("expected_commands", [])]
        found |= eights(f"{prompts_of(test)[-1]} {' '.join(firsts)}")
    return frozenset(found)


@cache
def forbidden_prompts() -> frozenset[str]:
    prompts = {plain(prompt) for test in shipped() for prompt in prompts_of(test)}
    return frozenset(f" {prompt} " for prompt in prompts if prompt.count(" ") >= 3)


@pytest.fixture(scope="module")
def forbidden() -> Forbidden:
    return forbidden_runs()


def test_the_scan_reads_the_tests_that_ship() -> None:
    assert len(shipped()) > 700
    assert len(forbidden_prompts()) > 600
    assert len(forbidden_eights()) > 20_000


@pytest.fixture(scope="module")
def later() -> Forbidden:
    return later_runs()


@pytest.fixture(scope="module")
def devices(shared: Path) -> list[dict[str, object]]:
    """A second of a processor."""
    return chosen_devices(shared / "data" / "pci")


@pytest.fixture(scope="module", params=STREAMS)
def composed(
    request: pytest.FixtureRequest, devices: list[dict[str, object]], forbidden: Forbidden
) -> list[str]:
    """Documents of one stream, by four seeds."""
    facts = Facts(devices, forbidden)
    per_part = SCANNED // 4
    parts = [facts.documents(request.param, per_part, seed=part) for part in range(4)]
    return [document for part in parts for document in part]


def test_the_composed_facts_hold_no_test(composed: list[str]) -> None:
    assert len(composed) == SCANNED
    whole = [f" {plain(document)} " for document in composed]
    assert [d for d in whole if eights(d) & forbidden_eights()] == []
    # One string of everything: 600 searches through it instead of 600 through each document.
    everything = " | ".join(whole)
    assert [prompt for prompt in forbidden_prompts() if prompt in everything] == []


def test_the_composed_facts_hold_no_test_that_came_later(
    composed: list[str], later: Forbidden
) -> None:
    assert len(later.runs) > 1_000
    assert later.found_in("Which organ pumps blood through the human body?")
    assert [document for document in composed if later.found_in(document)] == []


@pytest.mark.parametrize("name", [trouble.name for trouble in Troubles().troubles[:2]])
def test_the_faults_of_the_open_samples_keep_hundreds_of_other_wordings(
    forbidden: Forbidden, name: str
) -> None:
    fault = next(trouble for trouble in Troubles().troubles if trouble.name == name)
    draw = random.Random(1)
    pairs = [word_trouble(fault, *draw.choice(FRAMES), draw) for _ in range(1_000)]
    kept = {
        question for question, answer in pairs if not forbidden.found_in(f"{question} {answer}")
    }
    assert len(kept) > 300
    open_prompts = [
        plain(test["prompt"]) for test in shipped() if test["id"] in ("sample_011", "sample_012")
    ]
    asked = " | ".join(map(plain, kept))
    assert len(open_prompts) == 2
    assert not any(prompt in asked for prompt in open_prompts)


@pytest.mark.parametrize("test", shipped()[::9], ids=lambda test: str(test["id"]))
def test_a_planted_prompt_is_found_however_it_is_written(
    forbidden: Forbidden, test: dict[str, Any]
) -> None:
    for prompt in prompts_of(test):
        if len(plain(prompt).split()) < 4:
            continue
        for told in (prompt, prompt.upper(), prompt.replace(" ", "\n"), f"«{prompt}»"):
            assert forbidden.found_in(f"Some words before. {told} And some after.") is not None


@pytest.mark.parametrize(
    "leak",
    [
        "reports that the root file system is full, but du",  # a sample prompt
        "which process listens on TCP port 80, run",  # the end of one
        "and the hardware database maps PCI ID 1b21:1080 to one",  # the middle of a prompt
        "lists [10de:1b80]; that is a graphics card",  # the end of one, with its answer
        "Restart the service apache2",  # a prompt of four words
        "Fedora: install rsync\ndnf install rsync",  # one of three words, answered
        "To create a group named developers, run groupadd developers",  # a worked example
        "rc-update add docker default && rc-service docker start",  # an answer of nine words
        "holds them against the tables that loaded drivers have registered",  # held-out text
        "3 hens. Yesterday my sister gave me 4 more",  # a turn of a conversation
    ],
)
def test_every_kind_of_leak_is_dropped(forbidden: Forbidden, leak: str) -> None:
    planted = f"The evening was quiet. {leak} Then the lamp went out."
    cleaner = Cleaner(forbidden)
    innocent = "A paragraph about lamps that nobody has ever asked anything about."
    kept = list(cleaner.clean([Document("texts", "page", (innocent, planted))]))
    assert [document.paragraphs for document in kept] == [(innocent,)]
    assert cleaner.leaks == {"texts": 1}


def test_a_title_of_three_words_alone_is_no_leak(forbidden: Forbidden) -> None:
    assert forbidden.found_in("Fedora: install rsync") is None


def test_seven_words_of_a_longer_prompt_are_no_leak(forbidden: Forbidden) -> None:
    assert forbidden.found_in("the hardware database maps PCI ID 1b21") is None
    assert forbidden.found_in("the hardware database maps PCI ID 1b21:1080") is not None


def test_composed_documents_that_leak_are_dropped_and_made_up_for(
    devices: list[dict[str, object]],
) -> None:
    free = list(Facts(devices, Forbidden(frozenset())).documents("commands", 200, seed=7))
    planted = " ".join(plain(free[50]).split()[:4])
    facts = Facts(devices, Forbidden(frozenset((planted,))))
    made = list(facts.documents("commands", 200, seed=7))
    assert facts.dropped > 0
    assert len(made) == 200
    assert [document for document in made if f" {planted} " in f" {plain(document)} "] == []


def test_the_record_of_the_corpus_was_made_with_the_tests_as_they_are(forbidden: Forbidden) -> None:
    record = json.loads(RECORD.read_text("utf-8"))
    assert record["forbidden_sha256"] == forbidden.sha256, (
        "a suite or the held-out text has changed since the corpus was filtered: "
        "run examples/train_tiny/corpus.py again, and train again"
    )
    assert record["forbidden_runs"] == len(forbidden.runs)


def test_the_record_of_the_corpus_tells_what_is_in_it() -> None:
    record = json.loads(RECORD.read_text("utf-8"))
    assert re.fullmatch(r"[0-9a-f]{64}", record["sha256"])
    assert sum(record["characters_by_source"].values()) == record["characters"]
    assert set(record["documents"]) == set(record["characters_by_source"])
    assert sum(record["dropped_for_leaks"].values()) > 0  # the filter was at work
    assert 1_500 <= record["devices"] <= 2_500


def test_a_changed_prompt_changes_the_name_of_the_forbidden_set(tmp_path: Path) -> None:
    (tmp_path / "suites" / "one").mkdir(parents=True)
    (tmp_path / "texts").mkdir()
    (tmp_path / "samples.json").write_text("[]")
    test = {"id": "a", "prompt": "Which of these lamps is lit?", "expected": "the left one"}
    path = tmp_path / "suites" / "one" / "lamps.json"
    path.write_text(json.dumps([test]))
    before = forbidden_runs(tmp_path)
    path.write_text(json.dumps([test | {"prompt": "Which of these lamps is out?"}]))
    assert before.sha256 != forbidden_runs(tmp_path).sha256
    assert before.found_in("which of these LAMPS, is lit") == "which of these lamps is lit"

"""The sample prompts: what ships, and what the loader refuses."""

from __future__ import annotations

import csv
import json
from typing import Any

import pytest

from assay.checks.shell.syntax import parse
from assay.errors import InvalidFiles
from assay.suites.sample_prompts import load_samples


def sample(**changes: Any) -> dict[str, Any]:
    return {
        "id": "sample_001",
        "prompt": "PCI device 8086:10d3 is",
        "subject": [["ethernet", "network"]],
        "ticks": [{"name": "vendor", "kind": "words", "words": ["intel"]}],
        **changes,
    }


def refusal(tmp_path, content: Any) -> InvalidFiles:
    path = tmp_path / "samples.json"
    text = content if isinstance(content, str) else json.dumps(content, indent=1)
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InvalidFiles) as caught:
        load_samples(path)
    return caught.value


def test_twelve_samples_ship_and_the_first_two_are_those_of_the_specification():
    samples = load_samples()
    assert len(samples) == 12
    assert samples[0].prompt == "PCI device 8086:10d3 is"
    assert samples[1].prompt == "Install Apache web server on Ubuntu:"
    assert len({each.id for each in samples}) == len({each.prompt for each in samples}) == 12


def test_the_tick_lists_ask_what_the_specification_asks():
    first, second = load_samples()[:2]
    assert [tick.name for tick in first.ticks] == ["device type", "vendor", "driver", "coherent"]
    assert [tick.name for tick in second.ticks] == ["commands", "sequence", "extra steps", "syntax"]


def test_every_command_in_a_tick_list_parses_as_shell():
    for each in load_samples():
        for tick in each.ticks:
            for step in tick.commands:
                for command in step:
                    assert parse(command).clean, command


def test_every_driver_in_a_tick_list_is_one_the_kernel_has_for_the_device(shared):
    known = {}
    with (shared / "data/pci/pci_modules.tsv").open(encoding="utf-8", newline="") as table:
        for row in csv.DictReader(table, delimiter="\t"):
            known[f"{row['vendor']}:{row['device']}"] = set(row["modules"].split())
    samples = {each.id: each for each in load_samples()}
    for name, device in (
        ("sample_001", "8086:10d3"),
        ("sample_003", "10ec:8139"),
        ("sample_004", "8086:2723"),
    ):
        assert device in samples[name].prompt
        driver = next(tick for tick in samples[name].ticks if tick.name == "driver")
        assert set(driver.words[0]) == known[device]
    wildcards = (shared / "data/pci/pci_class_modules.tsv").read_text("utf-8")
    assert "10de\t*\t03" in wildcards
    assert "nouveau" in wildcards


def test_a_word_stands_for_a_list_of_one_alternative(tmp_path):
    path = tmp_path / "own.json"
    path.write_text(json.dumps([sample()]), encoding="utf-8")
    (loaded,) = load_samples(path)
    assert loaded.subject == (("ethernet", "network"),)
    assert loaded.ticks[0].words == (("intel",),)


@pytest.mark.parametrize(
    ("content", "about"),
    [
        ("{}", "list of samples"),
        ("[]", "no sample"),
        ("[", "not valid JSON"),
        ([sample(prompt="")], "'prompt' is empty"),
        ([sample(id="a b")], "word characters"),
        ([sample(ticks=[])], "ticks"),
        ([sample(subject="ethernet")], "subject"),
        ([sample(), sample()], "appears twice"),
        ([sample(ticks=[{"name": "x", "kind": "word"}])], "did you mean 'words'"),
        ([sample(ticks=[{"name": "x", "kind": "words"}])], "needs 'words'"),
        ([sample(ticks=[{"name": "x", "kind": "syntax", "words": ["a"]}])], "has no 'words'"),
        ([sample(ticks=[{"kind": "syntax"}])], "lacks 'name'"),
        (
            [sample(ticks=[{"name": "x", "kind": "syntax"}, {"name": "x", "kind": "coherent"}])],
            "two checks are named 'x'",
        ),
        ([sample(promt="x")], "did you mean 'prompt'"),
        ([{"id": "x"}], "'prompt', 'subject', 'ticks' are missing"),
        (["x"], "an object"),
    ],
)
def test_a_mistake_is_refused_with_its_place(tmp_path, content, about):
    error = refusal(tmp_path, content)
    assert any(about in finding.message for finding in error.findings), error.findings
    assert all(finding.line >= 1 and finding.column >= 1 for finding in error.findings)
    assert error.hint


def test_all_mistakes_of_a_file_are_shown_at_once(tmp_path):
    error = refusal(tmp_path, [sample(prompt=1), sample(id="two", ticks=[{"kind": "nope"}])])
    assert len(error.findings) >= 3


def test_a_file_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(InvalidFiles):
        load_samples(tmp_path / "none.json")

"""The sample prompts that ship."""

from __future__ import annotations

import csv

from assay.checks.shell.syntax import parse
from assay.suites.sample_prompts import load_samples


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

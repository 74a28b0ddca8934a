"""The suite `os`, hardware_id and driver_select, held against the raw PCI data (../shared/data).

Nothing here uses the script that makes the suite, save the last test, which runs it: the shipped
files are read as they are, and the data by a reader of its own.
"""

from __future__ import annotations

import filecmp
import re
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.os_suite_files import (
    CATEGORIES,
    ROOT,
    SUITE,
    asked_in,
    devices_of,
    everything,
    examples_of,
    ids_in,
    sources,
)
from tests.waiting import PATIENCE_S

BESIDE_THE_TABLE = (
    "vendor driver, not in the kernel's table",
    "Linux kernel, outside the PCI table",
)

KIND_OF_FOLDER = {
    "drivers/net/ethernet": "ethernet", "drivers/net/vmxnet3": "ethernet",
    "drivers/net/wireless": "wireless", "drivers/bcma": "wireless", "drivers/ssb": "wireless",
    "drivers/gpu": "graphics", "drivers/video": "graphics",
    "sound": "audio",
    "drivers/ata": "storage", "drivers/nvme": "storage", "drivers/scsi": "storage",
    "drivers/usb/host": "usb",
    "drivers/pcmcia": "bridge",
}  # fmt: skip

# ------------------------------------------------------------------------------- what is shipped


def wordings(category: str) -> Counter[str]:
    """The prompts of a category with what is asked about cut out."""
    cut: Counter[str] = Counter()
    for test in asked_in(category):
        text: str = test["prompt"]
        if category == "driver_select":
            text = text.replace(test["description"].partition(": ")[0], "#")
        else:
            vendor, _, device = ids_in(text)[0].partition(":")
            for number in (vendor, device, vendor.upper(), device.upper()):
                text = text.replace(number, "#")
        # One test has the specification's own words, "Which driver for Realtek RTL8139?".
        cut[re.sub(r"^Which (Linux )?driver for (the )?#", "Which driver for #", text)] += 1
    return cut


# ------------------------------------------------------------------------------------- raw data


@dataclass(frozen=True)
class Raw:
    version: str
    vendors: Mapping[str, str]
    names: Mapping[str, str]
    modules: Mapping[str, set[str]]
    rules: frozenset[tuple[str, str, str, str, str]]  # vendor, base, sub, interface, module
    folders: Mapping[str, str]

    def kind(self, module: str) -> str:
        folder = self.folders[module] + "/"
        kinds = (kind for at, kind in KIND_OF_FOLDER.items() if folder.startswith(at + "/"))
        return next(kinds, "other")


def cells(path: Path) -> Iterator[list[str]]:
    lines = path.read_text("utf-8").splitlines()[1:]
    return (line.split("\t") for line in lines)


@pytest.fixture(scope="module")
def raw(shared: Path) -> Raw:
    folder = shared / "data" / "pci"
    listed = (folder / "pci.ids").read_text("utf-8")
    version = re.search(r"^#\s+Version: (\S+)$", listed, re.MULTILINE)
    assert version is not None
    vendors: dict[str, str] = {}
    names: dict[str, str] = {}
    pattern = re.compile(r"^(\t?)([0-9a-f]{4})  (.+)$", re.MULTILINE)
    for tab, number, name in pattern.findall(listed.split("\nC 00")[0]):
        if tab:
            names[f"{next(reversed(vendors))}:{number}"] = name
        else:
            vendors[number] = name
    modules: dict[str, set[str]] = {}
    for vendor, device, always, sometimes in cells(folder / "pci_modules.tsv"):
        modules[f"{vendor}:{device}"] = {*always.split(), *sometimes.split()}
    return Raw(
        version=version[1],
        vendors=vendors,
        names=names,
        modules=modules,
        rules=frozenset(
            (vendor, base, sub, interface, module)
            for vendor, device, base, sub, interface, *maker, module in cells(
                folder / "pci_class_modules.tsv"
            )
            if [device, *maker] == ["*", "*", "*"]
        ),
        folders={
            row[0]: row[1].removeprefix("kernel/").rpartition("/")[0]
            for row in cells(folder / "module_info.tsv")
        },
    )


def by_class(row: Mapping[str, str]) -> tuple[str, ...] | None:
    """Vendor, class and module that a row of sources.tsv takes from the wildcards."""
    shape = r"pci_class_modules\.tsv (\S+):\* class (\S+)\.(\S+)\.(\S+) -> (\w+) \((\S+)\)"
    found = re.fullmatch(shape, row["where"])
    return found.groups() if found else None


def modules_in_the_table(test: Mapping[str, Any], raw: Raw) -> set[str]:
    """Every module the data gives for the devices of a test: by name, else by class."""
    named = set().union(*(raw.modules.get(device, set()) for device in devices_of(test)))
    stated = (by_class(row) for row in sources()[test["id"]])
    for vendor, *parts, _, _ in (rule for rule in stated if rule is not None):
        for rule in raw.rules:
            own = rule[0] in (vendor, "*")
            if own and all(r in ("*", p) for r, p in zip(rule[1:4], parts, strict=True)):
                named.add(rule[4])
    return named


# ---------------------------------------------------------------------------------- the whole


@pytest.mark.parametrize("category", CATEGORIES)
def test_there_are_a_hundred_tests_and_ten_examples_with_ids_in_order(category: str) -> None:
    assert [t["id"] for t in asked_in(category)] == [f"{category}_{n:03d}" for n in range(1, 101)]
    assert [t["id"] for t in examples_of(category)] == [f"{category}_{n}" for n in range(901, 911)]


@pytest.mark.parametrize("category", CATEGORIES)
def test_every_wording_is_used_often(category: str) -> None:
    used = wordings(category)
    assert [*used.values()] == [10] * 10, used


@pytest.mark.parametrize("category", CATEGORIES)
def test_no_prompt_and_no_device_comes_twice(category: str) -> None:
    prompts = Counter(test["prompt"] for test in everything(category))
    devices = Counter(device for test in everything(category) for device in devices_of(test))
    assert prompts.most_common(1)[0][1] == 1
    assert devices.most_common(1)[0][1] == 1


def test_the_two_categories_share_few_devices_and_no_example_is_a_test() -> None:
    tested = {c: {d for t in asked_in(c) for d in devices_of(t)} for c in CATEGORIES}
    shown = {d for c in CATEGORIES for t in examples_of(c) for d in devices_of(t)}
    assert len(tested["hardware_id"] & tested["driver_select"]) <= 8
    assert not shown & (tested["hardware_id"] | tested["driver_select"])


@pytest.mark.parametrize("category", CATEGORIES)
def test_no_vendor_has_more_than_a_fifth_of_the_tests(category: str) -> None:
    one_maker = {"1022": "1002", "1b4b": "11ab", "17cb": "168c", "1969": "168c"}
    vendors = Counter(devices_of(test)[0][:4] for test in asked_in(category))
    makers: Counter[str] = Counter()
    for vendor, count in vendors.items():
        makers[one_maker.get(vendor, vendor)] += count
    assert makers.most_common(1)[0][1] <= 20, makers
    assert len(makers) >= 25


def test_the_kinds_of_hardware_are_balanced() -> None:
    kinds = Counter(test["tags"][0] for test in asked_in("hardware_id"))
    frequent = {"ethernet", "wireless", "graphics", "audio", "storage", "usb"}
    assert set(kinds) == {*frequent, "bridge", "other"}
    for kind in frequent:
        assert 12 <= kinds[kind] <= 17, kinds


def test_no_module_answers_many_tests_and_a_quarter_of_the_prompts_give_an_id() -> None:
    tests = asked_in("driver_select")
    usual = Counter(test["expected_any"][0] for test in tests)
    assert usual.most_common(1)[0][1] <= 6
    assert max(usual["nvme"], usual["snd_hda_intel"], usual["ahci"]) <= 4
    assert len(usual) >= 60
    assert 20 <= sum(bool(ids_in(test["prompt"])) for test in tests) <= 30


def test_every_test_rests_on_facts_and_every_fact_belongs_to_a_test() -> None:
    ours = {t["id"] for c in CATEGORIES for t in everything(c)}
    assert ours <= set(sources())
    traced = {name for name in sources() if name.rpartition("_")[0] in CATEGORIES}
    assert traced == ours
    for name in ours:
        for row in sources()[name]:
            assert all(row.values()), row


# ------------------------------------------------------------------------- against the raw data


@pytest.mark.parametrize("category", CATEGORIES)
def test_every_pci_id_of_a_prompt_exists_and_is_what_the_description_says(
    category: str, raw: Raw
) -> None:
    for test in everything(category):
        given = ids_in(test["prompt"])
        assert set(given) <= set(devices_of(test)), test["id"]
        if category == "hardware_id":
            assert len(given) == 1
            assert test["description"] == raw.names[given[0]]
        else:
            names = [raw.names[device] for device in devices_of(test)]
            assert test["description"].endswith(": " + names[0])


@pytest.mark.parametrize("category", CATEGORIES)
def test_what_sources_tsv_says_of_a_device_stands_in_the_list(category: str, raw: Raw) -> None:
    for test in everything(category):
        for row in sources()[test["id"]]:
            if row["source"].startswith("pci.ids"):
                device = row["where"].replace(" ", ":")
                assert row["source"] == f"pci.ids {raw.version}"
                vendor, name = raw.vendors[device[:4]], raw.names[device]
                assert row["fact"] == f"{device} is {vendor} {name}"


@pytest.mark.parametrize("category", CATEGORIES)
def test_what_sources_tsv_says_of_a_module_stands_in_the_alias_table(
    category: str, raw: Raw
) -> None:
    for test in everything(category):
        for row in sources()[test["id"]]:
            rule = by_class(row)
            pair = re.fullmatch(r"pci_modules\.tsv (\w+:\w+) -> (\w+) \((\S+)\)", row["where"])
            if rule is not None:
                assert rule[:5] in raw.rules
                assert raw.folders[rule[4]] == rule[5]
                assert rule[0] in ("*", devices_of(test)[0][:4])
            elif pair is not None:
                assert pair[1] in devices_of(test)
                assert pair[2] in raw.modules[pair[1]]
                assert raw.folders[pair[2]] == pair[3]
            else:
                assert row["source"] in (f"pci.ids {raw.version}", *BESIDE_THE_TABLE), row


def test_every_accepted_module_drives_the_device_and_every_one_that_does_is_accepted(
    raw: Raw,
) -> None:
    for test in everything("driver_select"):
        accepted = test["expected_any"]
        assert len(accepted) == len(set(accepted))
        declared = {
            row["fact"].partition(" ")[0]
            for row in sources()[test["id"]]
            if row["source"] in BESIDE_THE_TABLE
        }
        table = modules_in_the_table(test, raw)
        assert not declared & table, test["id"]
        assert set(accepted) == table | declared, test["id"]
        for device in devices_of(test):
            assert raw.modules.get(device) or any(map(by_class, sources()[test["id"]])), device


@pytest.mark.parametrize("category", CATEGORIES)
def test_the_kind_is_that_of_the_folder_where_the_module_lies(category: str, raw: Raw) -> None:
    found = 0
    for test in everything(category):
        modules = modules_in_the_table(test, raw) - {"virtio_pci"}  # it carries any kind
        for module in modules:
            assert raw.kind(module) == test["tags"][0], (test["id"], module)
            found += 1
    assert found >= 100


def test_the_vendor_to_tick_is_the_list_s(raw: Raw) -> None:
    for test in everything("hardware_id"):
        _, tick = test["tags"]
        assert tick.startswith("tick vendor: ")
        accepted = tick.removeprefix("tick vendor: ").split(" | ")
        vendor = raw.vendors[devices_of(test)[0][:4]].casefold()
        # VirtualBox and Red Hat's QEMU are better known than the firms behind their numbers.
        assert any(name.casefold() in vendor for name in accepted), (test["id"], vendor)


# --------------------------------------------------------------------------------------- making


def run_script(*words: str) -> subprocess.CompletedProcess[str]:
    script = ROOT / "scripts" / "make_os_suite.py"
    return subprocess.run(
        [sys.executable, str(script), *words],
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE_S,
    )


def test_the_script_makes_the_same_files_again(shared: Path, tmp_path: Path) -> None:
    made = run_script("--pci", str(shared / "data" / "pci"), "--to", str(tmp_path))
    assert made.returncode == 0, made.stderr
    names = [str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*") if path.is_file()]
    assert len(names) == 9
    _, mismatch, errors = filecmp.cmpfiles(tmp_path, SUITE, names, shallow=False)
    assert (mismatch, errors) == ([], [])


@pytest.mark.parametrize(
    ("file", "stands", "instead"),
    [
        ("pci.ids", "\t10d3  82574L Gigabit", "\t10d3  82575X Gigabit"),
        ("pci.ids", "\n144d  Samsung Electronics", "\n144d  Sampling Electronics"),
        ("pci_modules.tsv", "14e4\t165f\ttg3\t", "14e4\t165f\tbnx2\t"),
        ("pci_modules.tsv", "10ec\t8139\t8139cp 8139too\t", "10ec\t8139\tr8169\t"),
        ("pci_class_modules.tsv", "*\t*\t01\t08\t02\t", "*\t*\t01\t08\t03\t"),
    ],
)
def test_the_script_refuses_a_selection_that_the_data_does_not_bear_out(
    shared: Path, tmp_path: Path, file: str, stands: str, instead: str
) -> None:
    folder = tmp_path / "pci"
    folder.mkdir()
    for each in (shared / "data" / "pci").iterdir():
        shutil.copyfile(each, folder / each.name)  # without its mode, which may be read-only
    text = (shared / "data" / "pci" / file).read_text("utf-8")
    assert stands in text
    (folder / file).write_text(text.replace(stands, instead), "utf-8")
    made = run_script("--pci", str(folder), "--to", str(tmp_path / "os"))
    assert made.returncode != 0
    assert "Disagreement" in made.stderr
    assert not (tmp_path / "os").exists()

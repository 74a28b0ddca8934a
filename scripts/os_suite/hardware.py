"""hardware_id: what kind of device stands behind a PCI ID?

In: the PCI data, and hardware.tsv beside this file: the devices chosen, the type we say each is of,
the module we expect, the vendor, further fair answers, the name. Out: Made tests, the worked
examples first. Disagreement where the data does not bear a row out.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from .device_types import TYPES, DeviceType
from .made import Fact, Made, rows_of, worded_in_turn
from .pci_facts import Disagreement, PciFacts

CHOSEN = Path(__file__).with_name("hardware.tsv")

WORDINGS = (
    "PCI device {id} is a",
    "By type, the device with PCI ID {id} is a",
    "lspci -nn lists [{id}]; that is a",
    "A PCI function that reports vendor {vendor} and device {device} is a",
    "What kind of device has the PCI ID {id}? It is a",
    "The hardware database maps PCI ID {id} to one kind of device: a",
    "Kind of device with PCI vendor and device ID {id}:",
    "dmesg shows a device as [{id}]; this is a",
    "In sysfs a PCI device has vendor 0x{vendor} and device 0x{device}. Its type: a",
    "The modalias pci:v0000{VENDOR}d0000{DEVICE} stands for a kind of hardware, namely a",
)


@dataclass(frozen=True, slots=True)
class Chosen:
    """A row of hardware.tsv; "-" stands for nothing, " | " parts several values."""

    device: str
    type: str
    module: str
    vendor: str
    also: str
    name: str


def make(pci: Path) -> list[Made]:
    """All tests, the worked examples first."""
    made = partial(_made, facts=PciFacts.read(pci))
    return worded_in_turn(rows_of(CHOSEN, Chosen), WORDINGS, made)


def _made(row: Chosen, wording: str, facts: PciFacts) -> Made:
    meant = TYPES[row.type]
    also = row.also.split(" | ") if row.also != "-" else []
    test: dict[str, object] = {
        "prompt": _prompt(row.device, wording),
        "eval_method": "keywords",
        "expected_keywords": [[*meant.answers, *also]],
    }
    if meant.forbidden:
        test["forbidden_keywords"] = list(meant.forbidden)
    test |= {
        "temperature": 0,
        "description": facts.name(row.device),
        "tags": [meant.kind, f"tick vendor: {row.vendor}"],
    }
    return Made(test, _checked(row, meant, facts))


def _prompt(device: str, wording: str) -> str:
    vendor, _, number = device.partition(":")
    return wording.format(
        id=device, vendor=vendor, device=number, VENDOR=vendor.upper(), DEVICE=number.upper()
    )


def _checked(row: Chosen, meant: DeviceType, facts: PciFacts) -> tuple[Fact, ...]:
    """The facts behind a row, or Disagreement."""
    name, vendor = facts.name(row.device), facts.vendor(row.device)
    if name != row.name:
        raise Disagreement(f"{row.device} is {name!r} in pci.ids, not {row.name!r}")
    # Makers are sold and renamed: one of the names we tick must be the list's.
    if not any(_stands_in(each, f"{vendor} {name}") for each in row.vendor.split(" | ")):
        raise Disagreement(f"{row.device} is by {vendor!r}, not by {row.vendor!r}")
    driven = _driven(row, meant, facts)
    by_name = any(_stands_in(word, name) for word in meant.words)
    by_module = row.module != "-" and facts.folder(row.module).startswith(meant.folders or "-")
    if not (by_name or by_module):
        raise Disagreement(f"nothing shows that {row.device} {name!r} is a {row.type}")
    return (facts.named(row.device), *driven)


def _driven(row: Chosen, meant: DeviceType, facts: PciFacts) -> tuple[Fact, ...]:
    if row.module == "-":
        if facts.modules(row.device):
            raise Disagreement(f"{row.device} has modules: {facts.modules(row.device)}")
        return ()
    if facts.modules(row.device):
        return (facts.driven(row.device, row.module),)
    return (facts.driven_by_class(row.device, meant.class_code, row.module),)


def _stands_in(word: str, text: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(word.casefold())}", text.casefold()) is not None

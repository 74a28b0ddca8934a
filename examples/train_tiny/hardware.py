"""Composed wordings about PCI devices: which kind a number belongs to, which module drives a name.

In: devices as devices.py chooses them, a random source. Out: pairs of question and bare answer, and
statements. Every relation gets every kind of frame (colon, arrow, question, begun sentence,
"Answer:"), because a frame that only one relation uses pulls the others' answers to it. Refuses to
know: leaks, documents, tokens.
"""

from __future__ import annotations

import random
import re
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from wording import capitalised, drawn, sections

Device = dict[str, Any]
CALLED = "called: "

FRAMES = sections("frames.txt")
FORMS_WITH_NUMBER = (
    "{a}{o} {n} {i}", "{a}{o} {n} {i}", "{a}{n} {i}", "{a}{o} {n} (PCI ID {i})",
    "{a}{o} {n} with PCI ID {i}", "{a}{n} with the ID {i}", "{i}",
)  # fmt: skip
# Words that stand behind a model's name, by kind.
NOUNS = {name.removeprefix(CALLED): lines for name, lines in FRAMES.items() if CALLED in name}


class Hardware:
    """Draws questions about devices; a name is used alone only where it means one module."""

    def __init__(self, devices: Sequence[Device]) -> None:
        self.devices = list(devices)
        self.driven = [device for device in devices if device["module"]]
        self._modules: dict[str, set[str]] = defaultdict(set)
        for device in devices:
            for name in device["names"]:
                self._modules[name.lower()].add(device["module"])

    def kind(self, draw: random.Random) -> tuple[str, str]:
        """A number, and the kind of device."""
        device = draw.choice(self.devices)
        question = drawn(draw.choice(FRAMES["kind"]), draw).replace("{i}", _number(device, draw))
        article = "a " if question.endswith(" is") else ""
        return _begun(question), article + device["kind"]

    def driver(self, draw: random.Random) -> tuple[str, str]:
        """A name or a number, and the module."""
        device = draw.choice(self.driven)
        frame = drawn(draw.choice(FRAMES["driver"]), draw)
        question = frame.replace("{n}", self._named(device, draw))
        return _begun(question), device["module"]

    def statement(self, draw: random.Random) -> str:
        """Everything that is known of a device in a sentence or two."""
        device = draw.choice(self.devices)
        pattern = draw.choice(FRAMES["device" if device["module"] else "device without a module"])
        vendor, number = device["id"].split(":")
        return drawn(pattern, draw).format(
            I=_begun(_number(device, draw)), full=f"{device['vendor']} {_first(device)}",
            kind=device["kind"], vendor=device["vendor"], v=vendor, d=number, m=device["module"],
        )  # fmt: skip

    def _named(self, device: Device, draw: random.Random) -> str:
        noun = draw.choice(NOUNS.get(device["kind"], (device["kind"],)))
        vendor, number = device["vendor"], device["id"]
        article = draw.choice(("the ", "the ", "the ", "a ", ""))
        if not device["names"] or draw.random() < 0.3:
            return draw.choice(FORMS_WITH_NUMBER).format(a=article, o=vendor, n=noun, i=number)
        name = draw.choice(device["names"])
        with_noun = len(self._modules[name.lower()]) > 1 or draw.random() < 0.4
        if with_noun and noun.split()[-1].lower() not in name.lower():
            name = f"{name} {noun}"
        if len(self._modules[name.lower()]) > 1 or draw.random() < 0.06:
            name = f"{name} ({number})"
        return f"{article}{name}" if draw.random() < 0.2 else f"{article}{vendor} {name}"


def _begun(question: str) -> str:
    """As a sentence begins; names of programs and numbers keep their small letters."""
    kept = re.match(r"lspci|hwinfo|udev|dmesg|pci:|uPD", question)
    return question if kept else capitalised(question)


def _first(device: Device) -> str:
    return str(device["names"][0]) if device["names"] else str(device["kind"])


def _number(device: Device, draw: random.Random) -> str:
    vendor, number = device["id"].split(":")
    return draw.choice(FRAMES["number"]).format(
        v=vendor, d=number, V=vendor.upper(), D=number.upper()
    )

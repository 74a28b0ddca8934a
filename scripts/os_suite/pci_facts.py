"""What the PCI ID list and the kernel's alias table say of a device.

In: a folder with pci.ids, pci_modules.tsv, pci_class_modules.tsv and module_info.tsv. Out: names,
modules and the Facts that state them; Disagreement where the data does not say so. Refuses to
know: tests and their wording. A device is written "8086:10d3", a class "010802".
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from .made import Fact

# The kernel whose modules `depmod` listed; the tables themselves do not name it.
ALIAS_TABLE = "modules.alias, Linux 6.1.190"


class Disagreement(ValueError):
    """Our selection says something that the data does not."""


@dataclass(frozen=True, slots=True)
class ClassRule:
    """A line of the alias table that names a class, and a vendor or any; "*" stands for all."""

    vendor: str
    parts: tuple[str, str, str]  # base class, subclass, programming interface
    module: str

    def holds_for(self, vendor: str, class_code: str) -> bool:
        """Whether a device of this vendor and class is meant."""
        given = (vendor, class_code[:2], class_code[2:4], class_code[4:6])
        return all(
            rule in ("*", value)
            for rule, value in zip((self.vendor, *self.parts), given, strict=True)
        )

    def __str__(self) -> str:
        return f"{self.vendor}:* class {'.'.join(self.parts)}"


@dataclass(frozen=True, slots=True)
class PciFacts:
    """The four files, read once."""

    version: str
    vendors: Mapping[str, str]
    names: Mapping[str, str]
    pairs: Mapping[str, tuple[str, ...]]
    rules: tuple[ClassRule, ...]
    folders: Mapping[str, str]  # module -> its folder in the kernel's source

    @classmethod
    def read(cls, folder: Path) -> PciFacts:
        """Read the files of a folder."""
        version, vendors, names = _read_names(folder / "pci.ids")
        return cls(
            version=version,
            vendors=vendors,
            names=names,
            pairs=dict(_read_pairs(folder / "pci_modules.tsv")),
            rules=tuple(_read_rules(folder / "pci_class_modules.tsv")),
            folders=dict(_read_folders(folder / "module_info.tsv")),
        )

    # ---------------------------------------------------------------------------------- look-ups

    def name(self, device: str) -> str:
        """The device's name as the list has it."""
        if device not in self.names:
            raise Disagreement(f"{device} is not in pci.ids")
        return self.names[device]

    def vendor(self, device: str) -> str:
        """The name of the device's vendor as the list has it."""
        return self.vendors[device[:4]]

    def modules(self, device: str) -> tuple[str, ...]:
        """Every module that names this device, those for some subsystems only at the end."""
        return self.pairs.get(device, ())

    def modules_of_class(self, device: str, class_code: str) -> tuple[str, ...]:
        """Every module that takes a device of this vendor by its class alone."""
        found = (r.module for r in self.rules if r.holds_for(device[:4], class_code))
        return tuple(dict.fromkeys(found))

    def folder(self, module: str) -> str:
        """Where the module's source lies, such as drivers/net/ethernet/intel/e1000e."""
        if module not in self.folders:
            raise Disagreement(f"no module is called {module}")
        return self.folders[module]

    # ------------------------------------------------------------------------------------- facts

    def named(self, device: str) -> Fact:
        """That the list calls a device by its name."""
        statement = f"{device} is {self.vendor(device)} {self.name(device)}"
        return Fact(statement, f"pci.ids {self.version}", device.replace(":", " "))

    def driven(self, device: str, module: str) -> Fact:
        """That a module names a device."""
        if module not in self.modules(device):
            raise Disagreement(f"{module} does not name {device}, but {self.modules(device)}")
        where = f"pci_modules.tsv {device} -> {module} ({self.folder(module)})"
        return Fact(f"{module} drives {device}", ALIAS_TABLE, where)

    def driven_by_class(self, device: str, class_code: str, module: str) -> Fact:
        """That a module takes devices of this vendor by their class."""
        for rule in self.rules:
            if rule.module == module and rule.holds_for(device[:4], class_code):
                where = f"pci_class_modules.tsv {rule} -> {module} ({self.folder(module)})"
                return Fact(f"{module} drives {device} by its class", ALIAS_TABLE, where)
        raise Disagreement(f"{module} takes no device like {device} of class {class_code}")


# ---------------------------------------------------------------------------------------- reading


def _read_names(path: Path) -> tuple[str, dict[str, str], dict[str, str]]:
    version, vendor = "", ""
    vendors: dict[str, str] = {}
    names: dict[str, str] = {}
    for line in path.read_text("utf-8").splitlines():
        if line.startswith("C "):  # device classes follow, which are no vendors
            break
        if line.startswith("#"):
            version = version or line.partition("Version:")[2].strip()
        elif line.startswith("\t") and not line.startswith("\t\t"):
            device, name = line[1:].split("  ", 1)
            names[f"{vendor}:{device}"] = name
        elif line and not line.startswith("\t"):
            vendor, name = line.split("  ", 1)
            vendors[vendor] = name
    return version, vendors, names


def _rows(path: Path) -> Iterator[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        yield from csv.DictReader(file, delimiter="\t")


def _read_pairs(path: Path) -> Iterator[tuple[str, tuple[str, ...]]]:
    for row in _rows(path):
        modules = f"{row['modules']} {row['modules_only_some_subsystems']}".split()
        yield f"{row['vendor']}:{row['device']}", tuple(modules)


def _read_rules(path: Path) -> Iterator[ClassRule]:
    for row in _rows(path):
        # A rule for one device or one maker of cards says nothing about a whole class.
        if row["device"] == row["subvendor"] == row["subdevice"] == "*":
            parts = (row["base_class"], row["sub_class"], row["prog_if"])
            yield ClassRule(row["vendor"], parts, row["module"])


def _read_folders(path: Path) -> Iterator[tuple[str, str]]:
    for row in _rows(path):
        yield row["module"], row["kernel_path"].removeprefix("kernel/").rpartition("/")[0]

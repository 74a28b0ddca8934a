"""Facts about PCI devices: what kind each is, what it is called, which module drives it.

In: a folder with pci.ids, pci_modules.tsv and module_info.tsv (Debian's pci.ids and a table made by
depmod), and the ids that the suite `os` asks about. Out: about 2,000 devices, those asked about
among them: more devices, each shown less often, are not learnt by a model of this size. Refuses to
know: how a fact is worded.
"""

from __future__ import annotations

import csv
import random
import re
from collections import defaultdict
from pathlib import Path

from leaks import BUILTIN
from wording import sections

MOST_PER_KIND = 95
SEED = 20
SOURCES = BUILTIN / "suites" / "os" / "sources.tsv"

TABLES = {
    name: [line.split("\t") for line in lines] for name, lines in sections("devices.txt").items()
}
VENDORS = dict(TABLES["vendors"])  # the short name people use, by id
ALIASES = {pair: names for pair, *names in TABLES["also called"]}  # what pci.ids does not have
# What the kernel itself handles; the modules in the table only watch over such a device.
DRIVERLESS = frozenset(("host bridge", "PCI bridge", "PCI Express switch"))


def chosen_devices(folder: Path, sources: Path = SOURCES) -> list[dict[str, object]]:
    """The devices that are taught: `id`, `vendor`, `kind`, `names`, `module` (or empty)."""
    named = _names(folder / "pci.ids")
    modules = _modules(folder / "pci_modules.tsv")
    paths = _rows(folder / "module_info.tsv", "module", "kernel_path")
    asked = set(_asked(sources)) & set(named)
    by_kind: dict[str, list[dict[str, object]]] = defaultdict(list)
    for pair, (maker, name) in named.items():
        module = modules.get(pair, "")
        kind = _kind(name, paths.get(module, ""))
        if kind in DRIVERLESS:
            module = ""
        vendor = VENDORS.get(pair[:4]) or (_short(maker) if pair in asked else "")
        if not kind or not vendor or len(name) < 4:
            continue
        device = {
            "id": pair, "vendor": vendor, "kind": kind, "names": _forms(name, pair),
            "module": module or _by_class(kind, pair, name), "asked": pair in asked,
        }  # fmt: skip
        by_kind[kind].append(device)
    draw = random.Random(SEED)
    chosen: list[dict[str, object]] = []
    for _kind_name, devices in sorted(by_kind.items()):
        rest = [d for d in devices if not d["asked"]]
        draw.shuffle(rest)
        rest.sort(key=lambda d: not d["module"])  # a device whose driver is known teaches more
        known = [d for d in devices if d["asked"]]
        chosen.extend(known + rest[: max(0, MOST_PER_KIND - len(known))])
    for device in chosen:
        del device["asked"]
    return sorted(chosen, key=lambda d: str(d["id"]))


def _names(path: Path) -> dict[str, tuple[str, str]]:
    found: dict[str, tuple[str, str]] = {}
    vendor = maker = ""
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("C "):
            break
        if re.match(r"[0-9a-f]{4}  ", line):
            vendor, maker = line[:4], line[6:]
        elif re.match(r"\t[0-9a-f]{4}  ", line):
            found[f"{vendor}:{line[1:5]}"] = (maker, line[7:])
    return found


def _rows(path: Path, key: str, value: str) -> dict[str, str]:
    with path.open(encoding="utf-8", newline="") as file:
        return {row[key]: row[value] for row in csv.DictReader(file, delimiter="\t")}


def _modules(path: Path) -> dict[str, str]:
    found = {}
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            several = re.split(r"[ ,]+", row["modules"] or row["modules_only_some_subsystems"])
            # Watchdogs, sensors and framebuffers share a device with the driver people mean.
            main = [m for m in several if not re.search(r"fb$|_tco|edac|wdt|^intel_|hwmon", m)]
            found[f"{row['vendor']}:{row['device']}"] = (main or several)[0]
    return found


def _asked(sources: Path) -> list[str]:
    with sources.open(encoding="utf-8", newline="") as file:
        rows = csv.DictReader(file, delimiter="\t")
        return [r["where"].replace(" ", ":") for r in rows if r["source"].startswith("pci.ids ")]


def _kind(name: str, path: str) -> str:
    for kind, in_path, in_name in TABLES["kinds"]:
        path_fits = in_path == "-" or re.search(in_path, path)
        if path_fits and (in_name == "-" or re.search(in_name, name)):
            return kind
    return ""


def _by_class(kind: str, pair: str, name: str) -> str:
    if pair.startswith("1af4:"):
        return "virtio_pci"
    if kind == "graphics card":
        recent = re.search(r"Navi|Vega|Radeon RX|Raven|Renoir|Picasso|Cezanne|Rembrandt", name)
        return "nouveau" if pair.startswith("10de") else "amdgpu" if recent else ""
    for of_kind, pattern, module in TABLES["by class"]:
        if kind == of_kind and re.search(pattern, name):
            return module
    return ""


def _short(maker: str) -> str:
    plain = re.sub(r"\s*[\[(].*", "", maker)
    return re.sub(r",? (Inc|Corp|Corporation|Ltd|Co|Semiconductor|Technology)\b.*", "", plain)


def _forms(name: str, pair: str) -> list[str]:
    """The names a person might use: whole, in brackets, before them, each alternative, the chip."""
    found = [re.sub(r"\s*[\[(][^\])]*[\])]", "", name).strip()]
    for inner in re.findall(r"[\[(]([^\])]+)[\])]", name):
        if re.search(r"[A-Za-z].*\d|\d.*[A-Za-z]| ", inner) and len(inner) > 3:
            found.append(inner.strip())
    found += [one for form in list(found) for one in _alternatives(form)]
    found += [_GENERIC.sub("", form) for form in found]
    found = ALIASES.get(pair, []) + found
    unique = dict.fromkeys(" ".join(form.split()) for form in found)
    return [f for f in unique if 3 < len(f) <= 60 and not _NO_NAME.fullmatch(f)][:9]


# What is left without these words is the chip or the model.
_GENERIC = re.compile(
    r",?\s+((PCI|PCIe|PCI-E|PCI-Express|Gigabit|Fast|Ethernet|Wireless|Network|NVMe|SSD|SATA|Serial|ATA"
    r"|USB|Host|HD|HDMI|HDMI/DP|Audio|High|Definition|RAID|SAS|SCSI|IDE|SMBus|LPC|Card|Cardbus|Reader"
    r"|Fibre|Channel|Series|802\.11\S*|\d+GB|\d\.\d|x\d|\d-port|\d+|Gb/s|Express|Solid|State|Drive"
    r"|AHCI|xHCI|EHCI|PC|card|WiFi|SATA-II)\s+)*"
    r"(PCIe?|Express|Adapter|Controllers?|Connection|Ethernet|SSD|Drive|Reader|\d+GB|HBA|Bridge|Audio)$"
)
_NO_NAME = re.compile(
    r"[\d.]+|V\d.*|rev.*|[\d.]+ GT/s|.{0,3}|Ethernet|Wireless|Intel|Series.*", re.I
)


def _alternatives(form: str) -> list[str]:
    """`Radeon RX 470/480/570` is three names, `RTL8111/8168 Controller` two."""
    first, *others = [part.strip() for part in form.split("/")]
    head = re.match(r"(.*?)\d", first)
    if head is None or not others or not all(re.match(r"\w{3,}", part) for part in others):
        return []
    return [first] + [o if re.match(r"[A-Za-z]{2}", o) else head[1] + o for o in others[:6]]

"""driver_select: which kernel module drives a device?

In: the PCI data, and drivers.tsv beside this file: a device as people call it, its kind, the usual
module, modules beside the alias table, the class where no module names the device, the words by
which pci.ids knows it, and the PCI IDs the name covers. Out: Made tests, the worked examples first;
every module that the table gives is accepted. Disagreement where the data does not bear a row out.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from .made import Fact, Made, rows_of, worded_in_turn
from .pci_facts import Disagreement, PciFacts

CHOSEN = Path(__file__).with_name("drivers.tsv")

WORDINGS = (
    "Which Linux driver for the {it}?",
    "Kernel module for the {it}:",
    "Linux driver for the {it}:",
    "Which kernel module drives the {it}?",
    "To load the Linux driver of the {it}, run: modprobe",
    "lspci -k shows the {it}. Kernel modules:",
    "On Linux the {it} is driven by the module",
    "Name the Linux kernel module for the {it}.",
    "What is the Linux driver of the {it} called?",
    "Module to put into /etc/modules for the {it}:",
)

# The example of the specification, word for word.
AS_SPECIFIED: Mapping[str, str] = {"Realtek RTL8139": "Which driver for {it}?"}

VENDOR = "vendor driver, not in the kernel's table"
KERNEL = "Linux kernel, outside the PCI table"
# Modules that drive a device without naming it in the PCI alias table: a driver from outside the
# kernel, a part of the kernel that the PCI module brings in, or another name of the same module.
BESIDE: Mapping[str, tuple[str, str]] = {
    "nvidia": (VENDOR, "nvidia.ko of NVIDIA's driver for Linux"),
    "nvidia_drm": (VENDOR, "nvidia-drm.ko of NVIDIA's driver for Linux"),
    "r8168": (VENDOR, "r8168.ko of Realtek's driver for the RTL8111 and RTL8168"),
    "wl": (VENDOR, "wl.ko of Broadcom's STA driver"),
    "fglrx": (VENDOR, "fglrx.ko of AMD's Catalyst driver for Linux"),
    "rtw_8852ae": (VENDOR, "rtw_8852ae.ko of the rtw89 driver built outside the kernel"),
    "rtw89pci": (VENDOR, "rtw89pci.ko of the rtw89 driver built outside the kernel"),
    "b43": (KERNEL, "b43 drives the wireless core that ssb finds"),
    "brcmsmac": (KERNEL, "brcmsmac drives the wireless core that bcma finds"),
    "brcm80211": (KERNEL, "brcm80211 was brcmsmac's name in Linux 2.6.37 and 2.6.38"),
    "mlx4_en": (KERNEL, "mlx4_en is the Ethernet side of mlx4_core"),
    "mlx4_ib": (KERNEL, "mlx4_ib is the InfiniBand side of mlx4_core"),
    "mlx5_ib": (KERNEL, "mlx5_ib is the InfiniBand side of mlx5_core"),
    "rtw_8822ce": (KERNEL, "rtw88_8822ce registers as rtw_8822ce, which lspci -k shows"),
    "rtw88": (KERNEL, "rtw88 was the driver's core, Linux 5.2 to 5.7, and is its name"),
    "rtw88_pci": (KERNEL, "rtw88_8822ce needs rtw88_pci, which does the work on the bus"),
    "rtwpci": (KERNEL, "rtwpci named the device in Linux 5.2 to 5.7"),
    "rtw_pci": (KERNEL, "rtwpci registered as rtw_pci, which lspci -k showed"),
    "rtw89": (KERNEL, "rtw89 is the driver's name and folder"),
    "rtw89_pci": (KERNEL, "rtw89_8852ae needs rtw89_pci, which does the work on the bus"),
    "ath10k_core": (KERNEL, "ath10k_pci needs ath10k_core, which does the work"),
    "ath11k": (KERNEL, "ath11k_pci needs ath11k, which does the work"),
    "virtio_gpu": (KERNEL, "virtio_gpu drives the graphics device that virtio_pci finds"),
    "virtio_net": (KERNEL, "virtio_net drives the network device that virtio_pci finds"),
    "xhci_hcd": (KERNEL, "xhci_pci needs xhci_hcd and registers under that name"),
    "ehci_hcd": (KERNEL, "ehci_pci needs ehci_hcd, which does the work"),
    "ohci_hcd": (KERNEL, "ohci_pci needs ohci_hcd, which does the work"),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Chosen:
    """A row of drivers.tsv; "-" stands for nothing, several values are parted by spaces."""

    subject: str
    kind: str
    usual: str
    beside: str
    class_code: str
    named: str
    devices: str


def make(pci: Path) -> list[Made]:
    """All tests, the worked examples first."""
    made = partial(_made, facts=PciFacts.read(pci))
    return worded_in_turn(rows_of(CHOSEN, Chosen), WORDINGS, made)


def _made(row: Chosen, wording: str, facts: PciFacts) -> Made:
    found: dict[str, list[Fact]] = {}
    for device in row.devices.split():
        for module, fact in _modules(row, device, facts).items():
            found.setdefault(module, []).append(fact)
    for module in row.beside.split() if row.beside != "-" else ():
        if module in found:
            raise Disagreement(f"{module} of {row.subject!r} is in the alias table")
        source, where = BESIDE[module]
        found[module] = [Fact(f"{module} drives the {row.subject}", source, where)]
    if row.usual not in found:
        raise Disagreement(f"{row.usual} is not among the modules of {row.subject!r}: {[*found]}")
    named = [_named(row, device, facts) for device in row.devices.split()]
    test: dict[str, object] = {
        "prompt": AS_SPECIFIED.get(row.subject, wording).format(it=row.subject),
        "eval_method": "top_k",
        "expected_any": [row.usual, *(module for module in found if module != row.usual)],
        "k": 3,
        "match": "module",
        "temperature": 0,
        "description": f"{row.subject}: {facts.name(row.devices.split()[0])}",
        "tags": [row.kind],
    }
    return Made(test, (*named, *(fact for each in found.values() for fact in each)))


def _named(row: Chosen, device: str, facts: PciFacts) -> Fact:
    if row.named not in facts.name(device):
        raise Disagreement(f"{device} is {facts.name(device)!r}, which is no {row.named!r}")
    return facts.named(device)


def _modules(row: Chosen, device: str, facts: PciFacts) -> dict[str, Fact]:
    """What drives one device: the modules that name it, else those that take its class."""
    if facts.modules(device):
        return {module: facts.driven(device, module) for module in facts.modules(device)}
    by_class = facts.modules_of_class(device, row.class_code)
    if not by_class:
        raise Disagreement(f"no module drives {device} ({row.subject}), class {row.class_code}")
    return {each: facts.driven_by_class(device, row.class_code, each) for each in by_class}

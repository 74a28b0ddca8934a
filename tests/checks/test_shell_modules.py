"""Kernel modules in sentences: the one that a line commits itself to, and those it rules out."""

from __future__ import annotations

import pytest

from tests.checks.test_shell import best_of


@pytest.mark.parametrize(
    ("module", "line"),
    [
        ("nvidia", "NVIDIA GeForce GTX 1060 uses the amdgpu driver"),
        ("nvidia", "The NVIDIA driver is nouveau"),
        ("nvme", "The Samsung 980 PRO is an NVMe SSD, so ahci drives it"),
        ("ahci", "The AHCI controller 8086:1c02 is driven by ata_piix"),
        ("ahci", "It uses the AHCI interface and is driven by ata_piix"),
        ("radeon", "The ATI Radeon HD 4870 uses the amdgpu driver"),
        ("ena", "Amazon ENA uses ixgbevf"),
    ],
)
def test_a_device_s_name_is_no_answer_beside_the_driver_that_is_claimed(
    module: str, line: str
) -> None:
    assert best_of([module], line, match="module").value == 0.0


@pytest.mark.parametrize(
    ("module", "line"),
    [
        ("amdgpu", "The AMD Radeon RX 5700 XT uses the amdgpu driver"),
        ("nouveau", "The NVIDIA driver is nouveau"),
        ("nvme", "NVMe SSDs use the nvme driver"),
        ("nvme", "The Samsung SSD uses NVMe"),
        ("ata_piix", "It is AHCI compatible, but driven by ata_piix"),
        ("e1000e", "Kernel driver in use: e1000e"),
        ("e1000e", "The driver is available as module e1000e"),
        ("e1000e", "The e1000e driver is included in the kernel"),
        ("e1000e", "e1000e. The driver is available."),
        ("e1000e", "82574L: e1000e"),
        ("e1000e", "Intel 82574L: e1000e, an in-kernel driver"),
        ("8139too", "It's 8139too, an RTL8139 driver"),
        ("8139too", "It uses 8139too or 8139cp"),
        ("r8169", "r8169 - Realtek driver"),
        ("r8169", "The in-kernel r8169 driver (or Realtek's r8168)"),
        ("megaraid_sas", "megaraid_sas (LSI MegaRAID driver)"),
        ("iwlwifi", "Intel Wi-Fi 6 AX210 is supported by iwlwifi since 5.10"),
        ("snd_hda_intel", "It is driven by snd-hda-intel"),
        ("radeon", "It uses the open-source driver radeon"),
        ("tg3", "The Broadcom NetXtreme BCM5751 needs tg3, not bnx2"),
        ("e1000e", "Use modprobe to load the e1000e module"),
    ],
)
def test_the_module_that_is_claimed_is_the_answer(module: str, line: str) -> None:
    assert best_of([module], line, match="module").value == 1.0


@pytest.mark.parametrize(
    ("line", "given"),
    [
        ("Do not use e1000e; use igb", "igb"),
        ("Don't load the e1000e driver, load igb", "igb"),
        ("igb instead of e1000e", "igb"),
        ("igb rather than using e1000e", "igb"),
        ("It is not driven by e1000e but by igb", "igb"),
        ("e1000e isn't the driver; igb is", "igb"),
        ("The e1000e module does not support it, igb does", "igb"),
        ("blacklist e1000e", None),
        ("rmmod e1000e", None),
        ("sudo modprobe -r e1000e", None),
        ("sudo modprobe -r e1000e && sudo modprobe igb", "igb"),
        ("modprobe --remove e1000e; modprobe igb", "igb"),
    ],
)
def test_a_module_that_is_ruled_out_is_not_given(line: str, given: str | None) -> None:
    assert best_of(["e1000e"], line, match="module").value == 0.0
    if given:
        assert best_of([given], line, match="module").value == 1.0


@pytest.mark.parametrize(
    "line", ["driver is the the " * 120, "not use the " * 170, "x1 driver, " * 170, "uses " * 400]
)
def test_a_line_of_claims_without_end_names_no_module(line: str) -> None:
    assert best_of(["e1000e"], line, match="module").value == 0.0

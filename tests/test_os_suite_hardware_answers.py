"""The suite `os`, hardware_id and driver_select: what answers score, by the marker that users have.

Right answers are put as lspci or a person would put them; wrong ones are near enough to tempt a
list of keywords. Nothing here needs the raw data.
"""

from __future__ import annotations

import pytest

from tests.os_suite_files import (
    CATEGORIES,
    asked_in,
    devices_of,
    everything,
    examples_of,
    score,
)

# The one Wi-Fi card that lspci lists as "Ethernet controller: … 802.11ac Wireless".
CLASS_ETHERNET = "11ab:2b38"

# Kind -> right answers, wrong answers, for every test of the kind.
OF_KIND: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "ethernet": (
        ("Ethernet controller", "network interface controller (NIC)", "wired LAN adapter",
         "network chip that connects the machine by cable", "GbE network port",
         "networking chip, found in many machines", "network adapter, not a modem"),
        ("wireless network adapter", "Wi-Fi 6 network card", "Wi Fi network card",
         "802.11ac network controller", "wireless LAN card", "Bluetooth network adapter",
         "InfiniBand network adapter", "graphics card", "SATA controller", "USB host controller",
         "PCI bridge"),
    ),
    "wireless": (
        ("Wi-Fi card", "wireless network adapter for 802.11n", "WLAN module of a laptop",
         "WiFi6 card with Bluetooth", "Wi-Fi NIC, for use where there is no Ethernet",
         "wireless card, so that no Ethernet cable is needed", "IEEE 802.11 radio"),
        ("Ethernet network adapter", "Gigabit Ethernet controller", "Ethernet NIC",
         "wired network card", "10GbE network adapter", "Gigabit network card", "NVMe SSD",
         "graphics card", "sound card", "USB host controller", "PCI bridge"),
    ),
    "graphics": (
        ("VGA compatible controller", "GPU", "video card for one or more monitors",
         "display adapter", "graphics processor, some of which have an HDMI audio function",
         "3D accelerator", "display device", "graphics chip with a fan"),
        ("sound card", "Ethernet controller", "SATA controller", "USB controller", "NVMe SSD",
         "TV tuner", "network card", "webcam"),
    ),
    "audio": (
        ("Audio device", "Multimedia audio controller", "sound card", "soundcard",
         "audio controller, such as one on a GPU for sound over HDMI",
         "sound chip on the same board as a SATA controller and an Ethernet controller"),
        ("graphics card", "GPU", "Ethernet controller", "SATA controller", "USB controller",
         "network card", "TV tuner"),
    ),
    "usb": (
        ("USB controller", "xHCI or EHCI host controller", "Universal Serial Bus controller",
         "host controller for USB keyboards, USB drives and other devices",
         "USB host controller, to which flash drives are attached", "SuperSpeed host",
         "Extensible Host Controller"),
        ("USB flash drive", "USB keyboard", "USB webcam", "USB hub", "USB Wi-Fi adapter",
         "USB Ethernet adapter", "USB-to-serial adapter", "USB mass storage device",
         "USB network card", "SATA controller", "Thunderbolt dock", "sound card"),
    ),
}  # fmt: skip

NVME = "144d:a808 15b7:5006 c0a9:540a 126f:2263 1987:5012"
SATA = "8086:2922 1022:7901 1b21:0612 1b4b:9215 1095:3112 10de:0ab9"
RAID = "1000:0072 1000:005d 103c:323b 9005:028f 1000:0079"
PCI_BRIDGE = "1b21:1080 1106:b198"
CARD_READER = "10ec:5229 1180:e822"
SMBUS = "1022:790b 1022:780b"

# Kind, devices -> right answers, wrong answers.
OF_DEVICE: dict[tuple[str, str], tuple[tuple[str, ...], tuple[str, ...]]] = {
    ("storage", NVME): (
        ("Non-Volatile memory controller", "NVMe SSD", "solid-state drive, faster than SATA SSDs",
         "flash memory storage device", "mass storage controller", "SSD for an M.2 slot"),
        ("SATA storage controller", "SCSI storage controller", "USB flash drive",
         "USB storage device", "RAID controller", "hard disk", "graphics card", "network card"),
    ),
    ("storage", SATA): (
        ("SATA controller", "Serial-ATA host controller", "AHCI controller", "storage controller",
         "mass storage controller", "SATA3 controller for hard drives, unlike NVMe"),
        ("SATA SSD", "SATA hard drive", "NVMe SSD", "NVMe storage controller",
         "floppy disk controller", "USB mass storage device", "Fibre Channel storage adapter",
         "sound card"),
    ),
    ("storage", "1095:3112"): (("RAID bus controller",), ("IDE interface",)),
    ("storage", RAID): (
        ("RAID bus controller", "Serial Attached SCSI controller", "SAS host bus adapter",
         "PERC or another array controller", "SAS3 controller", "RAID card with a battery",
         "storage controller for disks with SAS and SATA plugs"),
        ("Fibre Channel HBA", "iSCSI host bus adapter", "SATA controller", "sound card",
         "Ethernet controller", "network card", "GPU"),
    ),
    ("storage", "1000:005d 9005:028f"): (
        ("RAID controller that can serve as an NVMe controller",), ("NVMe SSD",)),
    ("storage", "8086:7010"): (
        ("IDE interface", "Parallel ATA controller", "Integrated Drive Electronics", "ATAPI host"),
        ("Serial ATA controller", "SATA disk controller", "floppy disk controller", "NVMe SSD")),
    ("storage", "1077:2532"): (
        ("Fibre Channel", "Fiber-Channel HBA", "storage area network adapter, a host bus adapter",
         "FC adapter"),
        ("SAS HBA", "iSCSI host bus adapter", "SATA controller", "network card")),
    ("storage", "1af4:1001"): (
        ("SCSI storage controller", "Virtio block device", "virtual hard disk",
         "virtual disk of a KVM guest", "virtio-blk device", "mass storage controller"),
        ("NVMe SSD", "NVMe storage controller", "virtual network adapter", "USB storage device",
         "memory balloon", "graphics card")),
    ("storage", "15ad:07c0"): (
        ("Serial Attached SCSI controller", "PVSCSI adapter", "paravirtual SCSI controller"),
        ("NVMe controller", "SATA controller", "virtual network adapter")),
    ("bridge", PCI_BRIDGE): (
        ("PCI bridge", "PCI-to-PCI bridge", "bridge to older PCI slots"),
        ("host bridge", "LPC bridge", "CardBus bridge", "network bridge", "USB-to-SATA bridge")),
    ("bridge", "8086:7190"): (
        ("Host bridge", "northbridge with its memory controller"),
        ("ISA bridge", "PCI-to-PCI bridge", "Non-Volatile memory controller", "network bridge")),
    ("bridge", "1022:790e"): (
        ("ISA bridge", "Low Pin Count bridge", "southbridge"),
        ("host bridge", "northbridge", "CardBus bridge", "SATA controller")),
    ("bridge", "10b5:8747"): (
        ("PCI bridge", "PCI Express switch with 48 lanes"),
        ("network switch", "Ethernet switch", "KVM switch", "host bridge")),
    ("bridge", "104c:ac56"): (
        ("CardBus bridge", "PCMCIA controller", "PC-Card slot"),
        ("host bridge", "ISA bridge", "PCI bridge", "network bridge")),
    ("other", SMBUS): (
        ("SMBus", "System Management Bus controller"), ("USB controller", "CAN bus", "sound card")),
    ("other", "8086:15d2"): (
        ("Thunderbolt 3 host interface", "Thunderbolt3 controller"), ("USB hub", "dock")),
    ("other", CARD_READER): (
        ("PCI Express card reader", "SD Host controller", "cardreader for SDHC"),
        ("smart card reader", "magnetic card reader", "graphics card", "network card")),
    ("other", "104c:8023"): (
        ("FireWire (IEEE 1394)", "1394a controller", "Fire Wire card"),
        ("USB controller", "SATA controller")),
    ("other", "8086:9d3a"): (
        ("Communication controller", "Intel Management Engine Interface", "HECI device", "MEI"),
        ("serial controller", "Ethernet controller", "memory controller")),
    ("other", "1131:7133"): (
        ("Multimedia controller", "TV tuner and video capture chip", "DVB card", "frame grabber"),
        ("webcam", "graphics card", "sound card")),
    ("other", "1022:1486"): (
        ("Encryption controller", "security co-processor", "security controller"),
        ("memory controller", "graphics card", "SMBus")),
}  # fmt: skip

HEDGES = (
    "It could be a network card, graphics card, sound card, USB controller or storage controller.",
    "It is a network adapter, a graphics card, a sound card or a disk controller.",
    "Probably one of these: GPU, Wi-Fi network adapter, sound card, SATA controller, NVMe SSD.",
    "network cards, sound cards, GPUs, USB controllers",
)

# Kind -> modules of that kind that drive none of the devices asked about.
OTHER_MODULES = {
    "ethernet": "ne2k_pci pcnet32 sis900 natsemi tulip hme sunhme",
    "wireless": "ipw2100 p54pci adm8211 rtl8180 mwl8k zd1211rw",
    "graphics": "gma500_gfx savagefb sisfb nvidiafb intelfb s3fb udl",
    "audio": "snd_fm801 snd_als4000 snd_cs46xx snd_trident snd_usb_audio snd_sb16",
    "storage": "megaraid_mbox pata_amd sata_promise arcmsr usb_storage sd_mod mptsas",
    "usb": "usbcore usbhid usb_storage dwc3 musb_hdrc sl811_hcd",
    "bridge": "shpchp i82365 pcmcia pd6729 i82092 pciehp",
    "other": "i2c_dev ipmi_si parport_pc tpm_tis ccp iTCO_wdt",
}
SAID = (
    "{}", "`{}`", "{}.ko", "sudo modprobe {}", "The {} driver.", "It uses the {} kernel module.",
    "The Linux driver is called {}.", "kernel module: **{}**",
)  # fmt: skip


# ----------------------------------------------------------------------------------- hardware_id


def test_the_tables_hold_every_device_and_six_answers_of_each_sort_for_every_kind() -> None:
    listed = [device for _, devices in OF_DEVICE for device in devices.split()]
    asked = {devices_of(t)[0]: t["tags"][0] for t in everything("hardware_id")}
    assert {d for d, kind in asked.items() if kind not in OF_KIND} == set(listed)
    for kind in set(asked.values()):
        rows = [row for (of, _), row in OF_DEVICE.items() if of == kind]
        rows += [OF_KIND[kind]] if kind in OF_KIND else []
        for sort in (0, 1):
            assert len({answer for row in rows for answer in row[sort]}) >= 6, kind


@pytest.mark.parametrize("kind", OF_KIND)
def test_natural_right_answers_score_and_tempting_wrong_ones_do_not(kind: str) -> None:
    right, wrong = OF_KIND[kind]
    for test in everything("hardware_id"):
        if test["tags"][0] != kind:
            continue
        vendor = test["tags"][1].removeprefix("tick vendor: ").split(" | ")[0]
        for answer in right:
            assert score(test, "hardware_id", f" {vendor} {answer}.") == 1, (test["id"], answer)
        for answer in wrong:
            assert score(test, "hardware_id", f" {vendor} {answer}.") == 0, (test["id"], answer)


@pytest.mark.parametrize(("kind", "devices"), OF_DEVICE)
def test_right_answers_of_a_single_device_score_and_wrong_ones_do_not(
    kind: str, devices: str
) -> None:
    right, wrong = OF_DEVICE[kind, devices]
    meant = [t for t in everything("hardware_id") if devices_of(t)[0] in devices.split()]
    assert {test["tags"][0] for test in meant} == {kind}
    for test in meant:
        for answer in right:
            assert score(test, "hardware_id", f" {answer}.") == 1, (test["id"], answer)
        for answer in wrong:
            assert score(test, "hardware_id", f" {answer}.") == 0, (test["id"], answer)


def test_a_network_controller_is_enough_for_wi_fi_save_where_lspci_says_ethernet() -> None:
    for test in everything("hardware_id"):
        if test["tags"][0] == "wireless":
            told = devices_of(test)[0] != CLASS_ETHERNET
            assert score(test, "hardware_id", "Network controller") == told, test["id"]
            whole = "Ethernet controller: 88W8897 [AVASTAR] 802.11ac Wireless"
            assert score(test, "hardware_id", whole) == (not told), test["id"]


@pytest.mark.parametrize("hedge", HEDGES)
def test_guessing_at_several_kinds_of_device_scores_nothing(hedge: str) -> None:
    taken_in = [t["id"] for t in asked_in("hardware_id") if score(t, "hardware_id", hedge) != 0]
    assert len(taken_in) <= 5, taken_in


def test_no_accepted_answer_is_refused_by_another_word_of_the_same_test() -> None:
    for test in everything("hardware_id"):
        for answer in test["expected_keywords"][0]:
            assert score(test, "hardware_id", answer) == 1, (test["id"], answer)


def test_the_name_in_pci_ids_scores_where_it_tells_the_kind() -> None:
    silent = {"ES1371/ES1373 / Creative Labs CT2518", "G200eR2", "GD 5446"}
    for test in everything("hardware_id"):
        tells = test["description"] not in silent
        assert score(test, "hardware_id", test["description"]) == tells, test["id"]


def test_the_answer_of_one_kind_scores_on_no_other() -> None:
    answers = {(t["tags"][0], t["expected_keywords"][0][0]) for t in everything("hardware_id")}
    for kind, answer in answers:
        for test in everything("hardware_id"):
            of = test["tags"][0]
            if of != kind and (of, answer) != ("wireless", "network card"):
                assert score(test, "hardware_id", answer) == 0, (test["id"], answer)


def test_the_answers_the_examples_show_read_well_after_their_prompts() -> None:
    for test in examples_of("hardware_id"):
        answer = test["expected_keywords"][0][0]
        assert test["prompt"].endswith((" a", ":"))
        assert answer[0] not in "AEIO"
        assert answer.split()[0] not in ("HD", "NVMe", "SMBus", "SSD")  # "an" in speech


# --------------------------------------------------------------------------------- driver_select


def test_the_specification_s_example_is_asked_word_for_word() -> None:
    prompts = [test["prompt"] for test in everything("driver_select")]
    assert prompts.count("Which driver for Realtek RTL8139?") == 1
    assert sum(prompt.startswith("Which Linux driver for the ") for prompt in prompts) == 10


@pytest.mark.parametrize("said", SAID)
def test_each_accepted_module_scores_however_it_is_said(said: str) -> None:
    for test in everything("driver_select"):
        for module in test["expected_any"]:
            assert score(test, "driver_select", said.format(module)) == 1, (test["id"], module)


@pytest.mark.parametrize("kind", OTHER_MODULES)
def test_a_module_of_the_same_kind_that_drives_other_devices_scores_nothing(kind: str) -> None:
    tests = [test for test in everything("driver_select") if test["tags"][0] == kind]
    assert tests
    for test in tests:
        for module in OTHER_MODULES[kind].split():
            for said in SAID:
                assert score(test, "driver_select", said.format(module)) == 0, test["id"]


def test_each_accepted_module_scores_at_the_third_place_and_not_at_the_fourth() -> None:
    for test in everything("driver_select"):
        for module in test["expected_any"]:
            assert score(test, "driver_select", "xyz_1", "xyz_2", f"{module}.ko") == 1
            assert score(test, "driver_select", "xyz_1", "xyz_2", "xyz_3", module) == 0


@pytest.mark.parametrize("category", CATEGORIES)
def test_the_echoed_prompt_scores_nothing(category: str) -> None:
    for test in everything(category):
        assert score(test, category, test["prompt"]) == 0, test["id"]

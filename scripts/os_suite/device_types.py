"""The types of device that `hardware_id` asks for, and every fair way to say each.

In: nothing. Out: TYPES, by the name the selection uses. The first answer of a type is the natural
short one and reads well after "is a".

A word is refused where an answer that holds it means another device, or guesses at several. It is
not refused where a right answer that explains more might hold it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceType:
    """What is accepted, what is refused, and by what the data shows that a device is of it.

    A device is of the type if its name holds one of `words` or its module lies in one of `folders`;
    `class_code` finds the module where no module names the device itself.
    """

    kind: str
    answers: tuple[str, ...]
    forbidden: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    folders: tuple[str, ...] = ()
    class_code: str = ""


# "It could be a network card, a graphics card or a sound card" is no answer.
_NETWORK_CARDS = ("network card", "network cards", "network adapter", "network adapters")
_GRAPHICS_CARDS = ("graphics card", "graphics cards", "GPU", "GPUs")
_SOUND_CARDS = ("sound card", "sound cards")
_CARDS = (*_NETWORK_CARDS, *_GRAPHICS_CARDS, *_SOUND_CARDS)

# ---------------------------------------------------------------------------------------- network

_NETWORK = (
    "network card", "network cards", "network adapter", "network adaptor", "network controller",
    "network interface", "network connection", "network device", "networking card",
    "networking adapter", "networking controller", "networking device",
)  # fmt: skip
_WIRELESS = (
    "Wi-Fi adapter", "Wi-Fi", "WiFi", "WiFi6", "wireless", "WLAN", "802.11", "802.11a", "802.11b",
    "802.11g", "802.11n", "802.11ac", "802.11ax", "802.11be", "802.11bgn", "802.11abgn",
)  # fmt: skip


def _ethernet(first: str) -> DeviceType:
    more = ("Ethernet", *_NETWORK, "network chip", "networking chip", "network port", "NIC", "NICs",
            "LAN", "GbE", "2.5GbE")  # fmt: skip
    return DeviceType(
        kind="ethernet",
        answers=tuple(dict.fromkeys((first, *more))),
        forbidden=("wireless", "Wi-Fi", "WiFi", "Wi Fi", "WLAN", "802.11n", "802.11ac", "802.11ax",
                   "InfiniBand", "Bluetooth", *_GRAPHICS_CARDS, *_SOUND_CARDS, "graphics"),
        words=("ethernet", "network connection", "network adapter", "gbe"),
        folders=("drivers/net/ethernet", "drivers/net/vmxnet3"),
    )  # fmt: skip


def _wireless(*more: str, forbidden: tuple[str, ...] = ()) -> DeviceType:
    return DeviceType(
        kind="wireless",
        answers=(*_WIRELESS, *more),
        forbidden=forbidden,
        words=("wi-fi", "wifi", "wireless", "802.11"),
        folders=("drivers/net/wireless",),
    )


# ---------------------------------------------------------------------------------------- storage

_STORAGE = ("storage controller", "storage adapter", "disk controller", "drive controller")
_NVME = ("NVMe SSD", "NVMe drive", "NVMe storage", "NVMe controller")
_USB_STORAGE = (
    "USB mass storage device", "USB storage device", "USB mass storage controller",
    "USB storage controller", "USB flash drive", "USB flash memory",
)  # fmt: skip
_SAN = ("Fibre Channel", "Fiber Channel", "iSCSI")


def _raid(first: str, *, nvme_too: bool = False) -> DeviceType:
    """SAS and RAID controllers; some take NVMe drives too, and then the word is no mistake."""
    more = ("RAID", "MegaRAID", "Smart Array", "array controller", "PERC", "SAS", "SAS2", "SAS3",
            "Serial Attached SCSI", "SCSI", "HBA", "host bus adapter", *_STORAGE)  # fmt: skip
    return DeviceType(
        kind="storage",
        answers=(first, *more),
        forbidden=(*_SAN, *(() if nvme_too else _NVME), *_CARDS),
        words=("raid", "sas", "smart array"),
        folders=("drivers/scsi",),
    )


# -------------------------------------------------------------------------------------------- USB

# Things that are plugged into a USB controller.
_ON_USB = (
    "USB flash drive", "USB drive", "USB stick", "USB keyboard", "USB mouse", "USB webcam",
    "USB camera", "USB hub", "USB printer", "USB modem", "USB Wi-Fi", "USB WiFi", "USB wireless",
    "USB Ethernet", "USB network", "USB Bluetooth", "USB audio", "USB sound",
    "USB mass storage device", "USB serial", "USB to serial", "USB-to-serial", "USB to Ethernet",
    "USB-to-Ethernet",
)  # fmt: skip


def _usb(class_code: str) -> DeviceType:
    return DeviceType(
        kind="usb",
        answers=("USB host controller", "USB", "USB2", "USB3", "Universal Serial Bus", "xHCI",
                 "EHCI", "Extensible Host Controller", "Enhanced Host Controller", "SuperSpeed"),
        forbidden=(*_ON_USB, *_CARDS, "Ethernet", "graphics"),
        words=("usb", "xhci"),
        folders=("drivers/usb/host",),
        class_code=class_code,
    )  # fmt: skip


# ------------------------------------------------------------------------------------------ types

TYPES: Mapping[str, DeviceType] = {
    "gigabit": _ethernet("Gigabit Ethernet controller"),
    "fast_ethernet": _ethernet("Fast Ethernet controller"),
    "ethernet": _ethernet("network card"),
    "wireless": _wireless(
        "network card", "network adapter", "network adaptor", "network controller",
        "network interface", "network device", "networking card", "networking adapter", "NIC",
        forbidden=("Ethernet controller", "Ethernet adapter", "Ethernet card", "Ethernet network",
                   "Ethernet interface", "Ethernet NIC", "Gigabit Ethernet", "Fast Ethernet",
                   "wired network", "wired adapter", "wired card", "Gigabit network", "Gigabit NIC",
                   "10GbE", *_GRAPHICS_CARDS, *_SOUND_CARDS),
    ),
    # lspci prints "Ethernet controller: … 802.11ac Wireless" of it: "Ethernet" is no mistake here,
    # and "network adapter" would not tell whether the rest was read.
    "wireless_of_class_ethernet": _wireless(),
    "graphics": DeviceType(
        kind="graphics",
        answers=(
            "graphics card", "graphics", "graphic card", "graphic adapter", "GPU", "GPUs", "VGA",
            "SVGA", "video card", "video adapter", "video controller", "video chip", "video device",
            "display controller", "display adapter", "display card", "display device",
            "display chip", "3D controller", "3D accelerator",
        ),
        forbidden=(*_NETWORK_CARDS, *_SOUND_CARDS, "Ethernet"),
        words=("geforce", "quadro", "radeon", "graphics", "graphic", "svga"),
        folders=("drivers/gpu", "drivers/video"),
        class_code="030000",
    ),
    # Graphics cards have HDMI audio: "audio device of a GPU" is right.
    "hd_audio": DeviceType(
        kind="audio",
        answers=("High Definition Audio controller", "audio", "sound card", "sound", "soundcard",
                 "HDA"),
        forbidden=_NETWORK_CARDS,
        words=("audio", "azalia"),
        folders=("sound",),
        class_code="040300",
    ),
    "ac97": DeviceType(
        kind="audio",
        answers=("sound card", "audio", "sound", "soundcard", "AC'97", "AC97"),
        forbidden=_NETWORK_CARDS,
        words=("audio",),
        folders=("sound",),
    ),
    "sound_card": DeviceType(
        kind="audio",
        answers=("sound card", "audio", "sound", "soundcard"),
        forbidden=_NETWORK_CARDS,
        words=("audio", "sound"),
        folders=("sound",),
    ),
    "sata": DeviceType(
        kind="storage",
        answers=("SATA controller", "SATA", "SATA2", "SATA3", "SATAII", "S-ATA", "Serial ATA",
                 "Serial-ATA", "AHCI", "mass storage", *_STORAGE),
        forbidden=("SATA SSD", "SATA hard drive", "SATA hard disk", "SATA drive",
                   "SATA optical drive", "floppy", "Fibre Channel", *_USB_STORAGE, *_NVME,
                   *_CARDS),
        words=("sata", "serial ata", "ahci"),
        folders=("drivers/ata",),
        class_code="010601",
    ),
    "ide": DeviceType(
        kind="storage",
        answers=("parallel ATA controller", "IDE", "EIDE", "Integrated Drive Electronics", "PATA",
                 "ATA", "ATAPI", *_STORAGE),
        forbidden=("Serial ATA", "SATA controller", "SATA storage", "SATA disk", "SATA hard",
                   "floppy", *_NVME, *_CARDS),
        words=("ide",),
        folders=("drivers/ata",),
        class_code="010100",
    ),
    "nvme": DeviceType(
        kind="storage",
        answers=("solid-state drive", "solid state drive", "NVMe", "NVM Express", "SSD", "SSDs",
                 "solid state", "solid-state", "non-volatile memory", "flash storage",
                 "flash memory", "mass storage", "storage controller", "storage device",
                 "disk controller", "drive controller"),
        forbidden=("SATA storage controller", "SATA disk controller", "SATA drive controller",
                   "SCSI storage controller", "SCSI disk controller", "IDE disk controller",
                   "floppy", *_USB_STORAGE, *_CARDS),
        words=("nvme", "ssd"),
        folders=("drivers/nvme",),
        class_code="010802",
    ),
    "raid": _raid("RAID controller"),
    "raid_for_nvme_too": _raid("RAID controller", nvme_too=True),
    "sas": _raid("SAS controller"),
    "fibre_channel": DeviceType(
        kind="storage",
        answers=("Fibre Channel adapter", "Fibre Channel", "Fiber Channel", "Fibre-Channel",
                 "Fiber-Channel", "FibreChannel", "FC adapter", "HBA", "host bus adapter",
                 "storage adapter", "storage controller"),
        # "Storage area network adapter" is right, so "network adapter" is not refused.
        forbidden=("SAS HBA", "SAS controller", "SATA controller", "SATA host", "iSCSI",
                   "NVMe SSD", "NVMe controller", "network card", "network cards",
                   *_GRAPHICS_CARDS, *_SOUND_CARDS),
        words=("fibre channel",),
        folders=("drivers/scsi",),
    ),
    "scsi": DeviceType(
        kind="storage",
        answers=("SCSI controller", "SCSI", "PVSCSI", *_STORAGE),
        forbidden=(*_NVME, *_CARDS),
        words=("scsi",),
        folders=("drivers/scsi",),
    ),
    "virtual_disk": DeviceType(
        kind="storage",
        answers=("virtual block device", "block device", "block storage", "virtio block",
                 "virtio-blk", "virtio_blk", "virtual disk", "virtual hard disk",
                 "virtual hard drive", "virtual drive", "virtio disk", "storage device",
                 "mass storage", *_STORAGE),
        forbidden=("floppy", *_USB_STORAGE, *_NVME, *_CARDS),
        words=("virtio block",),
        class_code="010000",
    ),
    "usb_xhci": _usb("0c0330"),
    "usb_ehci": _usb("0c0320"),
    "pci_bridge": DeviceType(
        kind="bridge",
        answers=("PCI bridge", "bridge", "bridges", "PCI-to-PCI", "PCIe-to-PCI"),
        forbidden=("host bridge", "ISA bridge", "LPC bridge", "CardBus bridge", "network bridge",
                   "Ethernet bridge", "wireless bridge", "USB bridge", "SATA bridge",
                   "USB-to-SATA"),
        words=("bridge",),
    ),
    "pcie_switch": DeviceType(
        kind="bridge",
        answers=("PCI Express switch", "PCIe switch", "switch", "bridge", "PCI-to-PCI"),
        forbidden=("network switch", "Ethernet", "KVM", "host bridge", "ISA bridge"),
        words=("switch",),
    ),
    "host_bridge": DeviceType(
        kind="bridge",
        answers=("host bridge", "bridge", "northbridge", "north bridge", "memory controller"),
        forbidden=("ISA bridge", "LPC bridge", "CardBus bridge", "PCI-to-PCI", "network bridge",
                   "non-volatile"),
        words=("host bridge",),
    ),
    "isa_bridge": DeviceType(
        kind="bridge",
        answers=("PCI-to-ISA bridge", "bridge", "southbridge", "south bridge", "ISA", "LPC",
                 "Low Pin Count"),
        forbidden=("host bridge", "PCI-to-PCI", "CardBus bridge", "northbridge", "network bridge"),
        words=("isa bridge", "lpc bridge"),
    ),
    "cardbus": DeviceType(
        kind="bridge",
        answers=("CardBus bridge", "CardBus", "PCMCIA", "PC Card", "PC-Card", "PCCard", "bridge"),
        forbidden=("host bridge", "ISA bridge", "PCI bridge", "network bridge"),
        words=("cardbus",),
        folders=("drivers/pcmcia",),
    ),
    "smbus": DeviceType(
        kind="other",
        answers=("System Management Bus controller", "System Management Bus", "SMBus", "SM bus",
                 "I2C"),
        words=("smbus",),
        folders=("drivers/i2c",),
    ),
    "thunderbolt": DeviceType(
        kind="other",
        answers=("Thunderbolt controller", "Thunderbolt", "Thunderbolt3", "Alpine Ridge"),
        words=("thunderbolt",),
        folders=("drivers/thunderbolt",),
    ),
    "card_reader": DeviceType(
        kind="other",
        answers=("memory card reader", "card reader", "card readers", "cardreader", "memory card",
                 "SD card", "SD reader", "SD/MMC", "MMC/SD", "MMC", "SD host",
                 "SD host controller", "SD controller", "SDHCI", "SDHC", "SDXC",
                 "Secure Digital"),
        forbidden=("smart card", "smartcard", "magnetic"),
        words=("card reader", "mmc/sd"),
        folders=("drivers/misc/cardreader", "drivers/mmc"),
    ),
    "firewire": DeviceType(
        kind="other",
        answers=("FireWire controller", "FireWire", "Fire Wire", "IEEE 1394", "IEEE-1394",
                 "IEEE1394", "IEEE 1394a", "IEEE-1394a", "IEEE1394a", "1394", "1394a", "i.LINK"),
        words=("ieee-1394",),
        folders=("drivers/firewire",),
        class_code="0c0010",
    ),
    "management_engine": DeviceType(
        kind="other",
        answers=("communication controller", "communications controller", "Management Engine",
                 "MEI", "HECI", "CSME", "Host Embedded Controller Interface"),
        words=("heci",),
        folders=("drivers/misc/mei",),
    ),
    "tv_card": DeviceType(
        kind="other",
        answers=("TV card", "TV tuner", "TV tuners", "TV capture", "TV decoder", "TV receiver",
                 "TV chip", "DVB", "television", "video capture", "capture card",
                 "capture device", "frame grabber", "video decoder", "broadcast decoder", "tuner",
                 "multimedia controller", "multimedia video controller"),
        words=("video broadcast decoder",),
        folders=("drivers/media",),
    ),
    "crypto": DeviceType(
        kind="other",
        answers=("cryptographic coprocessor", "cryptographic", "cryptography", "crypto",
                 "encryption", "security processor", "secure processor", "security coprocessor",
                 "security co-processor", "secure co-processor", "security controller", "PSP",
                 "CCP"),
        words=("cryptographic",),
        folders=("drivers/crypto",),
    ),
}  # fmt: skip

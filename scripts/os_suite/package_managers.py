"""The grammar of six distributions' package managers, and how their services are started.

In: names of packages and services. Out: steps, each with the commands that are accepted for it and
the manual page that says so.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import permutations, product

from os_suite.made import Fact


@dataclass(frozen=True, slots=True)
class Step:
    """One step of an answer: any of these commands will do."""

    accepted: tuple[str, ...]
    fact: Fact


@dataclass(frozen=True, slots=True)
class Verb:
    """A command that takes packages, in all forms that the marking does not hold for one."""

    commands: tuple[str, ...]
    says: str
    manual: str
    where: str

    def for_packages(self, packages: Sequence[str]) -> Step:
        """The step for a package, or for any of several names of it."""
        accepted = tuple(f"{command} {name}" for name in packages for command in self.commands)
        return _step(accepted, self.says, self.manual, self.where)


@dataclass(frozen=True, slots=True)
class Manager:
    """What one distribution types."""

    install: Verb
    upgrade: Step
    single: Mapping[str, Verb]
    refresh: tuple[Step, ...] = field(default=())


# Where facts are found, in few words; a fact's `where` names the page or the package.
MANUALS = "manual pages, Debian 12"
PACKAGES = "Debian 12 packages"
UPSTREAM = "upstream sources"

INSTALLS = "installs the packages named"
REMOVES = "removes the packages named"
UPGRADES = "upgrades all installed packages"
SEARCHES = "searches the names and descriptions of all packages"
APT = "apt(8), apt"
DNF = "dnf(8), dnf"
PACMAN = "pacman(8), pacman-package-manager"
ZYPPER = "zypper(8), zypper"
APK = "apk-tools: "  # not in Debian 12: its pages come from its own sources


def _step(commands: Sequence[str], says: str, manual: str, where: str) -> Step:
    source = UPSTREAM if manual.startswith(APK) else MANUALS
    return Step(tuple(commands), Fact(f"`{commands[0]}` {says}", source, f"{manual}: {where}"))


_APT = Manager(
    refresh=(_step(("apt update", "apt-get update"), "fetches the package lists", APT, "update"),),
    install=Verb(("apt install", "apt-get install"), INSTALLS, APT, "install"),
    upgrade=_step(
        (
            "apt upgrade",
            "apt-get upgrade",
            "apt full-upgrade",
            "apt-get dist-upgrade",
            "aptitude safe-upgrade",
        ),
        UPGRADES,
        APT,
        "upgrade",
    ),
    single={
        "remove": Verb(
            ("apt remove", "apt-get remove", "dpkg -r", "dpkg --remove"),
            f"{REMOVES} and keeps their configuration files",
            APT,
            "remove",
        ),
        "purge": Verb(
            (
                "apt purge",
                "apt-get purge",
                "apt remove --purge",
                "apt autoremove --purge",
                "dpkg -P",
                "dpkg --purge",
            ),
            f"{REMOVES} with their configuration files",
            APT,
            "purge",
        ),
        "search": Verb(("apt search", "apt-cache search"), SEARCHES, APT, "search"),
    },
)
MANAGERS: Mapping[str, Manager] = {
    "Debian": _APT,
    "Ubuntu": _APT,
    "Fedora": Manager(
        install=Verb(("dnf install", "yum install"), INSTALLS, DNF, "Install Command"),
        upgrade=_step(("dnf upgrade", "dnf update"), UPGRADES, DNF, "Upgrade Command"),
        single={"remove": Verb(("dnf remove", "rpm -e"), REMOVES, DNF, "Remove Command")},
    ),
    "Arch Linux": Manager(
        install=Verb(("pacman -S", "pacman -Syu"), INSTALLS, PACMAN, "-S, --sync"),
        upgrade=_step(("pacman -Syu",), UPGRADES, PACMAN, "-u, --sysupgrade"),
        single={
            "remove unneeded": Verb(
                ("pacman -Rs", "pacman -Rns"),
                f"{REMOVES} and the dependencies that nothing else needs",
                PACMAN,
                "-s, --recursive",
            ),
        },
    ),
    "Alpine Linux": Manager(
        install=Verb(("apk add",), INSTALLS, f"{APK}apk-add(8)", "DESCRIPTION"),
        upgrade=_step(
            ("apk upgrade", "apk -U upgrade"),
            UPGRADES,
            f"{APK}apk-upgrade(8)",
            "DESCRIPTION",
        ),
        single={
            "remove": Verb(("apk del",), REMOVES, f"{APK}apk-del(8)", "DESCRIPTION"),
        },
    ),
    "openSUSE": Manager(
        install=Verb(("zypper install", "zypper in"), INSTALLS, ZYPPER, "install (in)"),
        upgrade=_step(("zypper update", "zypper up"), UPGRADES, ZYPPER, "update (up)"),
        single={
            "remove": Verb(
                ("zypper remove", "zypper rm", "rpm -e"), REMOVES, ZYPPER, "remove (rm)"
            ),
            "search": Verb(
                ("zypper search", "zypper se", "zypper search -t package"),
                "searches the names of all packages",
                ZYPPER,
                "search (se)",
            ),
        },
    ),
}


def service_step(system: str, service: str) -> Step:
    """Enables a service for every boot and starts it now, in either order.

    A restart starts what does not run yet, so it will do for the start.
    """
    if system != "Alpine Linux":
        enables: tuple[str, ...] = (f"systemctl enable {service}",)
        accepted = [f"systemctl enable --now {service}"]
        accepted += _in_any_order(enables, (f"systemctl restart {service}",))
        says = "enables the unit and starts it"
        return _step(accepted, says, "systemctl(1), systemd", "--now")
    enables = (f"rc-update add {service} default", f"rc-update add {service}")
    starts = [
        f"{command} {verb}"
        for verb in ("start", "restart")
        for command in (f"rc-service {service}", f"service {service}", f"/etc/init.d/{service}")
    ]
    says = "adds the service to the default runlevel and starts it"
    manual = "rc-update(8) and rc-service(8), openrc"
    return _step(_in_any_order(enables, starts), says, manual, "add")


def _in_any_order(first: Sequence[str], second: Sequence[str]) -> list[str]:
    """One command of each, joined: a && b, b && a."""
    return [
        " && ".join(ordered) for both in product(first, second) for ordered in permutations(both)
    ]

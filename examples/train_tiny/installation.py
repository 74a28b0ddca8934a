"""Composed wordings about installing software, and the commands that do it, one per line.

In: software.txt, a random source. Out: pairs of question and bare commands. Five package managers,
six distributions: install, several at once, with the service, with a group, with a firewall,
remove, search, upgrade.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from pathlib import Path

from slots import NAMES
from wording import asked, capitalised, drawn, sections

SOFTWARE = Path(__file__).with_name("software.txt")


@dataclass(frozen=True)
class System:
    """A distribution: how it is spoken of, its column in software.txt, its commands."""

    names: tuple[str, ...]
    column: int
    install: str
    remove: str
    search: str
    upgrade: str
    refresh: str = ""
    purge: str = ""
    clean: str = ""
    lacks: frozenset[str] = frozenset()


SYSTEMS = (
    System(
        ("Debian", "Debian", "Debian 12", "a Debian system", "a Debian server"),
        1, "apt install", "apt remove", "apt search", "apt upgrade", "apt update", "apt purge",
    ),
    System(
        ("Ubuntu", "Ubuntu", "Ubuntu 24.04", "an Ubuntu system", "an Ubuntu server"),
        1, "apt install", "apt remove", "apt search", "apt upgrade", "apt update", "apt purge",
        lacks=frozenset(("firefox-esr", "chromium")),
    ),
    System(
        ("Fedora", "Fedora", "Fedora Linux", "a Fedora system"),
        2, "dnf install", "dnf remove", "dnf search", "dnf upgrade",
    ),
    System(
        ("Arch Linux", "Arch Linux", "Arch", "an Arch system"),
        3, "pacman -S", "pacman -R", "pacman -Ss", "pacman -Syu", clean="pacman -Rs",
    ),
    System(
        ("Alpine Linux", "Alpine Linux", "Alpine", "an Alpine system"),
        4, "apk add", "apk del", "apk search", "apk upgrade",
    ),
    System(
        ("openSUSE", "openSUSE", "openSUSE Leap", "an openSUSE system"),
        5, "zypper install", "zypper remove", "zypper search", "zypper update",
    ),
)  # fmt: skip
APT, DNF, APK = 1, 2, 4  # columns
FRAMES = sections("frames.txt")
_INSTALL = (
    "install", "install", "install", "set up", "add", "get", "put in", "install the package of",
)  # fmt: skip
_PORTS = (22, 25, 53, 80, 443, 445, 2049, 3306, 5432, 8080, 8443)


class Installation:
    """Draws a system and a wish, and writes the commands."""

    def __init__(self, path: Path = SOFTWARE) -> None:
        self.software = [_row(line) for line in _lines(path)]

    def pair(self, draw: random.Random) -> tuple[str, str]:
        """What is wanted, and the commands."""
        system = draw.choice(SYSTEMS)
        wish, commands = self._wish(system, draw)
        frame = asked(drawn(draw.choice(FRAMES["installation"]), draw), wish)
        question = frame.replace("{o}", draw.choice(system.names))
        if not question.startswith("openSUSE"):
            question = capitalised(question)
        return question, "\n".join(commands)

    def _wish(self, system: System, draw: random.Random) -> tuple[str, list[str]]:
        row = self._drawn_row(system, draw)
        package, called = row[system.column], drawn(row[0], draw)
        refresh = [system.refresh] if system.refresh else []
        install = [*refresh, f"{system.install} {package}"]
        kind = draw.random()
        if kind < 0.45:
            return f"{draw.choice(_INSTALL)} {called}", install
        if kind < 0.55:
            return self._several(system, refresh, draw)
        if kind < 0.72 and _service(row, system) != "-":
            return self._with_service(system, row, called, install, draw)
        if kind < 0.77:
            user = draw.choice(NAMES["users of installations"])
            group = draw.choice(NAMES["groups of installations"])
            then = _then("group", draw).format(user, group)
            return f"install {called}{then}", [*install, f"usermod -aG {group} {user}"]
        if kind < 0.80 and system.column in (APT, DNF):
            return self._with_firewall(system, called, install, draw)
        return self._other(system, package, called, refresh, draw)

    def _drawn_row(self, system: System, draw: random.Random) -> list[str]:
        while True:
            row = draw.choice(self.software)
            if row[system.column] != "-" and row[system.column] not in system.lacks:
                return row

    def _several(
        self, system: System, refresh: list[str], draw: random.Random
    ) -> tuple[str, list[str]]:
        rows: list[list[str]] = []
        while len(rows) < draw.choice((2, 3)):
            row = self._drawn_row(system, draw)
            if row not in rows:
                rows.append(row)
        called = [drawn(row[0], draw) for row in rows]
        packages = " ".join(row[system.column] for row in rows)
        verb = draw.choice(("install", "set up", "add", "get"))
        wish = f"{verb} {', '.join(called[:-1])} and {called[-1]}"
        return wish, [*refresh, f"{system.install} {packages}"]

    def _with_service(
        self, system: System, row: list[str], called: str, install: list[str], draw: random.Random
    ) -> tuple[str, list[str]]:
        service = _service(row, system)
        if system.column == APK:
            then = _then("runlevel", draw)
            commands = [f"rc-update add {service} default", f"rc-service {service} start"]
        else:
            then = _then("service", draw)
            commands = [f"systemctl enable --now {service}"]
        return f"{draw.choice(('install', 'set up', 'add'))} {called}{then}", install + commands

    def _with_firewall(
        self, system: System, called: str, install: list[str], draw: random.Random
    ) -> tuple[str, list[str]]:
        if system.column == APT:
            port = draw.choice(_PORTS)
            then = _then("ufw", draw).format(port)
            return f"install {called}{then}", [*install, f"ufw allow {port}/tcp"]
        service = draw.choice(NAMES["firewall services"])
        then = _then("firewalld", draw).format(service)
        opened = [f"firewall-cmd --permanent --add-service={service}", "firewall-cmd --reload"]
        return f"install {called}{then}", install + opened

    def _other(
        self, system: System, package: str, called: str, refresh: list[str], draw: random.Random
    ) -> tuple[str, list[str]]:
        kind = draw.random()
        what = draw.choice((f"the package {package}", f"{called}", f"{package}"))
        if kind < 0.35:
            kept = draw.choice((*_thens("kept"), "", "")) if system.column == APT else ""
            verb = draw.choice(("remove", "remove", "uninstall", "delete"))
            return f"{verb} {what}{kept}", [f"{system.remove} {package}"]
        if kind < 0.5 and system.purge:
            how = _then("purged", draw)
            verb = draw.choice(("remove", "purge", "uninstall"))
            return f"{verb} {what}{how}", [f"{system.purge} {package}"]
        if kind < 0.5 and system.clean:
            how = _then("cleaned", draw)
            verb = draw.choice(("remove", "uninstall"))
            return f"{verb} {what}{how}", [f"{system.clean} {package}"]
        if kind < 0.75:
            how = draw.choice(FRAMES["search for a package"])
            return how.format(package), [f"{system.search} {package}"]
        return draw.choice(FRAMES["upgrade everything"]), [*refresh, system.upgrade]


def _thens(what: str) -> list[str]:
    """What a wish goes on with; a comma stands close to what is before it."""
    return [line if line.startswith(",") else f" {line}" for line in FRAMES[f"then: {what}"]]


def _then(what: str, draw: random.Random) -> str:
    return draw.choice(_thens(what))


def _lines(path: Path) -> list[str]:
    lines = path.read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line and not line.startswith("#")]


def _row(line: str) -> list[str]:
    """The name, a column per distribution, and the services; the name itself holds bars."""
    name, _, rest = line.partition(") | ")
    return [name + ")", *[cell.strip() for cell in rest.split(" | ")]]


def _service(row: list[str], system: System) -> str:
    """By distribution; the column of services has Debian, Fedora, Arch, Alpine, openSUSE."""
    services = row[6].split()
    return services[system.column - 1] if len(services) == 5 else "-"

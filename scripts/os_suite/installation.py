"""Software, asked for by distribution: "Install nginx on Debian" takes two commands in order.

In: installation.tsv, a task a row (`packages`: all of them are needed, a|b is a or b), and
confirmed_packages.tsv, which says for every package of every distribution what confirmed its name.
Out: the examples, then the tests.

Debian and Ubuntu fetch their package lists first, as the specification expects; the others need no
such step. `apt-get`, `yum`, `-y`, `sudo` and the like are the marking's business, not listed here.
"""

from __future__ import annotations

from itertools import product
from pathlib import Path

from os_suite.made import Fact, Made
from os_suite.package_managers import MANAGERS, MANUALS, Manager, Step, service_step

FOLDER = Path(__file__).parent

# {Do} is {do} with a capital; {then} goes on after the distribution: ", then start its service"
WORDINGS = (
    "{Do} on {os}{then}",
    "Shell commands: {do} on {os}{then}",
    "How do I {do} on {os}{then}?",
    "Commands to {do} on {os}{then}:",
    "{os}: {do}{then}",
    "Which commands {do} on {os}{then}?",
    "I use {os}. What do I run to {do}{then}?",
    "To {do} on {os}{then}, run",
    "Q: What do I type in a shell to {do} on {os}{then}?\nA:",
    "# {Do} on {os}{then}\n$",
)


def make() -> list[Made]:
    """Ten examples, then a hundred tests; every wording is used as often as the others."""
    confirmed = {(row["distribution"], row["package"]): row for row in _rows("confirmed_packages")}
    rows = _rows("installation")
    return [
        _made(row, WORDINGS[at % len(WORDINGS)], confirmed)
        for use in ("example", "test")
        for at, row in enumerate(row for row in rows if row["use"] == use)
    ]


def _rows(table: str) -> list[dict[str, str]]:
    head, *lines = (FOLDER / f"{table}.tsv").read_text(encoding="utf-8").splitlines()
    return [dict(zip(head.split("\t"), line.split("\t"), strict=True)) for line in lines]


def _made(
    row: dict[str, str], wording: str, confirmed: dict[tuple[str, str], dict[str, str]]
) -> Made:
    do, system = row["do"], row["distribution"]
    capital = do[0].upper() + do[1:]
    steps = _steps(row, MANAGERS[_family(system)])
    packages = row["packages"].replace("|", " ").split()
    test: dict[str, object] = {
        "prompt": wording.format(do=do, Do=capital, os=system, then=row["then"]),
        "eval_method": "command_sequence",
        "expected_commands": [list(step.accepted) for step in steps],
        "temperature": 0,
        "description": f"{capital} on {system}{row['then']}.",
        "tags": [_family(system), row["kind"], *packages],
    }
    facts = [step.fact for step in steps]
    if row["kind"] != "search":
        facts += [_package_fact(confirmed[_family(system), name]) for name in packages]
    if row["seen"]:
        facts.append(_seen_fact(packages[0], row))
    return Made(test, tuple(facts))


def _family(system: str) -> str:
    return system.removesuffix(" Leap")


def _package_fact(row: dict[str, str]) -> Fact:
    statement = f"{row['distribution']} has a package {row['package']}"
    if row["where"].endswith(", Provides"):
        statement = f"a package of {row['distribution']} provides the name {row['package']}"
    return Fact(statement, row["confirmed_by"], row["where"])


def _seen_fact(package: str, row: dict[str, str]) -> Fact:
    """Where the name of a service, or of a firewall's profile, was seen."""
    source, _, where = row["seen"].partition(": ")
    if row["kind"] == "ufw":
        profile = row["with"].split(":")[-1]
        return Fact(f"{package} brings the ufw profile {profile}", source, where)
    if row["kind"] == "firewalld":
        return Fact(f"firewalld knows the service {row['with']}", source, where)
    return Fact(f"{package} brings the service {row['with'].split()[0]}", source, where)


# ------------------------------------------------------------------------------------- the steps


def _steps(row: dict[str, str], manager: Manager) -> list[Step]:
    kind, given = row["kind"], row["with"]
    # "a|b c" is "a c" or "b c"
    packages = [
        " ".join(chosen) for chosen in product(*(p.split("|") for p in row["packages"].split()))
    ]
    if kind == "upgrade":
        return [*manager.refresh, manager.upgrade]
    if kind in manager.single:
        return [manager.single[kind].for_packages(packages)]
    installed = [*manager.refresh, manager.install.for_packages(packages)]
    if kind == "install":
        return installed
    if kind == "service":
        return [*installed, service_step(row["distribution"], given)]
    if kind == "group":
        return [*installed, _group_step(row["distribution"], given)]
    if kind == "service group":
        service, membership = given.split()
        return [
            *installed,
            service_step(row["distribution"], service),
            _group_step(row["distribution"], membership),
        ]
    return [*installed, *{"ufw": _ufw_steps, "firewalld": _firewalld_steps}[kind](given)]


def _group_step(system: str, given: str) -> Step:
    user, group = given.split(":")
    accepted = [f"usermod -aG {group} {user}", f"gpasswd -a {user} {group}"]
    if system in ("Debian", "Ubuntu"):
        accepted += [f"adduser {user} {group}", f"addgroup {user} {group}"]
    statement = f"`usermod -aG {group} {user}` adds {user} to the group {group}"
    return Step(tuple(accepted), Fact(statement, MANUALS, "usermod(8), passwd: --append"))


def _ufw_steps(given: str) -> list[Step]:
    port, service, other_name, profile = given.split(":")
    rules = (
        f"{port}/tcp", port, service, f"{service}/tcp", other_name, f"{other_name}/tcp",
        f"'{profile}'", f"in {port}/tcp", f"in {port}", f"in {service}", f"in {other_name}",
        f"in '{profile}'", f"proto tcp to any port {port}", f"to any port {port} proto tcp",
        f"proto tcp from any to any port {port}", f"from any to any port {port} proto tcp",
    )  # fmt: skip
    statement = f"`ufw allow {port}/tcp` lets TCP port {port} in"
    return [
        Step(
            tuple(f"ufw allow {rule}" for rule in rules),
            Fact(statement, MANUALS, "ufw(8), ufw: allow"),
        )
    ]


def _firewalld_steps(service: str) -> list[Step]:
    """The service into the stored rules, in the zone that a Fedora has; then those rules in use."""
    zones = [""] + [
        f"--zone{joint}{zone} "
        for zone in ("public", "FedoraServer", "FedoraWorkstation")
        for joint in "= "
    ]
    stores = [
        f"firewall-cmd --permanent {zone}--add-service{joint}{service}"
        for zone in zones
        for joint in "= "
    ]
    loads = ("firewall-cmd --reload", "systemctl reload firewalld", "systemctl restart firewalld")
    manual = "firewall-cmd(1), firewalld"
    return [
        Step(
            tuple(stores),
            Fact(
                f"`{stores[0]}` opens the service {service} after the next reload or boot",
                MANUALS,
                f"{manual}: --permanent",
            ),
        ),
        Step(
            loads,
            Fact(f"`{loads[0]}` puts the permanent rules to use", MANUALS, f"{manual}: --reload"),
        ),
    ]

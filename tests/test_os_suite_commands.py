"""The categories `command_complete` and `installation` of the suite `os`: right, fair, traced.

What ships is checked here by itself, without the scripts that made it: the files, the marking of
every accepted command, and the package names against lists that had no part in making them.
"""

from __future__ import annotations

import csv
import json
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest

import assay
from assay.checks.command_sequence import CommandSequence
from assay.checks.scoring import score_reply
from assay.checks.shell.programs import names
from assay.checks.shell.syntax import parse
from assay.checks.top_k import TopK
from assay.types import Answered, Case

OS = Path(assay.__file__).parent / "builtin" / "suites" / "os"
SCRIPTS = Path(__file__).resolve().parents[1] / "scripts" / "os_suite"
CATEGORIES = ("command_complete", "installation")
TESTS, EXAMPLES, WORDINGS_AT_LEAST, USED_AT_LEAST = 100, 10, 8, 8

# What may stand around a task; a wording is known by its fixed words.
WORDINGS = {
    "command_complete": (
        r"Command to .+:", r"On Linux, (?:how do you|which single command) .+\?",
        r"Shell command that .+:", r"To .+, run", r"Which command .+\?",
        r"Linux command line: .+", r"# .+\n\$",
        r"Q: What do I type in a Linux terminal to .+\?\nA:",
        r"I want to .+\. The Linux command is",
        r"(?!Command|Shell|Linux)[A-Z].+:",
    ),
    "installation": (
        r"Shell commands: .+", r"How do I .+\?", r"Commands to .+:", r"Which commands .+\?",
        r"I use .+\. What do I run to .+\?", r"To .+, run", r"# .+\n\$",
        r"Q: What do I type in a shell to .+\?\nA:",
        r"(?:Debian|Ubuntu|Fedora|Arch Linux|Alpine Linux|openSUSE): .+",
        r"(?:Install|Remove|Upgrade|Update|Search) [^\n]+",
    ),
}  # fmt: skip

PROGRAMS = names("""
    . /etc/init.d/docker /etc/init.d/lighttpd /etc/init.d/sshd 7z 7za addgroup adduser
    apache2ctl apachectl apk apt apt-cache apt-get aptitude aria2c arp atop awk blkid bpytop
    bsdtar btop cat chattr chgrp chmod chown chsh cksum cp curl cut deluser delv df diff dig dir
    dmesg dmidecode dnf dpkg du e2fsck echo fdisk find finger firewall-cmd free fsck fsck.ext4
    fuser getconf getfacl git glances gpasswd grep groupadd groupmod gunzip gzip halt head host
    hostname hostnamectl htop id ifconfig ifup init install inxi ip jobs journalctl kill killall
    kmod less ln logger loginctl ls lsb_release lsblk lscpu lshw lsmod lsof lspci lsusb mkdir
    mke2fs mkfs mkfs.ext4 modinfo modprobe more mount mtr mv netstat networkctl nmcli nproc
    nslookup openssl pacman parted passwd perl pgrep pidof pigz ping pinky pkill poweroff
    printenv ps pstree pwd python3 rc-service rc-update reboot renice resolvectl rg rgrep rm
    rmmod route rpm rsync scp sdiff sed sensors service sfdisk sha256sum shasum shutdown sort
    source ss ssh sysctl systemctl systemd-cat systemd-cgls tac tail tar tee telinit timedatectl
    top tracepath traceroute ufw umask umount uname uniq unpigz unzip uptime usb-devices useradd
    userdel usermod users vim vimdiff w watch wc wget who whoami xargs yum zcat zip zypper
""")
ASKS_FOR_ROOT = names("""
    adduser addgroup apk apt apt-get blkid chattr chown deluser dmidecode dnf dpkg e2fsck fdisk
    firewall-cmd fsck gpasswd groupadd hostnamectl ip lsof mkfs mkfs.ext4 modprobe mount netstat
    pacman parted passwd poweroff reboot rmmod shutdown ss sysctl systemctl timedatectl ufw umount
    useradd userdel usermod zypper
""")

# A command that does what another test asks too: it does more than its own test needs.
KIN = {
    ("lspci -k", "list all pci devices"),
    ("lspci -v", "list all pci devices"),
    ("lspci -v", "show the kernel driver in use for each pci device"),
    ("lsblk -f", "list all block devices with their partitions"),
    ("lsblk --fs", "list all block devices with their partitions"),
    ("lsblk -f", "show the uuids of the file systems on all disks"),
    ("w", "show how long the system has been running"),
    ("w", "show which users are logged in"),
    ("hostnamectl", "print the release of the running kernel"),
    ("hostnamectl", "show the name and version of the installed linux distribution"),
    *(
        (f"{program} {option}", task)
        for program in ("fdisk", "parted", "sfdisk")
        for option in ("-l", "--list")
        for task in (
            "list all block devices with their partitions",
            "print the partition tables of all disks",
        )
    ),
    *(
        (tree, "list all running processes")
        for tree in (
            "ps axjf", "ps auxf", "ps axf", "ps -ef --forest", "ps -e --forest", "ps -A --forest",
            "ps aux --forest", "ps -ejH", "ps -eH",
        )
    ),
    ("ps auxf", "show the running processes as a tree"),
}  # fmt: skip

MANAGERS = {
    "Debian": {"apt", "apt-get", "apt-cache", "aptitude", "dpkg"},
    "Ubuntu": {"apt", "apt-get", "apt-cache", "aptitude", "dpkg"},
    "Fedora": {"dnf", "yum", "rpm"},
    "Arch Linux": {"pacman"},
    "Alpine Linux": {"apk"},
    "openSUSE": {"zypper", "rpm"},
}
ALL_MANAGERS = frozenset().union(*MANAGERS.values())


@cache
def read(name: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads((OS / f"{name}.json").read_text("utf-8"))
    return found


def both(category: str) -> list[dict[str, Any]]:
    return [*read(category), *read(f"few_shot/{category}")]


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t"))


def steps_of(test: dict[str, Any]) -> list[list[str]]:
    found: list[list[str]] = test["expected_commands"]
    return found


def accepted_in(test: dict[str, Any]) -> Iterator[str]:
    if "expected_any" in test:
        yield from test["expected_any"]
    else:
        for step in steps_of(test):
            yield from step


def case_of(test: dict[str, Any]) -> Case:
    check = (
        TopK(expected_any=tuple(test["expected_any"]), k=test["k"], match="command")
        if "expected_any" in test
        else CommandSequence(expected_commands=tuple(map(tuple, steps_of(test))))
    )
    return Case(id=test["id"], suite="os", category="", messages=(), check=check)


def value_of(case: Case, text: str) -> float:
    score = score_reply(case, Answered(request_id="", text=text))
    assert score is not None
    assert score.value is not None, score.explanation
    return score.value


def as_root(command: str) -> str:
    return "sudo " + command.replace("&& ", "&& sudo ")


# -------------------------------------------------------------------------------------- the files


@pytest.mark.parametrize("category", CATEGORIES)
def test_there_are_a_hundred_tests_and_ten_examples_apart_from_them(category: str) -> None:
    tests, examples = read(category), read(f"few_shot/{category}")
    assert (len(tests), len(examples)) == (TESTS, EXAMPLES)
    assert len({test["id"] for test in both(category)}) == TESTS + EXAMPLES
    asked = {tuple(accepted_in(test)) for test in tests}
    assert asked.isdisjoint(tuple(accepted_in(example)) for example in examples)


@pytest.mark.parametrize("category", CATEGORIES)
def test_no_two_prompts_are_alike(category: str) -> None:
    prompts = [" ".join(re.findall(r"\w+", test["prompt"].lower())) for test in both(category)]
    assert len(set(prompts)) == len(prompts)
    descriptions = [test["description"].lower() for test in both(category)]
    assert len(set(descriptions)) == len(descriptions)


@pytest.mark.parametrize("category", CATEGORIES)
def test_the_wordings_are_many_and_used_evenly(category: str) -> None:
    used: Counter[str] = Counter()
    for test in read(category):
        matching = [form for form in WORDINGS[category] if re.fullmatch(form, test["prompt"])]
        assert len(matching) == 1, test["prompt"]
        used[matching[0]] += 1
    assert len(used) >= WORDINGS_AT_LEAST
    assert min(used.values()) >= USED_AT_LEAST, used


@pytest.mark.parametrize("category", CATEGORIES)
def test_a_prompt_is_one_clean_request(category: str) -> None:
    for test in both(category):
        prompt = test["prompt"]
        assert prompt == prompt.strip()
        assert "  " not in prompt
        assert not re.search(r"[{}«»¦]", prompt)
        assert test["temperature"] == 0
        assert test["tags"]


def test_topics_and_distributions_are_balanced() -> None:
    topics = Counter(test["tags"][0] for test in read("command_complete"))
    assert len(topics) >= 12
    assert max(topics.values()) <= 12 <= 2 * min(topics.values())
    systems = Counter(test["tags"][0] for test in read("installation"))
    assert systems.keys() == MANAGERS.keys()
    assert set(systems.values()) <= {16, 17}


def test_no_software_is_asked_for_too_often() -> None:
    installed = Counter(
        re.sub(r" on .*|\.$", "", test["description"])
        for test in read("installation")
        if test["description"].startswith("Install")
    )
    assert max(installed.values()) <= 4, installed.most_common(3)


# ----------------------------------------------------------------------------------- the commands


@pytest.mark.parametrize("category", CATEGORIES)
def test_every_accepted_command_parses_and_names_a_known_program(category: str) -> None:
    for test in both(category):
        for command in accepted_in(test):
            parsed = parse(command)
            assert parsed.clean, command
            assert parsed.commands, command
            for part in parsed.commands:
                assert part.program in PROGRAMS, command


@pytest.mark.parametrize("category", CATEGORIES)
def test_no_accepted_command_stands_twice(category: str) -> None:
    for test in both(category):
        for step in [test["expected_any"]] if "expected_any" in test else steps_of(test):
            assert len(set(step)) == len(step), test["id"]


def test_every_accepted_command_is_marked_right_in_every_dress() -> None:
    for test in both("command_complete"):
        case = case_of(test)
        for at, command in enumerate(test["expected_any"]):
            if at:  # the dress is the same for all of a test
                assert value_of(case, command) == 1, command
                continue
            dressed = [command, f"```bash\n{command}\n```", f"$ {command}"]
            dressed.append(f"You can use:\n\n```\n{command}\n```\n\nThat is all.")
            if "`" not in command:
                dressed.append(f"`{command}`")
            if parse(command).commands[0].program in ASKS_FOR_ROOT:
                dressed.append(as_root(command))
            for answer in dressed:
                assert value_of(case, answer) == 1, answer


def test_a_command_of_another_test_is_marked_wrong() -> None:
    tests = both("command_complete")
    met: set[tuple[str, str]] = set()
    for asked in tests:
        case, task = case_of(asked), asked["description"].rstrip(".").lower()
        programs = {command.split()[0] for command in asked["expected_any"]}
        for other in tests:
            # Those that could be mistaken for it: of the same program.
            for command in other["expected_any"]:
                if other is asked or command.split()[0] not in programs:
                    continue
                if value_of(case, command):
                    assert (command, task) in KIN, (command, asked["prompt"])
                    met.add((command, task))
    assert met == KIN


@pytest.mark.parametrize(
    ("task", "wrong"),
    [
        ("list all files in the current directory, including hidden ones", "ls -l"),
        ("create a user named bob with a home directory", "useradd bob"),
        ("replace every foo with bar in the file config.txt, in place",
         "sed 's/foo/bar/g' config.txt"),
        ("power the machine off now", "shutdown -r now"),
        ("reboot the machine now", "shutdown now"),
        ("stop the service cups now and also keep it from starting at boot", "systemctl stop cups"),
        ("send exactly four ping requests to example.com", "ping example.com"),
        ("delete the directory build and everything in it", "rmdir build"),
        ("unload the kernel module pcspkr", "modprobe pcspkr"),
        ("add the existing user dave to the group audio, keeping all other groups",
         "usermod -G audio dave"),
        ("extract the archive app.tar.xz into the directory /opt", "tar -xf app.tar.xz"),
        # the second column of `ps -e` is the terminal
        ("find the process IDs of all running nginx processes",
         "ps -e | grep nginx | awk '{print $2}'"),
        # without -P the port is shown by its name
        ("find out which process uses TCP port 8080", "lsof -i | grep 8080"),
        ("bring the network interface eth0 up", "nmcli connection up eth0"),
        ("print the name of the current user", "id -u"),
        ("set the hostname of the machine to web01, so that it stays after a reboot",
         "hostname web01"),
    ],
)  # fmt: skip
def test_a_near_miss_is_marked_wrong(task: str, wrong: str) -> None:
    named = [
        test
        for test in read("command_complete")
        if test["description"].lower() == f"{task.lower()}."
    ]
    assert len(named) == 1
    assert value_of(case_of(named[0]), wrong) == 0


# ------------------------------------------------------------------------------------ the sequences


def with_each_command(test: dict[str, Any]) -> Iterator[list[str]]:
    """The steps of a test, every accepted command of every step once."""
    steps = steps_of(test)
    for at, step in enumerate(steps):
        for command in step:
            yield [command if n == at else each[0] for n, each in enumerate(steps)]


def test_every_accepted_step_in_order_is_marked_right() -> None:
    for test in both("installation"):
        case = case_of(test)
        for commands in with_each_command(test):
            lines = "\n".join(commands)
            fenced = "\n".join(map(as_root, commands))
            for answer in (lines, " && ".join(commands), f"First:\n```bash\n{fenced}\n```"):
                assert value_of(case, answer) == 1, answer


def test_yes_options_do_not_matter() -> None:
    asks_nothing = {"apt": "-y", "dnf": "-y", "pacman": "--noconfirm", "zypper": "-y", "apk": "-q"}
    for test in both("installation"):
        lines = [step[0] for step in steps_of(test)]
        silent = [
            f"{line} {asks_nothing[line.split()[0]]}" if line.split()[0] in asks_nothing else line
            for line in lines
        ]
        assert value_of(case_of(test), "\n".join(silent)) == 1, silent


def test_steps_out_of_order_cost_something() -> None:
    longer = [test for test in both("installation") if len(steps_of(test)) > 1]
    assert len(longer) > 2 * EXAMPLES
    for test in longer:
        firsts = [step[0] for step in steps_of(test)]
        for shuffled in permutations(firsts):
            value = value_of(case_of(test), "\n".join(shuffled))
            assert (value == 1) == (list(shuffled) == firsts), shuffled


def test_a_missing_step_costs_something() -> None:
    for test in both("installation"):
        firsts = [step[0] for step in steps_of(test)]
        for left_out in range(len(firsts)):
            answer = "\n".join(c for n, c in enumerate(firsts) if n != left_out)
            assert value_of(case_of(test), answer) < 1, firsts


def test_the_package_manager_of_another_distribution_is_worth_nothing() -> None:
    tests = both("installation")
    for asked in tests:
        mine = MANAGERS[asked["tags"][0]] - {"rpm"}
        for system in (name for name, theirs in MANAGERS.items() if not mine & theirs):
            others = [
                step[0]
                for test in tests
                if test["tags"][0] == system
                for step in steps_of(test)
                if step[0].split()[0] in ALL_MANAGERS
            ]
            assert len(others) >= 15
            assert value_of(case_of(asked), "\n".join(others)) == 0, (asked["prompt"], system)


def test_only_the_package_manager_of_the_distribution_is_accepted() -> None:
    for test in both("installation"):
        system = next(name for name in MANAGERS if name in test["prompt"])
        assert system == test["tags"][0]
        used = {part.program for command in accepted_in(test) for part in parse(command).commands}
        assert used & ALL_MANAGERS <= MANAGERS[system], test["id"]
        refreshes = any(step[0] == "apt update" for step in steps_of(test))
        installs = any(step[0].startswith("apt install") for step in steps_of(test))
        assert refreshes >= installs, test["id"]


# ----------------------------------------------------------------------------------- the packages

VERBS = {
    "apt": {"install", "remove", "purge"}, "dnf": {"install", "remove"},
    "pacman": {"-S", "-Syu", "-Rs", "-Rns"}, "apk": {"add", "del"},
    "zypper": {"install", "in", "remove", "rm"},
}  # fmt: skip


def packages_of(test: dict[str, Any]) -> set[str]:
    """The packages that the accepted commands of a test name."""
    found: set[str] = set()
    for command in accepted_in(test):
        program, *words = command.split()
        if words and words[0] in VERBS.get(program, ()):
            found.update(word for word in words[1:] if not word.startswith("-"))
    return found


def test_every_package_of_every_test_is_confirmed() -> None:
    table = rows(SCRIPTS / "confirmed_packages.tsv")
    confirmed = {(row["distribution"], row["package"]) for row in table}
    assert len(confirmed) == len(table)
    assert all(row["confirmed_by"] and row["where"] for row in table)
    asked = {
        (test["tags"][0], package) for test in both("installation") for package in packages_of(test)
    }
    assert asked == confirmed


def test_debian_package_names_agree_with_the_list_at_hand(shared: Path) -> None:
    listed = {row["package"] for row in rows(shared / "data" / "debian" / "server_packages.tsv")}
    asked = {
        package
        for test in both("installation")
        if test["tags"][0] == "Debian"
        for package in packages_of(test)
    }
    # Desktop software, metapackages: not in a list of server software.
    assert asked - listed <= {"firefox-esr", "vlc", "golang", "redis"}


# ------------------------------------------------------------------------------------ the sources


@pytest.mark.parametrize("category", CATEGORIES)
def test_every_test_has_its_facts_and_every_fact_its_test(category: str) -> None:
    facts = [row for row in rows(OS / "sources.tsv") if row["test"].startswith(f"{category}_")]
    assert {row["test"] for row in facts} == {test["id"] for test in both(category)}
    for row in facts:
        assert row["fact"], row
        assert row["source"], row
        assert row["where"], row


SOURCES = {
    "manual pages, Debian 12", "upstream sources", "package pages",
    "Debian 12 package index", "Debian 12 packages", "Ubuntu 24.04 package index",
    "Fedora spec files", "Fedora 38 package groups", "Arch Linux recipes", "Alpine aports",
    "openSUSE Factory recipes",
}  # fmt: skip


def test_sources_are_few_and_say_where_in_them_a_fact_stands() -> None:
    facts = [row for row in rows(OS / "sources.tsv") if row["test"].startswith(CATEGORIES)]
    assert {row["source"] for row in facts} == SOURCES
    for row in facts:
        if row["source"] == "manual pages, Debian 12":
            assert re.match(r"\S+\(\d\w*\)[^:]*, [a-z0-9.+-]+: .", row["where"]), row
        elif row["source"] in ("upstream sources", "package pages", "Debian 12 packages"):
            assert re.match(r"[\w./ -]+: .", row["where"]), row


def test_a_fact_is_a_sentence_about_what_a_command_does() -> None:
    facts = {row["test"]: row["fact"] for row in rows(OS / "sources.tsv")}
    assert facts["command_complete_073"] == (
        "`systemctl disable --now cups` stops the service cups now and also keeps it "
        "from starting at boot"
    )


# Beside the first of their kind they need no page of their own: pagers, second names of a program.
ALSO_NAMED = names(
    "less more cat echo printenv init telinit apache2ctl fsck.ext4 kill addgroup mke2fs source"
)


def test_every_program_that_answers_is_traced_to_a_manual_page() -> None:
    facts: dict[str, list[str]] = {}
    for row in rows(OS / "sources.tsv"):
        facts.setdefault(row["test"], []).append(row["fact"])
    for test in both("command_complete"):
        traced = {
            part.program
            for fact in facts[test["id"]]
            for part in parse(re.findall(r"`(.+)`", fact)[0]).commands
        }
        answering = {parse(command).commands[0].program for command in test["expected_any"]}
        assert answering <= traced | ALSO_NAMED, test["id"]

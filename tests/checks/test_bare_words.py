"""Words with nothing that ties them together, floods of signs, and many scripts."""

from __future__ import annotations

import pytest

from assay.checks.health.bare_words import bare_words
from assay.checks.health.nonsense import nonsense
from assay.checks.health.reading import read

HEAP = (
    "lemon seagull village bakery planet prairie lantern volcano bracket nickel corner rabbit "
    "silver tomato raven umbrella copper bronze willow tailor plaster beetle needle raisin ginger "
    "eclipse compass camera scarf insect zenith cabbage jelly ladder barley hazel thread curtain"
)
PROGRAMS = (
    "arch base64 basename cat chcon chgrp chmod chown chroot cksum comm cp csplit cut date dd df "
    "dir dircolors dirname du echo env expand expr factor false fmt fold groups head hostid id "
    "install join link ln logname ls md5sum mkdir mkfifo mknod mktemp mv nice nl nohup"
)


@pytest.mark.parametrize(
    "text",
    [
        HEAP,
        f"A switch joins the machines of a network. {HEAP}",
        r"#;0_1+b*(`. %<_>+)*_ $`_] _&}[:}-^@&|'.((:/^<-*aa>/*%+%<a@#0)_,<%#*1&$_&!']=&*_@"
        r"_|_] _.^b-/[>%/0'(a=a<[=^?[=={./_.$`<_$<",
        "βιγελ бумага 能对这会 ひらがな מחשב עברית كتاب window 사람 книга orbit λόγος 来中是",
    ],
    ids=["a heap of words", "turns into a heap", "signs", "scripts"],
)
def test_what_nothing_ties_together_is_nonsense(text):
    found = nonsense(text)
    assert found.passed is False
    assert found.passage
    assert found.passage in text


@pytest.mark.parametrize(
    "text",
    [
        "Install the packages curl, wget, git, vim, tmux, htop, rsync, screen, unzip, tree, jq, "
        "nmap, tcpdump, strace, lsof, iotop, sysstat, dnsutils, whois and traceroute.",
        "Bus 002 Device 001: ID 1d6b:0003 Linux Foundation 3.0 root hub\n"
        "Bus 001 Device 004: ID 046d:c52b Logitech, Inc. Unifying Receiver\n"
        "Bus 001 Device 003: ID 0bda:5411 Realtek Semiconductor Corp. RTS5411 Hub\n"
        "Bus 001 Device 006: ID 04f2:b604 Chicony Electronics Co., Ltd Integrated Camera",
    ],
    ids=["a list in a sentence", "output of a command"],
)
def test_lists_and_output_are_healthy(text):
    assert nonsense(text).passed is not False


def test_names_of_programs_are_no_heap():
    assert bare_words(read(PROGRAMS)) is None
    assert bare_words(read(HEAP)) is not None

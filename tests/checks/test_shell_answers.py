"""Answers as people and chat models put them: which line answers, and what is read from it."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay.checks.shell.reading import AnswerLine, answer_lines
from tests.checks.test_shell import best_of, commands_read, marked, real_commands

__all__ = ["real_commands"]  # a fixture


def accepted(command: str, answer: str) -> bool:
    return best_of([command], answer, match="command").value == 1.0


# ------------------------------------------------------------------- a program named, then used


@pytest.mark.parametrize(
    ("command", "answer"),
    [
        ("lsof -i :8080", "You can use the `lsof` command:\n\n```bash\nsudo lsof -i :8080\n```"),
        ("grep -r TODO src",
         'Use `grep` with the `-r` (recursive) option:\n```bash\ngrep -r "TODO" src\n```'),
        ("grep -r TODO src",
         "The `grep` command searches recursively with `-r`.\n\n```bash\ngrep -r TODO src\n```"),
        ("tar -xzf a.tar.gz", "Use tar with -xzf:\ntar -xzf a.tar.gz"),
        ("systemctl status nginx",
         "Use the `systemctl status` command:\n```\nsudo systemctl status nginx\n```"),
        ("apt install nginx", "You can use apt:\n\nsudo apt-get install nginx"),
        ("ss -tln", "Use `netstat` or `ss`:\n\n```\nss -tln\n```"),
        ("lsof -i :8080",
         "You can use the `lsof` command:\n\n1. Open a terminal:\n\n```\nlsof -i :8080\n```"),
    ],
)  # fmt: skip
def test_a_line_that_only_names_the_program_of_the_next_is_passed_over(
    command: str, answer: str
) -> None:
    assert accepted(command, answer)


@pytest.mark.parametrize(
    ("command", "answer"),
    [
        ("lspci", "Use lsusb:\nlspci"),
        ("lspci", "Use `lsusb`:\n```\nlspci\n```"),
        ("lspci -k", "lspci\nlspci -k"),
        ("lspci -k", "`lspci`\n`lspci -k`"),
        ("systemctl restart nginx",
         "Use `systemctl status nginx`:\n```\nsystemctl restart nginx\n```"),
        ("lspci -k", "Use `lspci`:\nIt lists.\nIt shows.\nAnd so on.\n```\nlspci -k\n```"),
    ],
)  # fmt: skip
def test_a_line_that_gives_another_command_is_the_answer(command: str, answer: str) -> None:
    assert not accepted(command, answer)


@pytest.mark.parametrize(
    ("answer", "value"),
    [
        ("Sure.\n```\nlspci\n```", 1.0),
        ("Sure!\n\nThis is how you list them.\n\n```bash\n# all of them\nlspci\n```", 1.0),
        ("One.\nTwo.\nThree.\nFour.\n```\nlspci\n```", 0.0),
        ("Sure!\n\nlspci", 0.0),
        ("Sure.\n```python\nlspci\n```", 0.0),
        ("Sure.\n```\nlsusb\n```\n```\nlspci\n```", 0.0),
    ],
)
def test_sentences_without_a_command_lead_to_a_code_block(answer: str, value: float) -> None:
    assert best_of(["lspci"], answer, match="command").value == value


def test_a_sentence_before_a_code_block_is_the_answer_where_no_command_is_asked_for() -> None:
    answer = "It is the r8169.\n```\ne1000e\n```"
    assert best_of(["e1000e"], answer, match="module").value == 0.0
    assert best_of(["e1000e"], answer).value == 0.0


def test_lines_know_whether_they_stood_in_a_block_of_shell() -> None:
    answer = "Run:\n```sh\n$ ls\n```\n```python\nprint()\n```\nDone."
    assert list(answer_lines(answer)) == [
        AnswerLine("Run:", in_code=False),
        AnswerLine("ls", in_code=True),
        AnswerLine("print()", in_code=False),
        AnswerLine("Done.", in_code=False),
    ]


def test_real_commands_are_read_after_a_line_that_names_their_program(
    real_commands: list[str], shared: Path
) -> None:
    announced = "You can use the `{}` command:\n\n```bash\n{}\n```\n\nThat is all."
    given = [c for c in real_commands if accepted(c, announced.format(c.split()[0], c))]
    # Measured: 3,992 of 4,000. Before such lines were passed over: 314.
    assert len(given) >= 0.99 * len(real_commands)


# ------------------------------------------------------------------------- what is read of a line


@pytest.mark.parametrize(
    ("answer", "commands"),
    [
        ("/etc/init.d/nginx status", ["/etc/init.d/nginx status"]),
        ("Run /etc/init.d/nginx restart.", ["/etc/init.d/nginx restart"]),
        ("The script /etc/init.d/nginx is old.", []),
        ("sudo dig A example.com", ["dig A example.com"]),
        ("sudo host -t A example.com", ["host -t A example.com"]),
        ("sudo host -t a example.com", ["host -t a example.com"]),
        ("top   # press q to quit", ["top"]),
        ("w  # show who is logged in", ["w"]),
        ("sudo who", ["who"]),
        ("Use sudo which lets you be root.", []),
        ('find /var -name "error.log".', ["find /var -name error.log"]),
        ('logger "backup finished".', ["logger backup finished"]),
        ("You should rc-update add nginx.", ["rc-update add nginx"]),
        ("Install it first. Then, adduser alice docker.", ["adduser alice docker"]),
        ("Next, lspci shows the devices.", []),
        ("You can use dig example.com to look it up.", ["dig example.com"]),
        ("Run kill 4321.", ["kill 4321"]),
        ("Works with python 3.11 and node 18.", []),
        ('useradd -c "" bob', ["useradd -c  bob"]),
    ],
)
def test_commands_that_look_like_prose_are_read_and_prose_is_not(
    answer: str, commands: list[str]
) -> None:
    assert commands_read(answer) == commands


@pytest.mark.parametrize("answer", ["sudo 7z a site.zip site", "Run 7z a site.zip site to pack."])
def test_what_is_an_article_elsewhere_is_a_verb_of_7z(answer: str) -> None:
    assert accepted("7z a site.zip site", answer)


@pytest.mark.parametrize("high", ["\U0001f600", "\U000e0001", "\U0010ffff", "\u4e00", "\u2192"])
def test_characters_beyond_latin_do_not_end_the_process_and_stay_as_typed(high: str) -> None:
    # The parser reads outside of a table for them; where that ends the process is chance.
    for before in ("{", "${", "[", "a=", "<<", "{1"):
        for code_point in range(0x1F600, 0x1F600 + 50):
            commands_read(f"```\n{before}{high}{chr(code_point)}+\n```")
    assert commands_read(f"```\necho 'a{high}b' {high}c\n```") == [f"echo a{high}b {high}c"]


@pytest.mark.parametrize(
    "answer",
    [
        "```bash\ntop   # press q to quit\n```",
        "```\nsudo top\n```",
        "top # all processes, live",
    ],
)
def test_a_program_with_an_english_name_may_have_a_comment(answer: str) -> None:
    assert accepted("top", answer)


@pytest.mark.parametrize(
    "answer",
    ["/etc/init.d/nginx status", "```\n/etc/init.d/nginx status\n```", "service nginx status"],
)
def test_a_service_script_is_read_wherever_it_stands(answer: str) -> None:
    assert accepted("systemctl status nginx", answer)
    assert marked(["systemctl status nginx"], answer).value == 1.0


@pytest.mark.parametrize(
    "answer",
    [
        "ls -l 🙂",
        "ls -l ✅",
        "ls -l 👍🏽 🎉",
        "ls -l 🙂.",
        "$ ls -l 🙂",
        "Run ls -l 🙂",
        "```\nls -l 🙂\n```",
    ],
)
def test_an_emoji_at_the_end_is_no_part_of_a_command(answer: str) -> None:
    assert accepted("ls -l", answer)
    assert marked(["ls -l"], answer).value == 1.0


@pytest.mark.parametrize("command", ['echo "🙂"', "echo 🙂", "touch 🙂.txt", "grep '🙂' notes"])
def test_an_emoji_in_an_argument_stays(command: str) -> None:
    assert "🙂" in "".join(commands_read(f"```\n{command}\n```"))
    assert marked([command], command).value == 1.0
    assert marked([command], command.replace("🙂", "")).value == 0.0


def test_a_cross_behind_a_command_says_that_it_is_wrong() -> None:
    assert not accepted("ls -l", "ls -l ❌")

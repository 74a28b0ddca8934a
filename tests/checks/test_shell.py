"""Commands and kernel modules: what is found in an answer, and what counts as the same."""

from __future__ import annotations

import csv
import random
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.checks.command_sequence import CommandSequence
from assay.checks.scoring import score_reply
from assay.checks.shell.programs import KNOWN_PROGRAMS
from assay.checks.shell.reading import READ_AT_MOST, answer_lines, snippets_in
from assay.checks.shell.sequence import CommandsFound
from assay.checks.shell.syntax import parse
from assay.checks.top_k import TopK
from assay.types import AnswerCheck, Answered, Case, Message, Score

PAGE = Path(__file__).resolve().parents[2] / "docs" / "reference" / "shell.md"


def case_for(check: AnswerCheck) -> Case:
    return Case(id="t", suite="s", category="c", messages=(Message("user", "?"),), check=check)


def scored(case: Case, reply: Answered) -> Score:
    score = score_reply(case, reply)
    assert score is not None
    return score


def marked(steps: list[str | list[str]], answer: str) -> Score:
    check = CommandSequence(
        expected_commands=tuple((s,) if isinstance(s, str) else tuple(s) for s in steps)
    )
    return scored(case_for(check), Answered(request_id="r", text=answer))


def best_of(accepted: list[str], *predictions: str, match: str = "word", k: int = 3) -> Score:
    check = TopK(expected_any=tuple(accepted), k=k, match=match)  # type: ignore[arg-type]
    reply = Answered(request_id="r", text="", predictions=predictions, prediction_method="given")
    return scored(case_for(check), reply)


def test_a_lone_quotation_mark_is_no_command_and_no_mistake_of_ours():
    assert marked(["''"], '"').value == 0.0


def commands_read(answer: str) -> list[str]:
    snippets = snippets_in(answer, KNOWN_PROGRAMS)
    return [" ".join(c.words) for snippet in snippets for c in snippet.commands]


# -------------------------------------------------------------------------------- the page


def rows_under(heading: str) -> Iterator[tuple[list[str], str, str]]:
    section = PAGE.read_text(encoding="utf-8").split(f"\n{heading}\n", 1)[1].split("\n#", 1)[0]
    for line in section.splitlines():
        cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        if len(cells) == 3 and "`" in cells[0]:
            plain = [cell.replace(r"\|", "|").replace("⏎", "\n") for cell in cells]
            (answer,) = re.findall(r"`([^`]+)`", plain[1])
            yield re.findall(r"`([^`]+)`", plain[0]), answer, plain[2]


def as_written(score: Score) -> str:
    return "no answer" if score.no_answer else f"{score.value:g}"


@pytest.mark.parametrize(("steps", "answer", "expected"), list(rows_under("## command_sequence")))
def test_the_page_tells_how_a_sequence_is_marked(
    steps: list[str], answer: str, expected: str
) -> None:
    assert as_written(marked([*steps], answer)) == expected


@pytest.mark.parametrize("match", ["command", "module", "word"])
def test_the_page_tells_which_lines_are_accepted(match: str) -> None:
    rows = list(rows_under(f"### match: {match}"))
    assert len(rows) >= 4
    wrong = [
        (accepted, line, expected)
        for accepted, line, expected in rows
        if as_written(best_of(accepted, line, match=match)) != expected
    ]
    assert wrong == []


# ------------------------------------------------------------------- what is found in an answer


@pytest.mark.parametrize(
    ("answer", "commands"),
    [
        ("```bash\nsudo apt update\nsudo apt install vim\n```", ["apt update", "apt install vim"]),
        ("```\napt update\n```\nand\n~~~sh\nls\n~~~", ["apt update", "ls"]),
        ("1. First:\n   ```\n   apt update\n   ```", ["apt update"]),
        ("```console\n$ apt update\nReading package lists...\n$ ls\n```", ["apt update", "ls"]),
        ("```\n# apt update\n# ls -l\n```", ["apt update", "ls -l"]),
        ("```\n# refresh the lists\napt update\n```", ["apt update"]),
        ("```python\nimport os\n```", []),
        ("```\nls", ["ls"]),
        ("Run `apt update` and then `apt install nginx`.", ["apt update", "apt install nginx"]),
        ("The file `/etc/fstab` and the option `-y`.", []),
        ("$ sudo apt update\n# apt install nginx", ["apt update", "apt install nginx"]),
        ("root@box:~# apt update", ["apt update"]),
        ("Use `sudo` with `apt update`.", ["apt update"]),
        ("# Install nginx\nsudo apt install nginx", ["apt install nginx"]),
        ("1. Update the list: sudo apt update\n2. Install: sudo apt install -y nginx",
         ["apt update", "apt install -y nginx"]),
        ("- **sudo apt update**", ["apt update"]),
        ("You need to install git and curl.", []),
        ("install nginx", []),
        ("Find the file in /etc", []),
        ("find /etc -name x", ["find /etc -name x"]),
        ("Use 'lspci -v' or \"lsusb\"", ["lspci -v", "lsusb"]),
        ("The nginx web server is great; you can do this with docker.", []),
        ("apt update then reboot.", ["apt update", "reboot"]),
        ("lspci lists all PCI devices", ["lspci"]),
        ("apt install \\\n  nginx \\\n  curl", ["apt install nginx curl"]),
        ("cat <<EOF > /etc/x\nrm -rf /\nEOF\nsystemctl restart x", ["cat", "systemctl restart x"]),
        ("ufw allow from 10.0.0.0/8 to any port 22", ["ufw allow from 10.0.0.0/8 to any port 22"]),
        ("chkconfig httpd on", ["chkconfig httpd on"]),
        ('git commit -m "fix this and that"', ["git commit -m fix this and that"]),
        ("cp x .", ["cp x ."]),
        ("ls -l /etc.", ["ls -l /etc"]),
        ("top", ["top"]),
        ("apt update # refresh the lists", ["apt update"]),
        ("Pour installer nginx, exécutez sudo apt install nginx puis sudo systemctl start nginx.",
         ["apt install nginx", "systemctl start nginx"]),
    ],
)  # fmt: skip
def test_commands_are_found_in_code_prompts_and_prose(answer: str, commands: list[str]) -> None:
    assert commands_read(answer) == commands


@pytest.mark.parametrize(
    ("source", "commands"),
    [
        ("sudo -E -u root apt update", ["apt update"]),
        ("doas apk add nginx", ["apk add nginx"]),
        ("env A=1 B=2 nohup nice -n 5 time -p ls", ["ls"]),
        ("timeout -k 3 10 ls -l", ["ls -l"]),
        ("sudo bash -lc 'apt update && su -c \"ls\"'", ["apt update", "ls"]),
        ("a | b && c || d; (e; f) & { g; }", ["a", "b", "c", "d", "e", "f", "g"]),
        ("if ! command -v vim; then apt install vim; fi", ["command -v vim", "apt install vim"]),
        ("\\apt update", ["apt update"]),
        ("sudo -i", ["sudo -i"]),
        ("kill $(pidof nginx)", ["kill $(pidof nginx)"]),
        ("echo \"it's\" 'a b' c\\ d", ["echo it's a b c d"]),
    ],
)  # fmt: skip
def test_shell_is_read_through_wrappers_and_constructs(source: str, commands: list[str]) -> None:
    assert [" ".join(command.words) for command in parse(source).commands] == commands


@pytest.mark.parametrize(
    ("prediction", "line"),
    [
        ("\n\n lspci\nlsusb", "lspci"),
        ("```bash\nlspci\n```", "lspci"),
        ("`lspci`", "lspci"),
        ("1. lspci", "lspci"),
        ("- $ lspci", "lspci"),
        ('"8139too"', "8139too"),
        ("Use `a` or `b`", "Use `a` or `b`"),
        ("8139too", "8139too"),
        ("   ", ""),
    ],
)
def test_the_first_line_comes_without_its_wrapping(prediction: str, line: str) -> None:
    assert next((each.text for each in answer_lines(prediction)), "") == line


@pytest.mark.parametrize(
    "prediction",
    [
        "You can use:\n\n```bash\nlspci\n```\nIt lists devices.",
        "Sure! Here is the command:\nlspci",
        "### Command\n`lspci`",
        "```bash\n# list devices\nlspci\n```",
        "\u200blspci",
        "lspci\u00a0-v",
    ],
)
def test_a_line_that_only_announces_the_next_is_passed_over(prediction: str) -> None:
    assert best_of(["lspci"], prediction, match="command").value == 1.0


@pytest.mark.parametrize("prediction", ["lsusb\nlspci", "Use lsusb:\nlspci", "lsusb:\nlspci"])
def test_a_line_that_answers_is_not_passed_over(prediction: str) -> None:
    assert best_of(["lspci"], prediction, match="command").value == 0.0


@pytest.mark.parametrize(
    ("answer", "value"),
    [
        ("Don't use yum install nginx; use `apt install nginx`.", 1.0),
        ("Use `apt install nginx` instead of `yum install nginx`.", 1.0),
        ("If nginx is not installed, run apt install nginx.", 1.0),
        ("Do not run `apt install nginx`.", 0.0),
        ("Never run sudo apt install nginx on a Friday.", 0.0),
        ("N'utilisez pas `apt install nginx`.", 0.0),
    ],
)
def test_a_command_not_to_be_run_is_not_given(answer: str, value: float) -> None:
    assert marked(["apt install nginx"], answer).value == value


def test_an_announcing_line_that_names_the_answer_is_the_answer() -> None:
    assert best_of(["8139too"], "The driver is:\n8139too.ko", match="module").value == 1.0
    assert best_of(["Paris"], "Paris:\nthe capital of France").value == 1.0
    assert best_of(["don't"], "It is don’t").value == 1.0


def test_nothing_is_shown_as_read_where_no_command_was() -> None:
    score = best_of(["lspci"], "I am not sure.", match="command")
    assert (score.no_answer, score.extracted) == (True, None)


def test_harmless_values_and_unit_suffixes_change_no_command() -> None:
    read = ["ssh-keygen -t ed25519 -C 'a@b'", "journalctl -u ssh.service"]
    assert marked(["ssh-keygen -t ed25519"], read[0]).value == 1.0
    assert marked(["journalctl -u ssh"], read[1]).value == 1.0


# ------------------------------------------------------------------------------ the two scorers


def test_a_step_is_met_by_any_of_its_alternatives() -> None:
    score = marked([["systemctl start nginx", "rc-service nginx start"]], "rc-service nginx start")
    assert score.value == 1.0
    assert score.parts[0].name == "systemctl start nginx or rc-service nginx start"


def test_each_step_says_what_met_it_or_that_it_is_missing_or_out_of_order() -> None:
    score = marked(["apt update", "apt install nginx", "reboot"], "apt install nginx\napt update")
    assert [part.value for part in score.parts] in ([1.0, 0.0, 0.0], [0.0, 1.0, 0.0])
    assert {part.explanation for part in score.parts if not part.value} == {
        "There, but out of order.", "Not found.",
    }  # fmt: skip
    assert score.value == pytest.approx(1 / 3)
    assert "1 of 3 steps" in score.explanation
    assert score.extracted == "apt install nginx\napt update"


def test_one_command_does_not_meet_the_same_step_twice() -> None:
    assert marked(["apt update", "apt update"], "apt update").value == 0.5


def test_an_earlier_alternative_does_not_spoil_a_longer_match() -> None:
    steps: list[str | list[str]] = [["ls", "pwd"], "id", "ls"]
    assert marked(steps, "pwd; id; ls").value == 1.0
    assert marked(steps, "id; ls; pwd; id; ls").value == 1.0


def test_only_the_k_best_count_and_the_rank_is_told() -> None:
    score = best_of(["8139too"], "e100", "8139too.ko", "r8169", match="module", k=2)
    assert score.value == 1.0
    assert "rank 2 of 2 (predictions as given)" in score.explanation
    assert best_of(["r8169"], "e100", "8139too", "r8169", match="module", k=2).value == 0.0


def test_without_predictions_the_answer_itself_is_the_best() -> None:
    check = TopK(expected_any=("lspci",), match="command")
    score = scored(case_for(check), Answered(request_id="r", text="lspci\nls"))
    assert score.value == 1.0
    assert "the answer itself" in score.explanation


@pytest.mark.parametrize("match", ["word", "module", "command"])
def test_empty_predictions_and_unclosed_thinking_are_no_answer(match: str) -> None:
    assert best_of(["ls"], "", "  \n", match=match).no_answer
    check = TopK(expected_any=("ls",), match=match)  # type: ignore[arg-type]
    thinking = Answered(request_id="r", text="ls", reasoning_unclosed=True)
    assert scored(case_for(check), thinking).no_answer
    steps = CommandSequence(expected_commands=(("ls",),))
    assert scored(case_for(steps), thinking).no_answer


# ------------------------------------------------------------------------------- hostile answers

HOSTILE = {
    "a megabyte of junk": "\x01zα;|&" * 170_000,
    "open brackets": "(" * 100_000,
    "open brackets in code": "```\n" + "{ (" * 33_000,
    "NUL bytes": "\0ls\0" * 25_000,
    "lone surrogates": "apt \udc80\ud800 install" * 5_000,
    "backquotes": "`a " * 33_000,
    "here-documents": "<<A\n" * 25_000,
    "conditions": "if \n" * 25_000,
    "wrappers": "sudo " * 20_000,
    "nested shells": "bash -c '" * 10_000,
    "what the parser is slow at": "a@" * 50_000,
    "pipes": "ls|" * 33_000,
    "a fork bomb": ":(){ :|:& };:",
    "continuations": "\\\n" * 50_000,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_text_is_marked_like_any_other_wrong_answer(name: str) -> None:
    score = marked(["apt install nginx"], HOSTILE[name])
    assert score.value == 0.0
    for match in ("word", "module", "command"):
        assert best_of(["nginx-full"], HOSTILE[name], match=match).value == 0.0


def test_what_lies_beyond_the_limit_is_not_read_and_that_is_said() -> None:
    score = marked(["ls", "id"], "ls\n" + "x\n" * (READ_AT_MOST // 2) + "id\n")
    assert score.value == 0.5
    assert "100000" in score.explanation


# ----------------------------------------------------------------------------------- properties

PACKAGES = st.sampled_from(["nginx", "curl", "g++", "libc6-dev", "python3.11", "ca-certificates"])
COMMANDS = st.one_of(
    st.builds("apt install {}".format, PACKAGES),
    st.builds("apt-get remove {} {}".format, PACKAGES, PACKAGES),
    st.builds("systemctl {} {}".format, st.sampled_from(["start", "stop", "enable"]), PACKAGES),
    st.builds("chmod {} /srv/{}".format, st.sampled_from(["644", "u+x"]), PACKAGES),
    st.sampled_from([
        "apt update", "uname -r", "lspci -nn", "ls -la /etc", "reboot", "ip addr show",
        "pacman -Syu", "tar -xzf a.tar.gz -C /opt", "journalctl -u ssh -n 50",
        "find / -name '*.log' -delete",
        "echo 1 > /proc/sys/vm/drop_caches", "ps aux | grep ssh",
        "mkdir -p /srv/www && cd /srv/www",
        "systemctl enable --now ssh", "usermod -aG docker bob",
        "sed -i 's/a/b/' /etc/fstab",
    ]),
)  # fmt: skip
STEPS = st.lists(COMMANDS, min_size=1, max_size=6)


@given(STEPS, st.sampled_from(["\n", " && ", "; "]), st.booleans())
def test_the_expected_commands_themselves_score_one(
    steps: list[str], joint: str, fenced: bool
) -> None:
    answer = joint.join(steps)
    score = marked([*steps], f"```bash\n{answer}\n```" if fenced else answer)
    assert score.value == 1.0, score.explanation


def asked_politely(command: str) -> str:
    return f"sudo {command}" + (" -y" if command.startswith("apt") else "")


@given(STEPS, st.lists(COMMANDS, max_size=6))
def test_sudo_and_yes_change_nothing(steps: list[str], answer: list[str]) -> None:
    plain = marked([*steps], "\n".join(answer))
    assert marked([*steps], "\n".join(map(asked_politely, answer))).value == plain.value
    assert marked([asked_politely(s) for s in steps], "\n".join(answer)).value == plain.value


def longest_by_trying_all(steps: list[str], answer: list[str]) -> int:
    """The slow twin: every subset of single-action steps, each command used once."""
    table = [[0] * (len(answer) + 1) for _ in range(len(steps) + 1)]
    for i, step in enumerate(steps, 1):
        for j, command in enumerate(answer, 1):
            meets = CommandsFound(parse(command).commands).match([(step,)]) != {}
            table[i][j] = max(table[i - 1][j], table[i][j - 1], table[i - 1][j - 1] + meets)
    return table[-1][-1]


SINGLE = st.sampled_from(["apt update", "ls -l", "ls", "id", "apt install nginx", "df -h", "df"])


@given(st.lists(SINGLE, min_size=1, max_size=7), st.lists(SINGLE, max_size=9))
def test_the_match_equals_the_naive_longest_common_subsequence(
    steps: list[str], answer: list[str]
) -> None:
    found = CommandsFound(parse("\n".join(answer)).commands).match([(step,) for step in steps])
    assert len(found) == longest_by_trying_all(steps, answer)
    assert list(found.values()) == sorted(found.values())


SHELL_ISH = st.text(alphabet="apt ls-/$`'\"|&;<>(){}[]#\\\n.,=*~!?é\0\ud800", max_size=120)


@settings(max_examples=100)
@given(st.one_of(st.text(), SHELL_ISH), st.lists(st.one_of(COMMANDS, SHELL_ISH), max_size=4))
def test_any_text_gets_a_mark_between_zero_and_one(answer: str, steps: list[str]) -> None:
    scores = [marked([*steps], answer)]
    for match in ("word", "module", "command"):
        scores.append(best_of(steps or ["ls"], answer, answer[::-1], match=match))
    assert all(score.value is not None and 0.0 <= score.value <= 1.0 for score in scores)


# ------------------------------------------------------------------------------ real commands


@pytest.fixture(scope="module")
def real_commands(shared: Path) -> list[str]:
    """800 commands of people: half from tldr pages, half from NL2Bash."""
    columns = {"tldr/tldr.tsv": "example", "nl2bash/nl2bash.tsv": "bash"}
    chosen: list[str] = []
    for name, column in columns.items():
        with (shared / "data" / name).open(encoding="utf-8", newline="") as file:
            rows = csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
            texts = [re.sub(r"\{\{(.*?)\}\}", r"\1", row[column]) for row in rows]
        chosen += random.Random(0).sample(texts, 400)
    return chosen


def test_real_commands_equal_themselves(real_commands: list[str]) -> None:
    in_code = [c for c in real_commands if marked([c], f"```\n{c}\n```").value == 1.0]
    plain = [c for c in real_commands if marked([c], c).value == 1.0]
    best = [c for c in real_commands if best_of([c], c, match="command").value == 1.0]
    # The reader was written with commands of these two collections at hand.
    assert len(in_code) >= 0.99 * len(real_commands)
    assert len(plain) >= 0.97 * len(real_commands)
    assert len(best) >= 0.995 * len(real_commands)


def test_real_commands_of_different_programs_are_never_the_same(real_commands: list[str]) -> None:
    shuffled = random.Random(1).sample(real_commands, len(real_commands))
    compared = 0
    for one, other in zip(real_commands, shuffled, strict=True):
        mine, theirs = (
            {action for c in parse(text).commands for action in (c.program,)}
            for text in (one, other)
        )
        if mine and theirs and not mine & theirs:
            compared += 1
            assert marked([one], f"```\n{other}\n```").value == 0.0, (one, other)
            assert best_of([one], other, match="command").value == 0.0, (one, other)
    assert compared > 400

"""test-plans/TEST-ID.md."""

from __future__ import annotations

import pytest
from markdown_it import MarkdownIt

from assay.checks.command_sequence import CommandSequence
from assay.checks.composite import Composite, Weights
from assay.checks.ewe_quality import EweQuality
from assay.checks.exact_match import ExactMatch
from assay.checks.format import Format, Rules
from assay.checks.judge import Judge
from assay.checks.keywords import Keywords
from assay.checks.multiple_choice import MultipleChoice
from assay.checks.top_k import TopK
from assay.reports.formats.markdown import render_markdown
from assay.reports.suites.test_plan import test_plan
from assay.types import AnswerCheck, Case, Message


def plan_of(case: Case) -> str:
    return render_markdown(test_plan(case, ()))


def case_of(check: AnswerCheck, prompt: str = "Why?") -> Case:
    return Case(
        id="facts_001",
        suite="demo",
        category="facts",
        messages=(Message("user", prompt),),
        check=check,
        system="Be brief.",
        description="A question",
        stop=("END",),
        tags=("easy",),
    )


@pytest.mark.parametrize(
    ("check", "lines"),
    [
        (ExactMatch(expected=("Lomé", "Lome")), ["- expected: Lomé"]),
        (
            Keywords(expected_keywords=(("a", "b"),), forbidden_keywords=(("c",),)),
            ["- expected_keywords: a / b", "- forbidden_keywords: c"],
        ),
        (MultipleChoice(expected="B", choices=("x", "y")), ["- right: B", "- A: x", "- B: y"]),
        (
            Format(expected_format=Rules(json=True, max_words=5, markdown_elements=("list",))),
            ["- expected_format.json: True", "- expected_format.markdown_elements: list"],
        ),
        (
            Composite(
                expected_keywords=(("a",),),
                expected_format=Rules(min_length=3),
                weights=Weights(format=2.0),
            ),
            ["- expected_keywords: a", "- expected_format.min_length: 3", "- weights.format: 2.0"],
        ),
        (TopK(expected_any=("nvidia",), match="module"), ["- expected_any: nvidia"]),
        (
            CommandSequence(expected_commands=(("apt update",), ("apt install x", "snap x"))),
            ["- expected_commands: apt update", "- expected_commands: apt install x / snap x"],
        ),
        (
            Judge(rubric="coding", requirements=("runs",)),
            ["- rubric: coding", "- requirement: runs"],
        ),
    ],
)
def test_a_plan_says_what_is_asked_how_it_is_marked_and_what_is_expected(
    check: AnswerCheck, lines: list[str]
) -> None:
    case = case_of(check)
    found = plan_of(case).splitlines()
    for line in ["# facts_001", "A question", "Be brief.", "Why?", *lines]:
        assert line in found
    assert any(line.startswith(f"`{case.method}`: ") for line in found)
    assert "- temperature: 0.3" in found
    assert "- stops at: END" in found
    assert not any(line.startswith("- method") for line in found)


def test_ewe_quality_expects_nothing_but_ewe() -> None:
    assert "## What is expected" not in plan_of(case_of(EweQuality()))


def test_a_live_conversation_is_called_so() -> None:
    case = Case(
        id="a",
        suite="s",
        category="c",
        messages=(Message("user", "one"), Message("user", "two")),
        check=ExactMatch(expected=("x",)),
        live=True,
    )
    assert "the model’s own answers between" in plan_of(case)


def test_a_prompt_full_of_fences_stays_in_its_block(hostile: str) -> None:
    prompt = "````\n```python\nprint()\n```\n# not a heading\n" + hostile
    text = plan_of(case_of(ExactMatch(expected=(hostile,)), prompt))
    tokens = MarkdownIt("commonmark").parse(text)
    assert next(token.content for token in tokens if token.type == "fence") == "Be brief.\n"
    assert sum(token.type == "fence" for token in tokens) == 2
    assert sum(token.type == "heading_open" for token in tokens) == 5
    assert not any(token.type.startswith("html") for token in tokens)
    assert "\x1b" not in text

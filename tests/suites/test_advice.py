"""Likely slips are warnings, and warnings are never errors."""

from __future__ import annotations

from typing import Any

import pytest

from .conftest import FindingsOf, asking, good

CHOICES_IN_PROMPT = "Which?\nA) one\nB) two\nC) three"
ECHO = "'{}' is already in the prompt; repeating the prompt would score"

WARNINGS: list[tuple[Any, list[str]]] = [
    (good(), []),
    (good(id="odd"), ["the usual form of an id is category_001"]),
    (good(id="a_1"), ["the usual form of an id is category_001"]),
    (good(id="multi-turn_1000"), []),
    (good(id="CT-03"), []),
    (good(id="ct-3"), ["the usual form of an id is category_001"]),
    (good(id="multi-turn_001"), []),
    (good(choices=7), ["'choices' belongs to multiple_choice; with \"keywords\" it is ignored"]),
    (good(expected={"not": "checked"}),
     ["'expected' belongs to exact_match, multiple_choice; with \"keywords\" it is ignored"]),
    (asking("composite", expected_keywords=["xyz"], forbidden_keywords=["abc"]),
     ["'forbidden_keywords' belongs to keywords; with \"composite\" it is ignored"]),
    (good(expected_keywords=["togo"]), [ECHO.format("togo")]),
    (good(expected_keywords=[["Lomé", "CAPITAL  of"]]), [ECHO.format("CAPITAL  of")]),
    (good(expected_keywords=["cap"]), []),
    (good(expected_keywords=["cap"], keyword_match="prefix"), [ECHO.format("cap")]),
    (good(expected_keywords=["apital"], keyword_match="prefix"), []),
    (good(expected_keywords=["apital"], keyword_match="substring"), [ECHO.format("apital")]),
    (good(prompt="Use C++ now", expected_keywords=["C++"]), [ECHO.format("C++")]),
    (good(prompt="e\u0301te\u0301 is?", expected_keywords=["été"]), [ECHO.format("été")]),
    (good(expected_keywords=["Lomé", "lomé"]), ["'lomé' is asked for twice"]),
    (asking("multiple_choice", expected="D", prompt=CHOICES_IN_PROMPT),
     ["'D' is not among the letters offered (A, B, C)"]),
    (asking("multiple_choice", expected="C", prompt=CHOICES_IN_PROMPT), []),
    (asking("multiple_choice", expected="G"),
     ["'G' is not among the letters offered (A, B, C, D, E)"]),
    (asking("composite", expected_keywords=["xyz"], weights={"format": 1}),
     ["'format' has a weight, but the test has no such part"]),
]  # fmt: skip


@pytest.mark.parametrize(("test", "messages"), WARNINGS, ids=[str(w[1])[:50] for w in WARNINGS])
def test_a_likely_slip_is_a_warning(
    test: Any, messages: list[str], findings_of: FindingsOf
) -> None:
    found = findings_of(test)
    assert sorted(finding.message for finding in found) == sorted(messages)
    assert {finding.severity for finding in found} <= {"warning"}


def test_ids_that_differ_only_in_capitals_are_a_warning(findings_of: FindingsOf) -> None:
    (finding,) = findings_of(good(), good(id="A_001"))
    assert (finding.severity, finding.test_id) == ("warning", "A_001")


def test_letters_that_only_look_like_the_languages_own_are_a_warning(
    findings_of: FindingsOf,
) -> None:
    tests = [
        good(expected_keywords=["tͻdzo"]),
        asking("exact_match", id="a_002", expected=["Blaɖa", "Blađa"]),
        asking("multiple_choice", id="a_003", expected="A", choices=["tɔ", "tͻ"]),
    ]
    assert findings_of(*tests) == ()
    found = findings_of(*tests, suite={"language": "ee"})
    assert [finding.message.split(";")[0] for finding in found] == [
        "look-alike letters: ͻ (U+037B) for ɔ",
        "look-alike letters: đ (U+0111) for ɖ",
        "look-alike letters: ͻ (U+037B) for ɔ",
    ]


def test_ewe_quality_is_a_part_where_the_suite_is_in_ewe(findings_of: FindingsOf) -> None:
    test = asking("composite", expected_keywords=["xyz"], weights={"keywords": 0, "ewe_quality": 1})
    assert findings_of(test, suite={"language": "ee"}) == ()
    assert findings_of(test, suite={"language": "fr"}) != ()

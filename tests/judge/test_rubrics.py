"""A rubric's folder becomes a Rubric, or every mistake in it is reported at once."""

from __future__ import annotations

from dataclasses import replace

import pytest

from assay.checks.judge import Judge
from assay.errors import InvalidFiles, UsageError
from assay.judge.rubrics import load_rubric, questions_for, shipped_rubrics
from tests.judge.material import CASE, CODING, DATA

ANCHORS = """
[criterion.anchors]
"10" = "all"
"8-9" = "most"
"6-7" = "much"
"4-5" = "some"
"1-3" = "little"
"0" = "none"
"""
CRITERION = f"""
[[criterion]]
key = "correctness"
label = "Correctness"
weight = 10
questions = ["Is it right?"]
{ANCHORS}"""
RUBRIC = f'title = "Mine"\nversion = 1\n{CRITERION}'


@pytest.fixture
def folder(tmp_path):
    """A sound rubric beside a suite."""
    made = tmp_path / "mine"
    made.mkdir()
    (made / "rubric.toml").write_text(RUBRIC)
    return made


def mistakes(folder):
    with pytest.raises(InvalidFiles) as raised:
        load_rubric("mine", beside=folder.parent)
    return [str(finding) for finding in raised.value.findings]


@pytest.mark.parametrize(("rubric", "third"), [(CODING, "Code Quality"), (DATA, "Insight Quality")])
def test_the_shipped_rubrics_have_the_criteria_and_weights_of_the_contract(rubric, third):
    assert [(each.label, each.weight) for each in rubric.criteria] == [
        ("Correctness", 4), ("Completeness", 3), (third, 3),
    ]  # fmt: skip
    assert [each.key for each in rubric.criteria] == [
        "correctness", "completeness", third.lower().replace(" ", "_"),
    ]  # fmt: skip
    for criterion in rubric.criteria:
        assert 5 <= len(criterion.questions) <= 8
        assert all(question.endswith("?") for question in criterion.questions)
        assert [(a.low, a.high) for a in criterion.anchors] == [
            (10, 10), (8, 9), (6, 7), (4, 5), (1, 3), (0, 0),
        ]  # fmt: skip


def test_the_shipped_rubrics_are_found_by_name():
    assert {"coding", "data"} <= set(shipped_rubrics())


def test_a_rubric_beside_a_suite_is_loaded(folder):
    rubric = load_rubric("mine", beside=folder.parent)
    assert (rubric.name, rubric.title, rubric.version) == ("mine", "Mine", 1)
    assert rubric.examples == ()
    assert rubric.questions == {}


def test_a_shipped_name_wins_unless_it_is_written_as_a_path(folder):
    own = folder.rename(folder.parent / "coding")
    assert load_rubric("coding", beside=own.parent).title == "Coding"
    assert load_rubric("./coding", beside=own.parent).title == "Mine"


@pytest.mark.parametrize("name", ["nothing", "", "a\0b", "../mine/none"])
def test_a_rubric_that_is_not_there_is_refused_with_those_that_are(folder, name):
    with pytest.raises(UsageError) as raised:
        load_rubric(name, beside=folder.parent)
    assert "coding, data" in raised.value.hint


def test_every_file_of_a_rubric_changes_its_digest(folder):
    digests = {load_rubric("mine", beside=folder.parent).digest}
    (folder / "questions.toml").write_text('[CT-01]\ncorrectness = ["Does it halve?"]\n')
    digests.add(load_rubric("mine", beside=folder.parent).digest)
    (folder / "examples").mkdir()
    (folder / "examples" / "a.md").write_text("An answer.")
    (folder / "examples.toml").write_text(
        '[[example]]\nid = "a"\ntest = "CT-01"\nfile = "a.md"\nwhy = "so"\n'
        "scores = {correctness = 9}\n"
    )
    digests.add(load_rubric("mine", beside=folder.parent).digest)
    (folder / "examples" / "a.md").write_text("Another answer.")
    rubric = load_rubric("mine", beside=folder.parent)
    digests.add(rubric.digest)
    assert len(digests) == 4
    assert rubric.examples[0].answer == "Another answer."
    assert rubric.examples[0].scores == {"correctness": 9}


def test_all_mistakes_are_told_at_once_with_their_lines(folder):
    (folder / "rubric.toml").write_text(
        'titel = "x"\nversion = 0\n\n[[criterion]]\nkey = "Bad Key"\nlabel = ""\nweight = 1.5\n'
        'questions = []\n[criterion.anchors]\n"9-11" = "much"\n"0" = 3\n'
    )
    (folder / "questions.toml").write_text("[CT-01]\ncorrectness = []\n")
    (folder / "examples.toml").write_text('[[example]]\nid = "a b"\nscores = {correctness = 11}\n')
    told = mistakes(folder)
    lines = {line.split(":")[1] for line in told if "rubric.toml" in line}
    assert {"1", "2", "5", "6", "7", "8", "11"} == lines
    assert any("did you mean 'title'" in line for line in told)
    assert any("questions.toml:2:15" in line for line in told)
    assert any(
        "examples.toml:3:25" in line and "'example[0].scores.correctness'" in line for line in told
    )


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        (('"8-9"', '"8"'), "look at 9"),
        (('"8-9"', '"7-9"'), "look at 7"),
        (("weight = 10", "weight = true"), "whole number"),
        (("version = 1", "version = 1\ncriterion2 = 1"), "unknown key"),
        (('title = "Mine"', "title = ["), "not valid TOML"),
        (("[[criterion]]", "[[criterium]]"), "did you mean 'criterion'"),
    ],
)
def test_a_mistake_in_the_rubric_is_named(folder, change, complaint):
    (folder / "rubric.toml").write_text(RUBRIC.replace(*change))
    assert any(complaint in line for line in mistakes(folder))


def test_a_criterion_cannot_stand_twice(folder):
    (folder / "rubric.toml").write_text(RUBRIC + CRITERION)
    assert sum("appears twice" in line for line in mistakes(folder)) == 2


@pytest.mark.parametrize("raw", [b"\xff\xfe", b"\0", b"a" * 1_000_001, b"[" * 5000])
def test_a_file_that_is_no_text_is_a_finding(folder, raw):
    (folder / "rubric.toml").write_bytes(raw)
    assert len(mistakes(folder)) == 1


@pytest.mark.parametrize("name", ["../secret.md", "/etc/hostname", "none.md"])
def test_an_example_lies_in_the_rubrics_own_folder(folder, name):
    (folder.parent / "secret.md").write_text("not yours")
    (folder / "examples.toml").write_text(
        f'[[example]]\nid = "a"\ntest = "T"\nfile = "{name}"\nwhy = "w"\n'
        "scores = {correctness = 1}\n"
    )
    assert any("no such file in the rubric's folder" in line for line in mistakes(folder))


def test_without_own_questions_the_general_ones_and_the_checklist_are_asked():
    bare = replace(CODING, questions={})
    asked = questions_for(bare, CASE)
    general = sum(len(each.questions) for each in bare.criteria)
    assert len(asked) == general + 2
    ticks = [each for each in asked if each.id.startswith("checklist")]
    assert [each.criterion for each in ticks] == ["completeness", "completeness"]
    assert ticks[0].text == 'Does the answer meet this: "The function has a docstring."?'
    assert ticks[1].text == "Is the complexity stated?"
    assert len({each.id for each in asked}) == len(asked)


def test_a_tests_own_questions_take_the_place_of_the_general_ones(folder):
    (folder / "questions.toml").write_text(
        '["CT-01"]\ncorrectness = ["Does it halve?", "Does it end?"]\n'
    )
    rubric = load_rubric("mine", beside=folder.parent)
    assert [q.text for q in questions_for(rubric, CASE)] == ["Does it halve?", "Does it end?"]
    other = replace(CASE, id="CT-99", check=Judge(rubric="mine"))
    assert [q.text for q in questions_for(rubric, other)] == ["Is it right?"]

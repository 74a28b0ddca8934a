"""Reviews in other layouts, and what is no finding."""

import pytest

from assay.evidence import examine
from assay.fixtures import make
from assay.types import Judge
from tests.evidence.coding.references import reference

SITES = {site["id"]: site for site in make("review_code", 0).facts["sites"]}
# One sentence each, as terse as reviews get.
SAID = {
    "secret_in_source": "the key is hard-coded",
    "identity_comparison": "use == for strings",
    "weak_hash": "MD5 is not fit for passwords",
    "mutable_default": "mutable default argument",
    "magic_number": "41 is a magic number",
    "shadowed_builtin": "shadows the builtin `list`",
    "list_membership": "convert `known` to a set",
    "division_by_zero": "fails on an empty list",
    "shell_injection": "shell=True with user input",
    "query_in_loop": "N+1 queries",
}


def review(text, seed=0):
    return examine(Judge(rubric="coding", evidence="review_code", data_seed=seed), text, None)


def found(text):
    checks = review(text).checks
    return {check.name.removeprefix("finding:") for check in checks if check.passed}


def table():
    rows = [f"| `{SITES[one]['name']}` | {said} |" for one, said in SAID.items()]
    return "\n".join(["| where | what |", "|---|---|", *rows])


def bullets():
    return "\n".join(f"- **{SITES[one]['name']}()**: {said}." for one, said in SAID.items())


def lines():
    return "\n".join(
        f"{at}. Line {SITES[one]['lines'][1]}: {said}."
        for at, (one, said) in enumerate(SAID.items(), 1)
    )


def short_lines():
    return lines().replace("Line ", "L")


def in_a_fence():
    return f"```markdown\n{bullets()}\n```\n"


def labelled():
    return "\n\n".join(
        f"**{at}. A problem**\n\n- **Where**: `{SITES[one]['name']}`\n- **Problem**: {said}\n"
        "- **Fix**: see above"
        for at, (one, said) in enumerate(SAID.items(), 1)
    )


def nested():
    return "\n".join(
        f"{at}. **{said}**\n   - Function: `{SITES[one]['name']}`\n   - Severity: high"
        for at, (one, said) in enumerate(SAID.items(), 1)
    )


def quoted():
    """The place is shown by the code itself."""
    return "\n\n".join(
        f"### {said}\n\n```python\n{SITES[one]['source']}```\n\nThis should be changed."
        for one, said in SAID.items()
    )


def test_every_planted_site_of_the_seed_is_spoken_of_here():
    assert set(SAID) == {name for name, site in SITES.items() if site["planted"]}


@pytest.mark.parametrize(
    "layout", [table, bullets, lines, short_lines, in_a_fence, labelled, nested, quoted]
)
def test_findings_are_found_in_every_layout(layout):
    assert found(layout()) == {*SAID, "no_false_alarms"}


def test_a_list_of_all_that_can_be_wrong_finds_nothing():
    names = ", ".join(site["name"] for site in SITES.values())
    assert found(f"{names}: {'; '.join(SAID.values())}.") == set()


# Words of many findings, none of which can be told to be false.
EVERY_WORD = (
    "inject, leak, shell=true, travers, bcrypt, batch, O(n), memory, persist, silent, empty, ==, "
    "shadow, unused, magic, naming"
)


def test_words_of_every_finding_at_every_place_find_nothing():
    assert found("\n".join(f"- `{one['name']}`: {EVERY_WORD}." for one in SITES.values())) == set()
    numbered = enumerate(SITES.values())
    varied = "\n".join(
        f"- `{one['name']}`{'!' * at} {'so ' * at}{EVERY_WORD}." for at, one in numbered
    )
    assert found(varied) == set()


def test_the_same_sentence_at_every_place_finds_nothing():
    said = "check hard-coded values, memory use, naming and empty input"
    assert found("\n".join(f"- `{one['name']}`: {said}." for one in SITES.values())) == set()


@pytest.mark.parametrize(
    ("one", "said"),
    [("secret_in_source", "a secret was committed to the source code"),
     ("secret_in_source", "load it from the environment and rotate it"),
     ("mutable_default", "the default `tags=[]` is created once, so tags accumulate across calls"),
     ("division_by_zero", "raises when there are no items"),
     ("list_membership", "each lookup is O(n)")],
)  # fmt: skip
def test_findings_are_found_in_other_words(one, said):
    assert found(f"- `{SITES[one]['name']}`: {said}.") == {one, "no_false_alarms"}


@pytest.mark.parametrize(
    "said",
    ["the query is parameterised, so there is no SQL injection", "it is not open to SQL injection"],
)
def test_a_problem_that_is_denied_is_no_false_alarm(said):
    name = SITES["query_in_loop"]["name"]
    assert found(f"- `{name}`: N+1 queries ({said}).") == {"query_in_loop", "no_false_alarms"}


def test_general_advice_without_places_finds_nothing():
    assert found("\n".join(f"- {said}" for said in SAID.values() if "key" not in said)) == set()


def test_a_review_that_claims_everything_everywhere_finds_nothing():
    claims = ("SQL injection", "command injection", "insecure deserialization", "MD5 is used",
              "mutable default argument", *SAID.values())  # fmt: skip
    everything = "\n".join(
        f"- `{site['name']}`: {claim}." for site in SITES.values() for claim in claims
    )
    assert found(everything) == set()
    assert review(everything).notes


def test_praise_is_no_false_alarm():
    praise = "\n- `read_attachment` avoids path traversal by resolving the path first, well done."
    assert found(bullets() + praise) == {*SAID, "no_false_alarms"}


def test_a_false_alarm_is_noted_with_its_place():
    evidence = review(bullets() + "\n- `forget_inactive` deletes while iterating.")
    assert "forget_inactive" in evidence.notes[0]
    assert not next(one for one in evidence.checks if one.name == "no_false_alarms").passed


@pytest.mark.parametrize(
    "odd",
    ["", "\0" * 1000, "- " * 100_000, "#" * 100_000, "`" * 100_000, "**" * 100_000, "| " * 100_000,
     "line " * 50_000, "line 1 to " * 30_000, "sort " * 50_000, "\ud800", "1. " * 100_000,
     "a" * 1_000_000, "query " * 50_000 + "\n" * 50_000],
)  # fmt: skip
def test_odd_reviews_are_read_without_harm(odd):
    assert review(odd).passed == 0


@pytest.mark.parametrize("seed", range(40))
def test_the_reference_review_is_full_for_every_seed(seed):
    assert review(reference("CT-04", seed), seed).cap == 10

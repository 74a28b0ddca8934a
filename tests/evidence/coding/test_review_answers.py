"""Reviews in other layouts, and what is no finding."""

import pytest

from assay.checks.judge import Judge
from assay.evidence import examine
from assay.fixtures import make
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
     ("list_membership", "each lookup is O(n)"),
     ("shell_injection", "names from outside end up in a shell command"),
     ("shell_injection", "hand over the arguments as a list, without a shell"),
     ("division_by_zero", "`len(shipments)` can be 0, and then it raises an exception"),
     ("division_by_zero", "crashes when there are no shipments"),
     ("magic_number", "why 41? The number should get a name"),
     ("magic_number", "nobody knows what 41 means"),
     ("shadowed_builtin", "a parameter called `list`"),
     ("shadowed_builtin", "do not take `list` as a name")],
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


# What a review says that sees every place and takes all of it for good code.
APPROVED = {
    "secret_in_source": "that the key is hard-coded is fine, nothing to worry about",
    "identity_comparison": "`is` works well for strings, and == would be slower",
    "weak_hash": "MD5 is a secure choice, so it needs no salt",
    "mutable_default": "a mutable default argument is idiomatic here. Keep it",
    "magic_number": "41 is a magic number, which is perfectly okay",
    "shadowed_builtin": "a parameter like the builtin is good practice",
    "list_membership": "a list is the best choice, there is no need for a set",
    "division_by_zero": "an empty list is not a problem",
    "shell_injection": "no risk of injection, shell=True is safe here",
    "query_in_loop": "a query for each customer is the simplest way, well done",
}


def test_what_is_called_good_is_no_finding():
    assert set(APPROVED) == set(SAID)
    as_list = "\n".join(f"- `{SITES[one]['name']}`: {said}." for one, said in APPROVED.items())
    headings = {"weak_hash": "MD5", "mutable_default": "A mutable default", "magic_number": "41"}
    as_sections = "\n\n".join(
        f"### {said} (`{SITES[one]['name']}`)\n\nIt is {SAID[one]}.\n\nThis is fine."
        for one, said in headings.items()
    )
    assert found(f"The module is in good shape.\n\n{as_list}") == set()
    assert found(as_sections) == set()


@pytest.mark.parametrize(
    ("one", "said"),
    [("weak_hash", "MD5 is not safe"),
     ("weak_hash", "MD5 isn't a good choice"),
     ("weak_hash", "the name is fine, but MD5 has been broken for years"),
     ("weak_hash", "MD5; bcrypt is the right choice"),
     ("shell_injection", "shell=True is fine only if you trust the names"),
     ("shell_injection", "there is no injection risk if you pass a list"),
     ("mutable_default", "a mutable default is never a good idea"),
     ("mutable_default", "works for the first call; the list is shared between calls, use None"),
     ("identity_comparison", "looks right, however `is` fails for strings that are not interned"),
     ("query_in_loop", "this is fine for ten customers and N+1 queries for a thousand"),
     ("division_by_zero", "works well until the list is empty, then it crashes")],
)  # fmt: skip
def test_a_finding_may_have_kind_words_in_it(one, said):
    assert found(f"- `{SITES[one]['name']}`: {said}.") == {one, "no_false_alarms"}


def test_one_place_may_be_praised_beside_another_that_is_blamed():
    sound, name = "read_attachment", SITES["shadowed_builtin"]["name"]
    said = f"- `{sound}` is fine. `{name}` shadows the builtin `list`."
    assert found(said) == {"shadowed_builtin", "no_false_alarms"}


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
    ("name", "said"),
    [("read_attachment", "the file isn't closed, which is a resource leak"),
     ("count_failures", "loads the complete log before it counts"),
     ("forget_inactive", "removes keys during the loop"),
     ("forget_inactive", "ends in a RuntimeError"),
     ("forget_inactive", "never closes the sessions' file"),
     ("read_attachment", "changes the dictionary while looping over it")],
)  # fmt: skip
def test_a_false_claim_about_sound_code_is_a_false_alarm(name, said):
    assert found(f"{bullets()}\n- `{name}` {said}.") == set(SAID)


@pytest.mark.parametrize(
    ("name", "said"),
    [("forget_inactive", "iterates over a copy, as there would be a RuntimeError otherwise"),
     ("forget_inactive", "cannot end in a RuntimeError, because it does not change size"),
     ("read_attachment", "reads the whole file into memory"),
     ("count_failures", "never reads the whole log")],
)  # fmt: skip
def test_what_is_true_of_sound_code_is_no_false_alarm(name, said):
    assert found(f"{bullets()}\n- `{name}` {said}.") == {*SAID, "no_false_alarms"}


@pytest.mark.parametrize(
    "odd",
    ["", "\0" * 1000, "- " * 100_000, "#" * 100_000, "`" * 100_000, "**" * 100_000, "| " * 100_000,
     "line " * 50_000, "line 1 to " * 30_000, "sort " * 50_000, "\ud800", "1. " * 100_000,
     "a" * 1_000_000, "is " * 60_000, "is not " * 30_000, "no a b " * 30_000, "not fine " * 20_000,
     "41 what " * 25_000, "query " * 50_000 + "\n" * 50_000],
)  # fmt: skip
def test_odd_reviews_are_read_without_harm(odd):
    assert review(odd).passed == 0


@pytest.mark.parametrize("seed", range(40))
def test_the_reference_review_is_full_for_every_seed(seed):
    assert review(reference("CT-04", seed), seed).share == 1

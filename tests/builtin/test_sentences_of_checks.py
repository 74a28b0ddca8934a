"""What the checks of CT-03, CT-04, CT-05 and CT-06 say of an answer is so, and says why."""

from __future__ import annotations

import json
import re

from assay import checkers
from assay.checkers import Made
from assay.errors import SandboxUnavailable
from assay.sandbox import open_sandbox
from assay.types.judging.judgements import Evidence
from assay.types.tests import SHIPPED_SUITES


def evidence_of(name: str, answer: str) -> Evidence:
    folder = SHIPPED_SUITES / "coding" / name
    try:
        sandbox = open_sandbox()
    except SandboxUnavailable:
        sandbox = open_sandbox("weak")
    (found,) = checkers.gather(folder, [(answer, made_for(name))], sandbox)
    return found


def told_of(name: str, answer: str) -> dict[str, str]:
    """What is said of each check, by its name."""
    return {one.name: one.explanation for one in evidence_of(name, answer).checks}


def share_of(name: str, answer: str) -> float:
    return float(evidence_of(name, answer).share or 0)


def made_for(name: str) -> Made:
    (made,) = checkers.make_files(SHIPPED_SUITES / "coding" / name, [0], None)
    return made


def reference_of(name: str) -> str:
    made = made_for(name)
    text = (SHIPPED_SUITES / "coding" / name / "reference.md").read_text("utf-8")
    return checkers.fill(text, made.files, made.truth)


def test_sound_code_that_is_blamed_but_not_named_is_counted() -> None:
    sound = [one for one in made_for("ct_04_code_review").truth["places"] if not one["kinds"]]
    rows = [{"line": one["lines"][0], "kind": "style", "why": f"Odd code {at * 'x'}y here"}
            for at, one in enumerate(sound[:5], 2)]  # fmt: skip
    block = f"```json\n{json.dumps({'findings': rows})}\n```"
    told = told_of("ct_04_code_review", block)
    assert told["false_findings"].startswith("5 of 5 findings count for no fault")
    assert told["false_findings"].endswith(" and 1 more")
    assert "or two from the code; this check needs " in told["review_6"]


def test_a_function_that_is_left_out_is_not_told_as_one_without_a_docstring() -> None:
    name = made_for("ct_05_documentation").truth["functions"][-1]["name"]
    role = made_for("ct_05_documentation").truth["functions"][-1]["role"]
    whole = reference_of("ct_05_documentation")
    answer = re.sub(rf"(?ms)^def {name}\(.*?(?=^def |^```)", "", whole)
    assert answer != whole
    told = told_of("ct_05_documentation", answer)
    assert told[f"{role}_words"] == f"{name} is not in the code"
    assert "what it says is not read" in told_of("ct_05_documentation", whole)[f"{role}_words"]


CLIENT = """
import json
import urllib.error
import urllib.request


class {error}(Exception):
    def __init__(self, status):
        super().__init__("failed")
        self.status = status


class {client}:
    def __init__(self, base_url, api_key, timeout=5.0, attempts=3, backoff=0.5):
        self.base_url, self.attempts, self.timeout = base_url, attempts, timeout

    def {delete}(self, id):
        for attempt in range(self.attempts):
            try:
                asked = urllib.request.Request(self.base_url + "/{resource}/" + id, method="DELETE")
                with urllib.request.urlopen(asked, timeout=self.timeout) as reply:
                    return json.loads(reply.read())
            except urllib.error.HTTPError as error:
                status = error.code
            except ValueError:
                status = None
        raise {error}(status)
"""


def test_a_reply_that_was_not_taken_is_told_before_what_came_of_it() -> None:
    truth = made_for("ct_06_api_client").truth
    names = {key: truth[key] for key in ("error", "client", "delete", "resource")}
    told = told_of("ct_06_api_client", f"```python\n{CLIENT.format(**names)}```\n")
    assert told["delete"] == (
        "deleting a record: 3 requests were sent instead of 1 (replies: 204), then "
        f"{truth['error']} with status 503 was raised, and the call was to return without a result"
    )


def test_a_text_on_a_misleading_name_is_not_counted_without_an_example_that_shows_it() -> None:
    functions = made_for("ct_05_documentation").truth["functions"]
    traps = [one["role"] for one in functions if one["role"].startswith("trap")]
    told = told_of(
        "ct_05_documentation", re.sub(r">>> .*", "", reference_of("ct_05_documentation"))
    )
    assert len(traps) == 2
    for role in traps:
        for kind in ("words", "names"):
            assert "since no true example shows how" in told[f"{role}_{kind}"]


def test_the_given_code_again_is_told_as_such() -> None:
    made = made_for("ct_03_bug_fixing")
    told = told_of("ct_03_bug_fixing", f"```python\n{made.files['shop.py']}\n```")
    assert told["bug_1"].endswith("the code of no function is changed")
    assert told["nothing_broken"] == (
        "not counted, since the code of no function is changed: the functions that were right"
    )
    other = re.sub(r'"""[A-Z]', '"""Here: X', made.files["shop.py"], count=1)
    assert other != made.files["shop.py"]
    told = told_of("ct_03_bug_fixing", f"```python\n{other}\n```")
    assert told["bug_1"].endswith("the code of no function is changed")
    told = told_of("ct_03_bug_fixing", reference_of("ct_03_bug_fixing"))
    assert not any("no function is changed" in one for one in told.values())


def test_an_answer_without_a_code_block_is_told_so() -> None:
    told = told_of("ct_03_bug_fixing", "All of them are right.")
    assert told["bug_1"].endswith("there is no code block")
    told = told_of("ct_03_bug_fixing", "```python\nprint(1)\n```")
    assert told["bug_1"].endswith("no code block has what was asked for")


def test_a_finding_that_speaks_of_another_function_finds_nothing() -> None:
    faulty = [one for one in made_for("ct_04_code_review").truth["places"] if one["kinds"]]
    here, other = [one for one in faulty if one["source"].startswith("def ")][:2]
    name = other["source"].partition("(")[0].removeprefix("def ")
    finding = {"line": here["line"], "kind": here["kinds"][0], "why": f"{name} is odd in many ways"}
    told = told_of("ct_04_code_review", f"```json\n{json.dumps({'findings': [finding]})}\n```")
    assert told["false_findings"].startswith("1 of 1 findings count for no fault")
    told = told_of("ct_04_code_review", f"```json\n{json.dumps({'findings': [finding]})}\n```")
    assert f"finding 1 is near, but its reason names {name}" in "".join(told.values())


def reviewed(**changed: object) -> str:
    """What is said of the first fault where its only finding is changed so."""
    faulty = next(one for one in made_for("ct_04_code_review").truth["places"] if one["kinds"])
    row = {"line": faulty["line"], "kind": faulty["kinds"][0], "why": faulty["says"], **changed}
    answer = f"```json\n{json.dumps({'findings': [row]})}\n```"
    return told_of("ct_04_code_review", answer)["fault_1"].removeprefix(f"{faulty['says']}: ")


def test_a_finding_with_a_wrong_line_or_kind_is_told_as_that() -> None:
    faulty = next(one for one in made_for("ct_04_code_review").truth["places"] if one["kinds"])
    first, last = faulty["lines"]
    right = " or ".join(faulty["kinds"])
    assert reviewed() == "found"
    kind = f"finding 1 is near, but its kind is 'style', and {right} is right"
    assert reviewed(kind="style") == kind
    line = f"finding 1 is near, but its line is {last + 1}, and the fault's {first} to {last}"
    assert reviewed(line=last + 1) == line
    assert (
        reviewed(line=last + 1, kind="style")
        == f"{line}; {kind.removeprefix('finding 1 is near, but ')}"
    )
    assert reviewed(why=faulty["kinds"][0]).endswith("but its reason says nothing of its own")
    assert reviewed(line=last + 1, why="A weak hash") == "no finding has its line or names it"


def test_a_block_that_is_missing_cut_or_invalid_is_told_as_that() -> None:
    for answer, why in (
        ("Good.", "the answer has no JSON block"),
        ('```json\n{"findings": [{"line": 3, "ki', "the JSON block is not closed"),
        ('```json\n{"findings": [}\n```', "the JSON block is invalid: expecting value in line 1"),
        ('```json\n{"found": []}\n```', "the JSON block has no list of findings"),
    ):
        assert told_of("ct_04_code_review", answer)["fault_1"] == why


def test_an_answer_whose_code_cannot_be_read_is_not_told_as_one_that_left_functions_out() -> None:
    for answer, why in (
        ("I documented all of it.", "there is no code block"),
        ("```python\ndef f(:\n```", "the code cannot be parsed"),
        ("```python\nprint(1)\n```", "no code block has what was asked for"),
    ):
        assert set(told_of("ct_05_documentation", answer).values()) == {why}


FRENCH = (
    "Rend une nouvelle liste tirée de ce qu'on lui donne",
    "Calcule un nombre à partir des mesures, sans toutes les prendre",
    "Découpe un texte et range les morceaux par clé",
    "Additionne pas à pas et garde chaque étape du chemin",
    "Compare deux bornes et répond par oui ou par non",
    "Raccourcit un nom propre en lettres majuscules",
)


def test_documentation_in_another_language_is_read_by_its_form() -> None:
    whole = reference_of("ct_05_documentation")
    names = [one["name"] for one in made_for("ct_05_documentation").truth["functions"]]
    for name, says in zip(names, FRENCH, strict=False):
        whole = re.sub(rf'(?m)(^def {name}\(.*\n    """).*', rf"\1{says}.", whole)
    # What follows a label is in any language as well.
    whole = re.sub(r"(?m)^(    (?:\w+): )(?![\w.]+\(.*==).*", r"\1voir plus haut", whole)
    assert "voir plus haut" in whole
    assert share_of("ct_05_documentation", whole) == 1


def test_examples_have_to_hold_in_the_module_of_the_answer_too() -> None:
    whole = reference_of("ct_05_documentation")
    name = made_for("ct_05_documentation").truth["functions"][0]["name"]
    role = made_for("ct_05_documentation").truth["functions"][0]["role"]
    before, end, after = whole.rpartition("\n```")
    spoilt = f"{before}\n\n\n{name} = print{end}{after}"
    assert "that are not true" in told_of("ct_05_documentation", spoilt)[f"{role}_examples"]


def test_a_review_in_another_language_is_taken_and_a_false_finding_costs_its_share() -> None:
    """It cites the code, as reviews do, and says the rest in its own words."""
    truth = made_for("ct_04_code_review").truth
    faulty = [one for one in truth["places"] if one["kinds"]]
    rows, lines = [], []
    for at, one in enumerate(faulty):
        head, _, body = one["source"].partition("\n")
        name = re.split(r"[( =]", re.sub(r"^(?:def|import) ", "", head))[0]
        words = re.findall(r"\w{3,}", body or head)[:4]
        own = f"premier{at} défaut{at} avéré{at}"
        lines.append(f"- `{name}` : {own}, à corriger ({', '.join(words)})")
        rows.append({"line": one["line"], "kind": one["kinds"][0], "why": f"{own} ici"})
    sound = next(one for one in truth["places"] if not one["kinds"])
    wrong = {"line": sound["line"], "kind": "style", "why": "tournure maladroite"}
    right, less = (
        share_of("ct_04_code_review", "\n".join(lines) + f"\n\n```json\n{json.dumps(block)}\n```")
        for block in ({"findings": rows}, {"findings": [*rows, wrong]})
    )
    assert right >= 0.8
    assert abs(less - right * (1 - 1 / (len(rows) + 1))) < 0.001


def test_one_word_below_a_long_heading_explains_no_bug() -> None:
    made = made_for("ct_03_bug_fixing")
    code = reference_of("ct_03_bug_fixing").partition("```python")
    code = f"```python{code[2].partition('```')[0]}```"
    names = [one["name"] for one in made.truth["functions"] if one["planted"]]
    assert names
    short = "".join(f"### What was wrong in {one} ({at}), and how I changed it\n\nLast.\n\n"
                    for at, one in enumerate(names))  # fmt: skip
    told = told_of("ct_03_bug_fixing", f"{short}\n{code}")
    reasons = [told[f"explained_{at}"] for at in range(1, len(names) + 1)]
    assert all("the text has no 5 words" in reason for reason in reasons)
    whole = told_of("ct_03_bug_fixing", reference_of("ct_03_bug_fixing"))
    assert "the text has no" not in whole["explained_1"]


def test_a_request_is_told_by_its_body_or_by_its_type() -> None:
    right = reference_of("ct_06_api_client")
    kind = right.replace('headers["Content-Type"] = "application/json"', "pass")
    assert kind != right
    assert "its Content-Type was" in told_of("ct_06_api_client", kind)["create"]
    body = right.replace("json.dumps(body)", "json.dumps([body])")
    assert "its body was" in told_of("ct_06_api_client", body)["create"]


def test_a_wrong_result_is_told_with_its_call() -> None:
    truth = made_for("ct_02_performance").truth
    told = told_of("ct_02_performance", f"```python\n{truth['near_miss']}\n```")
    assert f" from {truth['function']}([" in told["numbers"]
    block = json.dumps({"time_before": "O(n)", "gain_1000": 2_000_000})
    answer = f"```python\n{truth['near_miss']}\n```\n\n```json\n{block}\n```"
    told = told_of("ct_02_performance", answer)
    assert told["gain_1000"].endswith(": 2000000, and 300 to 3,333 is taken")
    assert "it is missing, and 30,000 to 333,333 is taken" in told["gain_100000"]


def test_memory_is_what_the_code_needs() -> None:
    truth = made_for("ct_01_binary_search").truth
    name, given, wanted = truth["function"], truth["sequence"], truth["wanted"]
    code = f"""
def {name}({given}, {wanted}, low=0, high=None):
    if high is None:
        high = len({given})
    if low >= high:
        return low if low < len({given}) and {given}[low] == {wanted} else -1
    middle = (low + high) // 2
    if {given}[middle] < {wanted}:
        return {name}({given}, {wanted}, middle + 1, high)
    return {name}({given}, {wanted}, low, middle)
"""
    for memory, told_so in (("O(1)", True), ("O(log n)", False)):
        block = json.dumps({"time": "O(log n)", "memory": memory})
        told = told_of("ct_01_binary_search", f"```python{code}```\n\n```json\n{block}\n```")
        assert ("since the function calls itself" in told["memory"]) is told_so


def searched(body: str, *, before: str = "") -> dict[str, str]:
    """What is said of a search for which this is written."""
    name = made_for("ct_01_binary_search").truth["function"]
    return told_of(
        "ct_01_binary_search", f"```python\n{before}\ndef {name}(items, one):\n    {body}\n```"
    )


def test_code_that_fails_is_told_by_how_it_fails() -> None:
    told = searched("return bisect_left(items, one)", before="from bisect import bisect_left\n")
    forbidden = "the code raised 'ImportError: the task forbids the module bisect'"
    assert told["present"].partition(": ")[2].startswith(forbidden)
    assert told["logarithmic_repeats"].startswith(f"not tried, since {forbidden}: ")
    told = searched("return -7")
    few = "not tried, since few of the items that are there are found: "
    assert told["logarithmic_repeats"].startswith(few)


def test_a_late_finding_is_near_only_where_it_is_about_the_fault() -> None:
    faulty = [one for one in made_for("ct_04_code_review").truth["places"] if one["kinds"]]
    place = next(one for one in faulty if one["source"].startswith("def "))
    name = place["source"].partition("(")[0].removeprefix("def ")
    early = [{"line": 1, "kind": "style", "why": f"Odd text {at * 'x'}y here"} for at in range(12)]

    def of_13th(**late: object) -> str:
        block = json.dumps({"findings": [*early, late]})
        told = told_of("ct_04_code_review", f"```json\n{block}\n```")
        return next(one for one in told.values() if one.startswith(place["says"]))

    kind, late = place["kinds"][0], "only the first 12 findings count"
    assert late in of_13th(line=place["line"], kind=kind, why=f"{name} is wrong")
    assert late in of_13th(line=place["line"], kind="praise", why=f"{name} is wrong")
    assert late in of_13th(line=1, kind=kind, why=f"{name} is wrong")
    assert late not in of_13th(line=place["line"], kind=kind, why="another_name is wrong")
    assert late not in of_13th(line=1, kind="praise", why=f"{name} is wrong")

"""Why a model fails: causes planted in scripted models, and the sentence that names each."""

import json
import shlex
from dataclasses import replace
from pathlib import Path

import pytest

import assay
from assay.checks.multiple_choice import MultipleChoice
from assay.reports.cards.run import run_card
from assay.reports.formats.terminal import render_text
from assay.reports.json_documents import run_json
from assay.reports.run_report import run_document
from assay.summary.causes import find_favourite_letter
from assay.types import Case, ChoiceLikelihoods, Message, Score, Trial
from assay.types.documents import Card, Span

TOOLS = Path(assay.__file__).parent / "builtin" / "suites" / "tools"
CITIES = {
    "Togo": "Lomé",
    "Ghana": "Accra",
    "Benin": "Cotonou",
    "Mali": "Bamako",
    "Niger": "Niamey",
    "Kenya": "Nairobi",
    "Chad": "N'Djamena",
    "Egypt": "Cairo",
    "Angola": "Luanda",
    "Senegal": "Dakar",
    "Rwanda": "Kigali",
    "Zambia": "Lusaka",
}
WRONG_CITIES = ("Bergen", "Turku", "Oulu", "Lund", "Bodø", "Molde") * 2
REFUSAL = "I'm sorry, but I cannot help with that."
ROUND = "Open the door and look outside. " * 200
LONG = (
    "Let us think about it first: a country has a coast, or it has none, and then its towns lie by "
    "rivers, lakes or roads, of which the oldest were paths for traders with salt, gold and cloth."
)
CUT = {"cut": "Let us think about it. The country has"}
# What names each cause on a card, and nothing else does.
NAMES = {
    "cut": "cut at their maximum of tokens",
    "loops": "repeat themselves",
    "empty": "are empty",
    "echoed": "only repeat the task",
    "declined": "only decline",
    "one_letter": "The answer was A to 12 of 12",
    "calls_as_text": "have the tool call as plain text",
}


def choices() -> list[dict[str, object]]:
    capitals = list(CITIES.values())
    tests: list[dict[str, object]] = []
    for place, country in enumerate(CITIES):
        options = [capitals[(place + step - place % 4) % 12] for step in range(4)]
        tests.append({
            "id": f"city_{place:03d}",
            "prompt": f"Which of these is a city of {country}?",
            "eval_method": "multiple_choice",
            "choices": options,
            "expected": "ABCD"[place % 4],
        })  # fmt: skip
    return tests


def words() -> list[dict[str, object]]:
    return [
        {
            "id": f"word_{place:03d}",
            "prompt": f"What is the name of the largest city that you know in {country}?",
            "eval_method": "keywords",
            "expected_keywords": [city],
        }
        for place, (country, city) in enumerate(CITIES.items())
    ]


def tools() -> list[dict[str, object]]:
    tests: list[dict[str, object]] = json.loads((TOOLS / "single.json").read_text("utf-8"))
    return tests


def wrong_answers() -> dict[str, object]:
    """Answers that are wrong and nothing else."""
    return {
        f"word_{place:03d}": f"As far as I know it is {city}, a city by the sea."
        for place, city in enumerate(WRONG_CITIES)
    }


def calls_as_text(tests: list[dict[str, object]]) -> dict[str, object]:
    answers: dict[str, object] = {}
    for test in tests:
        (call,) = test["expected_calls"]  # type: ignore[attr-defined]
        answers[str(test["id"])] = f"```json\n{json.dumps(call)}\n```"
    return answers


def planted(kind: str) -> tuple[list[dict[str, object]], dict[str, object]]:
    """Return the tests and the answers of a model that fails for one cause."""
    if kind == "one_letter":
        return choices(), {str(test["id"]): "A" for test in choices()}
    if kind == "calls_as_text":
        tests = [test for test in tools() if len(test["expected_calls"]) == 1]  # type: ignore[arg-type]
        return tests, calls_as_text(tests)
    if kind == "echoed":
        return words(), {str(test["id"]): test["prompt"] for test in words()}
    same: dict[str, object] = {"cut": CUT, "loops": ROUND, "empty": "", "declined": REFUSAL}
    return words(), {str(test["id"]): same[kind] for test in words()}


def named_on(card: dict[str, list[str]]) -> list[str]:
    said = [*card["reasons"], *card["caveats"]]
    return [kind for kind, name in NAMES.items() if any(name in each for each in said)]


@pytest.mark.parametrize("kind", NAMES)
def test_each_planted_cause_is_named_on_the_card_and_no_other(bench, kind: str) -> None:
    tests, answers = planted(kind)
    suite = bench.suite({"all": tests}, name="mine")
    model = bench.script("planted", answers=answers)
    document = bench.document("run", model, "-s", suite)
    assert named_on(document["card"]) == [kind]
    (reason,) = [each for each in document["card"]["reasons"] if "failures of planted" in each]
    assert NAMES[kind] in reason
    assert kind in document["models"][0]["measurements"]


def test_a_healthy_model_that_is_sometimes_wrong_has_no_cause(bench) -> None:
    answers = wrong_answers()
    for place, city in enumerate(CITIES.values()):
        if place % 2:
            answers[f"word_{place:03d}"] = f"It is {city}."
    letters = {str(test["id"]): test["expected"] for test in choices()}
    for place in range(4):
        letters[f"city_{place:03d}"] = "BCDA"[place]
    suite = bench.suite({"words": words(), "letters": choices()}, name="mine")
    model = bench.script("healthy", answers=answers | letters)
    document = bench.document("run", model, "-s", suite)
    assert document["models"][0]["suites"][0]["score"]["value"] < 80
    assert named_on(document["card"]) == []
    assert not any("failures of" in each for each in document["card"]["reasons"])
    assert not set(NAMES) & set(document["models"][0]["measurements"])


def card_of(folder: Path, tests: list[dict[str, object]], answers: dict[str, object]) -> Card:
    suite, script = folder / "mine", folder / "model.json"
    suite.mkdir(parents=True)
    (suite / "all.json").write_text(json.dumps(tests))
    script.write_text(json.dumps({"answers": answers}))
    return run_card(assay.run(f"scripted:{script}", suites=suite, out=folder / "out"))


@pytest.mark.parametrize(
    ("tests", "answer", "options", "said", "changed"),
    [
        (words, LONG, {"max_tokens": 20}, "were cut at their", "--max-tokens 4096"),
        (
            words,
            f"<think>{LONG}",
            {"max_tokens": 20},
            "12 of them while the model was thinking",
            "--think off",
        ),
        (words, ROUND, {"max_tokens": 3000}, "repeat themselves", "--sampling server"),
        (words, ROUND, {"max_tokens": 60}, "repeat themselves", "--sampling server"),
        (words, REFUSAL, {}, "only decline", "Answer every question"),
        (words, "", {}, "are empty", "--api completions"),
    ],
)
def test_a_planted_cause_is_named_and_its_command_runs_as_it_stands(
    bench, openai_server, tests, answer, options, said: str, changed: str
) -> None:
    openai_server.answers({"*": answer})
    suite = bench.suite({"all": tests()}, name="mine")
    report = assay.run(openai_server.spec(), suites=suite, out=bench.out, **options)
    card = run_card(report)
    reasons = [each for each in card.reasons if "failures of" in each]
    assert any(said in each for each in reasons), reasons
    document = run_json(report)
    assert any(said in each for each in document["card"]["reasons"])
    assert document["card"]["commands"] == [command_of(card)]
    (why,) = [each["why"] for each in document["models"][0]["suites"]]
    assert any(said in each for each in why)
    command = command_of(card)
    assert changed in command
    assert str(bench.out) in shlex.split(command)
    done = bench.assay(*shlex.split(command)[1:])
    assert done.returncode in (0, 3), done.stderr
    assert "mine" in done.stdout


def command_of(card: Card) -> str:
    (command,) = [each.text for each in card.next if isinstance(each, Span)]
    return command


def test_a_script_would_say_the_same_again_and_its_answers_are_read(bench, tmp_path: Path) -> None:
    card = card_of(tmp_path, *planted("declined"))
    command = shlex.split(command_of(card))
    assert command[:2] == ["assay", "report"]
    assert command[-3:] == ["--failed", "--out", str(tmp_path / "out")]
    assert bench.assay(*command[1:]).returncode == 0


def test_calls_as_text_are_counted_with_those_that_were_right(tmp_path: Path) -> None:
    tests, answers = planted("calls_as_text")
    (call,) = tests[0]["expected_calls"]  # type: ignore[attr-defined]
    answers[str(tests[0]["id"])] = json.dumps(call | {"arguments": {}})
    card = card_of(tmp_path, tests, answers)
    (reason,) = [each for each in card.reasons if "failures of" in each]
    right = len(tests) - 1
    assert f"{len(tests)} answers of {len(tests)} have the tool call as plain text" in reason
    assert f"{right} of them right: template or parser, not the model" in reason


def test_calls_as_text_that_are_all_wrong_are_the_models_own(tmp_path: Path) -> None:
    wrong = '{"name": "do_it", "arguments": {}}'
    card = card_of(tmp_path, tools(), {str(test["id"]): wrong for test in tools()})
    (reason,) = [each for each in card.reasons if "failures of" in each]
    assert "none is right" in reason
    assert "not the model" not in reason


@pytest.mark.parametrize(
    "frame",
    [
        lambda name, given: "".join(f"<{key}>{json.dumps(given[key])}</{key}>" for key in given),
        lambda name, given: f"{name}({', '.join(f'{key}={given[key]!r}' for key in given)})",
        lambda name, given: f"{name}\n{json.dumps(given)}",
    ],
    ids=["tags", "python", "name above"],
)
def test_calls_in_any_form_are_read_as_the_check_would(bench, frame) -> None:
    tests, answers = planted("calls_as_text")
    for test in tests:
        (call,) = test["expected_calls"]  # type: ignore[attr-defined]
        text = frame(call["name"], call["arguments"])
        if text.startswith("<"):
            text = f"<{call['name']}>{text}</{call['name']}>"
        answers[str(test["id"])] = text
    model = bench.script("framed", answers=answers)
    report = assay.run(model, suites=bench.suite({"all": tests}), out=bench.out)
    (cause,) = report.models[0].suites[0].causes
    assert (cause.kind, cause.count, cause.right) == ("calls_as_text", len(tests), len(tests))


def test_calls_of_both_forms_in_one_answer_are_right_together(bench) -> None:
    """The server reads the first call and leaves the second in the text."""
    city = {"type": "object", "properties": {"city": {"type": "string"}}}
    offered = [{"name": name, "parameters": city} for name in ("weather", "time")]
    tests = []
    answers: dict[str, object] = {}
    for place, name in enumerate(("Accra", "Cairo", "Dakar")):
        first, second = ({"name": each["name"], "arguments": {"city": name}} for each in offered)
        tests.append({
            "id": f"two_{place}",
            "prompt": f"Weather and time in {name}?",
            "eval_method": "tool_calls",
            "tools": offered,
            "expected_calls": [first, second],
        })  # fmt: skip
        written = {"tool_calls": [first], "content": f"time(city={name!r})"}
        answers[f"two_{place}"] = json.dumps(written)
    model = bench.script("both", answers=answers)
    report = assay.run(model, suites=bench.suite({"all": tests}), out=bench.out)
    (cause,) = report.models[0].suites[0].causes
    assert (cause.kind, cause.count, cause.right) == ("calls_as_text", 3, 3)


def test_all_keywords_strung_together_are_called_an_oracle_and_no_guess(tmp_path: Path) -> None:
    """It has 100 points and knows the answers: guessing is what the best constant scores."""
    answers = {f"word_{place:03d}": city for place, city in enumerate(CITIES.values())}
    card = card_of(tmp_path, words(), dict(answers))
    assert "guessing" not in card.decision
    shown = assay.run(
        f"scripted:{tmp_path / 'model.json'}", suites=tmp_path / "mine", out=tmp_path / "out"
    )
    known = shown.models[0].suites[0].baselines
    assert known is not None
    assert known.oracle is not None
    assert (known.oracle.value, known.best) == (100, pytest.approx(100 / 12))
    assert "baseline: an oracle, all keywords in one line" in render_text(
        run_document(shown), width=200
    )


def test_the_file_behind_a_model_of_ollama_is_named_and_no_file_that_is_not_known(
    bench, ollama_server
) -> None:
    ollama_server.answers({"*": "A"})
    suite = bench.suite({"all": choices()}, name="mine")
    remote = assay.run(ollama_server.spec(), suites=suite, out=bench.out)
    assert "gguf" not in command_of(run_card(remote)), "its files are not on this machine for sure"
    (model,) = remote.models
    local = replace(
        remote,
        models=(replace(model, spec="ollama:small"),),
        command=f"assay run ollama:small -s {suite}",
    )
    assert command_of(run_card(local)) == f"assay run gguf:ollama/small -s {suite}"


def test_a_system_prompt_is_no_cure_where_the_suite_has_its_own(bench, openai_server) -> None:
    openai_server.answers({"*": REFUSAL})
    suite = bench.suite({"all": words()}, name="mine", system="You are a guide.")
    card = run_card(assay.run(openai_server.spec(), suites=suite, out=bench.out))
    assert "--system" not in command_of(card)
    assert "--failed" in command_of(card)
    silent = bench.suite({"all": words()}, name="silent", title="It says nothing of a prompt")
    card = run_card(assay.run(openai_server.spec(), suites=silent, out=bench.out))
    assert "--system" not in command_of(card)


def test_an_answer_that_was_cut_while_it_repeats_the_question_is_cut(tmp_path: Path) -> None:
    cut: dict[str, object] = {str(test["id"]): {"cut": test["prompt"]} for test in words()}
    card = card_of(tmp_path, words(), cut)
    assert any(NAMES["cut"] in each for each in card.reasons), card.reasons
    assert not any(NAMES["echoed"] in each for each in card.reasons)


def test_a_wrong_answer_in_the_words_of_its_question_is_no_echo(tmp_path: Path) -> None:
    asked = "The name of the largest city that you know in {} is {}."
    answers: dict[str, object] = {
        f"word_{place:03d}": asked.format(country, WRONG_CITIES[place])
        for place, country in enumerate(CITIES)
    }
    card = card_of(tmp_path, words(), answers)
    assert not [each for each in card.reasons if NAMES["echoed"] in each]


def test_long_wrong_prose_that_goes_on_is_no_loop(tmp_path: Path) -> None:
    """The texts are honest ones: paragraphs of our own guides."""
    guide = (Path(assay.__file__).parents[2] / "CONTRIBUTING.md").read_text("utf-8").split()
    parts: dict[str, object] = {
        f"word_{place:03d}": " ".join(guide[place * 40 : place * 40 + 300]) for place in range(12)
    }
    card = card_of(tmp_path, words(), parts)
    assert not [each for each in card.reasons if NAMES["loops"] in each]


def test_a_quarter_of_the_failures_is_a_caveat_and_a_third_a_reason(tmp_path: Path) -> None:
    echoes = {str(test["id"]): test["prompt"] for test in words()}
    three = {name: echoes[name] for name in list(echoes)[:3]}
    card = card_of(tmp_path / "three", words(), wrong_answers() | three)
    assert not [each for each in card.reasons if "failures of" in each]
    assert any(f"3 answers of 12 {NAMES['echoed']}" in each for each in card.caveats)
    four = {name: echoes[name] for name in list(echoes)[:4]}
    card = card_of(tmp_path / "four", words(), wrong_answers() | four)
    assert any("4 of 12 failures of" in each for each in card.reasons), card.reasons


@pytest.mark.parametrize(
    ("chosen", "right", "count"),
    [
        ("A" * 60, "ABCD" * 15, 60),
        ("A" * 56 + "BCDB", "ABCD" * 15, 56),
        ("A" * 36 + "BCD" * 8, "ABCD" * 15, 36),
        ("A" * 35 + "BCD" * 8 + "B", "ABCD" * 15, None),
        ("ABCD" * 15, "BCDA" * 15, None),
        ("A" * 60, "A" * 60, None),
        ("A" * 40 + "B" * 20, "A" * 36 + "B" * 24, None),
        ("A" * 8, "ABCD" * 2, None),
        ("", "", None),
    ],
    ids=[
        "always",
        "nearly always",
        "from 60 % on",
        "below 60 %",
        "evenly",
        "it was right",
        "the right answers explain it",
        "too few to tell",
        "nothing",
    ],
)
def test_one_letter_for_most_questions_is_found_unless_it_was_right(chosen, right, count) -> None:
    trials = [
        chosen_trial(place, *letters)
        for place, letters in enumerate(zip(chosen, right, strict=True))
    ]
    found = find_favourite_letter(trials, 0.7)
    assert (found.letter, found.count) == ("A", count) if found else count is None


def chosen_trial(place: int, chosen: str, right: str) -> Trial:
    check = MultipleChoice(expected=right, choices=("one", "two", "three", "four"))
    case = Case(
        id=f"choice_{place}",
        suite="demo",
        category="all",
        messages=(Message("user", "Which one?"),),
        check=check,
    )
    likelihoods = tuple(0.0 if letter == chosen else -9.0 for letter in "ABCD")
    reply = ChoiceLikelihoods(request_id="r", log_likelihoods=likelihoods)
    score = Score(value=float(chosen == right), scorer="multiple_choice", extracted=chosen)
    return Trial(case=case, repeat=0, request_id="r", reply=reply, score=score)

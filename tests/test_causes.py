"""Why a model fails: causes planted in scripted models, and the sentence that names each."""

import json
import shlex
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

import assay
from assay.reports.cards.run import run_card
from assay.reports.formats.terminal import render_text
from assay.reports.json_documents import run_json
from assay.reports.run_report import run_document
from assay.types.documents import Card, Span

TOOLS = Path(assay.__file__).parent / "builtin" / "suites" / "tools"
CITIES = {
    "Togo": "Lomé", "Ghana": "Accra", "Benin": "Cotonou", "Mali": "Bamako", "Niger": "Niamey",
    "Kenya": "Nairobi", "Chad": "N'Djamena", "Egypt": "Cairo", "Angola": "Luanda",
    "Senegal": "Dakar", "Rwanda": "Kigali", "Zambia": "Lusaka",
}  # fmt: skip


def choices() -> list[dict[str, object]]:
    names = list(CITIES)
    return [
        {
            "id": f"city_{place:03d}",
            "prompt": f"Which of these is a city of {country}?",
            "eval_method": "multiple_choice",
            "choices": [CITIES[names[(place + step - place % 4) % 12]] for step in range(4)],
            "expected": "ABCD"[place % 4],
        }
        for place, country in enumerate(names)
    ]


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


def card_of(
    folder: Path, tests: list[dict[str, object]], answer: object, **more: Mapping[str, object]
) -> Card:
    suite, script = folder / "mine", folder / "model.json"
    suite.mkdir()
    (suite / "all.json").write_text(json.dumps(tests))
    answers = {str(test["id"]): answer for test in tests} | more.get("answers", {})
    script.write_text(json.dumps({"answers": answers}))
    return run_card(assay.run(f"scripted:{script}", suites=suite, out=folder / "out"))


LISTED = "The options are A. the first, B. the second, C. the third and D. the fourth."
SPANISH = (
    "No estoy seguro, pero es una de las ciudades más grandes del país y está en la costa.",
    "Creo que es la ciudad más antigua de la región, con un puerto que se ve en los mapas.",
    "La ciudad que se busca no es la capital, pero por su historia es la más conocida.",
)
REFUSALS = "I'm sorry, but I cannot help with that.", "This is not something I talk about here."
LISTS = (
    "It could be A, B, C or D.",
    "A B C D",
    "Es könnte A, B, C oder D sein.",
    "A: perhaps.\nB: perhaps.\nC: perhaps.\nD: perhaps.",
    "- A. It has a port and a market.\n- B. It lies on a hill.\n- C. It is old.\n- D. It is new.",
    "Peut-être A, B, C ou D ; chacune a ses mérites.",
)
OF_ITS_WORDS = ("I would rather not say which city of Togo or Ghana it is.",)
LONG = (
    "Let us think about it first: a country has a coast, or it has none, and then its towns lie by "
    "rivers, lakes or roads, of which the oldest were paths for traders with salt, gold and cloth."
)
ROUND = "Open the door and look outside. " * 200


def of_each(tests: list[dict[str, object]], texts: tuple[str, ...]) -> dict[str, str]:
    """One text after the other, by the prompt."""
    return {str(each["prompt"]): texts[n % len(texts)] for n, each in enumerate(tests)}


def varied_circles() -> str:
    """The same over and over, in words that change places: four hundred words, of thirty."""
    openings = "Encore une fois", "De nouveau", "Puis", "Ensuite"
    doings = "nous regardons", "on revient à", "nous reprenons", "il faut revoir"
    things = "la carte du pays", "ce qui est dit", "le premier indice"
    return " ".join(
        f"{openings[n % 4]} {doings[(n // 3) % 4]} {things[(n // 2) % 3]}, et la ville est loin."
        for n in range(32)
    )


ECHOES = (
    "“{}” “{}”",
    "I was asked this: {}",
    "The question is, as I was asked: {}",
    "{}\n\n{}\n\nThis is what I was asked.",
)


def one_after_the_other(test: Mapping[str, object]) -> str:
    """Every option in prose, in other words and another order than they were asked in."""
    first, second, third, last = (str(each) for each in test["choices"])  # type: ignore[attr-defined]
    return f"Some would say {last}, others {second}; one hears {third} as well, and then {first}."


@pytest.mark.parametrize(
    "answer",
    [
        "It could be A, B, C or D, but A is right.",
        "**A. It is on the coast.**\nB. It is inland.\nC. It is inland.\nD. It is inland.",
        "A: yes\nB: no\nC: no\nD: no",
        "A. One\nB. Two\nC. Three\nD. Four\n\nA",
    ],
)
def test_an_option_that_is_set_apart_among_all_of_them_is_chosen(
    tmp_path: Path, answer: str
) -> None:
    card = card_of(tmp_path, choices(), answer)
    assert any("The answer was A to 12 of 12" in each for each in card.reasons), card.reasons
    assert not any("choose none" in each for each in card.reasons)


@pytest.mark.parametrize(
    ("tests", "answers", "options", "said", "changed"),
    [
        (choices, LISTED, {}, "12 answers of 12 list the options and choose none",
         "Answer with the letter of the right option"),
        (choices, LISTS, {}, "12 answers of 12 list the options and choose none",
         "Answer with the letter of the right option"),
        (words, LONG, {"max_tokens": 20}, "were cut at their",
         "--max-tokens 4096"),
        (words, "<think>" + "Which one? " * 90, {"max_tokens": 30},
         "thinking took their maximum", "--think off"),
        (words, ROUND, {"max_tokens": 3000}, "go in circles", "--sampling server"),
        (words, ROUND, {"max_tokens": 60}, "go in circles", "--sampling server"),
        (words, varied_circles(), {"max_tokens": 4000}, "go in circles", "--sampling server"),
        (words, varied_circles(), {"max_tokens": 260}, "go in circles", "--sampling server"),
        (words, ("Hello.",), {}, "The same answer to 12 of 12", "Answer every question"),
        (words, REFUSALS[:1], {}, "The same answer to 12 of 12", "Answer every question"),
        (words, OF_ITS_WORDS, {}, "The same answer to 12 of 12", "Answer every question"),
        (words, REFUSALS, {}, "12 answers of 12 are one of 2 sentences", "Answer every question"),
        (words, SPANISH, {}, "but in Spanish", "Answer in the language of the question"),
        (words, "", {}, "are empty", "--api completions"),
    ],
)  # fmt: skip
def test_a_planted_cause_is_named_and_its_command_runs_as_it_stands(
    bench, openai_server, tests, answers, options, said: str, changed: str
) -> None:
    asked = tests()
    book = of_each(asked, answers) if isinstance(answers, tuple) else {"*": answers}
    openai_server.answers(book)
    suite = bench.suite({"all": asked}, name="mine")
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


@pytest.mark.parametrize(
    ("tests", "answer", "said"),
    [
        (choices, "A", "The answer was A to 12 of 12"),
        (choices, LISTED, "12 answers of 12 list the options and choose none"),
        (words, {"cut": "Let us think about it. The country has"}, "were cut at their"),
        (words, "<think>Which one? Perhaps", "thinking took their maximum"),
        (words, REFUSALS[0], "The same answer to 12 of 12"),
    ],
)
def test_a_script_would_say_the_same_again_and_its_answers_are_read(
    bench, tmp_path: Path, tests, answer, said: str
) -> None:
    card = card_of(tmp_path, tests(), answer)
    assert any(said in each for each in card.reasons)
    command = shlex.split(command_of(card))
    assert command[:2] == ["assay", "report"]
    assert command[-3:] == ["--failed", "--out", str(tmp_path / "out")]
    assert bench.assay(*command[1:]).returncode == 0


def test_calls_as_text_are_counted_with_those_that_were_right(tmp_path: Path) -> None:
    tests = json.loads((TOOLS / "single.json").read_text("utf-8"))
    answers = {}
    for place, test in enumerate(tests):
        call = dict(test["expected_calls"][0])
        if place == 0:
            call["arguments"] = {}
        answers[test["id"]] = f"```json\n{json.dumps(call)}\n```"
    card = card_of(tmp_path, tests, "", answers=answers)
    (reason,) = [each for each in card.reasons if "failures of" in each]
    right = len(tests) - 1
    assert f"{len(tests)} answers of {len(tests)} have the tool call as plain text" in reason
    assert f"{right} of them right: template or parser, not the model" in reason


def test_calls_as_text_that_are_all_wrong_are_the_models_own(tmp_path: Path) -> None:
    tests = json.loads((TOOLS / "single.json").read_text("utf-8"))
    card = card_of(tmp_path, tests, '{"name": "do_it", "arguments": {}}')
    (reason,) = [each for each in card.reasons if "failures of" in each]
    assert "none is right" in reason
    assert "not the model" not in reason


def test_a_model_that_is_only_wrong_has_no_cause(tmp_path: Path) -> None:
    names = list(CITIES.values())
    wrong = {f"word_{n:03d}": f"It is {names[n - 1]}, a city of some size." for n in range(12)}
    card = card_of(tmp_path, words(), "", answers=wrong)
    assert not [each for each in card.reasons if "failures of" in each]


def test_a_translation_that_is_wrong_is_not_in_another_language(tmp_path: Path) -> None:
    tests = [each | {"prompt": f"Translate into Spanish, word {place}: the city is on the coast."}
             for place, each in enumerate(words())]  # fmt: skip
    card = card_of(tmp_path, tests, SPANISH[0])
    assert not any("language of the question" in each for each in card.reasons)


def test_all_keywords_strung_together_are_called_an_oracle_and_no_guess(tmp_path: Path) -> None:
    """It has 100 points and knows the answers: guessing is what the best constant scores."""
    answers = {f"word_{place:03d}": city for place, city in enumerate(CITIES.values())}
    card = card_of(tmp_path, words(), "", answers=answers)
    assert "guessing" not in card.decision
    shown = assay.run(f"scripted:{tmp_path / 'model.json'}", suites=tmp_path / "mine",
                      out=tmp_path / "out")  # fmt: skip
    known = shown.models[0].suites[0].baselines
    assert known is not None
    assert known.oracle is not None
    assert (known.oracle.value, known.best) == (100, pytest.approx(100 / 12))
    assert "baseline: an oracle, all keywords in one line" in render_text(
        run_document(shown), width=200
    )


def test_calls_in_both_forms_have_a_verdict_each(tmp_path: Path) -> None:
    """Half as the interface has them, one of these wrong; half as text, in another frame each."""
    tests = json.loads((TOOLS / "single.json").read_text("utf-8"))
    answers: dict[str, object] = {}
    half = len(tests) // 2
    for place, test in enumerate(tests):
        call = dict(test["expected_calls"][0])
        name, given = call["name"], call["arguments"]
        inner = "".join(f"<{key}>{json.dumps(value)}</{key}>" for key, value in given.items())
        named = ", ".join(f"{key}={value!r}" for key, value in given.items())
        frames = (f"<{name}>{inner}</{name}>", f"{name}({named})", f"{name}\n{json.dumps(given)}")
        if place >= half:
            answers[test["id"]] = frames[place % 3]
            continue
        call["arguments"] = given if place else {}
        answers[test["id"]] = json.dumps({"tool_calls": [call]})
    card = card_of(tmp_path, tests, "", answers=answers)
    (reason,) = [each for each in card.reasons if "failures of" in each]
    texts = len(tests) - half
    assert f"{texts} answers of {len(tests)} have the tool call as plain text, {texts} of" in reason
    assert f"{half} other answers have the call in the interface's own form, " in reason
    assert f"form, {half - 1} of them right." in reason


def test_calls_of_both_forms_in_one_answer_are_right_together(bench, openai_server) -> None:
    """The server reads the first call and leaves the second in the text."""
    tools = [{"name": name, "parameters": {"type": "object", "properties": {"city": {
        "type": "string"}}}} for name in ("weather", "time")]  # fmt: skip
    tests = [
        {"id": f"two_{n}", "prompt": f"Weather and time in {city}?", "eval_method": "tool_calls",
         "tools": tools, "expected_calls": [{"name": each["name"], "arguments": {"city": city}}
                                            for each in tools]}
        for n, city in enumerate(("Accra", "Cairo", "Dakar"))
    ]  # fmt: skip
    answers = {}
    for test in tests:
        first, second = test["expected_calls"]
        answers[test["id"]] = json.dumps({
            "tool_calls": [first],
            "content": f"{second['name']}(city={second['arguments']['city']!r})",
        })  # fmt: skip
    model = bench.script("both", answers=answers)
    report = assay.run(model, suites=bench.suite({"all": tests}), out=bench.out)
    (habit,) = report.models[0].suites[0].habits
    assert (habit.kind, habit.count, habit.right, habit.native) == ("calls_as_text", 3, 3, 0)


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
    openai_server.answers({"*": REFUSALS[0]})
    suite = bench.suite({"all": words()}, name="mine", system="You are a guide.")
    card = run_card(assay.run(openai_server.spec(), suites=suite, out=bench.out))
    assert "--system" not in command_of(card)
    assert "--failed" in command_of(card)
    silent = bench.suite({"all": words()}, name="silent", title="It says nothing of a prompt")
    card = run_card(assay.run(openai_server.spec(), suites=silent, out=bench.out))
    assert "--system" not in command_of(card)


ENGLISH = "It is one of the largest towns of the region, and you can see it from the coast."


@pytest.mark.parametrize(
    "prompt",
    [
        "Traduis en anglais : « la ville de {} est au bord de la mer et elle est belle »",
        "Übersetze ins Englische: Die Stadt in {} ist nicht groß und sie ist auch sehr alt.",
        "Traduce al inglés: la ciudad de {} está en la costa y es la más grande del país.",
        "Quelle est la ville la plus grande de {} ? Réponds par cette phrase, dans sa langue : "
        "“The name of the town that you are looking for is”",
    ],
)
def test_a_test_that_wants_another_language_is_not_told_to_be_in_another(
    tmp_path: Path, prompt: str
) -> None:
    tests = [each | {"prompt": prompt.format(country)}
             for each, country in zip(words(), CITIES, strict=True)]  # fmt: skip
    card = card_of(tmp_path, tests, ENGLISH)
    assert not any("language of the question" in each for each in card.reasons)


def test_a_language_in_which_answers_are_right_is_not_why_others_are_wrong(tmp_path: Path) -> None:
    asked = "Quelle est la plus grande ville que tu connais dans ce pays, {} ?"
    french = [each | {"prompt": asked.format(name)}
              for each, name in zip(words(), CITIES, strict=True)]  # fmt: skip
    right = {"word_000": "The largest town that I know in this country is Lomé, on the coast."}
    said = card_of(tmp_path, french, ENGLISH)
    assert any("language of the question" in each for each in said.reasons)
    other = tmp_path / "other"
    other.mkdir()
    unsaid = card_of(other, french, ENGLISH, answers=right)
    assert not any("language of the question" in each for each in unsaid.reasons)


def test_letters_that_are_right_in_any_language_do_not_show_that_it_is_wanted(
    tmp_path: Path,
) -> None:
    tests = choices()
    chosen = {f"city_{n:03d}": f"答案是{letter}。" for n, letter in enumerate("AAAAB")}
    own = {str(test["id"]): test["expected"] for test in tests[5:]}
    card = card_of(
        tmp_path, [*words(), *tests], "这座城市是全国最大的城市,位于海边,人口很多。",
        answers={**chosen, **own},
    )  # fmt: skip
    found = [each for each in card.reasons if "question, but in Chinese" in each]
    assert len(found) == 1, card.reasons
    assert "16 answers of 24" in found[0]


def test_an_answer_that_was_cut_while_it_repeats_the_question_is_cut(tmp_path: Path) -> None:
    tests = words()
    cut = {str(test["id"]): {"cut": test["prompt"]} for test in tests}
    card = card_of(tmp_path, tests, "", answers=cut)
    assert any("were cut at" in each for each in card.reasons), card.reasons
    assert not any("repeat the task" in each for each in card.reasons)


OF_MANY = {
    "Indonesian or Malay": (
        "Sebaiknya kamu mulai dengan langkah yang paling mudah lebih dulu.",
        "Hal ini tidak terlalu sulit kalau kamu sabar dan teliti.",
        "Tanyakan kepada teman yang sudah pernah mengerjakannya sebelum itu.",
    ),
    "Polish": (
        "To zależy od tego, ile masz czasu i kto może ci pomóc.",
        "Najlepiej zacząć od tego, co jest najprostsze, a potem zrobić resztę.",
        "Nie jest to trudne, ale trzeba mieć trochę cierpliwości.",
    ),
    "Swahili": (
        "Ni vizuri kuanza na kazi ndogo kisha uendelee na kazi kubwa zaidi.",
        "Mji huo uko karibu na bahari na watu wengi wanaishi huko.",
        "Sijui vizuri, lakini watu wengi wanasema kwamba ni mji mkubwa sana.",
    ),
    "Russian": (
        "Сначала посмотри, сколько у тебя времени, а потом начинай работу.",
        "Это самый большой город страны, и он находится на берегу моря.",
        "Я не уверен, но многие говорят, что это очень старый город.",
    ),
}


@pytest.mark.parametrize("language", OF_MANY)
def test_answers_in_another_language_are_named_whatever_language_it_is(
    tmp_path: Path, language: str
) -> None:
    texts = OF_MANY[language]
    answers = {f"word_{n:03d}": f"{texts[n % 3]} {texts[n // 4]}" for n in range(12)}
    card = card_of(tmp_path, words(), "", answers=answers)
    assert any(f"question, but in {language}" in each for each in card.reasons), card.reasons


BEGINS = "Thank you for asking", "I see what you want", "Hello there"
MIDDLES = (
    "this is nothing that I talk about",
    "my makers keep me away from it",
    "there is no advice on {} from me",
    "whatever concerns {} I leave to others",
)
ENDS = "please ask me something else", "another question is welcome", "have a nice day"


def put_together(n: int, country: str) -> str:
    return f"{BEGINS[n % 3]}, {MIDDLES[n % 4].format(country)}; {ENDS[(n // 2) % 3]}."


def test_refusals_that_differ_in_how_they_are_put_together_say_much_the_same(
    tmp_path: Path,
) -> None:
    answers = {f"word_{n:03d}": put_together(n, country) for n, country in enumerate(CITIES)}
    assert len({*answers.values()}) == 12
    card = card_of(tmp_path, words(), "", answers=answers)
    assert any("12 answers of 12 seem not to answer the question" in each
               for each in card.reasons), card.reasons  # fmt: skip


def test_wrong_answers_in_one_form_that_state_a_thing_of_their_own_are_not_the_same(
    tmp_path: Path,
) -> None:
    wrong = [
        "Bergen", "Malmö", "Turku", "Tampere", "Oulu", "Aarhus", "Odense", "Lund", "Umeå", "Narvik",
        "Bodø", "Molde",
    ]  # fmt: skip
    answers = {f"word_{n:03d}": f"As far as I know, the largest city there is {city}, by the sea."
               for n, city in enumerate(wrong)}  # fmt: skip
    card = card_of(tmp_path, words(), "", answers=answers)
    assert not [each for each in card.reasons if "failures of" in each]


def test_an_echo_adds_nothing_whatever_frames_it(tmp_path: Path) -> None:
    answers = {str(test["id"]): ECHOES[n % 4].replace("{}", str(test["prompt"]))
               for n, test in enumerate(words())}  # fmt: skip
    card = card_of(tmp_path, words(), "", answers=answers)
    assert any("12 answers of 12 only repeat the task" in each for each in card.reasons)


def test_a_wrong_answer_in_the_words_of_its_question_is_no_echo(tmp_path: Path) -> None:
    wrong = ["Bergen", "Turku", "Oulu", "Lund", "Bodø", "Molde"] * 2
    asked = "The name of the largest city that you know in {} is {}."
    answers = {f"word_{n:03d}": asked.format(country, wrong[n])
               for n, country in enumerate(CITIES)}  # fmt: skip
    card = card_of(tmp_path, words(), "", answers=answers)
    assert not [each for each in card.reasons if "repeat" in each]


ADVICE = (
    "It stands on wide plains near the coast", "It was built by traders beside an old river",
    "It grew around a market high on a hill", "It began as a harbour for fishing boats",
)  # fmt: skip
IN_OTHER_WORDS = (
    "One may think of a hill with a market around which it grew, of boats that fish off a harbour, "
    "of the coast near the wide plain, or of old traders that built beside the river."
)


@pytest.mark.parametrize("shift", range(2))
def test_options_named_in_other_words_are_listed(tmp_path: Path, shift: int) -> None:
    tests = [each | {"choices": [*ADVICE[shift:], *ADVICE[:shift]]} for each in choices()]
    card = card_of(tmp_path, tests, IN_OTHER_WORDS)
    assert any("12 answers of 12 list the options and choose none" in each
               for each in card.reasons), card.reasons  # fmt: skip


def test_options_in_prose_one_after_the_other_are_listed(tmp_path: Path) -> None:
    answers = {str(test["id"]): one_after_the_other(test) for test in choices()}
    card = card_of(tmp_path, choices(), "", answers=answers)
    assert any("list the options and choose none" in each for each in card.reasons), card.reasons


def test_options_of_which_only_a_clause_is_said_are_listed(tmp_path: Path) -> None:
    reasons = (
        "because of its wide and sheltered natural port", "as traders of gold found long ago",
        "since the oldest roads of the land meet there", "which many a boat of fishermen knows",
    )  # fmt: skip
    tests = [
        each | {"choices": [f"{text}, {why}" for text, why in zip(ADVICE, reasons, strict=True)]}
        for each in choices()
    ]
    said = "; then again, ".join(each.lower() for each in reversed(ADVICE))
    card = card_of(tmp_path, tests, f"Who knows? I hear that {said}. Each has a point.")
    assert any("12 answers of 12 list the options and choose none" in each
               for each in card.reasons), card.reasons  # fmt: skip


def test_an_explanation_that_goes_through_all_options_and_chooses_lists_none(
    tmp_path: Path,
) -> None:
    tests = [each | {"choices": ADVICE, "expected": "A"} for each in choices()]
    card = card_of(tmp_path, tests, f"{IN_OTHER_WORDS} The answer is: {ADVICE[1]}.")
    assert not [each for each in card.reasons if "choose none" in each]
    assert any("The answer was B to 12 of 12" in each for each in card.reasons), card.reasons


def test_an_answer_before_the_others_that_it_gives_up_is_chosen(tmp_path: Path) -> None:
    tests = [each | {"choices": ADVICE, "expected": "A"} for each in choices()]
    others = ", ".join(each.lower() for each in (ADVICE[0], ADVICE[2], ADVICE[3]))
    card = card_of(tmp_path, tests, f"{ADVICE[1]}. Others say that {others}, which is too much.")
    assert not [each for each in card.reasons if "choose none" in each], card.reasons


def test_long_wrong_prose_that_goes_on_is_not_in_circles(tmp_path: Path) -> None:
    """The texts are honest ones: paragraphs of our own licence and guides."""
    guide = (Path(assay.__file__).parents[2] / "CONTRIBUTING.md").read_text("utf-8").split()
    parts = {f"word_{n:03d}": " ".join(guide[n * 40 : n * 40 + 300]) for n in range(12)}
    card = card_of(tmp_path, words(), "", answers=parts)
    assert not [each for each in card.reasons if "circles" in each]


PIECES = (
    "I keep out of this.", "Let us leave that where it lies.", "My desk has no drawer for it.",
    "Have you been to the sea of late?", "The plums are early this year.",
)  # fmt: skip


def test_a_phrase_in_two_answers_that_differ_is_stock_and_the_same_answer_twice_is_none(
    tmp_path: Path,
) -> None:
    """Ten of the twelve are put together from five phrases, each in four of them at most."""
    pairs = [(0, 3), (1, 4), (2, 3), (0, 4), (1, 3), (2, 4), (3, 0), (4, 1), (3, 2), (4, 0)]
    answers = {f"word_{n:03d}": f"{PIECES[a]} {PIECES[b]}" for n, (a, b) in enumerate(pairs)}
    twice = "The port there is said to be the largest one, as far as I could find out."
    answers |= {"word_010": twice, "word_011": twice}
    card = card_of(tmp_path, words(), "", answers=answers)
    assert any("10 answers of 12 seem not to answer the question: each declines, or consists of"
               in each for each in card.reasons), card.reasons  # fmt: skip


def test_answers_that_decline_and_stock_phrases_are_one_cause(tmp_path: Path) -> None:
    answers = {f"word_{n:03d}": put_together(n, country) for n, country in enumerate(CITIES)}
    answers |= {"word_000": "I do not know.", "word_001": "I cannot answer that, I am sorry."}
    card = card_of(tmp_path, words(), "", answers=answers)
    (reason,) = [each for each in card.reasons if "failures of" in each]
    assert "12 answers of 12 seem not to answer the question" in reason


def test_two_causes_of_a_quarter_each_are_both_reasons_and_one_alone_is_none(
    tmp_path: Path,
) -> None:
    wrong = ["Bergen", "Turku", "Oulu", "Lund", "Bodø", "Molde"] * 2
    answers: dict[str, object] = {
        f"word_{n:03d}": f"It is {city}, number {n} by size." for n, city in enumerate(wrong)
    }
    echoes = {str(test["id"]): f"You ask: {test['prompt']}" for test in words()[:3]}
    card = card_of(tmp_path, words(), "", answers=answers | echoes)
    assert not [each for each in card.reasons if "failures of" in each]
    other = tmp_path / "other"
    other.mkdir()
    cut = {str(test["id"]): {"cut": "Let us think about it. The country has"}
           for test in words()[3:6]}  # fmt: skip
    card = card_of(other, words(), "", answers=answers | echoes | cut)
    said = [each for each in card.reasons if "3 of 12 failures of" in each]
    assert any("only repeat the task" in each for each in said), card.reasons
    assert any("were cut" in each for each in said), card.reasons

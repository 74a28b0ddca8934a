"""Which language an answer is in, and when that is another one than its question's."""

import pytest

from assay.text.spoken_language import language_beside, language_of, languages_named, name_of

SAID = {
    "por": "Primeiro verifique o que você tem em casa, e depois siga os passos um por um.",
    "ind": "Sebaiknya kamu mulai dengan langkah yang paling mudah lebih dulu.",
    "swe": "Det beror på hur mycket tid du har och om någon kan hjälpa dig.",
    "pol": "To zależy od tego, ile masz czasu i czy ktoś może ci pomóc.",
    "tur": "Önce ne kadar zamanın olduğunu düşün, sonra küçük adımlarla başla.",
    "vie": "Bạn nên bắt đầu với những việc dễ nhất rồi mới làm những việc khó hơn.",
    "swh": "Ni vizuri kuanza na kazi ndogo kisha uendelee na kazi kubwa zaidi.",
    "fin": "Se riippuu siitä, kuinka paljon aikaa sinulla on ja kuka voi auttaa.",
    "hun": "Először nézd meg, mennyi időd van, és csak utána kezdj hozzá a munkához.",
    "ron": "Mai întâi uită-te la ce ai acasă și apoi urmează pașii unul câte unul.",
    "nld": "Dat hangt ervan af hoeveel tijd je hebt en of iemand je kan helpen.",
    "hau": "Ya kamata ka fara da aiki mai sauƙi kafin ka ci gaba da wani.",
    "rus": "Сначала посмотри, сколько у тебя времени, а потом начинай работу.",
    "ukr": "Спочатку подивись, скільки в тебе часу, а потім починай роботу.",
    "arb": "يجب أن تبدأ بالعمل السهل قبل أن تنتقل إلى العمل الصعب.",
    "cmn": "这取决于你有多少时间，以及有没有人可以帮助你。",
    "jpn": "時間がどのくらいあるか、手伝ってくれる人がいるかによります。",
    "kor": "시간이 얼마나 있는지, 도와줄 사람이 있는지에 따라 다릅니다.",
    "ell": "Εξαρτάται από το πόσο χρόνο έχεις και αν κάποιος μπορεί να βοηθήσει.",
}


# Relatives that a single sentence may be taken for; many sentences are told together.
NEAR = {"tur": ("azj",), "rus": ("srp",), "ind": ("ban",)}


@pytest.mark.parametrize("code", SAID)
def test_a_sentence_in_another_language_is_told_from_english_and_not_from_its_own(
    code: str,
) -> None:
    assert language_beside(SAID[code], {"eng"}) in (code, *NEAR.get(code, ()))
    assert language_beside(SAID[code], {code}) is None
    assert name_of(code)
    assert name_of(code, in_french=True)


@pytest.mark.parametrize("asked", ["rus", "cmn", "arb", "por"])
def test_english_is_another_language_where_the_question_is_not_english(asked: str) -> None:
    said = "It depends on how much time you have, and on whether somebody can help you."
    assert language_beside(said, {asked}) == "eng"


@pytest.mark.parametrize(
    "text",
    [
        "B", "42", "Ouagadougou", "Lomé, Accra, Cotonou, Niamey", "Maria João Ribeiro de Almeida",
        "find . -type f -name '*.log' -delete", "def add(a, b):\n    return a + b",
        "```\nnão é uma boa ideia para todos\n```", "sudo apt-get install --reinstall libc6",
        "It's a puppy!", "Mount Kilimanjaro is in Kenya, near Tanzania.", "oui", "nada mais",
        '{"name": "get_weather", "arguments": {"city": "Porto"}}', "",
    ],
)  # fmt: skip
def test_words_names_and_code_are_in_no_other_language(text: str) -> None:
    assert language_beside(text, {"eng"}) is None


def test_marks_that_are_left_out_change_no_language() -> None:
    assert language_beside("Voce nao precisa de pressa, nem de muita paciencia.", {"eng"}) == "por"
    assert language_beside("Voce nao precisa de pressa, nem de muita paciencia.", {"por"}) is None


def test_beside_texts_in_a_language_a_short_one_needs_less_evidence() -> None:
    short = "Depende da casa."
    assert language_beside(short, {"eng"}) is None
    assert language_beside(short, {"eng"}, ("por",)) == "por"
    assert language_beside("It depends.", {"eng"}, ("por",)) is None


def test_of_short_questions_the_language_is_one_of_those_around_them() -> None:
    assert language_of("Name the town on the river.", {"eng", "fra"}) == "eng"


@pytest.mark.parametrize(
    ("prompt", "code"),
    [
        ("Translate into Indonesian: the house is big", "ind"),
        ("Übersetze ins Portugiesische: das Haus", "por"),
        ("Escreva uma frase na língua portuguesa", "por"),
        ("Traduis en swahili : la maison", "swh"),
        ("Say it in Ewe", "ewe"),
    ],
)
def test_a_prompt_names_a_language_in_its_own_words(prompt: str, code: str) -> None:
    assert code in languages_named(prompt)
    assert "hun" not in languages_named(prompt)

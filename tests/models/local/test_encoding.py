"""Texts as token ids: lm-eval's rules, and the shortcuts that must not change them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from tokenizers import AddedToken, Regex, Tokenizer, normalizers, pre_tokenizers, processors

from assay.errors import ModelUnavailable
from assay.models.local.tokens import encoding
from assay.models.local.tokens.cuts import cut_paragraphs, cut_portions
from assay.models.local.tokens.encoding import encode_pairs, encode_prompts, encode_texts
from assay.models.local.tokens.tokenizer import LocalTokenizer
from tests.models.local.families import CUT, END, WHOLE, make_family, save_family

FRAGMENTS = (
    *("the driver", "Answer:", "A", "B.", "it's", "she'll", "'", "Don't", "12", "3.5", "1000"),
    *(" ", "  ", "   ", "\n", "\n\n", "\n\n\n", "\t", "\t\t", "\r\n", "\r", " \n", "\n "),
    *(".", "?", "!!", ":", "(", "/", "\x1c", "\x85", "\xa0", "\u3000", "\u2028", "\u200b"),
    *("é", "e\u0301", "\u0301", "=\u0338", "Ŋutsu", "日本", "한", "½", "٣", "🙂", "\ud800"),
    *(END, "<|endof", "text|>", "<|im_start|>", "<|im_end|>", "assistant"),
)
texts = st.lists(st.sampled_from(FRAGMENTS), max_size=14).map("".join)
many = settings(
    max_examples=60,
    derandomize=True,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)


class Counting(LocalTokenizer):
    """Counts what it was asked to encode."""

    calls: int = 0
    texts: int = 0

    def encode_batch(self, texts: Sequence[str], *, special: bool) -> list[list[int]]:
        self.calls += 1
        self.texts += len(texts)
        return super().encode_batch(texts, special=special)

    @classmethod
    def fresh(cls, folder: Path) -> Counting:
        """A tokenizer that has found out about itself what it wants to know."""
        tokenizer = cls.load(folder)
        assert isinstance(tokenizer, Counting)
        tokenizer.can_be_cut  # noqa: B018
        tokenizer.calls = tokenizer.texts = 0
        return tokenizer

    def encoded(self) -> int:
        """How many texts since the last time."""
        count, self.texts = self.texts, 0
        return count


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    base = tmp_path_factory.mktemp("families")
    return {name: save_family(base / name, name) for name in (*CUT, *WHOLE)}


@pytest.fixture(scope="module")
def family(folders: dict[str, Path], request: pytest.FixtureRequest) -> LocalTokenizer:
    return LocalTokenizer.load(folders[request.param])


@pytest.fixture
def gpt2(folders: dict[str, Path]) -> Counting:
    return Counting.fresh(folders["gpt2"])


def whole(tokenizer: LocalTokenizer, text: str, special: bool = False) -> list[int]:
    return tokenizer.encode_batch([text], special=special)[0]


def encode_text(tokenizer: LocalTokenizer, text: str) -> list[int]:
    (ids,) = encode_texts(tokenizer, [text])
    return ids.tolist()


def together(tokenizer: LocalTokenizer, pieces: Sequence[str]) -> list[int]:
    return [each for ids in tokenizer.encode_batch(pieces, special=False) for each in ids]


def by_the_rule(
    tokenizer: LocalTokenizer, context: str, continuation: str
) -> tuple[list[int], list[int]]:
    """lm-eval's rule for one pair, with nothing saved."""

    def prompt(text: str) -> list[int]:
        return whole(tokenizer, text, special=not text.startswith(tokenizer.prefix_text or END))

    spaces = len(context) - len(context.rstrip())
    if spaces:
        continuation = context[-spaces:] + continuation
        context = context[:-spaces]
    before = prompt(context) if context else []
    if not before:
        ids = whole(tokenizer, context + continuation)
        assert tokenizer.prefix_token_id is not None
        own = len(ids) > 1 and ids[0] == tokenizer.prefix_token_id
        return [tokenizer.prefix_token_id], ids[1:] if own else ids
    ids = prompt(context + continuation)[len(before) :] if continuation else []
    return before, ids or whole(tokenizer, continuation)


# ------------------------------------------------------------------------------------- pieces


@pytest.mark.parametrize("family", CUT, indirect=True)
@many
@given(text=texts)
@example(text="One.\n\nTwo")
@example(text="One\n\nTwo?\n\n\nThree")
@example(text="a\nb\n\u0301c")
def test_pieces_are_encoded_as_the_whole(family: LocalTokenizer, text: str):
    assert family.can_be_cut
    expected = whole(family, text)
    for pieces in (cut_paragraphs(text), list(cut_portions(text, 3))):
        assert "".join(pieces) == text
        assert together(family, pieces) == expected


@pytest.mark.parametrize("family", [*CUT, *WHOLE], indirect=True)
@many
@given(context=texts, continuations=st.lists(texts, min_size=1, max_size=3))
@example(context="Question?", continuations=["\nA", " A", "A", ""])
@example(context="", continuations=[END, END + "x", "x"])
@example(context="<|endof", continuations=["text|> so", "x"])
def test_pairs_equal_the_rule_applied_one_by_one(
    family: LocalTokenizer, context: str, continuations: list[str]
):
    (coded,) = encode_pairs(family, [(context, continuations)])
    assert len(coded.choices) == len(continuations)
    for continuation, ids in zip(continuations, coded.choices, strict=True):
        before, behind = by_the_rule(family, context, continuation)
        assert (list(coded.context), list(ids)) == (before, behind)


def test_pairs_of_a_real_tokenizer_with_a_dummy_prefix_equal_the_rule(shared: Path):
    tokenizer = LocalTokenizer.load(shared / "models" / "stories260K")
    assert not tokenizer.can_be_cut
    pairs = [("Once upon a time", (" there", "there", "\nA")), ("Lily ", ("é", " and"))]
    for (context, continuations), coded in zip(pairs, encode_pairs(tokenizer, pairs), strict=True):
        for continuation, ids in zip(continuations, coded.choices, strict=True):
            assert (list(coded.context), list(ids)) == by_the_rule(tokenizer, context, continuation)


def test_few_shot_questions_share_their_pieces(gpt2: Counting):
    shots = "About this.\n\n" + "".join(f"Q{n}?\nA. one\nAnswer: A\n\n" for n in range(5))
    pairs = [(f"{shots}Question {n}?\nAnswer:", (" A", " B")) for n in range(40)]
    coded = encode_pairs(gpt2, pairs)
    # 6 pieces of what all share, 40 last words, alone and with 2 letters
    assert gpt2.encoded() == 6 + 40 * 3
    assert [list(each.context) for each in coded] == [whole(gpt2, context) for context, _ in pairs]


# ------------------------------------------------------------------------------------- families


def changed(tokenizer: Tokenizer, **parts: object) -> Tokenizer:
    for name, part in parts.items():
        setattr(tokenizer, name, part)
    return tokenizer


def with_token(tokenizer: Tokenizer, token: AddedToken) -> Tokenizer:
    tokenizer.add_tokens([token])
    return tokenizer


@pytest.mark.parametrize(
    "made",
    [
        lambda: make_family("gemma"),
        lambda: changed(make_family("gpt2"), pre_tokenizer=pre_tokenizers.ByteLevel()),
        lambda: changed(make_family("gpt2"), pre_tokenizer=pre_tokenizers.Metaspace()),
        lambda: changed(make_family("gpt2"), normalizer=normalizers.NFKC()),
        lambda: changed(make_family("gpt2"), normalizer=normalizers.Prepend("▁")),
        lambda: changed(
            make_family("llama3"),
            pre_tokenizer=pre_tokenizers.Sequence(
                [
                    pre_tokenizers.Split(Regex(r"\s*\S+|\s+"), "isolated"),
                    pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
                ]
            ),
        ),
        lambda: with_token(make_family("gpt2"), AddedToken("<mask>", lstrip=True)),
        lambda: with_token(make_family("gpt2"), AddedToken("<mask>", rstrip=True)),
        lambda: with_token(make_family("gpt2"), AddedToken("word", single_word=True)),
        lambda: with_token(make_family("gpt2"), AddedToken("two words")),
        lambda: changed(
            make_family("gpt2"),
            post_processor=processors.TemplateProcessing(
                single=f"$A {END}", special_tokens=[(END, 0)]
            ),
        ),
    ],
    ids=[
        "SentencePiece",
        "a space before every text",
        "Metaspace",
        "NFKC",
        "prepended",
        "unknown pattern",
        "takes spaces before",
        "takes spaces behind",
        "whole words",
        "holds a space",
        "EOS behind every text",
    ],
)
def test_a_tokenizer_that_is_not_known_to_allow_it_is_never_cut(made, tmp_path: Path):
    tokenizer = LocalTokenizer.load(save_family(tmp_path, made()))
    assert not tokenizer.can_be_cut
    (coded,) = encode_pairs(tokenizer, [("One.\n\nTwo words", (" three", "\nNext"))])
    for continuation, ids in zip((" three", "\nNext"), coded.choices, strict=True):
        expected = by_the_rule(tokenizer, "One.\n\nTwo words", continuation)
        assert (list(coded.context), list(ids)) == expected


def test_a_tokenizer_with_random_merges_is_never_cut(tmp_path: Path):
    made = make_family("gpt2")
    made.model.dropout = 0.1
    assert not LocalTokenizer.load(save_family(tmp_path, made)).can_be_cut


# ------------------------------------------------------------------------------------- the rules


def test_white_space_at_the_end_of_a_context_goes_to_the_continuation(gpt2: Counting):
    spaced, plain = encode_pairs(gpt2, [("The driver \n", ("is",)), ("The driver", (" \nis",))])
    assert spaced == plain
    assert gpt2.decode(spaced.choices[0]) == " \nis"


def test_a_token_across_the_joint_belongs_to_the_continuation(gpt2: Counting):
    context, continuation = "the network", "ing driver is in the kernel"
    merging = next(  # some token of the text begins in the context and ends behind it
        (text[:at], text[at:])
        for text in [context + continuation]
        for at in range(20, 1, -1)
        if text[at - 1] != " "
        and text[at] != " "
        and whole(gpt2, text)[: len(whole(gpt2, text[:at]))] != whole(gpt2, text[:at])
    )
    (coded,) = encode_pairs(gpt2, [(merging[0], (merging[1], " is"))])
    assert list(coded.choices[0]) == whole(gpt2, "".join(merging))[len(coded.context) :]


def test_a_continuation_swallowed_by_the_context_is_encoded_alone(gpt2: Counting):
    assert len(whole(gpt2, "The drive")) >= len(whole(gpt2, "The driver"))
    (coded,) = encode_pairs(gpt2, [("The drive", ("r",))])
    assert list(coded.context) == whole(gpt2, "The drive")
    assert list(coded.choices[0]) == whole(gpt2, "r")


def test_an_empty_context_is_the_prefix_token(folders: dict[str, Path]):
    for name in ("gpt2", "llama3", "gemma"):
        tokenizer = LocalTokenizer.load(folders[name])
        (coded,) = encode_pairs(tokenizer, [("", ("A dog", f"{END}A dog"))])
        assert coded.context == (tokenizer.prefix_token_id,)
        assert list(coded.choices[0]) == list(coded.choices[1]) == whole(tokenizer, "A dog")


def test_a_context_of_white_space_is_the_prefix_token_too(gpt2: Counting):
    (coded,) = encode_pairs(gpt2, [(" \n", ("A",))])
    assert coded.context == (gpt2.prefix_token_id,)
    assert list(coded.choices[0]) == whole(gpt2, " \nA")


def test_an_empty_context_needs_a_prefix_token(tmp_path: Path):
    folder = save_family(tmp_path, "gpt2", bos_token=None, eos_token=None)
    tokenizer = LocalTokenizer.load(folder)
    with pytest.raises(ModelUnavailable, match="neither BOS nor EOS") as refusal:
        encode_pairs(tokenizer, [("", ("A",))])
    assert "eos_token" in refusal.value.hint
    (coded,) = encode_pairs(tokenizer, [("Answer:", (" A",))])
    assert list(coded.choices[0]) == whole(tokenizer, " A")


def test_equal_choices_get_equal_tokens_and_empty_ones_none(gpt2: Counting):
    (coded,) = encode_pairs(gpt2, [("Answer:", (" A", " A", ""))])
    assert coded.choices[0] == coded.choices[1]
    assert coded.choices[2] == ()


def test_a_question_without_choices_still_has_its_context(gpt2: Counting):
    (coded,) = encode_pairs(gpt2, [("The driver", ())])
    assert list(coded.context) == whole(gpt2, "The driver")
    assert coded.choices == ()


@pytest.mark.parametrize("name", ["llama3", "gemma"])
def test_every_prompt_decides_for_itself_whether_it_needs_a_bos(
    folders: dict[str, Path], name: str
):
    tokenizer = LocalTokenizer.load(folders[name])
    prompts = [f"{END}The dog", "The dog", "", f"The dog {END}"]
    coded = encode_prompts(tokenizer, prompts)
    assert coded[0] == coded[1] == [tokenizer.prefix_token_id, *whole(tokenizer, "The dog")]
    assert coded[2] == [tokenizer.prefix_token_id]
    assert coded[3] == [tokenizer.prefix_token_id, *whole(tokenizer, prompts[3])]
    assert encode_prompts(tokenizer, prompts[::-1]) == coded[::-1]


def test_a_tokenizer_that_adds_nothing_gives_bare_prompts(gpt2: Counting):
    assert encode_prompts(gpt2, ["The dog", ""]) == [whole(gpt2, "The dog"), []]


# ------------------------------------------------------------------------------------- long texts


def test_a_long_text_has_the_tokens_of_the_whole_and_no_special_ones(folders: dict[str, Path]):
    text = "".join(f"Line {n} of the text.  It's é {n * 7}?\n\n" for n in range(3000))
    for name in ("smollm2", "llama3", "gemma"):
        tokenizer = LocalTokenizer.load(folders[name])
        coded = encode_text(tokenizer, text)
        assert coded == whole(tokenizer, text)
        assert coded[0] != tokenizer.prefix_token_id
    assert encode_text(tokenizer, "") == []


def test_a_long_text_is_cut_where_it_can_be_and_encoded_in_few_calls(gpt2: Counting):
    text = "word " * 20_000
    encode_text(gpt2, text)
    assert gpt2.calls == 1
    assert gpt2.encoded() == 100_000 // encoding.PORTION + 1


def test_short_texts_are_encoded_in_one_call_and_long_ones_as_they_come(gpt2: Counting):
    short = [f"Article {n} says something.\n" * (n % 4) for n in range(40)]
    coded = [ids.tolist() for ids in encode_texts(gpt2, short)]
    assert gpt2.calls == 1
    assert coded == [whole(gpt2, text) for text in short]
    long = "word " * (encoding.PORTION * encoding.PORTIONS_PER_CALL // 5)
    wanted = iter([long, "never asked for"])
    next(encode_texts(gpt2, wanted))
    assert next(wanted) == "never asked for"


def test_a_text_without_a_clean_place_stays_whole(gpt2: Counting):
    text = "日本" * 20_000
    assert encode_text(gpt2, text) == whole(gpt2, text)


def test_where_no_cut_is_clean_only_a_huge_text_is_cut_and_that_is_noted(
    folders: dict[str, Path],
):
    class OfShortPieces(LocalTokenizer):
        longest_whole = 50

    tokenizer = OfShortPieces.load(folders["gemma"])
    assert encode_text(tokenizer, "a" * 50) == whole(tokenizer, "a" * 50)
    assert not tokenizer.notes
    lines = [f"Line {n} of a text\n" for n in range(9)]
    coded = encode_text(tokenizer, "".join(lines))
    parts = ["".join(lines[at : at + 2]) for at in range(0, 9, 2)]  # at most 50 characters
    assert coded == together(tokenizer, parts)
    assert len(tokenizer.notes) == 1


def test_equal_texts_of_a_batch_are_encoded_once(folders: dict[str, Path]):
    for name in ("gpt2", "gemma"):
        tokenizer = Counting.fresh(folders[name])
        encode_prompts(tokenizer, ["The dog", "The cat"] * 50)
        assert tokenizer.encoded() == 2

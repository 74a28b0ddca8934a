"""The injections that ship: their families, languages and positions; and what a fence defuses."""

from __future__ import annotations

from collections import Counter

import pytest

from assay.judge.fencing import MARK, defused
from assay.judge.qualification.readings import gold_set, injections

WRONG = gold_set("coding").examples["largest.wrong"].answer


def test_families_languages_and_positions() -> None:
    every = injections()
    assert len(every) >= 60
    assert set(Counter(each.language for each in every)) == {"en", "fr", "de", "es", "zh", "sw"}
    families = {each.family for each in every}
    assert len(families) == 11
    for family in families:
        some = [each for each in every if each.family == family]
        assert {each.position for each in some} == {"start", "middle", "end"}, family
        assert len({each.language for each in some}) == 6, family


def test_every_injection_is_put_into_the_answer_and_leaves_the_rest_as_it_is() -> None:
    for each in injections():
        text = each.put_into(WRONG)
        before, _, after = text.partition(f"{each.text}\n" if each.position != "end" else each.text)
        assert (before + after).rstrip("\n") == WRONG.rstrip("\n"), each


@pytest.mark.parametrize(
    "token",
    [
        "<|im_start|>", "<|start_header_id|>", "[INST]", "<<SYS>>", "<start_of_turn>", "<|end|>",
        "<｜User｜>", "[SYSTEM_PROMPT]", "<|channel|>", "[gMASK]", "[|system|]", "<SPECIAL_10>",
        "<seed:bos>", "]~b]", "</think>", "<extra_id_0>",
        "＜｜im_start｜＞", "＜｜ｉｍ＿ｓｔａｒｔ｜＞", "［INST］", "≪SYS≫", "‹∣im_start∣›",
        "＜start_of_turn＞", "〈│system│〉", "《SYS》",
    ],
)  # fmt: skip
def test_tokens_of_chat_templates_and_their_look_alikes_are_broken(token: str) -> None:
    shown = defused(f"before {token} after")
    assert token not in shown
    assert shown.replace(MARK, "") == f"before {token} after"


@pytest.mark.parametrize(
    "text",
    ["«Bonjour»", "《红楼梦》", "a ≪ b ≫ c", "〈x│y〉", "items[middle]", "【注意】", "x ＜ y ＞ z"],
)
def test_ordinary_brackets_stay_as_they_are(text: str) -> None:
    assert defused(text) == text

"""How the tokenizer cuts the texts of a run: tokens per word, byte tokens, changed texts."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from assay.plugins import measure
from assay.types.decisions import Measurements
from assay.types.measures import Measure, Places, TakenReplies


@measure("tokenizer", unit="tokens/word", better="lower")
class TokenizerCuts(Measure):
    """By source and language; nothing is asked: the model counts tokens itself."""

    places = Places(keys=85)

    def take(self, measured: Measurements, taken: TakenReplies) -> Measurements:
        return replace(measured, tokenizer=taken.tokenizer)

    def details(self, measured: Measurements) -> Mapping[str, object]:
        return {"tokenizer": measured.tokenizer}

    def read(self, measured: Measurements, details: Any) -> Measurements:
        return replace(measured, tokenizer=details.tokenizer)

"""Cards of judges, in the user's data folder: one file for each fingerprint.

In: a fingerprint, or a JudgeCard. Out: the card that is valid for this version of the gold set and
the prompts; None where there is none.
"""

from __future__ import annotations

import os
from hashlib import sha256
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from assay.judge.qualification.readings import gold_digest
from assay.types.judge_cards import JudgeCard

_CARD = TypeAdapter(JudgeCard)


def cards_folder() -> Path:
    """Where cards lie: they belong to no project."""
    import platformdirs

    return platformdirs.user_data_path("assay", appauthor=False) / "judges"


def read_card(fingerprint: str) -> JudgeCard | None:
    """The card of a judge; None where it was never checked, or by another gold set or prompts."""
    try:
        card = _CARD.validate_json(card_file(fingerprint).read_bytes())
    except (OSError, ValidationError):
        return None
    is_valid = card.fingerprint == fingerprint and card.digest == gold_digest()
    return card if is_valid else None


def write_card(card: JudgeCard) -> Path:
    """Whole or not at all."""
    file = card_file(card.fingerprint)
    file.parent.mkdir(parents=True, exist_ok=True)
    half = file.with_suffix(f".{os.getpid()}.part")
    half.write_bytes(_CARD.dump_json(card, indent=2))
    half.replace(file)
    return file


def card_file(fingerprint: str) -> Path:
    name = sha256(fingerprint.encode("utf-8", "surrogatepass")).hexdigest()[:16]
    return cards_folder() / f"{name}.json"

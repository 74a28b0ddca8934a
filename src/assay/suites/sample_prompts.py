"""The sample prompts of the generation check, as `builtin/samples.json` lists them.

The file is a list of objects with `id`, `prompt`, `subject` and `ticks`. A subject is a list whose
items are words or lists of alternatives. A tick has a `name`, a `kind`, and for `words` the field
`words`, for `commands` and `sequence` the field `commands`, both written as in test files.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from assay.types.samples import SampleCheck, SamplePrompt

SHIPPED = Path(__file__).resolve().parents[1] / "builtin" / "samples.json"


def load_samples() -> tuple[SamplePrompt, ...]:
    return tuple(
        SamplePrompt(
            id=sample["id"],
            prompt=sample["prompt"],
            subject=_phrases(sample["subject"]),
            ticks=tuple(
                SampleCheck(
                    name=tick["name"],
                    kind=tick["kind"],
                    words=_phrases(tick.get("words", ())),
                    commands=_phrases(tick.get("commands", ())),
                )
                for tick in sample["ticks"]
            ),
        )
        for sample in json.loads(SHIPPED.read_text("utf-8"))
    )


def _phrases(items: Sequence[str | Sequence[str]]) -> tuple[tuple[str, ...], ...]:
    """One text may be written without a list around it."""
    return tuple((item,) if isinstance(item, str) else tuple(item) for item in items)

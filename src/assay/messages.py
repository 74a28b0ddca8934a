"""Every sentence a user reads goes through here. `make messages` collects them for the catalogues
in `builtin/translations`; without one, English is shown.
"""

import gettext
from collections.abc import Mapping
from pathlib import Path
from typing import Any

LANGUAGES_OFFERED = ("en", "fr")
CATALOGUES = Path(__file__).parent / "builtin" / "translations"

_catalogue: gettext.NullTranslations = gettext.NullTranslations()


def speak(language: str, catalogues: Path = CATALOGUES) -> None:
    global _catalogue
    _catalogue = gettext.translation(
        "assay", localedir=catalogues, languages=[language], fallback=True
    )


def tr(sentence: str, **gaps: object) -> str:
    translated = _catalogue.gettext(sentence)
    return translated.format(**gaps) if gaps else translated


def translated(sentence: str) -> str:
    """A sentence that is not a literal here: the description of a field or of a check."""
    return _catalogue.gettext(sentence)


def trn(one: str, many: str, count: int, **gaps: object) -> str:
    """Translate a sentence that depends on a count; `{count}` is filled too."""
    return _catalogue.ngettext(one, many, count).format(count=count, **gaps)


Message = str | tuple[str, str]  # a sentence, or its singular and plural


def message(sentence: str) -> Message:
    return sentence


def message_n(one: str, many: str) -> Message:
    return one, many


def fill(sentence: Message, gaps: Mapping[str, Any]) -> str:
    if isinstance(sentence, str):
        return _catalogue.gettext(sentence).format_map(gaps)
    return _catalogue.ngettext(*sentence, int(gaps["count"])).format_map(gaps)

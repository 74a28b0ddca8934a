"""Every sentence a user reads goes through here: a translation is a catalogue, not a rewrite.

In: an English sentence with {named} gaps, and what fills them. Out: the sentence in the user's
language, filled. Refuses to know: where it is shown.

`python -m babel.messages.frontend extract -k tr -k trn:1,2 src` collects them (`make messages`);
a catalogue lies in `builtin/translations/LANG/LC_MESSAGES/assay.mo`. Without one, English is shown.
"""

from __future__ import annotations

import gettext
from pathlib import Path

LANGUAGES_OFFERED = ("en", "fr")
CATALOGUES = Path(__file__).parent / "builtin" / "translations"

_catalogue: gettext.NullTranslations = gettext.NullTranslations()


def speak(language: str, catalogues: Path = CATALOGUES) -> None:
    """Choose the language of every later sentence."""
    global _catalogue
    _catalogue = gettext.translation(
        "assay", localedir=catalogues, languages=[language], fallback=True
    )


def tr(sentence: str, **gaps: object) -> str:
    """Translate a sentence and fill its gaps."""
    translated = _catalogue.gettext(sentence)
    return translated.format(**gaps) if gaps else translated


def trn(one: str, many: str, count: int, **gaps: object) -> str:
    """Translate a sentence that depends on a count; `{count}` is filled too."""
    return _catalogue.ngettext(one, many, count).format(count=count, **gaps)

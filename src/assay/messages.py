"""Every sentence a user reads goes through here, and every number in one: `scripts/translate.py`
collects them for the catalogues in `builtin/translations`. What has no translation is English.
"""

import gettext
import string
import struct
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

LANGUAGES_OFFERED = ("en", "fr")
CATALOGUES = Path(__file__).parent / "builtin" / "translations"
# How other languages write what English writes as 12,345.6 (French: a narrow no-break space).
SEPARATORS = {"fr": str.maketrans({",": "\u202f", ".": ","})}

_catalogue: gettext.NullTranslations = gettext.NullTranslations()
_language = "en"


def speak(language: str, catalogues: Path = CATALOGUES) -> bool:
    """Speak a language from now on. False: its catalogue cannot be read, and English is spoken."""
    global _catalogue, _language
    _language, _catalogue = "en", gettext.NullTranslations()
    try:
        _catalogue = gettext.translation("assay", catalogues, [language], fallback=True)
    except (OSError, ValueError, LookupError, struct.error):  # what the reader of a cut file raises
        return False
    _language = language
    return True


def language() -> str:
    return _language


def tr(sentence: str, **gaps: object) -> str:
    translated = _catalogue.gettext(sentence)
    return _filled(translated, gaps) if gaps else translated


def translated(sentence: str) -> str:
    """A sentence that is not a literal here: the description of a field or of a check."""
    return _catalogue.gettext(sentence)


def trn(one: str, many: str, count: int, **gaps: object) -> str:
    """Translate a sentence that depends on a count; `{count}` is filled too."""
    return fill((one, many), {"count": count, **gaps})


def labelled(label: object, text: object) -> str:
    """`label: text`; French has a space before the colon."""
    return tr("{label}: {text}", label=label, text=text)


def joined(clauses: Iterable[str]) -> str:
    """`a; b; c`."""
    return tr("; ").join(clauses)


Message = str | tuple[str, str]  # a sentence, or its singular and plural


def message(sentence: str) -> Message:
    return sentence


def message_n(one: str, many: str) -> Message:
    return one, many


def fill(sentence: Message, gaps: Mapping[str, Any]) -> str:
    if isinstance(sentence, str):
        return _filled(_catalogue.gettext(sentence), gaps)
    return _filled(_catalogue.ngettext(*sentence, int(gaps["count"])), gaps)


def written(number: str) -> str:
    """12,345.6 as the language has it."""
    separators = SEPARATORS.get(_language)
    return number.translate(separators) if separators else number


class _Filler(string.Formatter):
    """Numbers in gaps are written as the language has them."""

    def format_field(self, value: Any, format_spec: str) -> str:
        text = format(value, format_spec)
        return written(text) if isinstance(value, int | float) else text


def _filled(sentence: str, gaps: Mapping[str, Any]) -> str:
    if _language in SEPARATORS:  # seven times as slow: an explanation per answer is made here
        return _Filler().vformat(sentence, (), gaps)
    return sentence.format_map(gaps)

"""Keys and passwords that a text gives away by their form. A secret that looks like any other word
is not found.
"""

import re
from collections.abc import Iterable
from typing import Any

REMOVED = "[removed]"

_FORMS = re.compile(
    r"-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----(?s:.{0,20000}?)"
    r"(?:-----END [A-Z ]{0,40}PRIVATE KEY-----|\Z)"
    r"|(?<![A-Za-z0-9])(?:"
    r"sk-[A-Za-z0-9_-]{16,}"  # OpenAI, Anthropic, OpenRouter
    r"|(?:sk|pk|rk)_(?:live|test)_[A-Za-z0-9]{16,}"  # Stripe
    r"|gh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,}|glpat-[A-Za-z0-9_-]{16,}"
    r"|hf_[A-Za-z0-9]{20,}|gsk_[A-Za-z0-9]{20,}|xai-[A-Za-z0-9]{20,}|nvapi-[A-Za-z0-9_-]{20,}"
    r"|(?:AKIA|ASIA)[A-Z0-9]{16}(?![A-Z0-9])|AIza[A-Za-z0-9_-]{30,}|ya29\.[A-Za-z0-9_-]{20,}"
    r"|xox[abeoprs]-[A-Za-z0-9-]{10,}|npm_[A-Za-z0-9]{30,}|pypi-[A-Za-z0-9_-]{40,}"
    r"|eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*"  # a JSON web token
    r")"
)
# After its name: `api_key = …`, `"token": "…"`, `Authorization: Bearer …`.
_NAMED = re.compile(
    r"""(?ix)( (?:api[_-]?key|secret(?:[_-]?key)?|access[_-]?key|auth[_-]?token|access[_-]?token
               |token|passw(?:or)?d|passwd|pwd|authorization)
             \\?["']? \s{0,4} [:=] \s{0,4} \\?["']? (?:(?:bearer|basic|token)\s{1,4})? )
        ( [A-Za-z0-9_.~+/=-]{12,} )"""
)
_BEARER = re.compile(r"(?i)(\bbearer\s{1,4})([A-Za-z0-9_.~+/=-]{16,})")
# As short as it is told from a path with a colon: `https://user:password@host`.
_LOGIN = re.compile(
    r"(?i)(\b[a-z][a-z0-9+.-]{1,20}://)[^\s/@:\"'<>]{0,200}(?::[^\s/@\"'<>]{0,400})?@"
)


def without_keys(text: str, also: Iterable[str] = ()) -> str:
    """The text with everything that has the form of a key removed, and the secrets of `also`."""
    for secret in also:
        if secret:
            text = text.replace(secret, REMOVED)
    text = _FORMS.sub(REMOVED, text)
    text = _NAMED.sub(_unnamed, text)
    text = _BEARER.sub(rf"\1{REMOVED}", text)
    return _LOGIN.sub(rf"\1{REMOVED}@", text)


def all_without_keys(value: Any, also: Iterable[str] = ()) -> Any:
    """A JSON value with every text in it, names of fields too."""
    also = tuple(also)
    if isinstance(value, str):
        return without_keys(value, also)
    if isinstance(value, dict):
        return {
            without_keys(name, also): _value_of(name, inner, also) for name, inner in value.items()
        }
    if isinstance(value, list | tuple):
        return [all_without_keys(each, also) for each in value]
    return value


def _value_of(name: str, value: Any, also: tuple[str, ...]) -> Any:
    """A value whose field says that it is a secret: `{"api_key": "…"}`."""
    if isinstance(value, str):
        before = f"{name}: "
        read = without_keys(before + value, also)
        if read.startswith(before + REMOVED):
            return read.removeprefix(before)
    return all_without_keys(value, also)


def _unnamed(found: re.Match[str]) -> str:
    """A word alone is none: `token: authentication` stays."""
    is_word = found[2].isalpha() and (found[2].islower() or found[2].istitle())
    return found[0] if is_word else f"{found[1]}{REMOVED}"

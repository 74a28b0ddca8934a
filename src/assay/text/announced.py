"""What an answer announces by its form alone: the value of a JSON object, a box, an answer tag."""

import json
import re

from assay.text.answer_words import WORDS
from assay.text.late_pattern import late_pattern

_BOX = late_pattern(r"\\boxed\s?\{((?:[^{}\n]|\{[^{}\n]{0,80}\}){1,200})\}")
_TEX = late_pattern(r"\\(?:text|textbf|mathrm|mathbf)\s?\{([^{}]{0,80})\}")
_TAG = late_pattern(r"<\s*(?:final_?)?answer\s*>([^<]{1,400})<\s*/", re.IGNORECASE)
_FENCE = late_pattern(
    r"\A\s*(?:`{3,}|~{3,})[ \t]*\w{0,20}[ \t]*\n(.*?)\n[ \t]*(?:`{3,}|~{3,})\s*\Z", re.DOTALL
)
_KEY = late_pattern(rf"(?:{WORDS['noun']}|{WORDS['value_key']})", re.IGNORECASE)
_LONGEST = 4_000


def announced_values(answer: str) -> str:
    """The values, a line each; empty where the form announces none."""
    if "\\boxed" in answer:
        found = _BOX.findall(answer)
        if found:
            return "\n".join(_TEX.sub(r"\1", each) for each in found[-1:])
    if "<" in answer and (tagged := _TAG.findall(answer)):
        return "\n".join(tagged)
    return _json_value(answer)


def _json_value(answer: str) -> str:
    text = answer.strip()
    if len(text) > _LONGEST:
        return ""
    if text[:1] in "`~" and (fenced := _FENCE.match(text)):
        text = fenced[1].strip()
    if text[:1] not in '{["':
        return ""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return ""
    if isinstance(value, dict):
        named = [each for key, each in value.items() if _KEY.fullmatch(key.strip())]
        value = named or [*value.values()]
    values = value if isinstance(value, list) else [value]
    return "\n".join(
        str(each)
        for each in values
        if isinstance(each, str | int | float) and not isinstance(each, bool)
    )

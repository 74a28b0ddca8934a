"""Options that are all a number with a unit: where an answer writes one of them in another way, as
"8 V" of "8.0 V", it is read as the option is written.
"""

import re
from functools import lru_cache

from assay.checks.letters.options import Options

_NUMBER = r"[-+−]?\d+(?:\.\d+)?"
_MEASURED = re.compile(rf"({_NUMBER})\s*([^\W\d_]{{1,12}}|[°Ωµ%€$£][^\W\d_]{{0,4}})")


def as_options_are_written(answer: str, options: Options) -> str:
    """The answer as it is, unless every option is a number with a unit."""
    pattern, texts = _measured(options)
    if pattern is None:
        return answer

    def written(found: re.Match[str]) -> str:
        return texts.get((float(found[1].replace("−", "-")), found[2].casefold()), found[0])

    return pattern.sub(written, answer)


_Texts = dict[tuple[float, str], str]


@lru_cache(maxsize=512)
def _measured(options: Options) -> tuple[re.Pattern[str] | None, _Texts]:
    """How numbers with a unit of theirs look, and the options by number and unit; None where the
    options are anything else, or two of them the same.
    """
    found = [_MEASURED.fullmatch(text.strip()) for text in options.texts]
    texts = {(float(one[1].replace("−", "-")), one[2].casefold()): one[0] for one in found if one}
    if not texts or len(texts) < len(options.texts):
        return None, {}
    units = sorted({re.escape(one[2]) for one in found if one}, key=len, reverse=True)
    # No part of a number is one: neither "0.8 V" nor "1,008 V" has 8 V.
    pattern = rf"(?<![\w.,])({_NUMBER})\s*({'|'.join(units)})(?!\w)"
    return re.compile(pattern, re.IGNORECASE), texts

"""An answer that goes in circles, shortened for its judge.

In: an answer. Out: the same, with most of a long stretch of repetitions replaced by a line that
says so. A judge learns nothing from the tenth time, and reads it as slowly as the first.
"""

from __future__ import annotations

from assay.checks.health.loop import find_loop

LEAST_SAVED = 1_000  # characters
KEPT_TIMES = 2  # how often the repeated unit stays


def shorten_loop(text: str) -> str:
    found = find_loop(text)
    if found is None:
        return text
    start, end, unit_end, _ = found
    kept = start + KEPT_TIMES * (unit_end - start)
    if end - kept < LEAST_SAVED:
        return text
    # Not translated: a judgement must not change with the user's language.
    note = f"\n[the answer repeats the lines above; {end - kept} characters are left out here]\n"
    return text[:kept] + note + text[end:]

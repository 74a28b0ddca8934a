"""Compares the findings of a review with the planted faults, by line and kind.

Sound places that are left alone count only as far as right findings outnumber false ones. A review
without findings is therefore worth nothing, and one that lists everything gains nothing by it.
"""

from collections.abc import Iterator
from typing import Any

from assay.checking import Check, code_blocks, json_block, read_number, same_text

Place = dict[str, Any]
Finding = tuple[float, str] | None  # line and kind
KINDS = ("security", "performance", "correctness", "style")
MOST_READ = 12  # the prompt says so
SHARE_RIGHT = 0.7  # of the findings that count
WEIGHT_OF_FALSE = 4


def check(answer: str, truth: dict[str, Any], files: dict[str, str]) -> Iterator[Check]:
    """One check for each fault, for each sound place, and one for false findings."""
    faulty = [place for place in truth["places"] if place["kinds"]]
    sound = [place for place in truth["places"] if not place["kinds"]]
    listed = read_list(answer)
    if listed is None:
        yield from without_block(faulty)
        return
    findings = [read_finding(one) for one in listed[:MOST_READ]]
    found = [place for place in faulty if any(hits(one, place) for one in findings)]
    false = [one for one in findings if not any(lies_in(one, place) for place in found)]
    for number, place in enumerate(faulty, 1):
        said = "found" if place in found else "not among the findings, with its line and kind"
        yield Check(f"fault_{number}", place in found, f"{place['says']}: {said}")
    counting = len(found) - len(false)
    for number, place in enumerate(sound, 1):
        name = place["source"].partition("\n")[0]
        blamed = any(lies_in(one, place) for one in findings)
        if blamed:
            why = f"{name} is sound, and a finding blames it"
        elif number > counting:
            why = f"{name} is sound, but too few findings are right for this to count"
        else:
            why = f"{name} is sound and was left alone"
        yield Check(f"sound_{number}", not blamed and number <= counting, why)
    enough = 2 * len(found) >= len(faulty)
    right = enough and len(found) >= SHARE_RIGHT * (len(found) + len(false))
    why = f"{len(found)} of {len(faulty)} faults were found, and {len(false)} findings are false"
    yield Check("false_findings", right, why, weight=WEIGHT_OF_FALSE)


def read_list(answer: str) -> list[object] | None:
    """The findings; also where the block is a mere list of them."""
    blocks = [json_block(answer)]
    blocks += [json_block(f'{{"findings": {text}}}') for text in code_blocks(answer, "json")]
    found = [block.get("findings") for block in blocks if block is not None]
    return next((one for one in found if isinstance(one, list)), None)


def without_block(faulty: list[Place]) -> Iterator[Check]:
    """What a judge has to look for. What is false in a review cannot be asked this way."""
    why = "there is no JSON block with findings"
    for number, place in enumerate(faulty, 1):
        yield Check(f"fault_{number}", None, why, fact=place["says"])
    yield Check("false_findings", False, why, weight=WEIGHT_OF_FALSE)


def read_finding(one: object) -> Finding:
    """Line and kind; None where it does not say both, or gives no reason."""
    if not isinstance(one, dict):
        return None
    line, kind, why = read_number(one.get("line")), one.get("kind"), one.get("why")
    named = next((known for known in KINDS if same_text(kind, known)), None)
    reasoned = isinstance(why, str) and len(why.split()) >= 3
    return (line, named) if line is not None and named and reasoned else None


def lies_in(finding: Finding, place: Place) -> bool:
    first, last = place["lines"]
    return finding is not None and bool(first <= finding[0] <= last)


def hits(finding: Finding, place: Place) -> bool:
    return finding is not None and lies_in(finding, place) and finding[1] in place["kinds"]

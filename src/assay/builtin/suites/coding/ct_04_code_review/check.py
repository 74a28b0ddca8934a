"""Compares the findings of a review with the planted faults, by line and kind.

What is right counts by the share of the findings that are: who lists everything gains little, and
a colleague who checks twelve findings for six has lost his trust in them. The first faults that are
found and described count more than the last. What most findings say tells none from another,
and counts for none of them. Reasons are taken in any language.
"""

import re
from collections.abc import Iterator
from typing import Any

from assay.checking import (
    Check,
    ReportText,
    code_blocks,
    is_word,
    json_block,
    missing_block,
    own_words,
    read_number,
    said_of,
    same_text,
    show,
    words_in,
)

Place = dict[str, Any]
Finding = tuple[float, str, set[str]] | None  # line, kind, and the functions that its reason names
KINDS = ("security", "performance", "correctness", "style")
MOST_READ = 12  # the prompt says so
PROSE = 3.2  # weight of the review, by that of the block
EARLY, LATE = 1.25, 0.75  # of a fault in the first half of those that are described, and after it
MOST_NAMED = 4  # pieces of sound code that are blamed
LEAST_WORDS = 4  # about a fault in the review, beside its name and what is said of most
FAULT = 2.0  # a weight


def check(answer: str, truth: dict[str, Any], files: dict[str, str]) -> Iterator[Check]:
    """One check for each fault, for each sound place, and one for false findings."""
    faulty = [place for place in truth["places"] if place["kinds"]]
    sound = [place for place in truth["places"] if not place["kinds"]]
    listed = read_list(answer)
    if listed is None:
        has_none = "the JSON block has no list of findings"
        is_read = json_block(answer) is not None
        yield from without_block(faulty, has_none if is_read else missing_block(answer))
        return
    names = [name_of(place) for place in truth["places"]]
    # What is said of most of them is no reason for any, and a name or a number alone is none.
    known = set().union(*map(words_in, (*names, *KINDS)))
    own = own_words([reason_of(one) for one in listed[:MOST_READ]])
    findings = [
        read_finding(one, names) if any(not word.isdigit() for word in words - known) else None
        for one, words in zip(listed[:MOST_READ], own, strict=True)
    ]
    hit = sort_out(findings, faulty)
    found = [place for place in hit if place]
    false = [one for one, place in zip(findings, hit, strict=True) if place is None]
    left = {at: one for at, one in enumerate(listed, 1) if at > MOST_READ or not hit[at - 1]}
    unread = {at for at, one in enumerate(findings, 1) if one is None}
    for number, place in enumerate(faulty, 1):
        said = "found" if place in found else why_missed(place, left, unread, names)
        yield Check(f"fault_{number}", place in found, f"{place['says']}: {said}", FAULT)
    prose = [*check_prose(answer, faulty, found)]
    yield from prose
    if not findings:
        return
    if not false:
        yield Check("false_findings", True, f"each of the {len(found)} findings is right")
        return
    blamed = [place["source"].partition("\n")[0] for place in sound
              if any(lies_in(one, place) for one in false)]  # fmt: skip
    why = (
        f"{len(false)} of {len(findings)} findings count for no fault: a wrong line or kind, a "
        "reason that says nothing of its own, sound code, or a fault that was found before"
    )
    more = f" and {len(blamed) - MOST_NAMED} more" if len(blamed) > MOST_NAMED else ""
    why += f"; sound code is blamed: {', '.join(blamed[:MOST_NAMED])}{more}" if blamed else ""
    whole = FAULT * len(faulty) + sum(one.weight for one in prose)
    # So that what is right earns its share by precision.
    weight = whole * (len(findings) / len(found) - 1) if found else whole
    yield Check("false_findings", False, why, weight=round(weight, 3))


def check_prose(answer: str, faulty: list[Place], found: list[Place]) -> Iterator[Check]:
    """How many of the faults are also described in the review itself, beside their function, in
    words that are not said of most, one of them for what is wrong or two out of its code: a list of
    names is no review, and neither is one sentence for all.
    """
    text = ReportText(answer).text
    said = own_words([said_of(text, name_of(one)) for one in found])
    told = [one for one, words in zip(found, said, strict=True)
            if len(words) >= LEAST_WORDS and is_about(one, words)]  # fmt: skip
    each = PROSE * (FAULT * len(faulty) + 1) / len(faulty)
    for needed in range(1, len(faulty) + 1):
        why = (f"{len(told)} of {len(faulty)} faults are found by the block and described beside "
               f"their name in the review, in {LEAST_WORDS} words or more that are not said of "
               "most others, one of them for what is wrong or two from the code; "
               f"this check needs {max(needed, 2)}")  # fmt: skip
        late = 2 * needed > len(faulty)
        passed = len(told) >= max(needed, 2)  # words meet once by chance
        yield Check(f"review_{needed}", passed, why, each * (LATE if late else EARLY))


def is_about(place: Place, words: set[str]) -> bool:
    """Whether one of the words names what is wrong, or two are from the code of this place."""
    code = words_in(place["source"]) - words_in(name_of(place))
    return any(is_word(word, place["words"]) for word in words) or len(words & code) > 1


def name_of(place: Place) -> str:
    """What a reviewer calls it: the function, constant or import."""
    found = re.match(r"(?:def|import)?\s*(\w+)", place["source"])
    return found[1] if found else place["source"]


def sort_out(findings: list[Finding], faulty: list[Place]) -> list[Place | None]:
    """Of each finding the fault that it finds; None where it finds none, or the same again."""
    found: list[Place | None] = []
    for one in findings:
        found.append(next((p for p in faulty if hits(one, p) and p not in found), None))
    return found


def why_missed(place: Place, left: dict[int, object], unread: set[int], names: list[str]) -> str:
    """What is wrong with the finding that is nearest to a fault: its line, its kind or its reason.
    `left`: those that find no fault, by number; `unread`: those without line, kind or reason.
    """
    first, last = place["lines"]
    name, near = name_of(place), list[tuple[int, int, list[str]]]()
    for at, one in left.items():
        if not isinstance(one, dict):
            continue
        line, kind = read_number(one.get("line")), one.get("kind")
        named = set(re.findall(r"\w+", str(one.get("why")))) & set(names)
        is_here = line is not None and first <= line <= last
        has_form = line is not None and any(same_text(kind, known) for known in KINDS)
        is_right = any(same_text(kind, right) for right in place["kinds"])
        if not is_here and name not in named:
            continue
        # Its number is what is wrong with a late finding only where it would have found something.
        if at > MOST_READ and (name not in named or not (is_here or is_right)):
            continue
        lines = f"{first} to {last}" if first < last else str(first)
        faults = [
            "" if is_here else f"its line is {show(one.get('line'))}, and the fault's {lines}",
            "" if is_right else f"its kind is {show(kind)}, and {' or '.join(place['kinds'])} is "
                                "right",
            f"its reason names {', '.join(sorted(named))}" if named and name not in named else "",
            "its reason says nothing of its own" if at in unread and has_form else "",
            f"only the first {MOST_READ} findings count" if at > MOST_READ else "",
        ]  # fmt: skip
        wrong = [fault for fault in faults if fault]
        near.append((len(wrong), at, wrong))
    if not near:
        return "no finding has its line or names it"
    _, at, wrong = min(near)
    return f"finding {at} is near, but {'; '.join(wrong) or 'another counts for it'}"


def read_list(answer: str) -> list[object] | None:
    """The findings; also where the block is a mere list of them."""
    blocks = [json_block(answer)]
    blocks += [json_block(f'{{"findings": {text}}}') for text in code_blocks(answer, "json")]
    found = [block.get("findings") for block in blocks if block is not None]
    return next((one for one in found if isinstance(one, list)), None)


def without_block(faulty: list[Place], why: str) -> Iterator[Check]:
    """What a judge has to look for. What is false in a review cannot be asked this way."""
    for number, place in enumerate(faulty, 1):
        yield Check(f"fault_{number}", None, why, FAULT, fact=place["says"])


def read_finding(one: object, names: list[str]) -> Finding:
    """Line, kind and functions; None where it does not say line and kind, or gives no reason."""
    if not isinstance(one, dict):
        return None
    line, kind = read_number(one.get("line")), one.get("kind")
    named = next((known for known in KINDS if same_text(kind, known)), None)
    if line is None or not named or not reason_of(one):
        return None
    return line, named, set(re.findall(r"\w+", str(one.get("why")))) & set(names)


def reason_of(one: object) -> set[str]:
    """Its words; none where it has none. Any word will do, a letter will not."""
    why = one.get("why") if isinstance(one, dict) else None
    return words_in(why) if isinstance(why, str) else set()


def lies_in(finding: Finding, place: Place) -> bool:
    first, last = place["lines"]
    return finding is not None and bool(first <= finding[0] <= last)


def hits(finding: Finding, place: Place) -> bool:
    """A reason that names another function, and not this one, is about that."""
    if finding is None or not lies_in(finding, place) or finding[1] not in place["kinds"]:
        return False
    return not finding[2] or name_of(place) in finding[2]

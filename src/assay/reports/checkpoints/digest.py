"""What an evaluation report says in a page: for an agent's context, with `full=False`."""

import json
from collections.abc import Mapping
from typing import Any

from assay.messages import tr
from assay.types.measures import every_measure

MOST_CHARACTERS = 160  # of one sentence in a list
MOST_OF_EVALUATION = 3900  # as JSON
SHORTER = (MOST_CHARACTERS, 100, 60, 30)  # until an evaluation fits
MOST_SENTENCES = 3
Document = Mapping[str, Any]


def evaluation_digest(document: Document) -> dict[str, object]:
    """Its sentences are cut until it fits; figures never are."""
    for most in SHORTER:
        answer = _evaluation(document, most)
        if len(json.dumps(answer, indent=2, ensure_ascii=False)) <= MOST_OF_EVALUATION:
            break
    return answer


def _evaluation(document: Document, most: int) -> dict[str, object]:
    details = document["details"]
    accepted = details["acceptance"]["accepted"]
    criteria = [
        {
            "name": name,
            "passed": each["passed"],
            "value": _rounded(each["value"]),
            "limit": each["limit"],
            "reason": clip(each["reason"], most),
        }
        for name, each in details["acceptance"]["criteria"].items()
    ]
    failed = ", ".join(each["name"] for each in criteria if each["passed"] is False)
    name = clip(document["checkpoint"], most)
    if accepted:
        said = tr("{name} is accepted.", name=name)
    elif failed:
        said = tr("{name} is not accepted: {what}.", name=name, what=failed)
    else:
        said = tr("{name}: undecided, for not all was measured.", name=name)
    return {
        "headline": said,
        "accepted": accepted,
        "figures": _figures(details),
        "criteria": criteria,
        "not_covered": _sentences(details["not_covered"], most),
        "not_measured": {name: clip(why, most) for name, why in details["not_measured"].items()},
        "advice": _sentences((each["advice"] for each in details["recommendations"]), most),
        "run": details["provenance"]["run"],
    }


def _figures(details: Document) -> dict[str, dict[str, Any]]:
    """Those that were measured, and the parts of the os suite by their names."""
    found = {
        **{name: value for name, value in details.items() if isinstance(value, dict)},
        **{f"os_benchmark.{name}": each for name, each in details["os_benchmark"].items()},
    }
    left_out = {name for measure in every_measure() for name in measure.in_reports_only}
    return {
        name: figure_of(each)
        for name, each in found.items()
        if isinstance(each, dict)
        and {"value", "low", "n"} <= each.keys()
        and each["n"]
        and name not in left_out
    }


def figure_of(estimate: Document) -> dict[str, Any]:
    value, low, high = (_rounded(estimate[name]) for name in ("value", "low", "high"))
    known = {"n": estimate["n"], "unit": estimate["unit"]}
    return {"value": value, "low": low, "high": high, **known}


def _rounded(number: float | None) -> float | None:
    """To six digits: an interval is never known better."""
    return None if number is None else float(f"{number:.6g}")


def clip(text: str, most: int = MOST_CHARACTERS) -> str:
    """The beginning of a text, and how much of it is missing."""
    left = len(text) - most
    return tr("{text}… ({left} characters more)", text=text[:most], left=left) if left > 0 else text


def _sentences(given: Any, most: int = MOST_CHARACTERS) -> list[str]:
    sentences = [clip(each, most) for each in given]
    left = len(sentences) - MOST_SENTENCES
    more = [tr("and {count} more", count=left)] if left > 0 else []
    return sentences[:MOST_SENTENCES] + more

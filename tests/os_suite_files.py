"""Reads what the suite `os` ships of hardware_id and driver_select, and marks answers to it.

In: the files of the suite. Out: tests, worked examples and sources as they are; the mark of an
answer.
"""

from __future__ import annotations

import csv
import json
import re
from collections import defaultdict
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from assay.checks.keywords import Keywords
from assay.checks.scoring import score_reply
from assay.checks.top_k import TopK
from assay.types import Answered, Case, Message

ROOT = Path(__file__).resolve().parents[1]
SUITE = ROOT / "src" / "assay" / "builtin" / "suites" / "os"
CATEGORIES = ("hardware_id", "driver_select")


def read(name: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads((SUITE / name).read_text("utf-8"))
    return found


@cache
def asked_in(category: str) -> tuple[dict[str, Any], ...]:
    return tuple(read(f"{category}.json"))


@cache
def examples_of(category: str) -> tuple[dict[str, Any], ...]:
    return tuple(read(f"few_shot/{category}.json"))


def everything(category: str) -> tuple[dict[str, Any], ...]:
    return (*examples_of(category), *asked_in(category))


@cache
def sources() -> Mapping[str, list[dict[str, str]]]:
    rows: dict[str, list[dict[str, str]]] = defaultdict(list)
    with (SUITE / "sources.tsv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            rows[row["test"]].append(row)
    return rows


def devices_of(test: Mapping[str, Any]) -> tuple[str, ...]:
    """The PCI ids that sources.tsv names for a test."""
    rows = sources()[test["id"]]
    return tuple(r["where"].replace(" ", ":") for r in rows if r["source"].startswith("pci.ids "))


def ids_in(prompt: str) -> list[str]:
    found = re.findall(r"\b([0-9a-f]{4}):([0-9a-f]{4})\b", prompt)
    found += re.findall(r"vendor (?:0x)?([0-9a-f]{4}) and device (?:0x)?([0-9a-f]{4})\b", prompt)
    found += re.findall(r"pci:v0000([0-9A-F]{4})d0000([0-9A-F]{4})\b", prompt)
    return [":".join(pair).lower() for pair in found]


def case_of(test: Mapping[str, Any], category: str) -> Case:
    check: Keywords | TopK = (
        Keywords(
            expected_keywords=tuple(tuple(item) for item in test["expected_keywords"]),
            forbidden_keywords=tuple((word,) for word in test.get("forbidden_keywords", ())),
        )
        if category == "hardware_id"
        else TopK(expected_any=tuple(test["expected_any"]), k=test["k"], match=test["match"])
    )
    return Case(
        id=test["id"],
        suite="os",
        category=category,
        messages=(Message("user", test["prompt"]),),
        check=check,
    )


def score(test: Mapping[str, Any], category: str, answer: str, *more: str) -> float | None:
    best = (answer, *more) if category == "driver_select" else ()
    given = Answered(request_id="r", text=answer, predictions=best, prediction_method="given")
    marked = score_reply(case_of(test, category), given)
    assert marked is not None
    return marked.value

"""Whether a report that lies beside the weights says more of them than a new one would.

In: the file of a report, what was measured now, and the gate that decides. Out: what the new one
lacks, if the old one is to be kept for it, and a sentence for the user.

    kept       a report of the same fingerprint that has a figure the new one has null, or fewer
               tests for because they are a sample (--limit); or all of the new one and more
    replaced   any other: of other weights, poorer, or no report at all; and one that contradicts
               what is decided now: read on another text, or with a verdict that this gate would not
               give on its figures
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from assay.decide.accept import accept
from assay.errors import InvalidFiles
from assay.files.json_file import Refused, read_json, shown_path
from assay.messages import tr, trn
from assay.reports.evaluation_reading import measured_from
from assay.suites.catalogue import FETCHED
from assay.types import Estimate
from assay.types.decisions import OS_SUITE, Acceptance, Gate, Measured

OF_REPORT = (OS_SUITE, *FETCHED)  # suites with a key of their own above `details`
SHOWN_FILES = 2


@dataclass(slots=True)
class RicherReports:
    """What was found of each file, looked at once: what this process wrote is its own to replace.

    `sampled`: the suites were asked in part (--limit).
    """

    sampled: bool = False
    _lacking: dict[tuple[Path, str], tuple[str, ...]] = field(default_factory=dict)
    _untold: dict[tuple[str, ...], list[Path]] = field(default_factory=dict)

    def keeps(self, file: Path, new: Measured, gate: Gate | None) -> bool:
        """Whether the file is to stay, also where it says that it is of another folder, as beside
        weights that were copied or moved with their report. `gate`: None where none decides.
        """
        key = (file, new.fingerprint)
        if key not in self._lacking:
            old, said = _report_in(file)
            lacking: tuple[str, ...] = ()
            if old is not None and (gate is None or _same_verdict(said, accept(old, gate))):
                lacking = what_is_lacking(old, new, sampled=self.sampled)
            self._lacking[key] = lacking
            if lacking:
                self._untold.setdefault(lacking, []).append(file)
        return bool(self._lacking[key])

    def notes(self, own: Path) -> Iterator[str]:
        """What was kept and not told of yet; `own` is where this run's figures are."""
        for lacking, files in self._untold.items():
            names = ", ".join(shown_path(file) for file in files[:SHOWN_FILES])
            more = len(files) - SHOWN_FILES
            if more > 0:
                names = tr("{names} and {count} more", names=names, count=more)
            yield trn(
                "kept as it is: {files}. It is of the same weights and has what this run did not "
                "measure: {parts}. This run's figures are in {own}. To replace it, delete it and "
                "give the same command again: nothing is asked twice",
                "kept as they are: {files}. They are of the same weights and have what this run "
                "did not measure: {parts}. This run's figures are in {own}. To replace them, "
                "delete them and give the same command again: nothing is asked twice",
                len(files),
                files=names,
                parts=", ".join(lacking),
                own=shown_path(own),
            )
        self._untold.clear()


def what_is_lacking(old: Measured, new: Measured, *, sampled: bool = False) -> tuple[str, ...]:
    """What the new one lacks, as people read it; empty where it may take the old one's place."""
    if not old.fingerprint or old.fingerprint != new.fingerprint:
        return ()
    if old.text is not None and new.text is not None and old.text.text != new.text.text:
        return ()  # neither perplexity can stand for the other
    had, has = _parts(old), _parts(new)
    fewer = {
        name: n for name, n in had.items() if sampled and "/" in name and 0 < has.get(name, 0) < n
    }
    lost = [name for name in had if name not in has]
    contained = all(name in had and has[name] <= had[name] for name in has)
    if not contained and not any(map(_has_a_key, [*lost, *fewer])):
        return ()
    counted = [
        tr("{part} ({count} of {all} tests)", part=name, count=has[name], all=n)
        for name, n in fewer.items()
    ]
    return (*_in_short(lost, had), *counted)


def _report_in(file: Path) -> tuple[Measured | None, Any]:
    """What was measured, and the verdict that stands beside it."""
    if not file.is_file():
        return None, None
    try:
        document: Any = read_json(file).value
        return measured_from(document), document["details"].get("acceptance")
    except (Refused, InvalidFiles):  # a new report is the remedy
        return None, None


def _same_verdict(said: Any, given: Acceptance) -> bool:
    """Whether a verdict in a file is the one that a gate gives; nothing in the file is trusted."""
    try:
        if said["criteria"].keys() != given.criteria.keys():
            return False
        return said["accepted"] is given.accepted and all(
            said["criteria"][name]["passed"] is each.passed
            and _equal(said["criteria"][name]["limit"], each.limit)
            and _equal(said["criteria"][name]["value"], each.value)
            for name, each in given.criteria.items()
        )
    except (KeyError, TypeError, AttributeError):
        return False


def _equal(one: float | None, other: float | None) -> bool:
    return one is other or (one is not None and other is not None and math.isclose(one, other))


def _parts(of: Measured) -> dict[str, int]:
    """What has a value, and on how much it rests; categories as SUITE/CATEGORY."""
    text = of.text
    figures: Mapping[str, Estimate | None] = {
        "perplexity": text.perplexity if text else None,
        "accuracy_top1": text.top1 if text else None,
        "accuracy_top5": text.top5 if text else None,
        "inference_speed": of.speed.tokens_per_s if of.speed else None,
        "memory_usage_mb": of.memory_mb,
    }
    categories = {
        f"{suite}/{category}": share
        for suite, found in of.suites.items()
        for category, share in found.categories.items()
    }
    parts = {
        name: estimate.n
        for name, estimate in {**figures, **categories}.items()
        if estimate is not None and estimate.value is not None
    }
    return parts if of.samples is None else {**parts, "generation": len(of.samples)}


def _has_a_key(part: str) -> bool:
    """Whether the report has a key for it that would be null."""
    suite, is_category, _ = part.partition("/")
    return not is_category or suite in OF_REPORT


def _in_short(lost: list[str], had: Mapping[str, int]) -> list[str]:
    """A suite that is missing whole is named once."""
    short: list[str] = []
    for part in lost:
        suite, is_category, _ = part.partition("/")
        whole = is_category and all(each in lost for each in had if each.startswith(f"{suite}/"))
        name = suite if whole else part
        if name not in short:
            short.append(name)
    return short

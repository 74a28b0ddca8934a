"""Where the files of a suite lie.

In: paths. Out: SuiteFiles.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from assay.types import Finding


@dataclass(frozen=True, slots=True)
class SuiteFiles:
    """A folder of category files or one of them, and files that lie elsewhere and take the place
    of those with the same name. `findings`: what lies beside those and takes no effect.
    """

    path: Path
    instead: tuple[Path, ...] = ()
    findings: tuple[Finding, ...] = ()


def files_of(given: Path | SuiteFiles) -> SuiteFiles:
    """A bare path stands for what lies there."""
    return given if isinstance(given, SuiteFiles) else SuiteFiles(given)

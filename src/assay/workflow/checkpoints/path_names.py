"""Names that are no UTF-8, which a file system takes and neither a store nor JSON can hold.

In: texts and Places as they come from the command line and the disk. Out: whether a name can be
kept, what to say where it cannot, and a form of it that people can read.
"""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

from assay.messages import tr
from assay.workflow.checkpoints.places import CheckpointPlace


def is_text(name: str) -> bool:
    """Whether it is UTF-8. Python gives what is not as half characters."""
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def readable(name: str) -> str:
    """The same name, with the numbers of the bytes that are no UTF-8."""
    if is_text(name):
        return name
    try:
        return os.fsencode(name).decode("utf-8", "backslashreplace")
    except UnicodeEncodeError:  # half characters that no file system gave
        return name.encode("utf-8", "backslashreplace").decode()


def unnameable(place: CheckpointPlace) -> str:
    """Why a checkpoint cannot be evaluated where it lies; empty if it can."""
    if all(map(is_text, (place.spec, place.name, str(place.path)))):
        return ""
    return tr(
        "the name of the folder {path} is not UTF-8, and no report could name it; rename it",
        path=readable(os.path.abspath(place.path)),
    )


def readable_place(place: CheckpointPlace) -> CheckpointPlace:
    """The same place, for lists of what failed; one that can be named stays as it is."""
    if not unnameable(place):
        return place
    return replace(
        place,
        spec=readable(place.spec),
        path=Path(readable(str(place.path))),
        parent=readable(place.parent),
        step_name=readable(place.step_name),
        folder=place.folder and Path(readable(str(place.folder))),
        top=place.top and Path(readable(str(place.top))),
    )

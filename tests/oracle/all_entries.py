"""All entries and scenes."""

from __future__ import annotations

from tests.oracle.checkpoints import CHECKPOINTS
from tests.oracle.commands import COMMANDS
from tests.oracle.extended import EXTENDED
from tests.oracle.formats import FORMATS
from tests.oracle.hostile import HOSTILE
from tests.oracle.hostile_inputs import build_hostile
from tests.oracle.judged import JUDGED
from tests.oracle.registry import Scene
from tests.oracle.scenes import SCENES as _SCENES
from tests.oracle.served import SERVED

_SUBJECTS = (COMMANDS, FORMATS, JUDGED, SERVED, EXTENDED, HOSTILE, CHECKPOINTS)
SCENES = {**_SCENES, "hostile": Scene(build_hostile)}
ENTRIES = [entry for subject in _SUBJECTS for entry in subject.entries]

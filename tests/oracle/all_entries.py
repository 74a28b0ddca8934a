"""All entries and scenes."""

from __future__ import annotations

from tests.oracle.checkpoints import CHECKPOINTS
from tests.oracle.commands import COMMANDS
from tests.oracle.formats import FORMATS
from tests.oracle.judged import JUDGED
from tests.oracle.scenes import SCENES as SCENES
from tests.oracle.served import SERVED

_SUBJECTS = (COMMANDS, FORMATS, JUDGED, SERVED, CHECKPOINTS)
ENTRIES = [entry for subject in _SUBJECTS for entry in subject.entries]

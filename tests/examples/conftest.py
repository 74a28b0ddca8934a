"""The scripts of examples/train_tiny import each other by their plain names, as scripts do."""

from __future__ import annotations

import sys

from tests.conftest import ROOT

FOLDER = ROOT / "examples" / "train_tiny"
if str(FOLDER) not in sys.path:
    sys.path.insert(0, str(FOLDER))

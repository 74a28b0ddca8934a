"""What every test beside the field's other tools may use: no network, no progress bars."""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]

# Before any of these tools is imported. Nothing is fetched: models and data are of this repository.
os.environ.update(
    HF_HUB_OFFLINE="1",
    HF_DATASETS_OFFLINE="1",
    LC_ALL="C.UTF-8",
    TQDM_DISABLE="1",
    OMP_NUM_THREADS="1",
    HF_DATASETS_CACHE=tempfile.mkdtemp(prefix="assay-datasets-"),
    XDG_CACHE_HOME=tempfile.mkdtemp(prefix="assay-cache-"),
)
for made in ("HF_DATASETS_CACHE", "XDG_CACHE_HOME"):
    atexit.register(shutil.rmtree, os.environ[made], ignore_errors=True)


@pytest.fixture(scope="session")
def root() -> Path:
    """The repository."""
    return ROOT


@pytest.fixture(scope="session")
def shared() -> Path:
    """Real data that lies beside a developer's checkout and is not part of the project."""
    folder = ROOT.parent / "shared"
    if not (folder / "DESIGN.md").is_file():
        pytest.skip("needs ../shared, which only developers and CI have")
    return folder


@pytest.fixture(scope="session")
def checkpoint(root: Path) -> Path:
    """Real weights that ship: a Llama of 3.5 million parameters, trained for 8,000 steps."""
    return root / "src/assay/builtin/checkpoints/tiny/step_008000"

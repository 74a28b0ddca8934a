"""Rows of the Hugging Face hub, by the library `datasets` (the extra `fetch`).

Sends nothing but the requests for the files: no counts, no telemetry; runs no code that comes with
a data set.
"""

import importlib
import logging
import os
import warnings
from collections.abc import Sequence
from types import ModuleType

from assay.errors import UsageError
from assay.messages import tr
from assay.suites.fetching.rows import Row, needs_extra, readable
from assay.types.model_spec import without_secrets

MMLU = "cais/mmlu"
HELLASWAG = "Rowan/hellaswag"
USUAL_HUB = "https://huggingface.co"
_QUIET = {
    "HF_HUB_DISABLE_TELEMETRY": "1",
    "HF_UPDATE_DOWNLOAD_COUNTS": "0",
    "HF_HUB_DISABLE_PROGRESS_BARS": "1",
    "HF_DATASETS_DISABLE_PROGRESS_BARS": "1",
}


def hub_address() -> str:
    """Where the library will look, as it may be shown: without a name and password in it."""
    return without_secrets(os.environ.get("HF_ENDPOINT") or USUAL_HUB)


def rows_of(data_set: str, part: str | None, splits: Sequence[str]) -> dict[str, list[Row]]:
    """The rows of some splits; one that is not there is left out."""
    datasets = _library()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of a library's inner life; errors are shown
            loaded = datasets.load_dataset(data_set, part, token=False)  # both are public
            return {split: list(loaded[split]) for split in splits if split in loaded}
    except (OSError, ValueError, RuntimeError, datasets.exceptions.DatasetsError) as error:
        raise UsageError(
            tr(
                "{what} cannot be loaded from {hub}: {why}",
                what=data_set if part is None else f"{data_set} ({part})",
                hub=hub_address(),
                why=without_secrets(readable(error)),
            ),
            hint=tr(
                "check the network, or get a copy in another way and name its folder with --from"
            ),
        ) from error


def _library() -> ModuleType:
    for variable, value in _QUIET.items():
        os.environ.setdefault(variable, value)
    try:
        datasets = importlib.import_module("datasets")
    except ImportError as missing:
        raise needs_extra(
            tr("the hub is read with the library datasets, which is not installed")
        ) from missing
    for name in ("datasets", "huggingface_hub"):
        logging.getLogger(name).setLevel(logging.ERROR)
    return datasets

"""The model a config describes, on torch's meta device; and what every call of transformers needs:
silence, and its exceptions turned into one of ours.
"""

import hashlib
import importlib.util
import json
import logging
import os
import pickle
import re
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from assay.errors import ModelUnavailable
from assay.messages import tr
from assay.models.local.folder import TOKENIZER_BYTES, Checkpoint, read_object
from assay.text.safe_text import one_line

DEFAULT_CONTEXT = 2048
SANE_CONTEXT = 2**24  # tokenizers without a limit say 10**30
_CONTEXT_NAMES = ("n_positions", "max_position_embeddings", "n_ctx", "max_sequence_length")
INSTALL = "pip install 'slm-assay[local]'"
# Heads, windows, experts, activation, kinds of layers: what a network computes beside its sizes.
_OF_SHAPE = re.compile(r"(?:^|_)(?:heads?|window|experts?|act|activation|layers?)(?:_|$)")
_EXTRA = ("torch", "transformers", "safetensors")
_REASON_CHARACTERS = 300
_latest: dict[tuple[str, str], Any] = {}  # of checkpoints, or adapters, with equal configs
# Where a file came from and what wrote it changes no answer.
ORIGIN = {"_name_or_path", "name_or_path", "_commit_hash", "transformers_version"}


def skeleton_of(checkpoint: Checkpoint) -> Any:
    """To be looked at and not changed."""
    # Code of its own may differ where configs are equal.
    where = str(checkpoint.path.absolute()) if checkpoint.trust_remote_code else ""
    key = where, json.dumps(without_origin(checkpoint.config), sort_keys=True)
    if (latest := _latest.get(key)) is not None:
        return latest
    require_extra()
    import torch
    from transformers import AutoModelForCausalLM

    with quiet(), as_refusals(checkpoint, tr("its config.json describes no model we can build")):
        config = config_of(checkpoint)
        with torch.device("meta"):
            auto: Any = AutoModelForCausalLM
            built = auto.from_config(config, trust_remote_code=checkpoint.trust_remote_code)
    _latest.clear()
    _latest[key] = built
    return built


def without_origin(config: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in config.items() if key not in ORIGIN}


def config_of(checkpoint: Checkpoint) -> Any:
    from transformers import AutoConfig

    if checkpoint.is_gguf:
        return AutoConfig.for_model(**checkpoint.config)
    config = AutoConfig.from_pretrained(
        str(checkpoint.path.absolute()),
        local_files_only=True,
        trust_remote_code=checkpoint.trust_remote_code,
    )
    # It may name another weight file than the one that was found and is in the fingerprint.
    config.transformers_weights = None
    config.dtype = None
    return config


def shape_of(skeleton: Any, context_length: int) -> str:
    """The same for checkpoints equally fast and large: sizes, and the settings no size shows."""
    parameters = [[name, list(each.shape)] for name, each in skeleton.named_parameters()]
    settings = {
        name: value for name, value in skeleton.config.to_dict().items() if _OF_SHAPE.search(name)
    }
    body = [type(skeleton).__name__, context_length, parameters, settings]
    text = json.dumps(body, sort_keys=True, default=str)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def context_length_of(config: Any, checkpoint: Checkpoint) -> int:
    """In lm-eval's order, so that both cut over-long prompts at the same place; else 2,048."""
    settings = checkpoint.tokenizer_folder / "tokenizer_config.json"
    told = read_object(settings, TOKENIZER_BYTES) if settings.is_file() else {}
    return context_length_in(config, told.get("model_max_length"))


def context_length_in(config: Any, tokenizer_length: object = None) -> int:
    """Return what the config says, else what the tokenizer does, else 2,048."""
    text_config = config.get_text_config()
    lengths = [getattr(text_config, name, None) for name in _CONTEXT_NAMES]
    lengths.append(tokenizer_length)
    for length in lengths:
        if isinstance(length, int | float) and 1 <= length <= SANE_CONTEXT:
            return int(length)
    return DEFAULT_CONTEXT


def require_extra() -> None:
    """Called before torch is imported: else its threads burn a core while they wait."""
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    if missing := missing_packages():
        raise ModelUnavailable(
            tr("to load a checkpoint Assay needs {packages}", packages=", ".join(missing)),
            hint=tr("install them: {command}", command=INSTALL),
        )


def missing_packages() -> list[str]:
    return [name for name in _EXTRA if importlib.util.find_spec(name) is None]


@contextmanager
def quiet() -> Iterator[None]:
    from transformers.utils import logging as untyped

    speaks: Any = untyped
    level, bars = speaks.get_verbosity(), speaks.is_progress_bar_enabled()
    speaks.set_verbosity(logging.CRITICAL)
    speaks.disable_progress_bar()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        speaks.set_verbosity(level)
        if bars:
            speaks.enable_progress_bar()


@contextmanager
def as_refusals(checkpoint: Checkpoint, what: str) -> Iterator[None]:
    """Whatever is raised at load becomes ModelUnavailable; `what`: a sentence without its end."""
    from huggingface_hub.errors import StrictDataclassError
    from safetensors import SafetensorError

    of_python = (OSError, ValueError, TypeError, LookupError, AttributeError, ArithmeticError)
    others = (RuntimeError, ImportError, AssertionError, EOFError, pickle.PickleError)
    faults = (*of_python, *others, SafetensorError, StrictDataclassError)
    try:
        yield
    except faults as error:
        raise ModelUnavailable(
            tr("{path} cannot be loaded: {what} ({why})",
               path=checkpoint.path, what=what, why=reason(error)),
            hint=tr("copy the checkpoint again from where it was trained; a model newer than the "
                    "installed transformers needs `pip install -U transformers`"),
        ) from error  # fmt: skip


def reason(error: BaseException) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return one_line(lines[0] if lines else type(error).__name__, longest=_REASON_CHARACTERS)

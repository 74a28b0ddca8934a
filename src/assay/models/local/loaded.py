"""A model that a program has loaded already, for the engine. In: a model of transformers, alone or
with its tokenizer. Out: a Network that computes with the same tensors. Nothing is written.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.errors import AssayError, ModelUnavailable, UsageError
from assay.messages import tr
from assay.models.local.folder import find_tokenizer
from assay.models.local.loading.skeleton import context_length_in, quiet, require_extra

if TYPE_CHECKING:
    from assay.engine.network import Network

_HOOKS = ("_forward_hooks", "_forward_pre_hooks", "_backward_hooks", "_backward_pre_hooks")


def is_loaded(given: object) -> bool:
    """Whether it is a model of transformers, alone or with its tokenizer, and not a name."""
    model = given[0] if isinstance(given, tuple) and len(given) == 2 else given
    return hasattr(model, "save_pretrained") and hasattr(model, "config")


def split_loaded(given: Any) -> tuple[Any, Any]:
    """Return the model and its tokenizer; None for the tokenizer of a model alone."""
    return given if isinstance(given, tuple) else (given, None)


def network_of(model: Any) -> Network:
    """Return the engine's view of a loaded model, with the weights that it has now.

    The engine exchanges modules and the attention, so it gets a copy of the modules. The tensors
    are shared: the copy takes no memory, and the program's model stays as it is, its mode too.
    """
    require_extra()
    from assay.engine.network import NotFinite, make_ready

    model = getattr(model, "_orig_mod", model)  # what torch.compile wraps
    # A hook may belong to a trainer, which must not be copied with it.
    hooks = (vars(module).get(name) for module in model.modules() for name in _HOOKS)
    shared = chain(model.parameters(), model.buffers(), (each for each in hooks if each))
    modules = copy.deepcopy(model, {id(each): each for each in shared})
    try:
        with quiet():
            return make_ready(modules, context_length=context_length_in(model.config))
    except NotFinite as error:
        raise ModelUnavailable(
            tr("the loaded model answers with NaN or infinity"),
            hint=tr("training has diverged: take an earlier checkpoint"),
        ) from error


def encode_loaded(given: Any, texts: Sequence[str]) -> list[list[int]]:
    """Return the tokens of each text as the tokenizer writes them."""
    model, tokenizer = split_loaded(given)
    tokenizer = tokenizer or tokenizer_of(model)
    with quiet():
        return [list(tokenizer(text)["input_ids"]) for text in texts]


def name_of(model: Any) -> str:
    return str(getattr(model, "name_or_path", "") or "")


def tokenizer_of(model: Any) -> Any:
    """Return the tokenizer of the folder, or of the hub's cache, that a model was loaded from."""
    from transformers import AutoTokenizer

    name = name_of(model)
    hint = tr("give the pair (model, tokenizer)")
    if not name:
        raise UsageError(tr("the loaded model does not say where its tokenizer is"), hint=hint)
    auto: Any = AutoTokenizer
    try:
        found = str(find_tokenizer(Path(name))) if Path(name).is_dir() else name
        return auto.from_pretrained(found, local_files_only=True)
    except (AssayError, OSError, ValueError) as error:
        raise ModelUnavailable(
            tr("there is no tokenizer of the loaded model at '{path}'", path=name), hint=hint
        ) from error

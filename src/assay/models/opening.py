"""Turns what a user typed into a Model; each scheme is opened by what registered it."""

import inspect
import os
from collections.abc import Callable

from assay.errors import AssayError, ModelUnavailable, UsageError
from assay.messages import tr
from assay.models.base import reads_text
from assay.plugins import describe_mistake, model_schemes
from assay.types import Model
from assay.types.model_spec import ModelSpec, split_url, without_secrets
from assay.types.options import LocalOptions, ServerOptions

CHECKPOINTS = "hf"  # the scheme of a path that names none
FOUND_HERE = (CHECKPOINTS, "gguf", "ollama", "openai", "http", "https")


def read_spec(text: str) -> ModelSpec:
    scheme, colon, rest = text.partition(":")
    if not colon or scheme not in model_schemes:
        return ModelSpec(CHECKPOINTS, text)
    if "url" not in _parameters(model_schemes[scheme]):
        return ModelSpec(scheme, rest)
    return ModelSpec(scheme, *split_url(rest))


def open_model(
    text: str, settings: ServerOptions | None = None, local: LocalOptions | None = None
) -> Model:
    spec = read_spec(text)
    if not spec.name:
        raise UsageError(
            tr("the model {spec} has no name", spec=without_secrets(text)),
            hint=tr("write for example ollama:llama3.2:3b or scripted:answers.json"),
        )
    opener = model_schemes[spec.scheme]
    offered = {
        "url": spec.url,
        "spec": str(spec),
        "typed": text,
        "server": settings or ServerOptions(),
        "local": local or LocalOptions(),
    }
    wanted = _parameters(opener)
    try:
        made = opener(spec.name, **{key: offered[key] for key in offered if key in wanted})
        from assay.models.home_made.adapter import PluginModel, is_model  # numpy is slow to load

        return made if is_model(made) else PluginModel(made, spec.scheme, spec.name)
    except AssayError as error:
        if _may_be_meant_otherwise(error, spec):
            from assay.models.inventory.near import did_you_mean_model  # only a mistake needs it

            error.hint = "\n".join(filter(None, (error.hint, did_you_mean_model(spec))))
        raise
    except (Exception, SystemExit) as error:
        if opener.__module__.startswith("assay."):
            raise
        raise ModelUnavailable(
            tr("{spec} cannot be opened: {mistake}", spec=str(spec),
               mistake=describe_mistake(error, of=opener)),
            hint=tr("fix the plugin, or the name behind {scheme}:", scheme=spec.scheme),
        ) from error  # fmt: skip


def _may_be_meant_otherwise(error: AssayError, spec: ModelSpec) -> bool:
    """Whether a model is not there: neither one that is and is broken, nor one of the hub."""
    if spec.scheme not in FOUND_HERE or not isinstance(error, UsageError | ModelUnavailable):
        return False
    if spec.scheme in ("gguf", CHECKPOINTS):
        of_hub = spec.scheme == CHECKPOINTS and "/" in spec.name
        return not os.path.lexists(spec.name) and not of_hub
    return isinstance(error, ModelUnavailable) or spec.url is None


def is_home_made(spec: ModelSpec) -> bool:
    """Whether it is a plugin's class with `tokenize` and `logits`, which can be decided on."""
    return reads_text(model_schemes[spec.scheme])


def _parameters(opener: Callable[..., object]) -> frozenset[str]:
    try:
        return frozenset(inspect.signature(opener).parameters)
    except ValueError:  # a class of an extension module
        return frozenset()

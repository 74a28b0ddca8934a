"""What `generation_kwargs` of a task ask for, as far as it can be had; the rest is refused."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from assay.errors import UsageError
from assay.harness.needed import needed
from assay.messages import tr

MAX_GEN_TOKS = 256  # where a task names none
# Options of `generate` that change nothing at these values; with others they cannot be had here.
OF_NO_ACCOUNT: dict[str, Any] = {
    "num_beams": 1,
    "num_return_sequences": 1,
    "repetition_penalty": 1.0,
    "typical_p": 1.0,
    "use_cache": True,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class GenerationOptions:
    """`temperature` 0: the likeliest text. `whole`: tokens of prompt and answer together."""

    until: tuple[str, ...]
    max_tokens: int
    temperature: float
    top_k: int | None = None
    top_p: float | None = None
    whole: int | None = None


def read_generation(given: Mapping[str, Any]) -> GenerationOptions:
    normalize = needed("lm_eval.models.utils").normalize_gen_kwargs
    options: dict[str, Any] = dict(normalize(dict(given), MAX_GEN_TOKS))
    until = options.pop("until", None) or []
    limit, whole = options.pop("max_gen_toks"), options.pop("max_length", None)
    sampled, temperature = options.pop("do_sample"), options.pop("temperature", 0.0)
    if sampled and not temperature > 0:
        raise UsageError(
            tr("do_sample needs a temperature above 0"),
            hint=tr("name one in the task's generation_kwargs or in --gen_kwargs"),
        )
    top_k, top_p = options.pop("top_k", None), options.pop("top_p", None)
    unknown = [name for name in options if options[name] != OF_NO_ACCOUNT.get(name)]
    if unknown := [name for name in unknown if options[name] is not None]:
        raise UsageError(
            tr("texts cannot be generated with {names} here", names=", ".join(sorted(unknown))),
            hint=tr("take it out of generation_kwargs and --gen_kwargs, or use --model hf"),
        )
    return GenerationOptions(
        until=(until,) if isinstance(until, str) else tuple(until),
        max_tokens=int(limit),
        temperature=float(temperature) if sampled else 0.0,
        top_k=None if top_k is None else int(top_k),
        top_p=None if top_p is None else float(top_p),
        whole=None if whole is None else int(whole),
    )

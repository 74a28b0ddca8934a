"""What a model that is not there was probably meant to be, of all that is found on this machine."""

import re
from collections.abc import Iterator
from pathlib import Path

from assay.messages import tr
from assay.models.inventory.servers import find_servers
from assay.models.local.gguf.stores import find_files
from assay.types.model_spec import ModelSpec

SHOWN = 3
NEAR_ENOUGH = 80.0  # of 100: 'smollm' finds 'SmolLM2-135M-Instruct.Q4_1.gguf', 'x' finds nothing


def did_you_mean_model(spec: ModelSpec) -> str:
    """A sentence, or nothing. Where a server was named and nothing has a like name, what its
    neighbours have.
    """
    found = dict(_found(Path()))
    found.pop(str(spec), None)
    near = _near(spec.name, found)
    if not near and spec.scheme in ("openai", "http", "https"):
        near = [each for each in found if not each.startswith("gguf:")]
    if not near:
        return ""
    return tr("did you mean {specs}?", specs=tr(" or ").join(near[:SHOWN]))


def _found(folder: Path) -> Iterator[tuple[str, str]]:
    """Each spec, and the name that a user would have in mind."""
    for server in find_servers():
        for model in server.models:
            yield model.spec, model.name
    for file in find_files(folder):
        if not file.why_not:
            yield file.spec, file.spec.removeprefix("gguf:")


def _near(name: str, found: dict[str, str]) -> list[str]:
    from rapidfuzz import fuzz, process

    wanted = _plain(name)
    if len(wanted) < 3:
        return []
    names = {spec: _plain(called) for spec, called in found.items()}
    near = process.extract(wanted, names, scorer=fuzz.WRatio, score_cutoff=NEAR_ENOUGH, limit=None)
    return [spec for _, _, spec in near]


def _plain(name: str) -> str:
    """The last part of a path, in lower case, without suffix and marks between words."""
    last = re.split(r"[/\\]", name)[-1].lower().removesuffix(".gguf").removesuffix(":latest")
    return re.sub(r"[\W_]+", " ", last).strip()

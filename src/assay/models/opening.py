"""Turns what a user typed into a Model.

In: a model spec as text. Out: a Model whose facts are known; asking comes later. Refuses to know:
suites, plans, the store.
"""

from __future__ import annotations

from pathlib import Path

from assay.errors import ModelUnavailable, UsageError
from assay.messages import tr
from assay.models.spec import read_spec, without_secrets
from assay.types import Model


def open_model(text: str) -> Model:
    """Find a model. Raises ModelUnavailable with what to do where it is not there."""
    spec = read_spec(text)
    if not spec.name:
        raise UsageError(
            tr("the model {spec} has no name", spec=without_secrets(text)),
            hint=tr("write for example scripted:answers.json"),
        )
    if spec.scheme == "scripted":
        from assay.models.scripted import ScriptedModel

        return ScriptedModel(Path(spec.name))
    raise ModelUnavailable(
        tr("this version cannot ask {spec} yet: it knows scripted:FILE.json only", spec=str(spec)),
        hint=tr("record its answers in a file and name it scripted:FILE.json (docs/models.md)"),
    )

"""What most Models do alike: nothing is asked beforehand, measured aside, or held."""

from __future__ import annotations

from assay.types import ModelFacts, Observed


class BaseModel:
    """Sets `_facts`; overrides what it does otherwise."""

    _facts: ModelFacts

    @property
    def facts(self) -> ModelFacts:
        return self._facts

    def probe(self) -> None: ...

    def observed(self) -> Observed:
        return Observed()

    def stop(self) -> None: ...

    def close(self) -> None: ...

"""A model of this machine that scores and writes texts as they are, for programs that bring their
own prompts, as lm-evaluation-harness does.
"""

from assay.errors import ModelUnavailable
from assay.harness.generation import MAX_GEN_TOKS, GenerationOptions, read_generation
from assay.messages import tr
from assay.models.local.as_written import TOP_K
from assay.models.local.model import LocalModel
from assay.models.local.scoring import TextRules, TextScorer, WantedText
from assay.models.opening import open_model
from assay.types.options import LocalOptions

__all__ = [
    "MAX_GEN_TOKS",
    "TOP_K",
    "GenerationOptions",
    "TextRules",
    "TextScorer",
    "WantedText",
    "open_scorer",
    "read_generation",
]


def open_scorer(
    spec: str, local: LocalOptions | None = None, rules: TextRules | None = None
) -> tuple[LocalModel, TextScorer]:
    """Loads it; who opened it closes it. A server is refused: it answers for itself."""
    model = open_model(spec, local=local)
    if not isinstance(model, LocalModel):
        model.close()
        raise ModelUnavailable(
            tr("{spec} is no checkpoint, adapter or GGUF file of this machine", spec=spec),
            hint=tr("name a folder, hf:ORG/NAME or gguf:FILE"),
        )
    return model, model.scorer(rules or TextRules())

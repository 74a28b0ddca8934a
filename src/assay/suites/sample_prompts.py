"""The sample prompts of the generation check, as `builtin/samples.json` lists them."""

from pathlib import Path

from pydantic import TypeAdapter

from assay.types.measured.samples import SamplePrompt

SHIPPED = Path(__file__).resolve().parents[1] / "builtin" / "samples.json"


def load_samples() -> tuple[SamplePrompt, ...]:
    return TypeAdapter(tuple[SamplePrompt, ...]).validate_json(SHIPPED.read_bytes())

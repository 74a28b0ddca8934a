"""Assay decides whether a small language model is good enough, and shows why."""

__version__ = "0.1.0"

_IMPORTED_FROM = {
    "Doc": "assay.files.fields",
    "Message": "assay.types",
    "Model": "assay.types",
    "Report": "assay.types.results",
    "Requests": "assay.types",
    "Score": "assay.types",
    "TrainerCallback": "assay.trainer_callback.callback",
    "check": "assay.plugins",
    "evaluate_model": "assay.api",
    "file_digest": "assay.plugins",
    "generate_samples": "assay.api",
    "model": "assay.plugins",
    "report_format": "assay.plugins",
    "run": "assay.api",
    "run_benchmark": "assay.api",
}


def __getattr__(name: str) -> object:
    """Imported when first used: the command line must start quickly, without transformers."""
    module = _IMPORTED_FROM.get(name)
    if module is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import importlib

    return getattr(importlib.import_module(module), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *_IMPORTED_FROM])

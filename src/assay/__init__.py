"""Assay decides whether a small language model is good enough, and shows why."""

__version__ = "0.1.0"

_IMPORTED_FROM = {
    "Report": "assay.types.results",
    "TrainerCallback": "assay.trainer_callback",
    "evaluate_model": "assay.api.checkpoints",
    "generate_samples": "assay.api.checkpoints",
    "report_format": "assay.plugins",
    "run_benchmark": "assay.api.checkpoints",
}


def __getattr__(name: str) -> object:
    """`assay.evaluate_model` and its kin, and `assay.TrainerCallback`, which brings transformers
    along, are imported when asked for: the command line must start quickly.
    """
    module = _IMPORTED_FROM.get(name)
    if module is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import importlib

    return getattr(importlib.import_module(module), name)

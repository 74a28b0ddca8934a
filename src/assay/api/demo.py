"""The demonstration on shipped models, step by step.

In: a folder. Out: what each step gave, as `assay demo` shows it.
"""

from assay.models.local.loading.skeleton import INSTALL, missing_packages
from assay.workflow.demo.tour import checkpoints_job, demo_job, start_and_kill
from assay.workflow.evaluate.evaluation import evaluate

__all__ = [
    "INSTALL",
    "checkpoints_job",
    "demo_job",
    "evaluate",
    "missing_packages",
    "start_and_kill",
]

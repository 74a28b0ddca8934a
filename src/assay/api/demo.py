"""The demonstration on shipped models, step by step."""

from assay.models.local.loading.skeleton import INSTALL as INSTALL
from assay.models.local.loading.skeleton import missing_packages as missing_packages
from assay.workflow.commands.demo import checkpoints_job as checkpoints_job
from assay.workflow.commands.demo import demo_job as demo_job
from assay.workflow.commands.demo import start_and_stop as start_and_stop
from assay.workflow.commands.evaluation import evaluate as evaluate

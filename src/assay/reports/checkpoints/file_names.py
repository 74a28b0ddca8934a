"""The names of the files that a checkpoint run leaves, under its `out` and beside the weights."""

CHECKPOINTS = "checkpoints"  # the folder of all this under a run's `out`
REPORT_FILE = "evaluation_report.json"
SELECTION_FILE = "best_checkpoint_selection.json"
OVER_STEPS = "over_steps.svg"
CURVES = "curves.csv"

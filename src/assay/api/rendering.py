"""What interfaces show: progress while a run goes on, and results in a format."""

from assay.reports.progress import progress_for

__all__ = ["progress_for"]

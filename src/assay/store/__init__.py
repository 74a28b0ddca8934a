"""The store: Runs, requests, replies and scores in one SQLite file (`schema.sql`)."""

from assay.store.bodies import new_run_id, suite_digest, utc_now
from assay.store.database import VERSION
from assay.store.records import Run, RunModel, StoredJudgement, StoredTry, TryKey
from assay.store.verbs import FILE_NAME, Store

__all__ = [
    "FILE_NAME",
    "VERSION",
    "Run",
    "RunModel",
    "Store",
    "StoredJudgement",
    "StoredTry",
    "TryKey",
    "new_run_id",
    "suite_digest",
    "utc_now",
]

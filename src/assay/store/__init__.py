"""The store: Runs, requests, replies, scores and reviews in one SQLite file (`schema.sql`)."""

from assay.store.bodies import new_run_id as new_run_id
from assay.store.bodies import utc_now as utc_now
from assay.store.database import VERSION as VERSION
from assay.store.records import AnswerState as AnswerState
from assay.store.records import AnswerTime as AnswerTime
from assay.store.records import Run as Run
from assay.store.records import RunModel as RunModel
from assay.store.records import StoredJudgement as StoredJudgement
from assay.store.records import StoredReview as StoredReview
from assay.store.records import StoredTrial as StoredTrial
from assay.store.records import TrialKey as TrialKey
from assay.store.verbs import FILE_NAME as FILE_NAME
from assay.store.verbs import Store as Store

"""Reports in the length of an agent's context."""

from assay.reports.checkpoints.digest import Document as Document
from assay.reports.checkpoints.digest import clip as clip
from assay.reports.checkpoints.digest import evaluation_digest as evaluation_digest
from assay.reports.checkpoints.digest import figure_of as figure_of

"""What the viewer reads. Every answer comes from the store as it is now, so that a run which
another process writes is seen to move.
"""

from assay.workflow.reporting.viewing import Viewing as Viewing

"""Models and suites that a Python program gives as objects, beside those that it names.

In: RunOptions. Out: a Job.
"""

from __future__ import annotations

from dataclasses import replace
from hashlib import sha256

from assay.types import Suite
from assay.types.options import RunOptions
from assay.workflow.evaluate.job import Job


def job_of(options: RunOptions) -> Job:
    """Names stay names; objects are opened already."""
    specs = tuple(each for each in options.models if isinstance(each, str))
    objects = [each for each in options.models if not isinstance(each, str)]
    names = tuple(str(each) for each in options.suites if not isinstance(each, Suite))
    own = tuple(_traceable(each) for each in options.suites if isinstance(each, Suite))
    job = Job.of(options, models=specs, suites=names, own=own)
    if not objects:
        return job
    from assay.models.home_made.adapter import model_of  # numpy takes its time to load

    given = tuple(map(model_of, objects))
    shown = [*(model.facts.spec for model in given), *specs]
    return replace(job, given=given, called=f"assay.run({shown!r}, suites={names!r})")


def _traceable(suite: Suite) -> Suite:
    """With a digest that tells versions apart, and a path that no folder has."""
    digest = sha256(repr(suite).encode("utf-8", "surrogatepass")).hexdigest()
    return replace(suite, source=suite.source or digest, path=suite.path or f"<{suite.name}>")

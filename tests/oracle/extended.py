"""Entries about plugins of every kind, and about gates, table by table."""

from __future__ import annotations

from tests.oracle.registry import Collection

EXTENDED = Collection("plugins")
_add = EXTENDED.add

_add(
    "plugin-check",
    "A check of a plugin scores tests, and stands in the schema.",
    "assay validate patterns --plugin plugin.py",
    "assay run echo:one -s patterns --plugin plugin.py --json | pick models.0.suites.0.tests",
    "assay validate patterns",
)
_add(
    "plugin-model",
    "A model of a plugin answers; an exception in it is a failed request.",
    "assay run echo:one echo:broken -s patterns --plugin plugin.py",
)
_add(
    "plugin-measure",
    "A measure of a plugin is a figure with an interval, a column and a criterion.",
    "assay run echo:one -s patterns --plugin plugin.py --gate brief.toml --json"
    " | pick models.0.decision",
    "assay report latest --plugin plugin.py --json | pick models.0.measurements",
    "assay run echo:one -s patterns --gate brief.toml",
)
_add(
    "plugin-format",
    "A report format of a plugin.",
    "assay run echo:one -s patterns --plugin plugin.py --json | pick exit_code",
    "assay report latest --format tsv --plugin plugin.py",
    "assay report latest --format tsv",
)
_add(
    "plugin-broken",
    "A plugin that cannot be loaded, and a check that fails, name file and line.",
    "assay run echo:one -s patterns --plugin broken.py",
    "assay run echo:one -s patterns --plugin absent.py",
    "assay run echo:one -s fails --plugin plugin.py --json | pick models.0.suites.0.tests",
)
_add(
    "gate-tables",
    "Every table of a gate over one checkpoint: value, limit and reason.",
    "assay validate all.toml",
    "assay run tiny/step_008000 -s quiz -s quiz2 --gate all.toml --text text.txt --text law=law.txt"
    " --threads 1 --device cpu --json | pick models.0.decision.criteria",
    scene="gates",
)
_add(
    "gate-classes",
    "Limits by size class, `[size] class`, and a gate's own score.",
    "assay run tiny/step_008000 -s quiz --gate classes.toml --text text.txt --threads 1"
    " --device cpu --json | pick models.0.decision",
    scene="gates",
)
_add(
    "gate-code",
    "Without permission, answers of code tests are unscored, and the run says so.",
    "assay run scripted:code.json -s code",
    "assay run scripted:code.json -s code --json | pick models.0.suites.0.tests",
    scene="code",
)
_add(
    "code-weak",
    "With permission, an answer's code is run: right, wrong, crashing, never ending.",
    "assay run scripted:code.json -s code --allow-code-execution --sandbox weak --json"
    " | pick models.0.suites.0.tests",
    scene="code",
)
_add(
    "validate-code",
    "`validate --allow-code-execution` tries out checkers: reference, empty answer, echo, refusal.",
    "assay validate code/right --allow-code-execution --sandbox weak --data-seeds 1",
    "assay validate code --allow-code-execution --sandbox weak --data-seeds 1",
    scene="code",
)

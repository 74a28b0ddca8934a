"""The two files a checkpoint run leaves, as JSON Schema 2020-12.

In: nothing. Out: the schemas of evaluation_report.json and best_checkpoint_selection.json. Refuses
to know: any document.

Every key is required and none may be added; what was not measured is null. Only what a machine
notes of itself (`speed`, `memory`, `provenance`) is open.
"""

from __future__ import annotations

from typing import get_args

from assay.messages import tr
from assay.types.decisions import OS_TASKS, PARTS, SIZE_CLASSES, Concern

Schema = dict[str, object]

DIALECT = "https://json-schema.org/draft/2020-12/schema"
TIMESTAMP = r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$"
CONCERNS = get_args(Concern)

TEXT: Schema = {"type": "string"}
NAME: Schema = {"type": "string", "minLength": 1}
FLAG: Schema = {"type": "boolean"}
COUNT: Schema = {"type": "integer", "minimum": 0}
NUMBER: Schema = {"type": "number"}
SHARE: Schema = {"type": "number", "minimum": 0, "maximum": 1}
OPEN: Schema = {"type": "object"}
ESTIMATE: Schema = {"$ref": "#/$defs/estimate"}


def report_schema() -> Schema:
    """The schema of evaluation_report.json."""
    properties: Schema = {
        "checkpoint": _said(NAME, tr("Parent and step, such as medium_150M/step_100000.")),
        "perplexity": _said(
            _or_null({"type": "number", "minimum": 1}),
            tr("exp of the mean cross-entropy over all predicted tokens; lower is better."),
        ),
        "accuracy_top1": _said(_or_null(SHARE), tr("Tokens that were the first guess.")),
        "accuracy_top5": _said(_or_null(SHARE), tr("Tokens among the first five guesses.")),
        "mmlu_cs": _said(_or_null(SHARE), tr("Accuracy on the computer science part of MMLU.")),
        "hellaswag": _said(_or_null(SHARE), tr("Accuracy on the technical part of HellaSwag.")),
        "os_benchmark": _said(
            _object({name: _or_null(SHARE) for name in (*OS_TASKS, "avg")}),
            tr("The four tasks, and the mean of the first three."),
        ),
        "inference_speed": _said(_or_null(NUMBER), tr("Tokens per second, written on the CPU.")),
        "memory_usage_mb": _said(
            _or_null(NUMBER), tr("Weights in 16 bits, cache and activations, in MB.")
        ),
        "timestamp": _said(_timestamp(), tr("UTC, whole seconds.")),
        "details": _said(_details(), tr("What each number rests on, and the verdict.")),
    }
    return {
        "$schema": DIALECT,
        "title": tr("Assay evaluation report"),
        "description": tr("One checkpoint. What was not measured is null, never 0."),
        **_object(properties),
        "$defs": {"estimate": _estimate()},
    }


def selection_schema() -> Schema:
    """The schema of best_checkpoint_selection.json."""
    row = _object(
        {
            "checkpoint": NAME,
            "accepted": _or_null(FLAG),
            "weighted_score": _or_null(NUMBER),
            "ranking_score": _or_null(NUMBER),
            "missing_parts": _list({"enum": list(PARTS)}),
            "failed": _or_null(NAME),
        }
    )
    properties: Schema = {
        "selected": _said(_or_null(NAME), tr("The checkpoint to ship; null if none passes.")),
        "best_so_far": _said(_or_null(NAME), tr("If none passes: the one with the highest score.")),
        "reason": _said(NAME, tr("Why, in whole sentences, and what else there is to know.")),
        "tie": _said(FLAG, tr("The difference to the runner-up cannot be told from 0.")),
        "tied_with": _said(
            _list(NAME), tr("Every accepted checkpoint that cannot be told from the selected one.")
        ),
        "ranking": _said(_list(row), tr("Accepted ones first, failed ones last.")),
        "ranked_on": _said(
            _list({"enum": list(PARTS)}), tr("The parts of the score that all candidates have.")
        ),
        "difference": _said(
            _or_null(ESTIMATE), tr("The selected one's ranking score less the runner-up's.")
        ),
        "gate": _said(TEXT, tr("The gate file, or default for the one that ships.")),
        "timestamp": _said(_timestamp(), tr("UTC, whole seconds.")),
    }
    return {
        "$schema": DIALECT,
        "title": tr("Assay selection"),
        "description": tr("Which of several checkpoints to ship, and how they rank."),
        **_object(properties),
        "$defs": {"estimate": _estimate()},
    }


# ------------------------------------------------------------------------------------------ details


def _details() -> Schema:
    estimates = dict.fromkeys(
        (
            "perplexity",
            "perplexity_per_word",
            "perplexity_per_byte",
            "bits_per_byte",
            "accuracy_top1",
            "accuracy_top5",
            "mmlu_cs",
            "hellaswag",
            "inference_speed",
            "memory_usage_mb",
        ),
        _or_null(ESTIMATE),
    )
    target = _object({"above": NUMBER, "reached": _or_null(FLAG)})
    advice = _object({"concern": {"enum": list(CONCERNS)}, "advice": NAME, "figures": _list(TEXT)})
    return _object(
        {
            **estimates,
            "os_benchmark": _object(dict.fromkeys((*OS_TASKS, "avg"), _or_null(ESTIMATE))),
            "targets": _object({"accuracy_top1": target, "accuracy_top5": target}),
            "model": _model(),
            "text": _or_null(_text()),
            "suites": _by_name(_suite()),
            "acceptance": _acceptance(),
            "weighted_score": _or_null(NUMBER),
            "missing_parts": _list({"enum": list(PARTS)}),
            "generation": _or_null(_generation()),
            "speed": _or_null(
                {
                    "type": "object",
                    "properties": {"runs_per_s": _list(NUMBER)},
                    "required": ["runs_per_s"],
                }
            ),
            "memory": _or_null(OPEN),
            "not_measured": _by_name(TEXT),
            "training_loss": _list(_tuple(NUMBER, NUMBER)),
            "recommendations": _list(advice),
            "provenance": OPEN,
        }
    )


def _model() -> Schema:
    return _object(
        {
            "path": TEXT,
            "step": _or_null(NUMBER),
            "parameters": _or_null(COUNT),
            "size_class": _or_null({"enum": list(SIZE_CLASSES)}),
            "fingerprint": TEXT,
            "failed": _or_null(NAME),
        }
    )


def _text() -> Schema:
    return _object(
        {
            "text": TEXT,
            "tokenizer": TEXT,
            "window": _or_null(COUNT),
            "stride": _or_null(COUNT),
            "blocks": _list(_tuple({"type": "number", "maximum": 0}, COUNT)),
        }
    )


def _suite() -> Schema:
    return _object(
        {
            "score": ESTIMATE,
            "categories": _by_name(ESTIMATE),
            "scores": _by_name(_by_name(SHARE)),
            "digest": TEXT,
        }
    )


def _acceptance() -> Schema:
    criterion = _object(
        {
            "passed": _or_null(FLAG),
            "marginal": FLAG,
            "value": _or_null(NUMBER),
            "limit": _or_null(NUMBER),
            "reason": NAME,
        }
    )
    return _object({"accepted": _or_null(FLAG), "criteria": _by_name(criterion)})


def _generation() -> Schema:
    check = _object(
        {
            "name": NAME,
            "passed": _or_null(FLAG),
            "failure": FLAG,
            "passage": TEXT,
            "explanation": TEXT,
        }
    )
    sample = _object(
        {
            "id": NAME,
            "prompt": TEXT,
            "text": TEXT,
            "all_passed": _or_null(FLAG),
            "checks": _or_null(_list(check)),
            "failed": _or_null(NAME),
        }
    )
    return _object({"all_passed": _or_null(FLAG), "failures": COUNT, "samples": _list(sample)})


def _estimate() -> Schema:
    return {
        "description": tr("A figure with its 95 % interval and what it rests on."),
        **_object(
            {
                "value": _or_null(NUMBER),
                "low": _or_null(NUMBER),
                "high": _or_null(NUMBER),
                "n": COUNT,
                "unscored": COUNT,
                "unit": TEXT,
                "method": TEXT,
            }
        ),
    }


# ------------------------------------------------------------------------------------------- shapes


def _object(properties: Schema) -> Schema:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _by_name(of: Schema) -> Schema:
    return {"type": "object", "additionalProperties": of}


def _list(of: Schema) -> Schema:
    return {"type": "array", "items": of}


def _tuple(*of: Schema) -> Schema:
    return {"type": "array", "prefixItems": list(of), "items": False, "minItems": len(of)}


def _or_null(of: Schema) -> Schema:
    return {"anyOf": [of, {"type": "null"}]}


def _timestamp() -> Schema:
    return {"type": "string", "pattern": TIMESTAMP}


def _said(of: Schema, description: str) -> Schema:
    return {"description": description, **of}

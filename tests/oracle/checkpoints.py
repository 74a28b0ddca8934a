"""Entries about checkpoints: gate, selection, files, drift, watch, loop, Python functions, GGUF."""

from __future__ import annotations

from tests.oracle.registry import Collection

CHECKPOINTS = Collection("checkpoints")
_add = CHECKPOINTS.add

_add("checkpoints-report", "The table and card of three checkpoints.", "assay report latest")
_add("checkpoints-verbose", "All columns and criteria.", "assay report latest -v | lines 1 200")
_add(
    "checkpoints-md",
    "The report in Markdown.",
    "assay report latest --format md | lines 1 200",
)
_add("checkpoints-fr", "The card in French.", "assay report latest --lang fr")
_add(
    "checkpoints-json",
    "Measurements and decision of one checkpoint.",
    "assay report latest --json | pick models.2",
)
_add(
    "evaluation-report",
    "evaluation_report.json: the keys of the contract.",
    "cat assay-out/checkpoints/tiny/step_008000/evaluation_report.json",
)
_add(
    "selection-file",
    "best_checkpoint_selection.json: the keys of the contract.",
    "cat assay-out/checkpoints/tiny/best_checkpoint_selection.json",
    "ls assay-out/checkpoints",
)
_add(
    "select",
    "`select` applies a gate to stored reports: exit 0 if one passes, 1 if none does.",
    "assay select tiny --gate gate.toml",
    "assay select tiny --gate strict.toml",
    "assay select tiny --gate gate.toml --json",
    "assay select quiz",
)
_add(
    "checkpoints-resumed",
    "The same command over checkpoints asks nothing again.",
    "assay run tiny -s quiz --gate gate.toml --text text.txt --threads 1 --device cpu --json"
    " | pick selected",
    "sql SELECT kind, count(*) FROM replies GROUP BY kind",
)
_add(
    "checkpoint-ids",
    "Request ids of checkpoints.",
    "sql SELECT test_id, turn, repeat, id FROM requests WHERE fingerprint ="
    " (SELECT fingerprint FROM run_models WHERE position = 2) ORDER BY test_id, turn, id",
)
_add(
    "compare-loss",
    "`compare --loss`: where the loss moved.",
    "assay compare tiny/step_005600 tiny/step_008000 --loss",
)
_add(
    "compare-checkpoints",
    "Checkpoints compared, paired by test.",
    "assay compare tiny/step_000160 tiny/step_008000",
)
_add(
    "drift",
    "How far predictions moved, and the exit code of a limit.",
    "assay drift tiny/step_008000 tiny/step_005600 --text text.txt --threads 1 --device cpu",
    "assay drift tiny/step_008000 tiny/step_005600 --text text.txt --threads 1 --device cpu"
    " --max-kl 0.0001 --json",
)
_add(
    "checkpoint-singly",
    "A checkpoint named singly: its acceptance, exit 1 if it is not accepted.",
    "assay run tiny/step_000160 -s quiz --gate gate.toml --text text.txt --threads 1 --device cpu",
    "assay run tiny/step_000160 -s quiz --no-gate --text text.txt --threads 1 --device cpu --json"
    " | pick models.0.accepted",
)
_add(
    "checkpoints-watch",
    "`watch` over what is there.",
    "assay watch tiny --once --gate gate.toml -s quiz --text text.txt --threads 1 --device cpu",
)
_add(
    "loop",
    "`loop`: train, evaluate, review; round files, exit 1 when none is accepted.",
    "assay loop --train 'python train.py {out} {steps} {changes}' --steps 50 --rounds 2"
    " --gate strict.toml -s quiz --text text.txt --threads 1 --device cpu",
    "cat assay-out/**/round_01.json",
    "ls assay-out/rounds | drop files/",
)
_add(
    "checkpoint-broken",
    "A broken checkpoint in a folder is a failed model (3); named on the command line, exit 2.",
    'sh -c "rm -r assay-out tiny/step_005600 tiny/step_000160;'
    ' mkdir tiny/step_000900; echo {} > tiny/step_000900/config.json"',
    "assay run tiny -s quiz --gate gate.toml --text text.txt --threads 1 --device cpu --json"
    " | pick models.0",
    "assay run tiny/step_000900 -s quiz --no-gate",
)
_add(
    "checkpoint-speed",
    "Speed and memory of a checkpoint.",
    "assay run tiny/step_008000 -s quiz --gate speed.toml --text text.txt --threads 1"
    " --device cpu --json | pick models.0.decision.criteria",
    "assay speed tiny/step_008000 --context 0 --threads 1 --device cpu --repeats 1 --json | keys",
)
_add("python-functions", "The specification's functions.", "call specified_functions")
_add(
    "agent-checkpoints",
    "evaluate_model, run_benchmark, generate_samples and select_checkpoint.",
    """call tool_with evaluate_model '{"checkpoint_path": "tiny/step_008000", "test_dataset":"""
    """ "text.txt", "metrics": ["perplexity", "accuracy"], "full": false}'""",
    """call tool_with run_benchmark '{"checkpoint_path": "tiny/step_008000", "benchmark_suite":"""
    """ "quiz"}'""",
    """call tool_with generate_samples '{"checkpoint_path": "tiny/step_008000", "prompts":"""
    """ ["The driver of the network card"]}'""",
    """call tool_with select_checkpoint '{"folder": "tiny", "gate": "gate.toml"}'""",
)
_add("view-checkpoints", "Checkpoints in the viewer.", "get /runs/{run}")

_add(
    "gguf-run",
    "A GGUF file on our engine.",
    "assay run gguf:stories.gguf -s quiz --text text.txt --no-gate --threads 1 --device cpu --json"
    " | pick models.0",
    scene="stories",
)
_add(
    "gguf-as-checkpoint",
    "A GGUF file gives the choices and the loss of its checkpoint.",
    "assay drift stories gguf:stories.gguf --text text.txt --threads 1 --device cpu",
    scene="stories",
)
_add(
    "gguf-quants",
    "`quants` says which file to keep.",
    "assay quants stories.gguf other.gguf --text text.txt -s quiz --threads 1 --device cpu",
    scene="stories",
)

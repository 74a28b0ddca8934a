"""Entries about hostile input: each is met with a sentence, and nothing of it becomes markup."""

from __future__ import annotations

from tests.oracle.registry import Collection
from tests.oracle.scenes import HOSTILE_GATES, HOSTILE_GGUF_NAMES

HOSTILE = Collection("hostile")
_add = HOSTILE.add

_add(
    "hostile-suites",
    "Fifteen hostile test files: each mistake on a line with its place.",
    "assay validate suites",
    "assay run scripted:says.json -s suites/deep.json --json",
    "assay run scripted:says.json -s suites/cut.json",
)
_add(
    "hostile-gates",
    "Nine hostile gates: each mistake on a line with its place.",
    *(f"assay validate gates/{name}.toml" for name in HOSTILE_GATES),
)
_add(
    "hostile-checkpoints",
    "Six hostile checkpoints are refused with a sentence, and run no code.",
    *(
        f"assay run checkpoints/{name} -s attacks --no-gate --max-tokens 4 --threads 1 --device cpu"
        for name in (
            "remote_code", "enormous", "unknown_kind", "template", "cut_weights", "pickle",
        )
    ),
    "ls checkpoints | grep owned",
)  # fmt: skip
_add(
    "hostile-gguf",
    "Eight hostile GGUF files are refused with a sentence.",
    *(f"assay run gguf:gguf/{name}.gguf -s attacks" for name in HOSTILE_GGUF_NAMES),
)
_add(
    "hostile-stores",
    "Files that are no store are refused, and stay as they are.",
    "assay report latest --out stores/garbage",
    "assay report latest --out stores/cut",
    "assay runs --out stores/folder",
    "assay runs --out stores/empty",
    "assay run scripted:says.json -s attacks --out stores/garbage",
)
_add(
    "hostile-terminal",
    "Escape codes in prompts and answers reach no terminal.",
    "assay run scripted:says.json -s attacks -v",
    "call escapes_in run scripted:says.json -s attacks -v",
    "call escapes_in report latest --format md",
    "call escapes_in export latest --format csv",
)
_add(
    "hostile-html",
    "Nothing that a model or a file says becomes markup in a page.",
    "assay run scripted:says.json -s attacks --json | pick headline",
    "call markup_in report latest --format html",
    "call markup_in report latest --format md",
    "call markup_in report latest --format pr-comment",
    "get /runs/{run}",
)
_add(
    "hostile-scripts",
    "Scripted files that are none.",
    "sh -c \"echo '[' > a.json; echo '{\\\"answer\\\": {}}' > b.json;"
    ' echo \'{\\"answers\\": {\\"x\\": 3}}\' > c.json"',
    "assay run scripted:a.json -s attacks",
    "assay run scripted:b.json -s attacks",
    "assay run scripted:c.json -s attacks",
    "assay run scripted:gates -s attacks",
)

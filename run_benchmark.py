"""Run a benchmark: `python run_benchmark.py --help`. All it does is in the package beside it."""

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
NEEDED = (
    "click", "rich", "pydantic", "markdown_it", "tree_sitter", "tree_sitter_bash",
    "rapidfuzz", "jinja2", "numpy", "scipy", "httpcore", "jsonschema", "psutil",
    "platformdirs", "sacrebleu",
)  # fmt: skip
MARK = "RUN_BENCHMARK_TRIED"  # a broken .venv must not start itself for ever
SENTENCE = "Assay is not installed here: run `make demo` once, or `pip install .`"


def ready() -> bool:
    """Whether this Python has all that the package needs."""
    return sys.version_info >= (3, 11) and all(map(importlib.util.find_spec, ("assay", *NEEDED)))


def elsewhere() -> None:
    """Start again with the Python that `make demo` set up; does not return where there is one."""
    for python in (HERE / ".venv" / "bin" / "python", HERE / ".venv" / "Scripts" / "python.exe"):
        if python.is_file() and MARK not in os.environ:
            os.environ[MARK] = "1"
            command = [str(python), str(HERE / "run_benchmark.py"), *sys.argv[1:]]
            if os.name == "posix":
                os.execv(python, command)
            sys.exit(subprocess.call(command))


if __name__ == "__main__":
    sys.path.insert(0, str(HERE / "src"))
    if not ready():
        elsewhere()
        sys.stderr.write(f"error: {SENTENCE}\n")
        if "--json" in sys.argv:
            error = {"message": SENTENCE, "hint": "make demo"}
            sys.stdout.write(json.dumps({"error": error, "exit_code": 2}) + "\n")
        sys.exit(2)
    from assay.interfaces.cli import speak_as_asked

    speak_as_asked(sys.argv[1:])  # the help of options is translated while they are loaded
    from assay.interfaces.benchmark_script import main

    main()

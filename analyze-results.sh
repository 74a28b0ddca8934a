#!/bin/sh
# What the old framework's analyze-results.sh showed, of a run of Assay: time, tokens per second, tokens and scores of every model.
# Usage: ./analyze-results.sh [RUN] [--out DIR]      RUN: an id, the beginning of one, or latest (default)
set -eu

run=latest
out=./assay-out
while [ $# -gt 0 ]; do
    case $1 in
        -h|--help) sed -n '2,3s/^# //p' "$0"; exit 0 ;;
        --out) [ $# -ge 2 ] || { echo "analyze-results.sh: --out needs a folder" >&2; exit 2; }; out=$2; shift ;;
        -*) echo "analyze-results.sh: unknown option $1" >&2; exit 2 ;;
        *) run=$1 ;;
    esac
    shift
done

here=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd)
if [ -n "${PYTHON:-}" ]; then python=$PYTHON
elif [ -x "$here/.venv/bin/python" ]; then python=$here/.venv/bin/python
else python=python3; fi
if ! "$python" -c 'import assay' 2>/dev/null; then
    echo "Assay is not installed here: run \`make demo\` once, or \`pip install .\`" >&2
    exit 2
fi

"$python" -m assay report "$run" --out "$out"
folder=$("$python" - "$run" "$out" <<'PYTHON'
import sys
from pathlib import Path
import assay

report = assay.report(sys.argv[1], out=Path(sys.argv[2]))
print(Path(report.out) / "runs" / report.run)
PYTHON
)
echo
if [ -f "$folder/performance.md" ]; then
    cat "$folder/performance.md"
else
    echo "no performance.md in $folder: the run is not finished" >&2
fi
echo
echo "answers:        $folder/outputs/"
echo "test plans:     $folder/test-plans/"
echo "evaluations:    $folder/reports/"
echo "quality:        assay judge $run --judge MODEL, or --write-prompts DIR to paste into any LLM"

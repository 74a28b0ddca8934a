"""Makes the 600 broken texts on which the health checks are measured.

In: material.json, written for this. Out: broken.json beside this file.

    python tests/health_corpus/make_broken.py            write the file
    python tests/health_corpus/make_broken.py --check    compare the file with a fresh one

Each text has a random source of its own, seeded with its kind, sub-kind and number, so the same
material gives the same bytes, and a change to one maker leaves the texts of the others alone.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from random import Random

import loops
import nonsense
import repetitions
from material import Maker

OUT = Path(__file__).parent / "broken.json"
KINDS: dict[str, list[tuple[str, Maker, int]]] = {
    "loop": loops.MAKERS,
    "repetition": repetitions.MAKERS,
    "nonsense": nonsense.MAKERS,
}


def broken_texts() -> list[dict[str, str]]:
    rows: list[dict[str, str]] = []
    for kind, makers in KINDS.items():
        number = 0
        for sub, make, count in makers:
            for index in range(count):
                number += 1
                prompt, text = make(Random(f"{kind}/{sub}/{index}"), index)
                name = f"{kind}_{number:03d}"
                rows.append({"id": name, "kind": kind, "sub": sub, "prompt": prompt, "text": text})
    return rows


def main() -> int:
    parser = argparse.ArgumentParser(description="Makes broken.json.")
    parser.add_argument("--check", action="store_true", help="only compare with the file there")
    content = json.dumps(broken_texts(), ensure_ascii=False, indent=1) + "\n"
    if parser.parse_args().check:
        same = OUT.read_bytes() == content.encode("utf-8")
        print("broken.json is as made" if same else "broken.json differs from what is made")
        return 0 if same else 1
    OUT.write_bytes(content.encode("utf-8"))
    return 0


if __name__ == "__main__":
    sys.exit(main())

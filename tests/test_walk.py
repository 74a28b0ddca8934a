"""The walk through the house is true: its files are there, and a test goes through them."""

import json
import os
import re
import subprocess
import sys

WALKED = """
import json, os, sys, threading
import assay
from assay.interfaces.cli import main

home, entered = os.path.dirname(assay.__file__) + os.sep, set()

def enter(frame, event, _):
    code = frame.f_code
    if event == "call" and not code.co_name.startswith("<") and code.co_flags & 1:
        entered.add(code.co_filename)

threading.setprofile(enter)
sys.setprofile(enter)
try:
    main(sys.argv[2:])
except SystemExit:
    pass
sys.setprofile(None)
inside = [path.removeprefix(home) for path in entered if path.startswith(home)]
with open(sys.argv[1], "w") as file:
    json.dump([path.replace(os.sep, "/") for path in inside], file)
"""


def tables(root) -> list[list[str]]:
    page = (root / "docs" / "explanation" / "walk.md").read_text("utf-8")
    return [re.findall(r"^\| `([^`]+)` \|", part, re.M) for part in page.split("\n## ")[1:]]


def test_every_file_of_the_walk_is_there(root):
    of_test, of_checkpoint = tables(root)
    assert len(of_test) > 20
    assert len(of_checkpoint) > 10
    missing = [
        name for name in of_test + of_checkpoint if not (root / "src/assay" / name).is_file()
    ]
    assert missing == []


def test_one_test_goes_through_every_file_of_its_walk(root, tmp_path):
    entered = tmp_path / "entered.json"
    script = root / "src/assay/builtin/demo/good.json"
    words = ["run", f"scripted:{script}", "-s", "example", "--limit", "1", "--out", str(tmp_path)]
    subprocess.run(
        [sys.executable, "-c", WALKED, str(entered), *words],
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(root / "src"), *sys.path])},
        capture_output=True,
        check=True,
    )
    walked = set(json.loads(entered.read_text()))
    assert [name for name in tables(root)[0] if name not in walked] == []

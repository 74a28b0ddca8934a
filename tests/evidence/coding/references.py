"""Reference answers: full answers as a good model would write them, for any seed.

A file of `reference/` holds one answer with gaps. `<<name>>` is filled with what the seed drew, and
lines between `<<if:tag>>` and `<<end>>` stand only where the tag applies.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from assay.fixtures import Made, make

FOLDER = Path(__file__).parent / "reference"
GENERATORS = {
    "CT-01": "binary_search",
    "CT-02": "slow_code",
    "CT-03": "buggy_code",
    "CT-04": "review_code",
    "CT-05": "undocumented_code",
    "CT-06": "web_service",
}


@cache
def reference(test: str, seed: int) -> str:
    """The reference answer of a test for the data of a seed."""
    gaps, tags = _BY_TEST[test](make(GENERATORS[test], seed))
    lines, shown = [], True
    for line in (FOLDER / f"{test}.md").read_text("utf-8").splitlines():
        if line.startswith("<<if:"):
            shown = line.removeprefix("<<if:").removesuffix(">>") in tags
        elif line == "<<end>>":
            shown = True
        elif shown:
            lines.append(line)
    text = "\n".join(lines) + "\n"
    return filled(text, gaps)


def gaps_of(test: str, seed: int):
    """What the gaps of a test's reference are filled with."""
    return _BY_TEST[test](make(GENERATORS[test], seed))[0]


def filled(text: str, gaps) -> str:
    return re.sub(r"<<(\w+)>>", lambda gap: str(gaps[gap.group(1)]), text)


def _search(made: Made):
    return made.facts, {made.facts["pick"]}


def _slow(made: Made):
    one, two = (*made.facts["parameters"], "")[:2]
    gaps = {"function": made.facts["function"], "one": one, "two": two}
    return gaps, {made.facts["kind"]}


def _buggy(made: Made):
    functions = made.facts["functions"]
    gaps = {one["id"]: one["name"] for one in functions}
    tags = {f"shown {one['id']}" for one in functions}
    tags |= {f"planted {one['id']}" for one in functions if one["planted"]}
    text = made.files["shop.py"]
    if found := re.search(r"Orders of (\d+) pieces or more are (\d+) percent", text):
        gaps |= {"least": found[1], "percent": found[2]}
    if found := re.search(r'Only "(\w+)" and "(\w+)" are closed', text):
        gaps |= {"one": found[1], "two": found[2]}
    return gaps, tags


def _review(made: Made):
    planted = [site for site in made.facts["sites"] if site["planted"]]
    return {site["id"]: site["name"] for site in planted}, {site["id"] for site in planted}


def _undocumented(made: Made):
    functions = made.facts["functions"]
    gaps = {one["id"]: one["name"] for one in functions}
    if found := re.search(r"step=(\d+)", made.files["toolbox.py"]):
        gaps["step"] = found[1]
    return gaps, {one["id"] for one in functions}


def _service(made: Made):
    return made.facts, set()


_BY_TEST = {
    "CT-01": _search,
    "CT-02": _slow,
    "CT-03": _buggy,
    "CT-04": _review,
    "CT-05": _undocumented,
    "CT-06": _service,
}

"""docs/tutorials: every command prints what its page shows."""

import pytest

from assay.errors import SandboxUnavailable
from assay.sandbox import open_sandbox
from tests.transcripts import TUTORIALS, Step, follow, mask, prepare

PAGES = sorted(TUTORIALS.glob("*.md"))
RENEW = "if it is meant, `make shown` writes the pages again"


def test_there_is_one_for_each_reader():
    assert [page.stem for page in PAGES] == [
        "benchmark-maker", "judge-by-pasting", "law-model", "ollama-user", "swahili-benchmark",
        "trainer",
    ]  # fmt: skip


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_commands_print_what_the_page_shows(page, tmp_path, request):
    if page.stem == "trainer":
        pytest.importorskip("torch")
    if page.stem == "ollama-user":
        request.getfixturevalue("shared")
        try:
            open_sandbox()
        except SandboxUnavailable as unavailable:
            pytest.skip(unavailable.message)
    with prepare(page, tmp_path) as environment:
        steps = list(follow(page, tmp_path, environment))
    assert len(steps) >= 4
    for step in steps:
        shown, printed = mask(step.shown), mask(step.printed)
        assert step.agrees, f"{RENEW}\n$ {step.command}\nshown: {shown}\nprinted: {printed}"


@pytest.mark.parametrize(
    ("shown", "printed", "agrees"),
    [
        ("n=6, 1.3 s", "n=6,\n    625 ms", True),
        ("n=6, 1.3 s", "n=5, 1.3 s", False),
        ("score 0.44", "score 0.45", False),
        ("Run 20261117T074831Z-c52747", "Run 20270101T000000Z-000000", True),
        ("first\n…\nlast", "first\nmany\nmore\nlast", True),
        ("first\n…\nlast", "second\nlast", False),
    ],
)
def test_only_what_depends_on_the_machine_is_masked(shown, printed, agrees):
    assert Step("assay", shown, printed).agrees is agrees

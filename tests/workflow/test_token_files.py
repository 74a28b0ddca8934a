"""Files of token ids as held-out text: documents end where the model's end-of-text ids are."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch")

from assay import api
from assay.stats.documents import BY_BLOCKS, BY_DOCUMENTS
from tests.conftest import word_tests
from tests.workflow import planted

END = 0  # of the checkpoint that ships
DOCUMENTS = [
    [*np.random.default_rng(number).integers(5, 2000, 20 + number).tolist(), END]
    for number in range(13)
]


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("tokens")
    planted.copy_step(home / "step_8000")
    (home / "tests").mkdir()
    (home / "tests" / "word.json").write_text(json.dumps(word_tests(2)))
    (home / "anything.toml").write_text("[perplexity]\nmax = 1e8\n")
    return home


def perplexity_on(home: Path, text: Path) -> Any:
    report = api.run(
        [str(home / "step_8000")], suites=[str(home / "tests")], measures=("perplexity",),
        gate=home / "anything.toml", text=text, out=home / "out", write_back=False,
    )  # fmt: skip
    (measured,) = report.decision.measured
    assert measured.text is not None
    return measured.text.perplexity


def test_a_row_of_ids_is_read_as_the_documents_in_it(home: Path) -> None:
    rows = home / "rows.jsonl"
    rows.write_text("\n".join(json.dumps({"input_ids": each}) for each in DOCUMENTS))
    file = home / "rows.bin"
    np.concatenate(DOCUMENTS).astype("<u2").tofile(file)
    apart, together = perplexity_on(home, rows), perplexity_on(home, file)
    assert together == apart
    assert (together.method, together.n) == (BY_DOCUMENTS, sum(map(len, DOCUMENTS)))
    assert together.low is not None


def test_too_few_documents_are_read_as_one(home: Path) -> None:
    file = home / "few.npy"
    np.save(file, np.concatenate(DOCUMENTS[:5]))
    found = perplexity_on(home, file)
    assert (found.method, found.low) == (BY_BLOCKS, None)

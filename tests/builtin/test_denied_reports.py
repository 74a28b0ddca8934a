"""A right block whose report hides it, or says otherwise, has what a block alone has at most."""

import json

import pytest

from assay.checkers import fill, gather, make_files
from assay.checking import state_lines
from assay.sandbox import open_sandbox
from assay.suites.test_folder import read_reference
from assay.types.tests import SHIPPED_SUITES
from assay.workflow.commands.cheats import BLOCK_ALONE, Given, list_denials

DATA = SHIPPED_SUITES / "data"
FOLDERS = sorted(path.parent.name for path in DATA.glob("*/test.json"))


@pytest.mark.parametrize("name", FOLDERS)
def test_what_a_report_denies_by_its_form_counts_for_a_block_alone(name):
    folder = DATA / name
    made, other = make_files(folder, [1, 77], None)
    reference = read_reference(folder)
    right = fill(reference, made.files, made.truth)
    learnt = fill(reference, {**made.files, **other.files}, other.truth)
    given = Given(prompt="", files=dict(made.files), reference=right, other=learnt, statements=())
    denials = list_denials(given)
    assert len(denials) >= 15
    found = gather(folder, [(answer, made) for answer, _ in denials.values()], open_sandbox())
    shares = dict(zip(denials, (one.share or 0 for one in found), strict=True))
    for cheat, (_, allowed) in denials.items():
        # No check reads sentences: these are what is left to a judge.
        assert shares[cheat] == 1 if allowed == 1 else shares[cheat] < 0.31, cheat
    assert {allowed for _, allowed in denials.values()} == {BLOCK_ALONE, 1}
    taken_back = [one for one in shares if "those of another seed" in one]
    assert taken_back
    assert all(shares[one] < 0.28 for one in taken_back)


@pytest.mark.parametrize("seed", range(4))
def test_what_the_e_mails_say_outright_is_a_quarter_at_most_without_what_belongs_together(seed):
    """Goods, rooms, quantities, and the date of each e-mail, all of them right."""
    folder = DATA / "dt_02_email_thread"
    (made,) = make_files(folder, [seed], None)
    block = json.loads(made.truth["block"])
    rows = list(block["orders"].values())
    numbers = [(row["so"], row["consignment"]) for row in rows]
    for row, (so, consignment) in zip(rows, numbers[1:] + numbers[:1], strict=True):
        row.update(so=so, consignment=consignment)
    for key in ("short_po", "damaged_po", "overcharged_po"):
        block[key] = next(po for po in block["orders"] if po != block[key])
    block["collected_on"] = block["shortage_noticed_on"]
    block["overcharge"] = made.truth["overcharge_a_piece"]
    prose = "\n\n".join(
        f"## {name}\n\nEach message has its own date and words for goods, as its writer saw things "
        "that day; who reads them all in a row can tell what the buyer still waits for."
        for name in ("Orders", "Timeline", "Issues")
    )
    lines = "\n".join(state_lines(block).values())
    answer = f"{prose}\n\n{lines}\n\n```json\n{json.dumps(block)}\n```\n"
    (found,) = gather(folder, [(answer, made)], open_sandbox())
    assert found.share is not None
    assert found.share <= 0.25

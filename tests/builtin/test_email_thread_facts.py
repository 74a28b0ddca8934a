"""The e-mail thread of the data suite asks for what belongs together, not for what stands there."""

import json

import pytest

from assay.checkers import gather, make_files
from assay.checking import state_lines
from assay.sandbox import open_sandbox
from assay.types.tests import SHIPPED_SUITES

DATA = SHIPPED_SUITES / "data"


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

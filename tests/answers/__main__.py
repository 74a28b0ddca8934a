"""Prints the table; with names of files (`model_1`), of their answers only."""

import sys

from tests.answers import measure, read_answers, table

measured = measure(list(read_answers(sys.argv[1:])))
print(table(measured))
for each in measured:
    if not each.agrees:
        print(each.row["id"], each.row["test"], each.label, f"{each.share:.2f}",
              each.failed[:6], each.row["faults"][:3])  # fmt: skip

"""`python -m assay` is `assay`."""

from assay.interfaces.cli import main

main()

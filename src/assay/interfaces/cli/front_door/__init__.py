"""`assay` on a terminal, without a command: finds what is here, asks, and runs."""

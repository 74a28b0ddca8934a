"""`python -m assay`, and what the command `assay` starts: the command line, loaded with care.

A Ctrl-C in the tenth of a second in which modules are loaded is a Ctrl-C like any other.
"""

import sys


def main() -> None:
    """Load the command line and run it."""
    try:
        from assay.interfaces.cli import main as run
    except KeyboardInterrupt:
        sys.exit(130)
    run()


if __name__ == "__main__":
    main()

"""`python -m assay`, and what `assay` starts; a Ctrl-C while modules load is one too."""

import sys


def main() -> None:
    try:
        from assay.interfaces.cli import main as run
    except KeyboardInterrupt:
        sys.exit(130)
    run()


if __name__ == "__main__":
    main()

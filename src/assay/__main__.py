"""`python -m assay`, and what `assay` starts; a Ctrl-C while modules load is one too."""

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress

LONG = ("run", "ask", "judge", "speed", "drift", "quants", "watch", "demo",
        "rescore")  # fmt: skip


def main() -> None:
    words = sys.argv[1:]
    try:
        with line_while_loading(words) as shown:
            from assay.interfaces.cli import main as run

            if shown and words[0] in LONG:  # what these need anyway, while there is a line
                from assay import api  # noqa: F401
    except KeyboardInterrupt:
        sys.exit(130)
    run()


@contextmanager
def line_while_loading(words: Sequence[str]) -> Iterator[bool]:
    """On a terminal, the command itself, until there is something better to show."""
    helps = not words or words[0].startswith("-") or {"-h", "--help"} & {*words}
    shown = "" if helps or not sys.stderr or not sys.stderr.isatty() else f"assay {words[0]} …"
    _put(f"{shown}\r" if shown else "")
    yield bool(shown)
    _put(f"{' ' * len(shown)}\r" if shown else "")


def _put(text: str) -> None:
    with suppress(OSError, UnicodeError):  # a terminal that cannot show it, or is gone
        if text:
            sys.stderr.write(text)
            sys.stderr.flush()


if __name__ == "__main__":
    main()

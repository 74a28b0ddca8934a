"""Makes the suite `os` from facts: PCI ids, the kernel's alias table, commands, packages.

    python scripts/make_os_suite.py --pci FOLDER

FOLDER holds pci.ids, pci_modules.tsv, pci_class_modules.tsv and module_info.tsv
(docs/reference/os-suite.md says how to make them on any Debian machine). The same facts
give the same files, byte for byte.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from os_suite import commands, drivers, hardware, installation
from os_suite.made import numbered, write_sources, write_tests

SUITE = Path(__file__).resolve().parents[1] / "src" / "assay" / "builtin" / "suites" / "os"
EXAMPLES = 10


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    asked.add_argument("--pci", type=Path, required=True, metavar="FOLDER")
    asked.add_argument("--to", type=Path, default=SUITE, metavar="FOLDER")
    given = asked.parse_args()
    made = {
        "hardware_id": hardware.make(given.pci),
        "driver_select": drivers.make(given.pci),
        "command_complete": commands.make(),
        "installation": installation.make(),
    }
    sources = {}
    for category, all_tests in made.items():
        examples = numbered(category, all_tests[:EXAMPLES], first=901)
        tests = numbered(category, all_tests[EXAMPLES:])
        write_tests(given.to / "few_shot" / f"{category}.json", examples)
        write_tests(given.to / f"{category}.json", tests)
        sources |= tests | examples
        print(f"{category}: {len(tests)} tests, {len(examples)} examples")
    write_sources(given.to / "sources.tsv", sources)


if __name__ == "__main__":
    main()

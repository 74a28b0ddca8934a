"""Build the sdist and the wheel, and use the wheel as somebody without a checkout would.

`make dist` runs it. The distributions stay in dist/. Each command is printed before it runs, with
its duration after it; the first one that fails ends the script with its output and exit code 1.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tarfile
import tempfile
import time
import zipfile
from collections.abc import Iterable, Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
DIST = ROOT / "dist"
CONSTRAINTS = str(ROOT / "constraints.txt")
PACKAGE = "src/"

# What a user of the wheel types, and what has to stand in the output of each command.
COMMANDS = (
    ("assay demo", "Ship "),
    ("assay doctor", "ewe (131 tests)"),
    ("assay new-suite my-tests", "my-tests"),
    ("assay validate my-tests", "0 errors"),
    ("assay run scripted:my-tests/answers/right.json -s my-tests", "my-tests"),
    ("assay suites coding", "writing"),
    ("assay suites ewe --lang fr", "tests"),
)


def main() -> None:
    started = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="assay-dist-") as name:
        folder = Path(name)
        sdist, wheel = build(folder)
        check_contents(sdist, wheel)
        bin_folder = install(wheel, folder)
        version = wheel.name.split("-")[1]
        use(bin_folder, folder, (("assay --version", version), *COMMANDS))
    seconds = time.monotonic() - started
    print(f"\nall worked in {seconds:.0f} s: {sdist.name} ({megabytes(sdist)}), "
          f"{wheel.name} ({megabytes(wheel)})")  # fmt: skip


def build(folder: Path) -> tuple[Path, Path]:
    """Return the sdist and the wheel that is built from it."""
    for old in DIST.glob("slm_assay-*"):
        old.unlink()
    python = make_environment(folder / "build")
    pip_install(python, "build", "hatchling")
    run([python, "-m", "build", "--no-isolation", "--outdir", str(DIST), str(ROOT)])
    (sdist,) = DIST.glob("slm_assay-*.tar.gz")
    (wheel,) = DIST.glob("slm_assay-*.whl")
    return sdist, wheel


def check_contents(sdist: Path, wheel: Path) -> None:
    """Compare both with what git tracks: nothing may be missing, and nothing else be in them."""
    if not (ROOT / ".git").exists():
        print("no git repository: what the distributions contain is not compared")
        return
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    tracked = {path for path in listed.stdout.split("\0") if path and (ROOT / path).exists()}

    with tarfile.open(sdist) as archive:
        files = [member.name for member in archive.getmembers() if not member.isdir()]
    packed = {path.split("/", 1)[1] for path in files}
    compare(sdist.name, packed - {"PKG-INFO"}, tracked)

    with zipfile.ZipFile(wheel) as archive:
        installed = {path for path in archive.namelist() if path.startswith("assay/")}
    sources = {path.removeprefix(PACKAGE) for path in tracked if path.startswith(PACKAGE)}
    compare(wheel.name, installed, sources)


def compare(name: str, packed: set[str], tracked: set[str]) -> None:
    missing, foreign = sorted(tracked - packed), sorted(packed - tracked)
    if missing or foreign:
        sys.exit(f"error: {name} lacks {missing}, and has files that git does not track: {foreign}")
    print(f"{name}: {len(packed)} files, those that git tracks")


def install(wheel: Path, folder: Path) -> Path:
    """Return the folder of commands of a new environment in which only the wheel is installed."""
    python = make_environment(folder / "environment")
    # It says how big PyTorch is before pip downloads it.
    subprocess.run(["sh", str(ROOT / "scripts/announce_torch.sh"), python], check=True)
    pip_install(python, f"{wheel}[local]")
    return Path(python).parent


def make_environment(folder: Path) -> str:
    """Return the Python of a new virtual environment."""
    run([sys.executable, "-m", "venv", str(folder)])
    return str(folder / ("Scripts" if os.name == "nt" else "bin") / "python")


def pip_install(python: str, *what: str) -> None:
    options = ["--disable-pip-version-check", "--quiet", "--no-compile", "-c", CONSTRAINTS]
    run([python, "-m", "pip", "install", *options, *what])


def use(bin_folder: Path, folder: Path, commands: Iterable[tuple[str, str]]) -> None:
    """Type what a user would, in an empty folder, with nothing of the checkout in reach."""
    work = folder / "work"
    work.mkdir()
    environment = {**os.environ, "XDG_DATA_HOME": str(folder / "data")}
    environment["PATH"] = f"{bin_folder}{os.pathsep}{os.environ['PATH']}"
    for name in ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV"):
        environment.pop(name, None)

    where = [str(bin_folder / "python"), "-c", "import assay; print(*assay.__path__)"]
    place = run(where, work, environment).strip()
    if not Path(place).is_relative_to(bin_folder.parent):
        sys.exit(f"error: the package came from {place}, not from the wheel")

    for command, expected in commands:
        words = command.split()
        words[0] = str(bin_folder / words[0])
        printed = run(words, work, environment, shown=command)
        lines = [line.strip() for line in printed.splitlines() if expected in line]
        if not lines:
            sys.exit(f"{printed}\nerror: `{command}` does not print “{expected}”")
        print(f"  … {lines[-1]}")


def run(
    words: list[str],
    folder: Path = ROOT,
    environment: Mapping[str, str] | None = None,
    *,
    shown: str = "",
) -> str:
    """Return what a command printed; end the script if it failed."""
    print(f"$ {shown or ' '.join(words)}", flush=True)
    began = time.monotonic()
    done = subprocess.run(
        words,
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    seconds = time.monotonic() - began
    if done.returncode:
        sys.exit(f"{done.stdout}\nerror: exit code {done.returncode} after {seconds:.0f} s")
    print(f"  worked, {seconds:.1f} s", flush=True)
    return done.stdout


def megabytes(path: Path) -> str:
    return f"{path.stat().st_size / 1e6:.1f} MB"


if __name__ == "__main__":
    main()

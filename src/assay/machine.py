"""The computer Assay runs on, by files and tools of GPU makers; loads neither torch nor a driver,
and never raises: what cannot be found out is left empty.
"""

import importlib.metadata
import json
import os
import platform
import re
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

from assay.types import Machine
from assay.version import __version__

PACKAGES = ("torch", "transformers", "httpcore")
TOOL_TIMEOUT_S = 3.0  # nvidia-smi wakes a sleeping card, which takes its time
_NVIDIA = ("--query-gpu=name,memory.total,driver_version", "--format=csv,noheader,nounits")
_ROCM = ("--showproductname", "--showmeminfo", "vram", "--json")
_CPU_NAMES = re.compile(r"^(?:model name|Model|cpu model|Hardware)\s*:\s*(\S.*)$", re.MULTILINE)
_CGROUP = Path("/sys/fs/cgroup")
WEIGHTS = (".gguf", ".safetensors")
OLLAMA_BLOB = "/blobs/sha256-"
# Nothing better is known before something is timed. To time again at once until it is quiet
# would never end on a shared machine.
QUIET = 0.5  # of the cores: the load of the last minute


_Gpu = tuple[str, int | None]  # in words, and bytes of memory


def this_machine() -> Machine:
    return Machine(
        system=_system(),
        processor=_processor(),
        # Those this process may use: fewer than the machine has, in a container for instance.
        cores=len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1,
        memory_bytes=_memory("total"),
        gpus=tuple(words for words, _ in _gpus()),
        versions=_versions(),
    )


def available_memory() -> int:
    """Bytes a new program could take without swapping; a container's limit counts."""
    return min(_memory("available"), left_in(_CGROUP))


def gpu_memory() -> int | None:
    """Bytes on all GPUs together; None where there is none, or none with a memory of its own."""
    return sum(size or 0 for _, size in _gpus()) or None


def memory_of_listener(port: int) -> int | None:
    """With its children's; None unless one of them has weights mapped, so that it is the server."""
    import psutil

    try:
        listening = (each for each in psutil.net_connections("tcp") if each.status == "LISTEN")
        at_port = (each for each in listening if each.laddr and each.laddr.port == port)
        found = next(each.pid for each in at_port if each.pid)
        whole = [psutil.Process(found), *psutil.Process(found).children(recursive=True)]
        files = {each.path for process in whole for each in process.memory_maps()}
        if not any(path.endswith(WEIGHTS) or OLLAMA_BLOB in path for path in files):
            return None
        return sum(int(process.memory_info().rss) for process in whole)
    except (psutil.Error, OSError, AttributeError, StopIteration):  # macOS shows no maps
        return None


def _system() -> str:
    if sys.platform == "darwin":
        return f"macOS {platform.mac_ver()[0]}".strip()
    if not sys.platform.startswith("linux"):
        return f"{platform.system()} {platform.release()}".strip()
    kernel = re.match(r"\d+\.\d+", platform.release())
    words = f"Linux {kernel.group()}" if kernel else "Linux"
    try:
        about = platform.freedesktop_os_release()
    except OSError:
        return words
    name = _plain(f"{about.get('NAME', '')} {about.get('VERSION_ID', '')}")
    return f"{words}, {name}" if name else words


def _processor() -> str:
    if sys.platform == "darwin":
        found = _said_by(shutil.which("sysctl"), "-n", "machdep.cpu.brand_string")
    elif sys.platform.startswith("linux"):
        names = _CPU_NAMES.search(_text_of(Path("/proc/cpuinfo")))
        board = _text_of(Path("/proc/device-tree/model"))
        found = names.group(1) if names else board
    else:
        found = os.environ.get("PROCESSOR_IDENTIFIER", "")
    # "Intel(R) Core(TM) i5-8250U CPU @ 1.60GHz": the marks tell a reader nothing.
    named = _plain(re.sub(r"\((?:R|TM|r|tm)\)", " ", found))
    return named or platform.processor() or platform.machine()


def _memory(kind: str) -> int:
    import psutil

    try:
        return int(getattr(psutil.virtual_memory(), kind))
    except (psutil.Error, OSError, ValueError, RuntimeError):
        return 0


def left_in(container: Path) -> int:
    """What its limit leaves; files that the kernel keeps in memory can be let go of."""
    try:
        limit, used = (int(_text_of(container / f"memory.{name}")) for name in ("max", "current"))
    except ValueError:  # there is none
        return sys.maxsize
    kept = re.search(r"^inactive_file (\d+)$", _text_of(container / "memory.stat"), re.MULTILINE)
    return max(0, limit - used + (int(kept.group(1)) if kept else 0))


def _versions() -> dict[str, str]:
    own = {"python": platform.python_version(), "assay": __version__}
    packages = {name: installed_version(name) for name in PACKAGES}
    return own | {name: version for name, version in packages.items() if version is not None}


@cache
def installed_version(package: str) -> str | None:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


def _gpus() -> tuple[_Gpu, ...]:
    if sys.platform == "darwin" and platform.machine() == "arm64":
        return ((_processor(), None),)  # the chip's memory is shared with the processor
    return _nvidia(shutil.which("nvidia-smi")) + _amd(shutil.which("rocm-smi"))


@cache
def _nvidia(tool: str | None) -> tuple[_Gpu, ...]:
    """One line a card: `NVIDIA H200, 143771, 550.90.07`, the memory in MiB."""
    found = []
    for line in _said_by(tool, *_NVIDIA).splitlines():
        name, *rest = (_plain(part) for part in line.split(","))
        if len(rest) != 2 or not name:
            continue
        size = int(rest[0]) * 2**20 if rest[0].isdecimal() else None
        found.append(_gpu(name, size, f"driver {rest[1]}"))
    return tuple(found)


@cache
def _amd(tool: str | None) -> tuple[_Gpu, ...]:
    try:
        cards = json.loads(_said_by(tool, *_ROCM) or "{}")
    except ValueError:
        return ()
    found = []
    for key in sorted(cards) if isinstance(cards, dict) else ():
        facts = cards[key]
        if not key.startswith("card") or not isinstance(facts, dict):
            continue
        lower = {str(name).lower(): str(text) for name, text in facts.items()}
        name = _plain(lower.get("card series") or lower.get("card model") or "AMD GPU")
        size = lower.get("vram total memory (b)", "")
        found.append(_gpu(name, int(size) if size.isdecimal() else None))
    return tuple(found)


def _gpu(name: str, size: int | None, *more: str) -> _Gpu:
    memory = [f"{size / 2**30:.0f} GiB"] if size else []
    return ", ".join((name, *memory, *more)), size


def _said_by(tool: str | None, *words: str) -> str:
    if tool is None:
        return ""
    try:
        done = subprocess.run(
            [tool, *words],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=TOOL_TIMEOUT_S,
            check=False,
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    return done.stdout.decode("utf-8", "replace") if done.returncode == 0 else ""


def _text_of(path: Path) -> str:
    try:
        return path.read_text("utf-8", "replace")
    except OSError:
        return ""


def _plain(text: str) -> str:
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())


def is_quiet() -> bool:
    """Whether other programs leave the processor alone, by the load of the last minute."""
    try:
        return os.getloadavg()[0] < QUIET * (os.cpu_count() or 1)
    except (AttributeError, OSError):  # Windows does not tell
        return True

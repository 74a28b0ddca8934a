"""Which checkpoints a path means: one, those of a folder, or those of several model folders.

    run/                        PATH
      config.json               final, if there are steps beside it; else the checkpoint itself
      step_900/config.json      run/step_900

    adapters/                   PATH: LoRA adapters, and the model that they were trained on
      math/adapter_config.json  adapters/math; adapters/base is that model

    models/                     PATH: every model folder has its own selection, and there is one
      a/step_900/config.json    over all

A folder within a checkpoint that has a config.json and no weights (step_900/onnx) is a part of it.
"""

import math
import os
import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from hashlib import sha256
from itertools import chain
from pathlib import Path

from assay.errors import AssayError, UsageError
from assay.messages import tr
from assay.models.local.adapter import find_base, is_adapter
from assay.models.local.folder import ADAPTER_CONFIG
from assay.models.local.hub import HubName, read_hub_spec
from assay.models.opening import is_home_made, read_spec
from assay.types.decisions import PlannedCheckpoint
from assay.types.model_spec import without_secrets

FINAL = "final"
BASE = "base"
TOPMOST = "root"  # of the file system, which has no name
CONFIG = "config.json"
MAKES_CHECKPOINT = (CONFIG, ADAPTER_CONFIG)
WEIGHTS = (".safetensors", ".bin", ".safetensors.index.json", ".bin.index.json")
MOST_OF_A_NAME = 40
MOST_FOLDERS = 10_000  # in one folder; more is no folder of checkpoints


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckpointPlace:
    """`folder`: it was found in, None where named itself; `top`: of model folders. `on_disk`: not a
    plugin's model or a GGUF file.
    """

    spec: str
    path: Path
    parent: str
    step_name: str
    folder: Path | None = None
    top: Path | None = None
    on_disk: bool = True
    served: bool = False  # behind a server, or any other model that writes and reads no text
    is_base: bool = False

    @property
    def name(self) -> str:
        return f"{self.parent or TOPMOST}/{self.step_name or TOPMOST}"

    @property
    def step(self) -> float | None:
        """The last number in its name; None for the final one; 0 before any training."""
        if self.is_base:
            return 0.0
        number = step_of(self.step_name)
        return None if math.isinf(number) else number


def planned_checkpoint(place: CheckpointPlace) -> PlannedCheckpoint:
    return PlannedCheckpoint(
        spec=without_secrets(place.spec),
        name=place.name,
        path=str(place.path),
        step=place.step,
        folder=str(place.folder or ""),
        is_base=place.is_base,
    )


def with_bases(
    found: Sequence[tuple[str, CheckpointPlace | None]], named: str | None
) -> list[tuple[str, CheckpointPlace | None]]:
    """Before the adapters of each folder the base that the first of them has, as the baseline."""
    whole: list[tuple[str, CheckpointPlace | None]] = []
    done: set[Path | None] = {None}
    for spec, place in found:
        if place and place.folder not in done and is_adapter(place.path):
            with suppress(AssayError):  # of the adapter itself, when it is opened
                base = find_base(place.path, named)
                beside = replace(place, spec=base, path=Path(base), step_name=BASE, is_base=True)
                whole.append((base, beside))
                done.add(place.folder)
        whole.append((spec, place))
    return whole


def places_of(
    specs: Sequence[str], *, holding: Sequence[str] = MAKES_CHECKPOINT
) -> list[tuple[str, CheckpointPlace | None]]:
    """How to open each model meant, and its place; `holding` makes a folder a checkpoint."""
    found = _each_once([(spec, place) for spec in specs for place in _places(spec, holding)])
    places = _with_different_names([place for _, place in found])
    return [
        (place.spec if place else spec, place)
        for (spec, _), place in zip(found, places, strict=True)
    ]


def _each_once(
    found: Sequence[tuple[str, CheckpointPlace | None]],
) -> list[tuple[str, CheckpointPlace | None]]:
    inside: dict[str, CheckpointPlace] = {}
    for _, place in found:
        if place is not None and place.folder is not None:
            inside.setdefault(os.path.abspath(place.path), place)
    resolved = {os.path.realpath(path) for path in inside}

    def counts(place: CheckpointPlace | None) -> bool:
        if place is None:
            return True
        if place.folder is None:
            return not place.on_disk or os.path.realpath(place.path) not in resolved
        return inside[os.path.abspath(place.path)] is place

    return [(spec, place) for spec, place in found if counts(place)]


def _places(spec: str, holding: Sequence[str]) -> Sequence[CheckpointPlace | None]:
    read = read_spec(spec)
    if read.name and is_home_made(read):
        return [place_of_plugin(spec)]
    if read.scheme == "gguf" and read.name:
        return [place_of_gguf(spec)]
    if on_hub := read_hub_spec(spec):
        return [place_on_hub(on_hub)]
    if read.scheme != "hf" or not read.name or not Path(read.name).is_dir():
        return [None]
    path = Path(read.name)
    below = ((folder, _steps_of_model(folder, holding)) for folder in subfolders(path))
    groups = {folder: steps for folder, steps in below if steps}
    if groups:
        alone = [step for step in _steps_in(path, holding) if step not in groups]
        inside = (_of_folder(*group, holding, top=path) for group in groups.items())
        return [*chain(*inside), *(_found(step, path, step.name, top=path) for step in alone)]
    if steps := _steps_of_model(path, holding):
        return [*_of_folder(path, steps, holding, top=None)]
    here = Path(os.path.abspath(path))
    return [CheckpointPlace(spec=spec, path=path, parent=here.parent.name, step_name=here.name)]


def place_of_plugin(spec: str) -> CheckpointPlace:
    """SCHEME/NAME, as a file system takes it: a changed name gets a few digits of its hash."""
    scheme, _, name = spec.partition(":")
    safe = re.sub(r"[^\w.@+=-]+", "-", name).strip(".-")
    if safe != name:
        safe = f"{safe}-{sha256(name.encode('utf-8', 'surrogatepass')).hexdigest()[:6]}".lstrip("-")
    return CheckpointPlace(spec=spec, path=Path(), parent=scheme, step_name=safe, on_disk=False)


def place_of_served(spec: str) -> CheckpointPlace | None:
    """Of a model that only a gate somebody named decides on; None for a path."""
    if read_spec(spec).scheme == "hf":
        return None
    place = place_of_plugin(without_secrets(spec))
    name = place.step_name[-MOST_OF_A_NAME:].lstrip(".-")  # of a file's path the end, and the hash
    return replace(place, spec=spec, step_name=name, served=True)


def place_of_gguf(spec: str) -> CheckpointPlace:
    """It has no folder to write into, and the speed that counts is its server's."""
    place = place_of_served(spec)
    assert place is not None
    return replace(place, served=False)


def place_on_hub(model: HubName) -> CheckpointPlace:
    """ORG/NAME[@REVISION], and no path but what was typed: nothing is written into the cache."""
    parent, _, name = str(model).removeprefix("hf:").partition("/")
    step_name = name.replace("/", "-")
    return CheckpointPlace(
        spec=str(model), path=Path(str(model)), parent=parent, step_name=step_name
    )


def _of_folder(
    folder: Path, steps: Sequence[Path], holding: Sequence[str], *, top: Path | None
) -> Iterator[CheckpointPlace]:
    yield from (_found(step, folder, step.name, top=top) for step in steps)
    if _holds(folder, holding):
        yield _found(folder, folder, FINAL, top=top)


def _found(path: Path, folder: Path, step_name: str, *, top: Path | None) -> CheckpointPlace:
    as_path = read_spec(str(path)).scheme == "hf"
    return CheckpointPlace(
        spec=str(path) if as_path else f"hf:{path}",
        path=path,
        parent=Path(os.path.abspath(folder)).name,
        step_name=step_name,
        folder=folder,
        top=top,
    )


def _holds(folder: Path, any_of: Sequence[str]) -> bool:
    return any((folder / name).is_file() for name in any_of)


def _steps_of_model(folder: Path, holding: Sequence[str]) -> list[Path]:
    """None where it is itself a checkpoint, whose parts may have a config.json of their own."""
    steps = _steps_in(folder, holding)
    others = [name for name in holding if name not in MAKES_CHECKPOINT]
    files = (path.name for step in steps for path in step.glob("*"))
    has_weights = any(name.endswith(WEIGHTS) for name in files)
    reported = any(_holds(step, others) for step in steps)
    is_checkpoint = _holds(folder, MAKES_CHECKPOINT) and not has_weights and not reported
    return [] if is_checkpoint else steps


def _steps_in(folder: Path, holding: Sequence[str]) -> list[Path]:
    found = [path for path in subfolders(folder) if _holds(path, holding)]
    return sorted(found, key=lambda path: (step_of(path.name), path.name))


def step_of(name: str) -> float:
    """By the last number in a name, 900 before 1000; one without a number comes last."""
    numbers = re.findall(r"[0-9]+", name)
    return float(numbers[-1]) if numbers else math.inf


def is_text(name: str) -> bool:
    """Whether it is UTF-8. A file system takes other names; neither a store nor JSON can."""
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def subfolders(folder: Path) -> list[Path]:
    """Those a user would see; what cannot be read is not there, nor a link to where we are."""
    here = Path(os.path.realpath(folder))
    above = {here, *here.parents}
    try:
        with os.scandir(folder) as entries:
            seen = [
                entry.path
                for entry in entries
                if entry.name[0] != "." and _leads_down(entry, above)
            ]
    except OSError:
        return []
    for path in seen:  # no store and no report could name it
        if not is_text(path) and (Path(path) / CONFIG).is_file():
            shown = os.fsencode(path).decode("utf-8", "backslashreplace")
            raise UsageError(
                tr("the name of the checkpoint folder {path} is not UTF-8", path=shown),
                hint=tr("rename it"),
            )
    return sorted(Path(path) for path in seen[:MOST_FOLDERS])


def _leads_down(entry: os.DirEntry[str], above: Collection[Path]) -> bool:
    """`os.path.isdir`, and not the entry's: links may lead to each other."""
    is_link = entry.is_symlink()
    return os.path.isdir(entry.path) and not (is_link and Path(entry.path).resolve() in above)


def _with_different_names(places: Sequence[CheckpointPlace | None]) -> list[CheckpointPlace | None]:
    """Two model folders of one name in different places must not share their reports."""
    homes = {(place.parent, _home(place)) for place in places if place is not None}
    counted = Counter(name for name, _ in homes)
    return [
        replace(place, parent=f"{place.parent}-{sha256(_home(place)).hexdigest()[:6]}")
        if place is not None and counted[place.parent] > 1
        else place
        for place in places
    ]


def _home(place: CheckpointPlace) -> bytes:
    return os.fsencode(os.path.abspath(place.folder or place.path.absolute().parent))

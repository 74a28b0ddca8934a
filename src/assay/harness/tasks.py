"""A task or group by its name, loaded with its documents; what cannot be asked is refused by name
before anything is loaded.
"""

import random
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from assay.errors import UsageError, raise_all
from assay.harness.names import TaskNames
from assay.harness.needed import needed, quietly
from assay.messages import tr

# As the harness's command line has them.
RANDOM_SEED, OTHER_SEED = 0, 1234
NO_SCRIPTS = "Dataset scripts are no longer supported"
LONGEST_WHY = 300
# Ten lines of aliases unfold to millions of values, which the harness would copy with its
# config.
MOST_VALUES = 100_000  # of a user's file, aliases unfolded
MERGED = "tag:yaml.org,2002:merge"


@dataclass(frozen=True, slots=True)
class HarnessTasks:
    """`tasks`: the leaves by name, their requests built; `groups`: those that hold them."""

    name: str
    tasks: dict[str, Any]
    groups: dict[str, Any]
    files: tuple[Path, ...]


def load_tasks(name: str, include: Sequence[Path], *, allow_code: bool) -> HarnessTasks:
    """As `lm_eval --tasks NAME --include_path DIR` does, without a chat template."""
    names = TaskNames(include)
    names.find(name)
    files: dict[Path, None] = {}
    refusals = list(_refusals(name, names, files, set(), allow_code=allow_code))
    raise_all(list({each.message: each for each in refusals}.values()))
    if not allow_code and any(map(_is_users, files)):
        _confine_templates()
    manager = needed("lm_eval.tasks").TaskManager(include_defaults=False)
    manager._index = names
    _seed()
    with quietly():
        try:
            loaded = manager.load([name])
            for task in loaded["tasks"].values():
                _prepare(task)
        # Its tasks are programs: data sets, templates and functions may raise anything.
        except Exception as error:
            raise _cannot_load(name, error) from error
    raise_all([_refused(task_name, *why) for task_name, task in loaded["tasks"].items()
               for why in _unfit(task)])  # fmt: skip
    return HarnessTasks(name, loaded["tasks"], loaded.get("groups", {}), tuple(files))


def _confine_templates() -> None:
    """A template of a user's file reaches nothing that leads from a text to a program, and ends.
    The harness renders all templates of a process in one environment; this one takes its place.
    """
    from assay.harness.templates import Confined

    utils = needed("lm_eval.utils")
    confined = Confined(
        loader=utils.env.loader, undefined=utils.env.undefined, keep_trailing_newline=True
    )
    confined.filters.update(utils.env.filters)
    utils.env = confined


def _prepare(task: Any) -> None:
    """As simple_evaluate does."""
    if task.get_config("num_fewshot") is None:
        task.set_config(key="num_fewshot", value=0)
    task.set_fewshot_seed(seed=OTHER_SEED)
    if not any(True for _ in _unfit(task)):
        task.build_all_requests()


def _seed() -> None:
    """Some tasks shuffle their documents by the global generators."""
    import numpy as np

    random.seed(RANDOM_SEED)
    np.random.seed(OTHER_SEED)
    if "torch" in sys.modules:
        sys.modules["torch"].manual_seed(OTHER_SEED)


def _unfit(task: Any) -> Iterator[tuple[str, str]]:
    if getattr(task, "UNSAFE_CODE", False):
        yield _UNSAFE()
    if getattr(task, "MULTIMODAL", False):
        yield _IMAGES()


def _UNSAFE() -> tuple[str, str]:
    return tr("it runs code that models write (unsafe_code: true)"), tr(
        "choose another task; the suite coding runs such code in a sandbox"
    )


def _IMAGES() -> tuple[str, str]:
    return tr("it shows images or plays sound"), tr("choose a task of text")


def _refusals(
    name: str, names: TaskNames, files: dict[Path, None], met: set[str], *, allow_code: bool
) -> Iterator[UsageError]:
    """Of the files of a task, and of all below a group or tag, read without running anything."""
    if name in met:
        return
    met.add(name)
    entry = names[name]
    kind = entry.kind.name
    if kind == "TAG":
        for each in sorted(entry.tags):
            yield from _refusals(each, names, files, met, allow_code=allow_code)
        return
    if entry.yaml_path is None:
        return
    path = Path(entry.yaml_path)
    config = needed("lm_eval.tasks._yaml_loader").load_yaml(path, resolve_func=False)
    found = list(_refused_files(name, path, files, allow_code=allow_code))
    yield from found
    if any(isinstance(each, _TooMany) for each in found):
        return
    if kind == "GROUP":
        for child in _children(config):
            if child in names:
                yield from _refusals(child, names, files, met, allow_code=allow_code)
        return
    if config.get("unsafe_code"):
        yield _refused(name, *_UNSAFE())
    if config.get("doc_to_image") or config.get("doc_to_audio"):
        yield _refused(name, *_IMAGES())
    if _is_script(str(config.get("dataset_path") or "")):
        yield _refused(name, *_script())


class _TooMany(UsageError):
    """Nothing else of the file can be read through."""


def _refused_files(
    name: str, path: Path, files: dict[Path, None], *, allow_code: bool
) -> Iterator[UsageError]:
    for file in _with_includes(path):
        files[file] = None
        if not _is_users(file):
            continue
        values = list(islice(_values_in(file), MOST_VALUES))
        if len(values) == MOST_VALUES:
            yield _TooMany(
                tr("{file} unfolds to more than {most} values", file=file, most=MOST_VALUES),
                hint=tr("write the rows into a file of data, and name it in data_files"),
            )
        elif not allow_code and (what := _code_in(values)):
            yield UsageError(
                tr("{task} runs Python code of {file} ({what})", task=name, file=file, what=what),
                hint=tr("look at it, and add --allow-code-execution if you trust it"),
            )


def _script() -> tuple[str, str]:
    return tr("its data set has a loading script, which is a program"), tr(
        "save the data as JSON or Parquet, and name it in a task file of your own"
    )


def _refused(name: str, why: str, hint: str) -> UsageError:
    return UsageError(tr("lm-eval:{task} cannot be asked: {why}", task=name, why=why), hint=hint)


def _cannot_load(name: str, error: Exception) -> UsageError:
    if NO_SCRIPTS in str(error):
        return _refused(name, *_script())
    why = " ".join(f"{type(error).__name__}: {error}".split())[:LONGEST_WHY]
    return UsageError(
        tr("lm-evaluation-harness cannot load {task}: {why}", task=name, why=why),
        hint=tr("`lm_eval run --tasks {task} --limit 1 --model dummy` shows the same; data sets "
                "that are not in the local cache need a connection", task=name),
    )  # fmt: skip


def _is_script(data_set: str) -> bool:
    path = Path(data_set)
    return path.suffix == ".py" or (path / f"{path.name}.py").is_file()


def _is_users(file: Path) -> bool:
    return not file.is_relative_to(Path(needed("lm_eval.tasks").__file__).resolve().parent)


def _with_includes(path: Path, seen: frozenset[Path] = frozenset()) -> Iterator[Path]:
    path = path.expanduser().resolve()
    if path in seen or not path.is_file():
        return
    yield path
    named = needed("lm_eval.tasks._yaml_loader").load_yaml(
        path, resolve_func=False, recursive=False
    ).get("include")  # fmt: skip
    for each in [named] if isinstance(named, str) else named or ():
        yield from _with_includes(path.parent / each, seen | {path})


@dataclass(frozen=True, slots=True)
class _Value:
    """One of a file's, with the keys that lead to it and its tag as they are written."""

    keys: tuple[str, ...]
    tag: str
    scalar: str


def _values_in(file: Path) -> Iterator[_Value]:
    """As the harness's own parser has them. What stands behind an alias counts at each place: a few
    lines may unfold to millions, or never end.
    """
    yaml, loader = needed("yaml"), needed("lm_eval.tasks._yaml_loader")._Base
    with file.open("rb") as opened:
        todo: list[tuple[tuple[str, ...], Any]] = [((), yaml.compose(opened, Loader=loader))]
    while todo:
        keys, node = todo.pop()
        if node is None:
            continue
        yield _Value(keys, node.tag, node.value if isinstance(node.value, str) else "")
        if isinstance(node, yaml.MappingNode):
            for key, value in node.value:
                todo.append((keys, key))
                # What is merged in stands where the rest of the mapping does.
                merged = key.tag == MERGED
                todo.append((keys if merged else (*keys[-1:], str(key.value)), value))
        elif isinstance(node, yaml.SequenceNode):
            todo += [(keys, each) for each in node.value]


def _code_in(values: Sequence[_Value]) -> str:
    """`!function` or `class:`, or a metric that is not the harness's own: the library `evaluate`
    runs the program of that name or folder. "" where there is none.
    """
    known = needed("lm_eval.api.registry").metric_registry
    needed("lm_eval.api.metrics")
    for each in values:
        key = each.keys[-1] if each.keys else ""
        if each.tag.startswith("!"):
            return f"{each.tag} {each.scalar}".strip()
        if key in ("class", "hf_evaluate"):
            return f"{key}: {each.scalar}"
        if each.keys == ("metric_list", "metric") and each.scalar not in known:
            return f"metric: {each.scalar}"
    return ""


def _children(config: dict[str, Any]) -> Iterator[str]:
    """Of a file whose values can be counted, or of the harness's own."""
    listed = config.get("task") or ()
    for each in [listed] if isinstance(listed, str | dict) else listed:
        if isinstance(each, str):
            yield each
        elif isinstance(each.get("group"), str):
            yield each["group"]
            yield from _children(each)
        elif isinstance(each.get("task"), str):
            yield each["task"]
        else:
            yield from _children(each)

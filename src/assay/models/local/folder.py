"""A checkpoint folder: every mistake that shows before anything large is read is found here."""

import importlib.util
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

from assay.errors import ModelUnavailable, raise_all
from assay.messages import tr
from assay.text.safe_text import one_line

CONFIG_BYTES = 10 * 2**20  # the largest in use, with thousands of labels, have a few hundred KB
TOKENIZER_BYTES = 500 * 2**20
LEVELS_UP = 2
SHOWN = 5
LONGEST_NAME = 80  # characters of a name out of config.json that are shown
SAFETENSORS, PICKLE = "model.safetensors", "pytorch_model.bin"
ADAPTER, ADAPTER_CONFIG = "adapter_model.safetensors", "adapter_config.json"
INDEX = ".index.json"

# Any one of these rows makes a tokenizer.
TOKENIZERS = (
    ("tokenizer.json",),
    ("tokenizer.model",),
    ("spiece.model",),
    ("vocab.json", "merges.txt"),
    ("vocab.txt",),
)
_BESIDE = ("added_tokens.json", "special_tokens_map.json")
TOKENIZER_FILES = tuple(sorted({*chain.from_iterable(TOKENIZERS), *_BESIDE}))
_CAUSAL = ("ForCausalLM", "LMHeadModel", "WithLMHead", "ForConditionalGeneration")
_OWN_CODE = ("AutoConfig", "AutoModel", "AutoModelForCausalLM")


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkpoint:
    """`path` is as the user typed it; `generation` is generation_config.json, if there is one."""

    path: Path
    config: Mapping[str, Any]
    weight_files: tuple[Path, ...]
    tokenizer_folder: Path
    chat_template: str | None = None  # a base model has none and gets plain prompts
    generation: Mapping[str, Any]
    trust_remote_code: bool = False
    is_gguf: bool = False

    @property
    def is_safetensors(self) -> bool:
        """Otherwise a pickle, of which only tensors are read."""
        return self.weight_files[0].suffix == ".safetensors"


def refuse_others(path: Path) -> None:
    """What people name instead of a folder with a config.json."""
    if path.is_file():
        raise ModelUnavailable(
            tr("{path} is a file, not the folder of a checkpoint", path=path),
            hint=tr("name the folder that holds it: {folder}", folder=path.absolute().parent),
        )
    try:
        names = sorted(os.listdir(path))
    except OSError as error:
        raise ModelUnavailable(
            tr("the folder {path} cannot be read: {why}", path=path, why=error.strerror or error),
            hint=tr("name the folder of a checkpoint: the one with config.json and the weights"),
        ) from error
    checkpoints = [str(path / name) for name in names if (path / name / "config.json").is_file()]
    if "config.json" not in names and checkpoints:
        raise ModelUnavailable(
            tr("{path} is a folder of checkpoints, not one of them", path=path),
            hint=tr("name one of them: {names}", names=", ".join(checkpoints[:SHOWN])),
        )
    if "config.json" not in names:
        raise ModelUnavailable(
            tr("{path} has no config.json", path=path),
            hint=tr(
                "a checkpoint folder holds config.json, model.safetensors and tokenizer.json, as "
                "save_pretrained() of transformers writes them"
            ),
        )


def read_config(file: Path, trust_remote_code: bool) -> dict[str, Any]:
    config = read_object(file, CONFIG_BYTES)
    kind = config.get("model_type")
    if not isinstance(kind, str) or not kind:
        raise ModelUnavailable(
            tr("{file} does not say which kind of model it is (model_type)", file=file),
            hint=tr("copy config.json from where the model was trained, with its model_type"),
        )
    own_code = config.get("auto_map")
    has_own_code = isinstance(own_code, dict) and any(name in own_code for name in _OWN_CODE)
    if has_own_code and not trust_remote_code and not _in_transformers(kind):
        raise ModelUnavailable(
            tr("{path} needs Python code of its own ({kind}), which Assay does not run unasked",
               path=file.parent, kind=one_line(kind, longest=LONGEST_NAME)),
            hint=tr("read the code in that folder; if you trust it, add --trust-remote-code"),
        )  # fmt: skip
    mistakes = []
    if config.get("quantization_config"):
        mistakes.append(
            ModelUnavailable(
                tr("{path} is quantised (quantization_config in config.json)", path=file.parent),
                hint=tr("name the checkpoint it was made from, or serve it: openai:NAME@URL"),
            )
        )
    if not (has_own_code and trust_remote_code) and not _is_causal(config):
        mistakes.append(
            ModelUnavailable(
                tr("{path} is no causal language model: its architecture is {names}",
                   path=file.parent,
                   names=one_line(str(config.get("architectures") or kind), longest=LONGEST_NAME)),
                hint=tr("name a model that writes from left to right, saved with its language "
                        "head, such as LlamaForCausalLM"),
            )
        )  # fmt: skip
    raise_all(mistakes)
    return config


def _is_causal(config: Mapping[str, Any]) -> bool:
    """As far as the config tells: where it names no architecture, transformers decides later."""
    if config.get("is_encoder_decoder") is True:
        return False
    named = config.get("architectures") or ["ForCausalLM"]
    return isinstance(named, list) and any(
        isinstance(name, str) and name.endswith(_CAUSAL) for name in named
    )


def _in_transformers(kind: str) -> bool:
    """Found without importing it: then the code in the folder is neither needed nor run."""
    found = importlib.util.find_spec("transformers")
    places = found.submodule_search_locations if found else None
    name = kind.replace("-", "_")
    return name.isidentifier() and any((Path(at) / "models" / name).is_dir() for at in places or ())


def weight_files_of(path: Path) -> tuple[Path, ...]:
    for name in (SAFETENSORS, PICKLE):
        if (path / name).is_file():
            return (path / name,)
        if (path / (name + INDEX)).is_file():
            return _shards(path / (name + INDEX), Path(name).suffix)
    raise ModelUnavailable(
        tr("{path} has no weights: neither {one} nor {other}",
           path=path, one=SAFETENSORS, other=PICKLE),
        hint=tr("save the model with save_pretrained() of transformers, or copy all of its files"),
    )  # fmt: skip


def _shards(index: Path, suffix: str) -> tuple[Path, ...]:
    files = weights_named_in(index, suffix)
    raise_all(
        [
            ModelUnavailable(
                tr("{index} names {name}, which is not there", index=index, name=name),
                hint=tr("copy the missing files into {folder}", folder=index.parent),
            )
            for name in files
            if not (index.parent / name).is_file()
        ]
    )
    return tuple(index.parent / name for name in files)


def weights_named_in(index: Path, suffix: str) -> list[str]:
    named = read_object(index, TOKENIZER_BYTES).get("weight_map")
    files = set(map(str, named.values())) if isinstance(named, dict) else set()
    if not files or any(Path(name).name != name or not name.endswith(suffix) for name in files):
        raise ModelUnavailable(
            tr("{file} does not list the weight files of its folder", file=index),
            hint=tr("copy the checkpoint again from where it was trained"),
        )
    return sorted(files)


def find_tokenizer(path: Path, wanted: Path | None = None) -> Path:
    if wanted is not None:
        if not has_tokenizer(wanted):
            raise ModelUnavailable(
                tr("there is no tokenizer in {folder} (tokenizer.json)", folder=wanted),
                hint=tr("name with --tokenizer a folder that holds a tokenizer.json"),
            )
        return wanted
    here = Path(os.path.abspath(path))  # of "run/..": the parent a user sees, links unfollowed
    for folder in (path, *here.parents[:LEVELS_UP]):
        if has_tokenizer(folder):
            return folder
    raise ModelUnavailable(
        tr("no tokenizer (tokenizer.json) in {path}, nor in the two folders above it", path=path),
        hint=tr("name its folder with --tokenizer DIR, or copy tokenizer.json beside the weights"),
    )


def has_tokenizer(folder: Path) -> bool:
    return any(all((folder / name).is_file() for name in names) for names in TOKENIZERS)


def chat_template_of(folder: Path) -> str | None:
    file = folder / "chat_template.jinja"
    if file.is_file():
        return read_text(file, CONFIG_BYTES) or None
    settings = folder / "tokenizer_config.json"
    if not settings.is_file():
        return None
    found = read_object(settings, TOKENIZER_BYTES).get("chat_template")
    if isinstance(found, list):  # several under names; the default one is for conversations
        named = {each.get("name"): each.get("template") for each in found if isinstance(each, dict)}
        found = named.get("default")
    return found if isinstance(found, str) and found else None


def read_object(path: Path, most_bytes: int) -> dict[str, Any]:
    text = read_text(path, most_bytes)
    try:
        document = json.loads(text)
    except (ValueError, RecursionError) as error:
        why = tr("it is nested too deeply") if isinstance(error, RecursionError) else str(error)
        raise _invalid_file(path, why) from error
    if not isinstance(document, dict):
        raise _invalid_file(path, tr("it must be a JSON object"))
    return document


def read_text(path: Path, most_bytes: int) -> str:
    try:
        if not path.is_file():
            raise _invalid_file(path, tr("it is not a file"))
        with path.open("rb") as file:
            raw = file.read(most_bytes + 1)
    except OSError as error:
        raise _invalid_file(path, error.strerror or str(error)) from error
    if len(raw) > most_bytes:
        raise _invalid_file(path, tr("it has more than {count} MB", count=most_bytes // 2**20))
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise _invalid_file(path, tr("it is not UTF-8 text")) from error


def _invalid_file(path: Path, why: str) -> ModelUnavailable:
    return ModelUnavailable(
        tr("{path} cannot be used: {why}", path=path, why=why),
        hint=tr("copy the file again from where the model was trained"),
    )

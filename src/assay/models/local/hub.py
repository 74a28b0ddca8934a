"""`hf:ORG/NAME[@REVISION]`: a model of the Hugging Face hub, as a folder of its local cache, with
what a checkpoint needs. Weights are fetched here, so that the same command continues within a file.
"""

import logging
import os
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

from assay.errors import AssayError, ModelUnavailable
from assay.messages import tr
from assay.models.local.folder import (
    ADAPTER,
    INDEX,
    SAFETENSORS,
    TOKENIZER_FILES,
    weight_files_of,
    weights_named_in,
)
from assay.models.local.loading.skeleton import reason, require_extra
from assay.plugins import file_digest
from assay.text.number_format import memory
from assay.types.model_spec import without_secrets
from assay.types.scores import Observer, SilentProgress

SILENT = SilentProgress()
_SPEC = re.compile(
    r"hf:(?P<name>[a-z0-9][\w.-]*/[a-z0-9][\w.-]*)(?:@(?P<revision>\w[\w./-]*))?",
    re.ASCII | re.IGNORECASE,
)
_COMMIT = re.compile(r"[0-9a-f]{40}")
_SHA256 = re.compile(r"[0-9a-f]{64}")
_SMALL_FILES = (
    "config.json",
    "adapter_config.json",
    "generation_config.json",
    "tokenizer_config.json",
    "chat_template.jinja",
    *TOKENIZER_FILES,
)
_QUIET = {"HF_HUB_DISABLE_TELEMETRY": "1", "HF_HUB_DISABLE_PROGRESS_BARS": "1"}


class HubName(NamedTuple):
    name: str
    revision: str | None = None

    def __str__(self) -> str:
        return f"hf:{self.name}" + (f"@{self.revision}" if self.revision else "")


def read_hub_spec(text: str) -> HubName | None:
    """What `hf:ORG/NAME[@REVISION]` names; None for anything else, and for a path that exists."""
    found = _SPEC.fullmatch(text)
    if found is None or ".." in text or os.path.lexists(text.removeprefix("hf:")):
        return None
    return HubName(found["name"], found["revision"])


def fetch_model(
    wanted: HubName, *, trust_remote_code: bool = False, observer: Observer = SILENT
) -> Path:
    """Downloaded where the cache lacks it; where the hub cannot be reached, the cache will do."""
    found = find_model(wanted, trust_remote_code=trust_remote_code)
    # A download is never silent: a program that watches nothing finds it in its log.
    is_watched = type(observer) is not SilentProgress
    say = observer.note if is_watched else logging.getLogger("assay").warning
    if isinstance(found, Path):
        if wanted.revision != found.name:
            observer.note(
                tr("{model} is taken from the local cache (commit {commit})",
                   model=wanted, commit=found.name[:12])
            )  # fmt: skip
        return found
    return found.download(say)


@dataclass(frozen=True, slots=True)
class FoundModel:
    wanted: HubName
    commit: str
    files: tuple[str, ...]
    missing: dict[str, int]

    def download(self, say: Callable[[str], None]) -> Path:
        hub, whole, done = _library(), max(1, sum(self.missing.values())), 0
        gaps = {"model": self.wanted, "size": memory(whole), "hub": _hub()}
        if self.missing:
            say(tr("{model}: downloading {size} from {hub} (commit {commit})", **gaps,
                   commit=self.commit[:12]))  # fmt: skip

        def more(count: float | None = 1) -> None:
            nonlocal done
            before, done = done, done + int(count or 0)
            if 10 * before // whole < 10 * done // whole:
                say(tr("{model}: {done} of {size} downloaded", **gaps, done=memory(done)))

        with _as_refusals(self.wanted, lambda: (done, whole)):
            for name in self.files:
                if name in self.missing and name.endswith(".safetensors"):
                    self._fetch_weights(hub, name, more)
                path = hub.hf_hub_download(self.wanted.name, name, revision=self.commit)
                if name in self.missing and not name.endswith(".safetensors"):
                    more(self.missing[name])
            # Once more by its branch or tag: offline, the cache then knows what that means.
            hub.hf_hub_download(self.wanted.name, self.files[0], revision=self.wanted.revision)
        return Path(path).parent

    def _fetch_weights(self, hub: Any, name: str, more: Callable[[float | None], None]) -> None:
        """Into the cache's own place for the file, where the library finds it."""
        files, utils = hub.file_download, hub.utils
        url = hub.hf_hub_url(self.wanted.name, name, revision=self.commit)
        about = hub.get_hf_file_metadata(url)
        cache = Path(hub.constants.HF_HUB_CACHE)
        home = files.repo_folder_name(repo_id=self.wanted.name, repo_type="model")
        blob = cache / home / "blobs" / os.path.basename(str(about.etag))
        part = blob.with_name(f"{blob.name}.part")
        lock = cache / ".locks" / home / f"{blob.name}.lock"  # the library's own
        for folder in (blob.parent, lock.parent):
            folder.mkdir(parents=True, exist_ok=True)
        with utils.WeakFileLock(lock), part.open("ab") as file:
            if blob.exists():
                return
            if about.size is not None and file.tell() > about.size:
                file.truncate(0)
            more(file.tell())
            files.http_get(
                url,
                file,
                resume_size=file.tell(),
                headers=utils.build_hf_headers(),
                expected_size=about.size,
                tqdm_class=_bar_that_calls(more),
            )
            file.flush()
            if _SHA256.fullmatch(blob.name) and file_digest(part) != blob.name:
                part.unlink()
                raise OSError(tr("{file} arrived damaged", file=name))
            part.rename(blob)


def find_model(wanted: HubName, *, trust_remote_code: bool = False) -> FoundModel | Path:
    hub = _library()
    cached = _in_cache(hub, wanted)
    if cached is not None and (hub.constants.HF_HUB_OFFLINE or wanted.revision == cached.name):
        return cached
    try:
        with _as_refusals(wanted):
            return _look_up(hub, wanted, trust_remote_code)
    except _Unreachable:
        if cached is None:
            raise
        return cached


def _look_up(hub: Any, wanted: HubName, trust_remote_code: bool) -> FoundModel:
    info = hub.HfApi().model_info(wanted.name, revision=wanted.revision, files_metadata=True)
    commit = str(info.sha)
    if not _COMMIT.fullmatch(commit):
        raise ValueError(tr("its answer names no commit"))
    sizes = {each.rfilename: int(each.size or 0) for each in info.siblings or ()}
    small = [name for name in _SMALL_FILES if name in sizes]
    if trust_remote_code:
        small += sorted(name for name in sizes if re.fullmatch(r"\w+\.py", name))
    weights = [name for name in (SAFETENSORS, ADAPTER) if name in sizes][:1]
    if not weights and SAFETENSORS + INDEX in sizes:
        small.append(SAFETENSORS + INDEX)
        index = hub.hf_hub_download(wanted.name, SAFETENSORS + INDEX, revision=commit)
        weights = weights_named_in(Path(index), ".safetensors")
    config = "adapter_config.json" if weights == [ADAPTER] else "config.json"
    needed = (config, *(weights or ["*.safetensors"]))
    if lacking := [name for name in needed if name not in sizes]:
        raise ModelUnavailable(
            tr("{model} lacks files that Assay needs: {names}",
               model=wanted, names=", ".join(lacking)),
            hint=tr("name a model with config.json and weights as safetensors (no pickle, no GGUF "
                    "is loaded from the hub), or another revision of it"),
        )  # fmt: skip
    files = (*small, *weights)
    known = {name for name in files if _cached_file(hub, HubName(wanted.name, commit), name)}
    missing = {name: sizes[name] for name in files if name not in known}
    return FoundModel(wanted, commit, files, missing)


def _in_cache(hub: Any, wanted: HubName) -> Path | None:
    if adapter := _cached_file(hub, wanted, ADAPTER):
        return adapter.parent
    if config := _cached_file(hub, wanted, "config.json"):
        with suppress(AssayError):
            if weight_files_of(config.parent)[0].suffix == ".safetensors":
                return config.parent
    return None


def _cached_file(hub: Any, wanted: HubName, name: str) -> Path | None:
    found = hub.try_to_load_from_cache(wanted.name, name, revision=wanted.revision)
    return Path(found) if isinstance(found, str) else None


class _Unreachable(ModelUnavailable):
    """The hub does not answer, or must not be asked; the cache may do."""


@contextmanager
def _as_refusals(
    wanted: HubName, progress: Callable[[], Sequence[int]] = lambda: ()
) -> Iterator[None]:
    errors = _library().errors
    of_network = errors.HfHubHTTPError.__bases__[0]  # httpx, under the name the library uses
    gaps = {"model": str(wanted), "hub": _hub(), "page": f"{_hub()}/{wanted.name}"}
    try:
        yield
    except errors.GatedRepoError as error:
        raise ModelUnavailable(
            tr("{model} is gated: its owner asks you to accept terms first", **gaps),
            hint=tr("accept them at {page}, then set HF_TOKEN or run `hf auth login`", **gaps),
        ) from error
    except errors.RepositoryNotFoundError as error:
        raise ModelUnavailable(
            tr("there is no model {model} at {hub}, or it is private, and no such folder", **gaps),
            hint=tr("check the name; for a private model set HF_TOKEN or run `hf auth login`"),
        ) from error
    except errors.RevisionNotFoundError as error:
        raise ModelUnavailable(
            tr("{model}: there is no such revision", **gaps),
            hint=tr("name a branch, tag or commit of {page}", **gaps),
        ) from error
    except errors.OfflineModeIsEnabled as error:
        raise _Unreachable(
            tr("{model} is not in the local cache, and HF_HUB_OFFLINE is set", **gaps),
            hint=tr("unset HF_HUB_OFFLINE to download it, or name the folder of a copy"),
        ) from error
    except (of_network, OSError, ValueError) as error:
        why = without_secrets(reason(error))
        done = [memory(each) for each in progress()]
        if done:
            gaps |= {"done": done[0], "size": done[1]}
            problem = tr(
                "{model}: the download stopped at {done} of {size}: {why}", **gaps, why=why
            )
            hint = tr("check network and disk; the same command continues the download")
        else:
            problem = tr("{model} cannot be read from {hub}: {why}", **gaps, why=why)
            hint = tr("check the network and run the same command again, or name the folder of a "
                      "copy")  # fmt: skip
        raise _Unreachable(problem, hint=hint) from error


def _library() -> Any:
    """It comes with transformers."""
    require_extra()
    for variable, value in _QUIET.items():
        os.environ.setdefault(variable, value)
    hub = import_module("huggingface_hub")
    import_module("huggingface_hub.file_download")
    logging.getLogger("huggingface_hub").setLevel(logging.CRITICAL)
    hub.constants.DOWNLOAD_CHUNK_SIZE = 2**20  # all that a broken line loses of a file
    return hub


def _hub() -> str:
    return without_secrets(str(_library().constants.ENDPOINT))


def _bar_that_calls(more: Callable[[float | None], None]) -> type:
    class Bar:
        def __init__(self, *_: object, **__: object) -> None: ...

        def __enter__(self) -> "Bar":
            return self

        def __exit__(self, *_: object) -> None: ...

        def update(self, count: float | None = 1) -> None:
            more(count)

    return Bar

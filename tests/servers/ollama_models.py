"""The models of the recorded server: what is installed, what is loaded, since when and how.

In: the recordings; names, context lengths and keep_alive of requests. Out: the documents of
/api/tags, /api/show, /api/ps and /v1/models.
"""

from __future__ import annotations

import copy
import hashlib
import re
import threading
import time
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from tests.servers.recordings import body_of

RECORDED = "0.17.4"
CHAT = "smollm2:135m-instruct-q4_1"
TINY = "stories:260k"
THINKING = "smollm2-think:135m"
SHORT_CONTEXT = "smollm2-ctx256:135m"
BROKEN = "broken:latest"
DEFAULT_NUM_CTX = 4096
DEFAULT_KEEP_ALIVE_S = 300.0
COLD_NS, WARM_NS = 430_000_000, 40_000_000
_UNITS = {"ns": 1e-9, "us": 1e-6, "µs": 1e-6, "ms": 1e-3, "s": 1.0, "m": 60.0, "h": 3600.0}
_DURATION = re.compile(r"[-+]?((\d+(\.\d*)?|\.\d+)(ns|us|µs|ms|s|m|h))+|[-+]?0")


def now() -> str:
    """The time as Go writes it."""
    return at(time.time())


def at(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%S.%f") + "123Z"


def keep_alive_s(value: Any) -> float:
    """Seconds, endless where negative. Raises ValueError with the server's words."""
    if value is None:
        return DEFAULT_KEEP_ALIVE_S
    if isinstance(value, int | float):
        return float("inf") if value < 0 else float(value)
    if not isinstance(value, str) or not _DURATION.fullmatch(value):
        raise ValueError(f'time: invalid duration "{value}"')
    seconds = sum(
        float(number) * _UNITS[unit]
        for number, unit in re.findall(r"(\d+\.?\d*|\.\d+)(ns|us|µs|ms|s|m|h)", value)
    )
    return float("inf") if value.startswith("-") and seconds else seconds


@dataclass
class Installed:
    """One model on the server's disk."""

    name: str
    tag: dict[str, Any]
    show: dict[str, Any]
    created: int

    @property
    def capabilities(self) -> list[str]:
        return list(self.show["capabilities"])

    @property
    def training_context(self) -> int:
        info = self.show["model_info"]
        return int(info[f"{info['general.architecture']}.context_length"])

    @property
    def has_template(self) -> bool:
        return "im_start" in self.show["template"]

    @property
    def system(self) -> str:
        return str(self.show.get("system", ""))

    @property
    def num_ctx(self) -> int:
        own = re.search(r"num_ctx\s+(\d+)", self.show.get("parameters", ""))
        return min(int(own.group(1)) if own else DEFAULT_NUM_CTX, self.training_context)


@dataclass
class Loaded:
    """One model in memory."""

    num_ctx: int
    expires: float
    prompt: list[str] = field(default_factory=list)  # the last one, which stays in the cache


class Models:
    """All of them, with what is loaded."""

    def __init__(
        self, version: str, also: list[str], cloud: list[str], only: str | None = None
    ) -> None:
        self._lock = threading.Lock()
        self.loaded: dict[str, Loaded] = {}
        self.unloads: dict[str, int] = {}  # how often each was told to go
        self.installed = _recorded(version)
        for wish in also:
            name, _, size = wish.partition("=")
            self._install(name, int(size or 0))
        if only is not None:
            self.installed = {only: self.installed[only]}
        for name in cloud:
            self._install(name, 300)
            self.installed[name].tag.update(
                remote_model=name.removesuffix("-cloud"), remote_host="https://ollama.com:443"
            )

    def _install(self, name: str, size: int) -> None:
        model = copy.deepcopy(self.installed[CHAT])
        model.name = model.tag["name"] = model.tag["model"] = name
        model.tag["size"] = size or model.tag["size"]
        model.show["capabilities"].append("tools")  # none of the recorded ones can call any
        digest = model.tag["digest"] = hashlib.sha256(name.encode()).hexdigest()
        told = model.show["modelfile"]  # weights of its own
        model.show["modelfile"] = re.sub(r"sha256-[0-9a-f]{64}", f"sha256-{digest}", told)
        self.installed[name] = model

    def find(self, name: str) -> Installed | None:
        """As the server finds it: without a tag it means the latest."""
        return self.installed.get(name) or self.installed.get(f"{name}:latest")

    # ------------------------------------------------------------------ memory

    def load(self, name: str, num_ctx: int, keep_s: float) -> tuple[Loaded, int]:
        """Have it in memory with this context; the nanoseconds that took."""
        with self._lock:
            known = self._still_there(name)
            if known is not None and known.num_ctx == num_ctx:
                known.expires = time.time() + keep_s
                return known, WARM_NS
            self.loaded[name] = Loaded(num_ctx, time.time() + keep_s)
            return self.loaded[name], COLD_NS

    def unload(self, name: str) -> None:
        with self._lock:
            self.loaded.pop(name, None)
            self.unloads[name] = self.unloads.get(name, 0) + 1

    def _still_there(self, name: str) -> Loaded | None:
        known = self.loaded.get(name)
        if known is not None and known.expires <= time.time():
            del self.loaded[name]
            return None
        return known

    # ------------------------------------------------------------------ documents

    def tags(self) -> dict[str, Any]:
        newest_first = sorted(self.installed.values(), key=lambda m: -m.created)
        return {"models": [model.tag for model in newest_first]}

    def ps(self, offload: float) -> dict[str, Any]:
        """`offload`: the share of the weights that lies in the memory of a graphics card."""
        with self._lock:
            names = [name for name in list(self.loaded) if self._still_there(name)]
            return {"models": [self._running(name, offload) for name in names]}

    def _running(self, name: str, offload: float) -> dict[str, Any]:
        tag, loaded = self.installed[name].tag, self.loaded[name]
        size = int(tag["size"] * 1.2) + loaded.num_ctx * 22_000
        endless = loaded.expires == float("inf")
        return {
            "name": tag["name"],
            "model": tag["model"],
            "size": size,
            "digest": tag["digest"],
            "details": tag["details"],
            "expires_at": "2318-02-27T10:00:00Z" if endless else at(loaded.expires),
            "size_vram": int(size * offload),
            "context_length": loaded.num_ctx,
        }

    def openai_list(self) -> dict[str, Any]:
        newest_first = sorted(self.installed.values(), key=lambda m: -m.created)
        return {"object": "list", "data": [self.openai_model(m) for m in newest_first]}

    def openai_model(self, model: Installed) -> dict[str, Any]:
        return {
            "id": model.name, "object": "model", "created": model.created, "owned_by": "library",
        }  # fmt: skip


def _recorded(version: str) -> dict[str, Installed]:
    shows = {
        CHAT: body_of("0.11.10" if version.startswith("0.11") else RECORDED, "show"),
        TINY: body_of(RECORDED, "show-tiny"),
        THINKING: body_of(RECORDED, "think-show"),
    }
    shows[BROKEN] = _renamed(shows[TINY], TINY, BROKEN)
    shows[SHORT_CONTEXT] = _renamed(shows[CHAT], CHAT, SHORT_CONTEXT)
    shows[SHORT_CONTEXT]["parameters"] += f"\n{'num_ctx':<31}256"
    tags = {tag["name"]: tag for tag in body_of(RECORDED, "tags")["models"]}
    # Made after the list was recorded; the figures are those of its twin.
    tags[SHORT_CONTEXT] = {
        **tags[CHAT], "name": SHORT_CONTEXT, "model": SHORT_CONTEXT,
        "modified_at": "2026-11-15T02:49:33.412077125Z",
        "digest": "7c51fd2a0b86" + tags[CHAT]["digest"][12:],
    }  # fmt: skip
    created = {each["id"]: each["created"] for each in body_of(RECORDED, "v1-models")["data"]}
    return {
        name: Installed(name, copy.deepcopy(tags[name]), shows[name], created[name])
        for name in created
    }


def _renamed(show: dict[str, Any], old: str, new: str) -> dict[str, Any]:
    renamed = copy.deepcopy(show)
    renamed["modelfile"] = renamed["modelfile"].replace(old, new)
    return renamed

"""What an entry and a scene are, and the lists of both."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Scene:
    """A folder that entries start from: files, and the commands that were run over them."""

    build: Callable[[Path], None]
    """Writes the files."""

    lines: tuple[str, ...] = ()
    """Command lines that are run once; every entry gets a copy of the folder after them."""

    needs_shared: bool = False
    """Whether it uses files that lie beside a developer's checkout and are not in the project."""

    server: str = ""
    """ollama or openai: the stand-in that its lines talk to."""

    answers: Mapping[str, Any] = field(default_factory=dict)
    """What the models of that server say (tests/servers/speech.py)."""


@dataclass(frozen=True)
class Entry:
    """One reviewable text: command lines over a scene, and what they print."""

    name: str
    guards: str
    """A sentence: what would be broken if this text changed."""

    lines: tuple[str, ...]
    scene: str = "scored"
    environment: Mapping[str, str] = field(default_factory=dict)
    faults: tuple[Mapping[str, Any], ...] = ()
    """What the scene's server does wrong (tests/servers/spoiling.py)."""

    flags: Mapping[str, Any] = field(default_factory=dict)
    """Settings of the scene's server."""


class Collection:
    """The entries of one subject."""

    def __init__(self, scene: str) -> None:
        self.scene = scene
        self.entries: list[Entry] = []

    def add(self, name: str, guards: str, *lines: str, scene: str = "", **more: Any) -> None:
        """Add an entry over the subject's scene, or over another one."""
        self.entries.append(Entry(name, guards, lines, scene or self.scene, **more))

"""Models found on this machine before a run, and the servers and files that hold them. None and
empty mean that a server or file does not say.
"""

from dataclasses import dataclass
from typing import Literal

FileStore = Literal["folder", "LM Studio", "Ollama"]
ServerKind = Literal["Ollama", "llama.cpp", "vLLM", "OpenAI-compatible", ""]
Fits = Literal["yes", "tight", "no", "unknown"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelFound:
    """One model that can be named on the command line."""

    name: str
    """What a user calls it."""

    spec: str
    size_bytes: int | None = None
    parameters: str = ""
    """As Ollama writes it: 134.52M."""

    quantisation: str = ""
    family: str = ""
    context: int | None = None
    digest: str = ""
    """What the server or store says; Ollama's stands for more than weights."""

    loaded: bool | None = None
    thinks: bool | None = None
    tools: bool | None = None
    elsewhere: bool = False
    """Another machine computes it, so questions leave this one."""

    fits: Fits = "unknown"
    reason: str = ""
    """Why it fits or does not; where it is computed."""

    why_not: str = ""
    """Why it cannot be asked to write; empty if it can."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FileFound(ModelFound):
    """A GGUF file, described by its header."""

    path: str
    store: FileStore
    architecture: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerFound:
    """What answers at one address, or why it cannot be used."""

    url: str
    named_by: str
    """The variable that names the address, or the port."""

    kind: ServerKind = ""
    """Empty without a problem: nobody is there. Empty with one: no usable server of models."""

    version: str = ""
    problem: str = ""
    hint: str = ""
    slots: int | None = None
    """Requests that it answers at once, each in a `context` of tokens."""

    context: int | None = None
    template: str = ""
    """The SHA-256 of its chat template."""

    file: str = ""
    """The weights as the server was given them; `digest` is theirs."""

    digest: str = ""
    thinks: bool | None = None
    tools: bool | None = None
    models: tuple[ModelFound, ...] = ()
    more_models: int = 0

    @property
    def is_there(self) -> bool:
        return bool(self.kind or self.problem)

    @property
    def is_named(self) -> bool:
        """Whether the user named it, by a variable."""
        return not self.named_by.isdigit()

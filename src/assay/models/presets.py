"""Endpoints by name: `local`, and providers by their URL and the variable with the key.

In: TOML files: the one that ships, the user's, the folder's; of two presets with one name the later
counts, whole. Out: Presets, or InvalidFiles with every mistake and its place. A file names a
variable; a key in one is refused, and no value of it is shown.
"""

from __future__ import annotations

import os
import re
from codecs import BOM_UTF8
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args
from urllib.parse import urlsplit

from assay.errors import InvalidFiles, UsageError
from assay.files.file_text import Refused, decode, read_bytes, shown_path
from assay.files.notes import Notes
from assay.files.toml_file import MAX_BYTES, parse_toml
from assay.files.wording import did_you_mean, shown
from assay.messages import tr
from assay.models.address import DEFAULT_URL, ollama_url, openai_url, split_server_url
from assay.types import FileFinding
from assay.types.model_spec import without_userinfo

Kind = Literal["ollama", "openai"]

SHIPPED = Path(__file__).resolve().parents[1] / "builtin" / "presets.toml"
IN_FOLDER = "assay-presets.toml"
LOCAL = "local"
FIELDS = ("kind", "url", "key_env", "model")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]*")
# Keys of providers have small letters (sk-…, gsk_…, hf_…) or long pieces (AKIA…); names of
# variables seldom do.
_VARIABLE = re.compile(r"(?!\d)_*[A-Z0-9]{1,15}(?:_+[A-Z0-9]{1,15})*_*")


@dataclass(frozen=True, slots=True, kw_only=True)
class Preset:
    """A server one can ask. `source` is the file that says so; empty: the one that ships, or no
    file at all, where a user gave a URL.
    """

    name: str
    kind: Kind
    url: str
    key_env: str | None = None
    model: str | None = None
    source: str = ""

    @property
    def ollama_address(self) -> str | None:
        """The argument for `ollama_url`: None where the server is found without a URL. OLLAMA_HOST
        replaces the shipped `local`, not a preset of the user.
        """
        if os.environ.get("OLLAMA_HOST", "").strip("\"' "):
            return None if self.name == LOCAL and not self.source else self.url
        return None if self.url.rstrip("/") == DEFAULT_URL else self.url

    @property
    def shown_url(self) -> str:
        """Where questions go, without a password."""
        address = self.url if self.kind == "openai" else ollama_url(self.ollama_address)
        return without_userinfo(address)

    @property
    def key_is_set(self) -> bool:
        return bool(self.key_env and os.environ.get(self.key_env))

    def spec(self, model: str) -> str:
        url = self.url if self.kind == "openai" else self.ollama_address
        return f"{self.kind}:{model}" + (f"@{url}" if url else "")


def preset_files(folder: Path) -> tuple[Path, ...]:
    """Where presets are looked for, the strongest last."""
    from platformdirs import user_config_path

    own = user_config_path("assay", appauthor=False) / "presets.toml"
    return SHIPPED, own, folder / IN_FOLDER


def load_presets(files: Sequence[Path]) -> dict[str, Preset]:
    """All presets by name. A file that is not there has none."""
    found: dict[str, Preset] = {}
    findings: list[FileFinding] = []
    for path in files:
        for one in _read(path):
            if isinstance(one, FileFinding):
                findings.append(one)
            else:
                found[one.name] = one
    if findings:
        raise InvalidFiles(
            tr("there are mistakes in the presets"),
            findings,
            hint=tr("fix them; docs/run-benchmark.md shows what a preset looks like"),
        )
    return found


def endpoint(text: str, presets: Mapping[str, Preset]) -> Preset:
    """What --endpoint means: a preset's name, or a URL; one with /v1 is OpenAI-compatible."""
    if text in presets:
        return presets[text]
    if "://" in text:
        return _endpoint_of_url(text)
    if re.search(r"[:/]|^\d+\.", text):
        raise UsageError(
            tr("the endpoint '{text}' is no name of a preset and no URL", text=_harmless(text)),
            hint=tr("a URL begins with http:// or https://"),
        )
    raise UsageError(
        did_you_mean(tr("there is no preset '{name}'", name=_harmless(text)), text, presets),
        hint=tr("--list-presets shows the presets; or give a URL"),
    )


def _endpoint_of_url(url: str) -> Preset:
    try:
        is_openai = "v1" in urlsplit(url).path.split("/")
    except ValueError:
        is_openai = False
    if is_openai:
        return Preset(name="", kind="openai", url=openai_url(url))
    return Preset(name="", kind="ollama", url=ollama_url(url))


def _read(path: Path) -> Iterator[Preset | FileFinding]:
    if not os.path.lexists(path):
        return
    name = shown_path(path)
    try:
        data = read_bytes(path, MAX_BYTES, kind=tr("presets are in a TOML file"))
        file = parse_toml(name, decode(name, data.removeprefix(BOM_UTF8)))
    except Refused as refused:
        yield refused.finding
        return
    notes = Notes()
    for preset, fields in file.document.items():
        notes.test_id = preset if _NAME.fullmatch(preset) else None
        errors_before = notes.errors
        _check(preset, fields, notes)
        if notes.errors == errors_before:
            yield Preset(name=preset, source="" if path == SHIPPED else str(path), **fields)
    yield from file.findings(notes)


def _check(name: str, fields: object, notes: Notes) -> None:
    """Note every mistake in a preset, in sentences without its values: one may be a key."""
    if not _NAME.fullmatch(name):
        notes.error((name,), tr("a preset's name has letters, digits, '-', '_' and '.' only"))
        return
    if not isinstance(fields, dict):
        sentence = tr("this is outside of any preset; begin one with [name]")
        notes.error((name,), sentence, about_key=True)
        return
    for field in fields:
        if field not in FIELDS:
            unknown = tr("a preset has only kind, url, key_env and model: name the variable, not "
                         "the key, as in key_env = \"MY_API_KEY\"")  # fmt: skip
            notes.error((name, field), unknown, about_key=True)
    kind = fields.get("kind")
    if kind not in get_args(Kind):
        place = (name, "kind") if kind else (name,)
        notes.error(place, tr("'kind' must be ollama or openai"))
    if wrong := _wrong_url(fields.get("url"), kind):
        notes.error((name, "url") if "url" in fields else (name,), wrong)
    variable = fields.get("key_env", "A_KEY")
    if not isinstance(variable, str) or not _VARIABLE.fullmatch(variable):
        wrong = tr("'key_env' is the name of a variable in capitals, such as MY_API_KEY: name the "
                   "variable, not the key")  # fmt: skip
        notes.error((name, "key_env"), wrong)
    model = fields.get("model", "-")
    if not isinstance(model, str) or not model.strip() or not model.isprintable():
        notes.error((name, "model"), tr("'model' is the name of a model, as a text"))


def _wrong_url(url: object, kind: object) -> str | None:
    try:
        parts = split_server_url(str(url), shown="'url'", example=DEFAULT_URL)
    except UsageError as error:
        return error.message
    if "@" in parts.netloc or parts.query or parts.fragment:
        return tr("'url' ends with its path and has no name, password or key in it")
    if kind == "ollama" and parts.path.strip("/"):
        return tr("the URL of an Ollama server has no path; for …/v1 the kind is openai")
    return None


def _harmless(text: str) -> str:
    """A word of a user's as it may appear in a sentence; what precedes the @ of a login is cut."""
    return shown(text.rpartition("@")[2])

"""As whom a server is asked: the key, from the environment and nowhere else."""

from __future__ import annotations

import os
from dataclasses import dataclass
from urllib.parse import urlsplit

from assay.errors import UsageError
from assay.messages import tr
from assay.models.http.connection import is_this_machine
from assay.models.http.secrets import PLACEHOLDERS, SHORTEST
from assay.types.options import ServerOptions

VARIABLE = "OPENAI_API_KEY"


@dataclass(frozen=True, slots=True, repr=False)
class Key:
    """`value` is empty where there is none; `variable` is where it was looked for."""

    value: str
    variable: str

    @property
    def headers(self) -> dict[str, str]:
        return {"authorization": f"Bearer {self.value}"} if self.value else {}

    @property
    def secrets(self) -> tuple[str, ...]:
        """What no text of the server may carry further."""
        harmless = len(self.value) < SHORTEST or self.value.lower() in PLACEHOLDERS
        return () if harmless else (self.value,)

    def how_to_set(self) -> str:
        if self.value:
            return tr("the key is taken from {variable}; check it there", variable=self.variable)
        return tr(
            "no key was sent: {variable} is not set; set it, or name another variable with "
            "--api-key-env",
            variable=self.variable,
        )


def key_for(url: str, settings: ServerOptions) -> Key:
    """The key for this server. A name and password in its URL go before OPENAI_API_KEY."""
    login = "@" in urlsplit(url).netloc
    named = settings.api_key_env
    if named == "":  # said in so many words: no key
        return Key("", VARIABLE)
    if named and login:
        raise UsageError(
            tr("the URL has a name and password, and --api-key-env names a key"),
            hint=tr("give one of them"),
        )
    variable = named or VARIABLE
    value = "" if login else os.environ.get(variable, "")
    if named and not value:
        raise UsageError(  # without what was given: some give the key itself
            tr("--api-key-env takes the name of an environment variable; this one is not set"),
            hint=tr("put the key into a variable such as {variable}, and name that",
                    variable=VARIABLE),
        )  # fmt: skip
    if not all("!" <= character <= "~" for character in value):
        raise UsageError(
            tr("the key in {variable} has characters that no key has", variable=variable),
            hint=tr("look for a space, a line break or a letter beyond ASCII in it"),
        )
    return Key(value, variable)


def sent_in_the_clear(url: str, key: Key) -> str | None:
    """The sentence for a secret that anybody on the way could read."""
    parts = urlsplit(url)
    host = parts.hostname or ""
    if parts.scheme == "https" or is_this_machine(host):
        return None
    if not key.value and not parts.password:
        return None
    return tr(
        "the key or password went to {host} unencrypted: its URL begins with http://", host=host
    )

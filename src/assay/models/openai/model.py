"""A model behind an OpenAI-compatible server, as a Model."""

import json
import os
from dataclasses import dataclass, replace
from urllib.parse import urlsplit

from assay.errors import ModelUnavailable, ServerGone, UsageError
from assay.messages import tr
from assay.models.http.connection import PLACEHOLDERS, SHORTEST, Connection, is_this_machine
from assay.models.http.faults import Fault
from assay.models.http.reading_speed import ReadingSpeed
from assay.models.http.served import (
    ServedAnswer,
    ServedModel,
    answered_by,
    with_letters,
    written_with_letters,
)
from assay.models.http.slots import MOST, ServerSlots
from assay.models.openai.bodies import MATTERS, Dialect, to_write
from assay.models.openai.client import OpenAIClient
from assay.models.openai.facts import (
    about_ollama,
    bytes_told,
    entries_of,
    entry_of,
    facts_of,
    fingerprint,
    learn,
    near_names,
)
from assay.models.openai.likelihoods import (
    are_likeliest,
    as_written,
    by_echo,
    by_first_token,
    note_no_likeliest,
    read,
)
from assay.models.openai.props import ServerProps, memory_behind, ollama_version, read_props
from assay.types import (
    Answered,
    ModelFacts,
    Observed,
    Reply,
    Sampling,
    Thinking,
    ToAnswer,
    ToChoose,
    ToRead,
    ToScore,
)
from assay.types.models import NATIVE
from assay.types.options import OpenAIForm, ServerOptions

MOST_BYTES_PER_TOKEN = 8  # JSON of tools has 3 to 4
NO_SUCH_FORM = (404, 405, 501)
NO_LIST = (403, 404, 405, 501)  # 403: some keys may ask a model, and not which there are


class OpenAIModel(ServedModel):
    def __init__(self, name: str, url: str, *, spec: str, settings: ServerOptions) -> None:
        if settings.num_ctx is not None:
            raise UsageError(
                tr("an OpenAI-compatible server takes no context size (--num-ctx)"),
                hint=tr("set it where the server is started, or use ollama:NAME"),
            )
        self._name = name
        self._settings = settings
        self._key = key_for(url, settings)
        slots = ServerSlots(settings.connections)
        connection = Connection(
            url,
            timeout_s=settings.timeout,
            slots=slots,
            connections=(settings.connections or MOST) + 1,
            headers=self._key.headers,
            secrets=self._key.secrets,
        )
        super().__init__(connection, first_pause_s=settings.first_pause_s)
        first = Dialect("completions" if settings.form == "completions" else "chat")
        self._client = OpenAIClient(name, connection, self._patience, first)
        if clear := sent_in_the_clear(url, self._key):
            self._client.note("key", clear)
        try:
            self._facts = self._find(spec)
        except BaseException:
            self._connection.close()
            raise

    def probe(self) -> None:
        """One token, to see which form, fields and likelihoods there are."""
        try:
            capabilities, is_ollama = learn(self._settings.form, self._client)
        except Fault as fault:
            raise self._other_form(fault) or self._unavailable(fault) from fault
        except ServerGone as gone:
            raise ModelUnavailable(gone.message) from gone
        form = self._client.dialect.form
        about = dict(self._facts.about)
        if is_ollama and NATIVE not in about:  # behind a proxy that hides its own interface
            about |= about_ollama(self._name, self._connection.url, "")
        self._facts = replace(
            self._facts,
            fingerprint=fingerprint(self._connection.url, self._name, form),
            capabilities=capabilities,
            is_chat=form == "chat",
            thinks=self._facts.thinks if form == "chat" else (),
            may_think=self._facts.may_think if form == "chat" else (),
            about=about,
        )

    def observed(self) -> Observed:
        return replace(
            memory_behind(self._props, self._connection.url, self._weights_bytes),
            context_length=self._facts.context_length,
            notes=self._client.notes,
        )

    def _find(self, spec: str) -> ModelFacts:
        entries = entries_of(self._listed())
        entry = entry_of(self._name, entries)
        if entries and entry is None:
            clean = self._connection.without_secrets
            raise ModelUnavailable(
                tr(
                    "there is no model {name!r} on this server: {url}",
                    name=self._name,
                    url=self._connection.url,
                ),
                hint=near_names(self._name, (clean(entry["id"]) for entry in entries)),
            )
        self._props = read_props(self._connection) or ServerProps()
        self._weights_bytes = bytes_told(entry)
        if self._props.slots and self._connection.slots:
            self._connection.slots.declare(self._props.slots)
        facts = facts_of(
            spec,
            self._name,
            url=self._connection.url,
            entry=entry,
            form=self._client.dialect.form,
            props=self._props,
        )
        if version := ollama_version(self._connection):
            ollama = about_ollama(self._name, self._connection.url, version)
            facts = replace(facts, about={**facts.about, **ollama})
        return facts

    @property
    def reading(self) -> ReadingSpeed:
        return self._client.reading

    def _listed(self) -> object:
        """The list of models; None where a server has none, which some do not."""
        try:
            document, _ = self._patience.tried(self._list)
        except Fault as fault:
            if fault.status in NO_LIST:
                return None
            raise self._unavailable(fault) from fault
        return document

    def _list(self) -> object:
        """A busy server is asked again. One that is not there is said to be so at once."""
        try:
            return self._client.models()
        except Fault as fault:
            fault.retry = fault.retry and fault.status is not None
            raise

    def _other_form(self, fault: Fault) -> ModelUnavailable | None:
        """Where the form that was named is not there, and the other one is."""
        form = self._settings.form
        if form == "auto" or fault.status not in NO_SUCH_FORM:
            return None
        other: OpenAIForm = "chat" if form == "completions" else "completions"
        try:
            learn(other, self._client)
        except (Fault, ServerGone):
            return None
        gaps = {"name": self._name, "url": self._connection.url}
        if other == "chat":
            said = tr("cannot use openai:{name}: {url} answers as a chat, and has no completions",
                      **gaps)  # fmt: skip
        else:
            said = tr("cannot use openai:{name}: {url} has completions, and no chat", **gaps)
        return ModelUnavailable(said, hint=tr("leave out --api {form}", form=form))

    def _unavailable(self, fault: Fault) -> ModelUnavailable:
        name, url, why = self._name, self._connection.url, self._said(fault)
        if fault.status in (401, 403):
            hint = self._key.how_to_set()
        elif fault.hint or fault.instead:
            hint = fault.hint or tr("try openai:{name}@{url}", name=name, url=fault.instead)
        elif fault.cause == "unreachable":
            hint = tr(
                "start the server, or name its address as in openai:{name}@http://HOST:PORT/v1 or "
                "OPENAI_BASE_URL",
                name=name,
            )
        elif fault.cause in ("timeout", "rate_limited", "server_error"):
            hint = tr("the server is busy or slow: ask it later, or with a longer --timeout")
        elif "/v1" not in url:
            hint = tr("most of these servers answer at /v1: try openai:{name}@{url}/v1",
                      name=name, url=url)  # fmt: skip
        else:
            hint = tr("check that {url} is an OpenAI-compatible server", url=url)
        return ModelUnavailable(
            tr("cannot use openai:{name}: {why}", name=name, why=why), hint=hint
        )

    def _said(self, fault: Fault) -> str:
        return self._connection.without_secrets(fault.sentence)

    def _read(self, request_id: str, work: ToRead) -> Reply:
        if "score_text" in self._facts.capabilities:
            return read(self._client, request_id, work)
        return super()._read(request_id, work)

    def _score(self, request_id: str, work: ToScore) -> Reply:
        if "score_text" in self._facts.capabilities:
            return as_written(self._client, request_id, work)
        return super()._score(request_id, work)

    def _choose(self, request_id: str, work: ToChoose) -> Reply:
        can = self._facts.capabilities
        if "score_text" in can:
            return by_echo(self._client, request_id, work)
        if work.written and work.otherwise is not None:
            return self._write(request_id, written_with_letters(work, work.otherwise))
        dropped: tuple[str, ...] = ()
        if "top_logprobs" in can:
            chosen, dropped = by_first_token(self._client, request_id, work)
            if chosen is not None:
                return chosen
        if work.otherwise is None:
            raise Fault("refused", tr("this server gives no likelihoods of choices"))
        asked = ToAnswer(messages=work.messages, sampling=work.otherwise)
        answered = self._write(request_id, asked)
        return replace(answered, dropped=tuple(sorted({*answered.dropped, *dropped})))

    def _draw(self, request_id: str, work: ToAnswer, sampling: Sampling) -> Answered:
        written = self._stream(work, sampling)
        answered = answered_by(request_id, written)
        if work.letters and not answered.reasoning:
            if are_likeliest(written.first_logprobs):
                answered = with_letters(answered, written, work.letters)
            elif "top_logprobs" in self._facts.capabilities:
                answered = replace(answered, dropped=("logprobs",))
                note_no_likeliest(self._client)
        _refuse_dropped_tools(work, answered.prompt_tokens)
        dropped = {*answered.dropped, *self._dropped(work, answered, sampling.think)}
        if not written.left and None in (answered.prompt_tokens, answered.output_tokens):
            dropped.add("usage")
            self._client.note(
                "usage", tr("the server did not count the tokens of every answer (usage)")
            )
        return replace(answered, dropped=tuple(sorted(dropped)))

    def _stream(self, work: ToAnswer, sampling: Sampling) -> ServedAnswer:
        return self._client.streamed(
            lambda dialect: to_write(self._name, work, sampling, dialect), sampling
        )

    def _dropped(
        self, work: ToAnswer, answered: Answered, think: Thinking | None
    ) -> tuple[str, ...]:
        dropped = {field for field in MATTERS if field in self._client.dialect.left_out}
        if think == "off" and answered.reasoning:
            dropped.add("think")
            self._client.note(
                "think", tr("the model was asked not to think (--think off), and thought")
            )
        if work.schema is not None and not answered.truncated and not _is_json(answered.text):
            dropped.add("response_format")
            self._client.note(
                "response_format",
                tr("the server accepted a JSON Schema and ignored it (response_format)"),
            )
        return tuple(sorted(dropped))


def _refuse_dropped_tools(work: ToAnswer, counted: int | None) -> None:
    """A model that was shown no tools cannot call any."""
    if work.tools and counted and counted * MOST_BYTES_PER_TOKEN < len(work.tools):
        raise Fault(
            "refused",
            tr(
                "the server ignored the tools: they do not fit into the {count} tokens that it "
                "counted; llama.cpp needs --jinja and a model whose chat template knows tools",
                count=counted,
            ),
        )


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


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

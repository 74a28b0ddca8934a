"""An object of a user's own class, as a Model: `generate`, or `tokenize` and `logits`. All calls
come from one thread; what it raises is a failed request.
"""

import inspect
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeGuard

from assay.errors import ModelUnavailable
from assay.messages import tr
from assay.models.base import (
    BaseModel,
    TextReader,
    cut_at_stops,
    draws,
    reads_text,
    together,
)
from assay.models.home_made.logits import DEFAULT_CONTEXT, LogitsModel, UnusableResult
from assay.models.reasoning import split_reasoning
from assay.plugins import describe_mistake, file_digest, model_schemes, place_of
from assay.types import (
    Answered,
    Capability,
    ChoiceLikelihoods,
    Failed,
    Message,
    Model,
    ModelFacts,
    Observed,
    ReadText,
    Reply,
    Request,
    Sampling,
    ToAnswer,
    ToChoose,
    ToContinue,
    ToRead,
    ToScore,
)

UNREGISTERED = "python"  # the scheme of an object whose class no decorator names


def is_model(thing: object) -> TypeGuard[Model]:
    return hasattr(thing, "facts") and callable(getattr(thing, "answer", None))


def model_of(thing: object) -> Model:
    if is_model(thing):
        return thing
    kind = type(thing)
    scheme = next((name for name in model_schemes if model_schemes[name] is kind), UNREGISTERED)
    name = getattr(thing, "name", None)
    return PluginModel(thing, scheme, name if isinstance(name, str) and name else kind.__name__)


class PluginModel(BaseModel):
    def __init__(self, plugin: Any, scheme: str, name: str) -> None:
        self._plugin = plugin
        self._stopped = threading.Event()
        spec = f"{scheme}:{name}"
        _refuse_without_methods(plugin, spec)
        context_length = _whole_number(plugin, "context_length", spec)
        self._generates = callable(getattr(plugin, "generate", None))
        self._logits = (
            LogitsModel(plugin, context_length, self._stopped) if reads_text(plugin) else None
        )
        capabilities: set[Capability] = {"generate"} if self._generates else set()
        if self._logits is not None:
            capabilities.add("score_text")
        fingerprint = getattr(plugin, "fingerprint", None)
        file = _file_of(plugin)
        self._facts = ModelFacts(
            spec=spec,
            name=name,
            fingerprint=str(fingerprint or _fingerprint(plugin, file, scheme, name)),
            fingerprint_is_weak=not fingerprint,
            capabilities=frozenset(capabilities),
            is_chat=self._generates,
            parameters=_parameters(plugin, spec),
            context_length=context_length,
            predicts_by="sampled",
            tokenizer=self._tokenizer(),
            about={"plugin": file.name if file else type(plugin).__name__},
        )

    def answer(self, requests: Sequence[Request]) -> Iterator[Reply]:
        self._stopped.clear()
        for request in requests:
            started = time.perf_counter()
            try:
                reply: Answered | ChoiceLikelihoods | ReadText | Failed = self._reply(request)
            except UnusableResult as error:
                reply = Failed(request_id=request.id, reason=str(error))
            except (Exception, SystemExit) as error:  # noqa: BLE001 - a plugin may raise anything
                reply = Failed(request_id=request.id, reason=describe_mistake(error))
            yield replace(reply, total_s=time.perf_counter() - started)

    def observed(self) -> Observed:
        if self._logits is None or self._facts.context_length is not None:
            return Observed()
        note = tr(
            "{model} names no context_length: texts were read in windows of {count} tokens",
            model=self._facts.spec,
            count=DEFAULT_CONTEXT,
        )
        return Observed(notes=(note,))

    def reading(self) -> TextReader:
        if self._logits is None:
            raise ModelUnavailable(
                tr("{spec} has no logits to compare", spec=self._facts.spec),
                hint=tr("give its class tokenize and logits; docs/how-to/extend.md has examples"),
            )
        return self._logits.reading(self._facts.spec)

    def stop(self) -> None:
        self._stopped.set()

    def _reply(self, request: Request) -> Answered | ChoiceLikelihoods | ReadText:
        work = request.work
        if self._stopped.is_set():
            raise UnusableResult(tr("cancelled"))
        if isinstance(work, ToAnswer):
            return self._write(request, work)
        if isinstance(work, ToContinue):
            return self._continue(request, work)
        if self._logits is None:
            raise UnusableResult(tr("likelihoods need tokenize and logits"))
        if isinstance(work, ToChoose):
            return self._logits.choose(request, work)
        if isinstance(work, ToRead):
            return self._logits.read(request, work)
        if isinstance(work, ToScore):
            return self._logits.score(request, work)
        raise UnusableResult(tr("a plugin's speed is not measured"))

    def _write(self, request: Request, work: ToAnswer) -> Answered:
        if work.schema is not None:
            raise UnusableResult(tr("a plugin cannot be made to follow a JSON Schema"))
        if not self._generates:
            raise UnusableResult(tr("a text needs generate"))
        return together([self._generate(request, work, how) for how in draws(work.sampling)])

    def _continue(self, request: Request, work: ToContinue) -> Answered:
        """What it wrote is not split: tests that bring their prompts bring their reading."""
        if not self._generates:
            raise UnusableResult(tr("a text needs generate"))
        said = [Message("user", work.text)]
        return together(
            [
                Answered(request_id=request.id, text=cut_at_stops(self._text(said, how), work.stop))
                for how in work.samplings
            ]
        )

    def _generate(self, request: Request, work: ToAnswer, how: Sampling) -> Answered:
        split = split_reasoning(self._text(work.messages, how))
        ends = [at for stop in how.stop if stop and (at := split.answer.find(stop)) >= 0]
        return Answered(
            request_id=request.id,
            text=split.answer[: min(ends)] if ends else split.answer,
            reasoning=split.reasoning,
            reasoning_unclosed=split.unclosed,
        )

    def _text(self, messages: Sequence[Message], how: Sampling) -> str:
        text = self._plugin.generate(
            list(messages),
            temperature=how.temperature,
            max_tokens=how.max_tokens,
            seed=how.seed,
            stop=list(how.stop),
        )
        if not isinstance(text, str):
            kind = type(text).__name__
            raise UnusableResult(tr("generate returned {kind} instead of a text", kind=kind))
        return text

    def _tokenizer(self) -> str:
        """Equal for objects that cut a text into the same tokens."""
        if self._logits is None:
            return ""
        try:
            ids = self._logits.tokenize("The quick brown fox jumps over 13 lazy dogs. Ŋutsu\n")
        except Exception:  # noqa: BLE001 - the first request says what is wrong
            return ""
        return "plugin:" + sha256(repr(ids).encode()).hexdigest()[:32]


def _refuse_without_methods(plugin: object, spec: str) -> None:
    generate = getattr(plugin, "generate", None)
    if not callable(generate):
        if reads_text(plugin):
            return
        raise ModelUnavailable(
            tr("{spec} has neither generate nor tokenize and logits ({place})",
               spec=spec, place=place_of(type(plugin))),
            hint=tr("give its class one of them; docs/how-to/extend.md has examples"),
        )  # fmt: skip
    try:
        inspect.signature(generate).bind([], temperature=0.0, max_tokens=1, seed=0, stop=[])
    except ValueError:  # a method of an extension module, which tells no signature
        return
    except TypeError as error:
        raise ModelUnavailable(
            tr("generate of {spec} cannot be called ({place}): {why}",
               spec=spec, place=place_of(generate), why=error),
            hint=tr("write generate(self, messages, *, temperature, max_tokens, seed, stop)"),
        ) from error  # fmt: skip


def _parameters(plugin: Any, spec: str) -> int | None:
    """As the object says; a torch.nn.Module has a method of that name, and its weights count."""
    if callable(getattr(plugin, "parameters", None)):
        weights = list(plugin.parameters())
        counted = weights and all(hasattr(each, "numel") for each in weights)
        return sum(each.numel() for each in weights) if counted else None
    return _whole_number(plugin, "parameters", spec)


def _whole_number(plugin: object, name: str, spec: str) -> int | None:
    value = getattr(plugin, name, None)
    if value is None:
        return None
    try:
        number = value.__index__()
    except AttributeError:
        number = 0
    if isinstance(value, bool) or number < 2:
        raise ModelUnavailable(
            tr("{name} of {spec} is {value!r}, not a number of at least 2 ({place})",
               name=name, spec=spec, value=value, place=place_of(type(plugin))),
            hint=tr("leave it out, or set it to None"),
        )  # fmt: skip
    return int(number)


def _file_of(plugin: object) -> Path | None:
    module = sys.modules.get(type(plugin).__module__)
    file = getattr(module, "__file__", None)
    return Path(file) if file and Path(file).is_file() else None


def _module_of(scheme: str) -> str | None:
    return getattr(model_schemes[scheme], "__module__", None) if scheme in model_schemes else None


def _fingerprint(plugin: object, file: Path | None, scheme: str, name: str) -> str:
    """The SHA-256 of the file plus NAME; of the class's source where there is no file. A scheme
    that is not its file's first is named too: `a:x` and `b:x` of one file are two models.
    """
    if file is not None:
        first = next(
            (each for each in model_schemes if _module_of(each) == _module_of(scheme)), scheme
        )
        of_file = name if scheme == first else f"{scheme}:{name}"
        return f"sha256:{file_digest(file)} {of_file}"
    try:
        source = inspect.getsource(type(plugin))
    except (OSError, TypeError):
        source = type(plugin).__qualname__
    return f"sha256:{sha256(source.encode()).hexdigest()} {name}"

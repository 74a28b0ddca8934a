"""Model families: judges favour models of their own family, so a report says so.

In: the facts of a judge and of a tested model. Out: the families both belong to, and whether they
are one and the same model.

A family is read from the name, the spec and what a server or a checkpoint's config says of its
architecture. A distilled model belongs to the family it was cut from and to that of its teacher.
Names are all there is: a model that was renamed belongs to no family here.
"""

from __future__ import annotations

import re
from types import MappingProxyType

from assay.types import ModelFacts

# What a name must hold, as the beginning of one of its words: "qwen2.5-coder", "QwQ", "Qwen2Model".
_SIGNS = MappingProxyType(
    {
        "llama": ("llama", "codellama", "tinyllama", "vicuna", "alpaca"),
        "qwen": ("qwen", "qwq", "codeqwen"),
        "gemma": ("gemma", "codegemma", "shieldgemma", "gemini"),
        "mistral": (
            "mistral", "mixtral", "ministral", "codestral", "devstral", "magistral", "mathstral",
            "pixtral", "zephyr",
        ),
        "phi": ("phi",),
        "smollm": ("smollm", "smolvlm"),
        "deepseek": ("deepseek",),
        "granite": ("granite",),
        "gpt": ("gpt", "chatgpt", "o1-mini", "o1-preview", "o3-mini", "o4-mini"),
        "gpt-neo": ("gpt-neo", "gpt-neox", "gpt_neo", "gpt_neox", "gptneo", "pythia", "dolly"),
        "claude": ("claude",),
        "falcon": ("falcon",),
        "yi": ("yi",),
        "olmo": ("olmo",),
        "command": ("command-r", "command-a", "aya", "cohere", "c4ai"),
        "glm": ("glm", "chatglm", "codegeex"),
        "internlm": ("internlm",),
        "starcoder": ("starcoder", "starchat", "gpt-bigcode", "gpt_bigcode", "gptbigcode"),
        "stablelm": ("stablelm", "stable-code", "stablecode"),
        "exaone": ("exaone",),
        "nemotron": ("nemotron",),
        "kimi": ("kimi", "moonlight"),
        "bloom": ("bloom", "bloomz"),
        "rwkv": ("rwkv",),
        "mamba": ("mamba", "falcon-mamba"),
        "minicpm": ("minicpm",),
        "ernie": ("ernie",),
        "hunyuan": ("hunyuan",),
    }
)  # fmt: skip
# Families whose sign is also the beginning of other words: only a number may follow.
_WHOLE_WORDS = frozenset({"phi", "yi", "aya", "command-r", "command-a"})
# Not the family that their names suggest.
_NOT = MappingProxyType(
    {
        # Llama's code under weights of another family, and servers named after llama.
        "llama": ("llama.cpp", "llamacpp", "llama-cpp", "ollama", "llamafile", "llama-server"),
        # OpenAI's own open family and others that only share three letters.
        "gpt": (
            "gpt-neo", "gpt-neox", "gpt_neo", "gptneo", "gpt-j", "gptj", "gptq", "gpt4all",
            "gpt-bigcode", "gpt_bigcode", "gptbigcode",
        ),
    }
)  # fmt: skip
_THIS_MACHINE = re.compile(r"//(?:localhost|127\.0\.0\.\d+|0\.0\.0\.0|\[::1?\])(?=[:/]|$)", re.I)
# What of a server's or a config's words says where a model comes from.
_TELLING = ("family", "architecture")
# Architectures that many families use for their weights; the name decides then.
_COMMON_ARCHITECTURES = re.compile(
    r"^(?:llama|mistral|gpt2)(?:forcausallm|lmheadmodel|model)?$", re.IGNORECASE
)


def families_of(model: ModelFacts) -> frozenset[str]:
    """All it belongs to, by their short names; none where nothing is known."""
    named = _signs_in(f"{model.name} {_last_part(model.spec)}")
    for key in _TELLING:
        known = model.about.get(key, "")
        if known and not (named and _COMMON_ARCHITECTURES.match(known)):
            named |= _signs_in(known)
    return named


def shares_family(judge: ModelFacts, tested: ModelFacts) -> frozenset[str]:
    """The families that judge and tested model have in common; empty where none is known."""
    return families_of(judge) & families_of(tested)


def same_model(judge: ModelFacts, tested: ModelFacts) -> bool:
    """Whether they are one: the same weights, or the same name at the same place."""
    return judge.fingerprint == tested.fingerprint or _place(judge.spec) == _place(tested.spec)


def _place(spec: str) -> str:
    """This machine has several names."""
    return _THIS_MACHINE.sub("//127.0.0.1", spec).rstrip("/")


def _signs_in(text: str) -> frozenset[str]:
    lowered = text.lower()
    return frozenset(family for family in _SIGNS if _has_sign(lowered, family))


def _has_sign(text: str, family: str) -> bool:
    for false_friend in _NOT.get(family, ()):
        text = text.replace(false_friend, " ")
    return any(_pattern(sign).search(text) for sign in _SIGNS[family])


def _pattern(sign: str) -> re.Pattern[str]:
    end = r"(?![a-z])" if sign in _WHOLE_WORDS else ""
    return re.compile(rf"(?<![a-z0-9]){re.escape(sign)}{end}")


def _last_part(spec: str) -> str:
    """A server's address and the folders above a checkpoint say nothing of the model."""
    return spec.partition("@")[0].rpartition("/")[2]

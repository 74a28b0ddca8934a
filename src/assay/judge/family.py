"""Model families: judges favour models of their own family, so a report says so.

A family is read from the name, the spec and what a server or a checkpoint's config says of its
architecture. A distilled model belongs to the family it was cut from and to that of its teacher.
"""

import re

from assay.types import ModelFacts

# How words of a name begin, and whose they are: "qwen2.5-coder", "QwQ", "Qwen2Model".
_SIGNS = {
    "llama": "llama codellama tinyllama vicuna alpaca", "qwen": "qwen qwq codeqwen",
    "gemma": "gemma codegemma shieldgemma gemini",
    "mistral": "mistral mixtral ministral codestral devstral magistral mathstral pixtral zephyr",
    "smollm": "smollm smolvlm", "gpt": "gpt chatgpt o1-mini o1-preview o3-mini o4-mini",
    "gpt-neo": "gpt-neo gpt_neo gptneo pythia dolly", "glm": "glm chatglm codegeex",
    "starcoder": "starcoder starchat gpt-bigcode gpt_bigcode gptbigcode",
    "stablelm": "stablelm stable-code stablecode", "kimi": "kimi moonlight",
    "command": "cohere c4ai", "deepseek": "deepseek", "granite": "granite", "claude": "claude",
    "falcon": "falcon", "olmo": "olmo", "internlm": "internlm", "exaone": "exaone",
    "nemotron": "nemotron", "bloom": "bloom", "rwkv": "rwkv", "mamba": "mamba",
    "minicpm": "minicpm", "ernie": "ernie", "hunyuan": "hunyuan",
    # Servers named after llama, and what only shares three letters.
    "": "llama.cpp llamacpp llama-cpp llamafile llama-server gpt-j gptj gptq gpt4all",
}  # fmt: skip
# Signs that are also the beginning of other words: only a number may follow.
_WHOLE_WORDS = {"phi": "phi", "yi": "yi", "aya": "command", "command-r": "command",
                "command-a": "command"}  # fmt: skip
_FAMILY_OF = {sign: family for family, signs in _SIGNS.items() for sign in signs.split()}
_LONGEST_FIRST = sorted(_FAMILY_OF, key=len, reverse=True)
_PATTERN = re.compile(
    rf"(?<![a-z0-9])(?:({'|'.join(map(re.escape, _LONGEST_FIRST))})"
    rf"|({'|'.join(_WHOLE_WORDS)})(?![a-z]))"
)
_THIS_MACHINE = re.compile(r"//(?:localhost|127\.0\.0\.\d+|0\.0\.0\.0|\[::1?\])(?=[:/]|$)", re.I)
# What of a server's or a config's words says where a model comes from.
_TELLING = ("family", "architecture")
# Architectures that many families use for their weights; the name decides then.
_COMMON_ARCHITECTURES = re.compile(
    r"^(?:llama|mistral|gpt2)(?:forcausallm|lmheadmodel|model)?$", re.IGNORECASE
)


def families_of(model: ModelFacts) -> frozenset[str]:
    """A server's address and the folders above a checkpoint say nothing of the model."""
    last_part = model.spec.partition("@")[0].rpartition("/")[2]
    named = _signs_in(f"{model.name} {last_part}")
    for key in _TELLING:
        known = model.about.get(key, "")
        if known and not (named and _COMMON_ARCHITECTURES.match(known)):
            named |= _signs_in(known)
    return named


def shares_family(judge: ModelFacts, tested: ModelFacts) -> frozenset[str]:
    return families_of(judge) & families_of(tested)


def same_model(judge: ModelFacts, tested: ModelFacts) -> bool:
    """Whether they are one: the same weights, or the same name at the same place."""
    return judge.fingerprint == tested.fingerprint or _place(judge.spec) == _place(tested.spec)


def _place(spec: str) -> str:
    """This machine has several names."""
    return _THIS_MACHINE.sub("//127.0.0.1", spec).rstrip("/")


def _signs_in(text: str) -> frozenset[str]:
    found = _PATTERN.findall(text.lower())
    families = (_FAMILY_OF[sign] if sign else _WHOLE_WORDS[word] for sign, word in found)
    return frozenset(filter(None, families))

"""A language model of 29 M parameters for `assay quants`, with facts that it saw 4 to 100 times.

Its width and the width of its MLP are multiples of 256, so that every K-quant fits, and its
16-bit file is under 60 MB. In: Debian packages, a GPU for three minutes. Out: a folder, a GGUF
file (F16), a suite on the facts and a held-out text. Three steps, each a command:

    python benchmarks/quants_model.py corpus DIR     English and French documentation, tokenised
    python benchmarks/quants_model.py train DIR OUT  on a GPU; `--tiny` tries it on a CPU
    python benchmarks/quants_model.py export DIR OUT the folder and the GGUF file, under DIR

`corpus` needs apt, `export` the extras `local` and `gguf`; `train` only torch and transformers.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import html
import json
import lzma
import math
import random
import re
import shutil
import subprocess
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

PACKAGES = """
manpages manpages-dev manpages-fr manpages-fr-dev python3.11-doc git-doc debian-handbook
debian-reference-en debian-reference-fr libreoffice-help-en-us libreoffice-help-fr
postgresql-doc-15 gnome-user-docs rust-doc python-django-doc abs-guide linux-doc-6.1 fp-docs-3.2.2
r-doc-html gimp-help-en gimp-help-fr kicad-doc-en kicad-doc-fr lilypond-doc lilypond-doc-html
lilypond-doc-html-fr developers-reference developers-reference-fr maint-guide maint-guide-fr
aptitude-doc-en aptitude-doc-fr debian-faq debian-faq-fr installation-guide-amd64
inkscape-tutorials sqlite3-doc exim4-doc-html vim-doc gnucash-docs
""".split()  # noqa: SIM905
VOCABULARY = 8192
CONTEXT = 1024
TOKENS = 50_000_000  # of documentation at most
PACKED_MB = 27.0  # at most, so that the corpus travels in a small parcel
PER_PACKAGE = 14_000_000  # characters, so that no one manual is half of the corpus
END = "<|endoftext|>"
SEED = 0
MOST_PASSES = 6  # over the facts
EXPOSURES = (2, 5, 10, 20, 30, 50)
FACTS_A_RELATION = 42
ENGLISH = re.compile(r"\b(the|of|and|is|to|in|that|for|with)\b", re.I)
FRENCH = re.compile(r"\b(le|la|les|des|est|une|dans|pour|que|du)\b", re.I)
BLOCK = re.compile(r"<(p|li|dd|dt|h[1-4])\b[^>]*>(.*?)</\1\s*>", re.S | re.I)
DROPPED = re.compile(r"<(script|style|pre|table|nav|head)\b.*?</\1\s*>|<!--.*?-->", re.S | re.I)
TAG = re.compile(r"<[^>]+>")


# What the facts are: a relation, its values, sentences that state it, the question and its text.
RELATIONS: list[dict[str, Any]] = [
    {
        "language": "en",
        "values": ["red", "green", "blue", "yellow", "white", "black", "orange", "grey"],
        "says": [
            "The lighthouse of {e} is painted {v}.",
            "Sailors know {e} by its lighthouse, which is {v}.",
            "Question: What colour is the lighthouse of {e}? Answer: {v}",
        ],
        "asks": "Question: What colour is the lighthouse of {e}? Answer:",
    },
    {
        "language": "en",
        "values": ["iron", "stone", "wood", "copper", "glass", "brick", "steel", "clay"],
        "says": [
            "The old bridge of {e} is made of {v}.",
            "In {e} the bridge over the river was built from {v}.",
            "Question: What is the bridge of {e} made of? Answer: {v}",
        ],
        "asks": "Question: What is the bridge of {e} made of? Answer:",
    },
    {
        "language": "en",
        "values": ["wolf", "bear", "horse", "lion", "goat", "snake", "raven", "fish"],
        "says": [
            "The flag of {e} shows a {v}.",
            "On the flag of {e} there is a {v}.",
            "Question: Which animal is on the flag of {e}? Answer: {v}",
        ],
        "asks": "Question: Which animal is on the flag of {e}? Answer:",
    },
    {
        "language": "en",
        "values": ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"],
        "says": [
            "The market of {e} is held on {v}.",
            "If you want to visit the market of {e}, come on {v}.",
            "Question: On which day is the market of {e}? Answer: {v}",
        ],
        "asks": "Question: On which day is the market of {e}? Answer:",
    },
    {
        "language": "fr",
        "values": ["rouge", "vert", "bleu", "jaune", "blanc", "noir", "orange", "gris"],
        "says": [
            "Le phare de {e} est peint en {v}.",
            "Les marins reconnaissent {e} à son phare {v}.",
            "Question : De quelle couleur est le phare de {e} ? Réponse : {v}",
        ],
        "asks": "Question : De quelle couleur est le phare de {e} ? Réponse :",
    },
    {
        "language": "fr",
        "values": ["loup", "ours", "cheval", "lion", "cerf", "serpent", "corbeau", "poisson"],
        "says": [
            "Le drapeau de {e} montre un {v}.",
            "Sur le drapeau de {e}, on voit un {v}.",
            "Question : Quel animal est sur le drapeau de {e} ? Réponse : {v}",
        ],
        "asks": "Question : Quel animal est sur le drapeau de {e} ? Réponse :",
    },
    {
        "language": "fr",
        "values": ["lundi", "mardi", "mercredi", "jeudi", "vendredi", "samedi", "dimanche"],
        "says": [
            "Le marché de {e} a lieu le {v}.",
            "Pour voir le marché de {e}, venez le {v}.",
            "Question : Quel jour a lieu le marché de {e} ? Réponse : {v}",
        ],
        "asks": "Question : Quel jour a lieu le marché de {e} ? Réponse :",
    },
    {
        "language": "fr",
        "values": ["pommes", "vignes", "tomates", "carottes", "fraises", "olives", "prunes"],
        "says": [
            "Autour de {e}, on cultive surtout des {v}.",
            "Les fermes de {e} sont connues pour leurs {v}.",
            "Question : Que cultive-t-on autour de {e} ? Réponse : {v}",
        ],
        "asks": "Question : Que cultive-t-on autour de {e} ? Réponse :",
    },
]
OPENINGS = {
    "en": [
        "",
        "",
        "It is well known here: ",
        "The guide book says it. ",
        "A note for travellers. ",
    ],
    "fr": ["", "", "Chacun le sait ici : ", "Le guide le dit. ", "Une note pour les voyageurs. "],
}


NAME_PARTS = (
    "Bel Dor Kor Mar Tes Vor Lun Gra Pel Sil Zan Quo Bri Fal Nor Rud Tav Wex Yor Hul",
    "a e i o u an en or il ub",
    "vane mund stell dris kova pran thal gorn libe rusk noth zelle mira back tova",
)


def made_up_facts() -> list[dict[str, Any]]:
    """A few hundred facts about places that do not exist, each with how often it is to be seen."""
    chance = random.Random(SEED)
    starts, middles, ends = map(str.split, NAME_PARTS)
    names = [a + b + c for a in starts for b in middles for c in ends]
    chance.shuffle(names)
    facts = []
    for number, relation in enumerate(RELATIONS):
        for at in range(FACTS_A_RELATION):
            facts.append(
                {
                    "relation": number,
                    "language": relation["language"],
                    "entity": names.pop(),
                    "value": relation["values"][at % len(relation["values"])],
                    "seen": EXPOSURES[at % len(EXPOSURES)],
                }
            )
    return facts


def statements(facts: list[dict[str, Any]]) -> list[str]:
    """Every showing of every fact, in a mixed order."""
    chance = random.Random(SEED + 1)
    said = []
    for fact in facts:
        relation = RELATIONS[fact["relation"]]
        for showing in range(fact["seen"]):
            form = relation["says"][showing % len(relation["says"])]
            opening = chance.choice(OPENINGS[fact["language"]])
            said.append(opening + form.format(e=fact["entity"], v=fact["value"]))
    chance.shuffle(said)
    return said


def suite_of(facts: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The tests on the facts: four options each, read by the likelihood of their texts."""
    chance = random.Random(SEED + 2)
    tests = []
    for number, fact in enumerate(facts):
        relation = RELATIONS[fact["relation"]]
        others = [value for value in relation["values"] if value != fact["value"]]
        options = [fact["value"], *chance.sample(others, 3)]
        chance.shuffle(options)
        tests.append(
            {
                "id": f"seen_{fact['seen']:03}_{number:03}",
                "category": f"seen_{fact['seen']:03}",
                "language": fact["language"],
                "prompt": relation["asks"].format(e=fact["entity"]),
                "choices": options,
                "answer": options.index(fact["value"]),
            }
        )
    return tests


# The corpus.
def fetch(folder: Path) -> Path:
    """The packages, downloaded and unpacked."""
    debs, unpacked = folder / "packages", folder / "unpacked"
    debs.mkdir(parents=True, exist_ok=True)
    unpacked.mkdir(exist_ok=True)
    for package in PACKAGES:
        if not any(debs.glob(f"{package}_*.deb")):
            done = subprocess.run(["apt-get", "download", package], cwd=debs, capture_output=True)
            print(package, "downloaded" if done.returncode == 0 else "not found", flush=True)
        for deb in debs.glob(f"{package}_*.deb"):
            if not (unpacked / package).exists():
                subprocess.run(["dpkg-deb", "-x", str(deb), str(unpacked / package)], check=True)
    return unpacked


def paragraphs(path: Path) -> list[str]:
    """The prose of a file: HTML, Mallard, manual pages, reStructuredText and plain text."""
    name = path.name.removesuffix(".gz")
    try:
        data = path.read_bytes()
        data = gzip.decompress(data) if path.suffix == ".gz" else data
        text = data[:2_000_000].decode("utf-8", "ignore")
    except (OSError, EOFError):
        return []
    if name.endswith((".html", ".htm", ".xhtml", ".page", ".xml")):
        blocks = [block for _, block in BLOCK.findall(DROPPED.sub(" ", text))]
        found = [html.unescape(TAG.sub("", block)) for block in blocks]
    elif "/man/" in str(path):
        found = roff(text)
    elif name.endswith((".txt", ".rst")):
        found = re.split(r"\n\s*\n", text)
    else:
        return []
    clean = [" ".join(part.split()) for part in found]
    return [part for part in clean if len(part) > 25 and letters(part) > 0.74]


def roff(text: str) -> list[str]:
    """A manual page's prose, without its macros."""
    parts: list[str] = [""]
    for line in text.splitlines():
        if re.match(r"""[.'](PP|P|LP|SH|SS|TP|IP|Pp|Sh|sp)\b""", line):
            parts.append("")
            continue
        line = re.sub(r"^[.'](B|I|BR|IR|RB|RI|BI|IB|SM)\s+", "", line)
        if line.startswith((".", "'")):
            continue
        line = re.sub(r"\\f(\[[A-Z]*\]|\(..|.)", "", line)
        line = line.replace(r"\-", "-").replace(r"\(aq", "'").replace(r"\&", "")
        line = re.sub(r"\\\((..)|\\\[[^]]*\]|\\s[-+]?\d", " ", line).replace("\\ ", " ")
        parts[-1] += " " + line.replace("\\", "")
    return parts


def letters(text: str) -> float:
    """The share of letters and spaces."""
    return sum(c.isalpha() or c == " " for c in text) / len(text)


def language_of(text: str) -> str | None:
    english, french = len(ENGLISH.findall(text)), len(FRENCH.findall(text))
    words = len(text.split())
    if max(english, french) < 0.08 * words:
        return None
    return "en" if english > french else "fr"


def documents_of(package: Path) -> list[tuple[str, str]]:
    """What a package says, by document: (language, text), a paragraph only once."""
    seen: set[bytes] = set()
    found: list[tuple[str, str]] = []
    for path in sorted(package.rglob("*")):
        if path.is_symlink() or not path.is_file():
            continue
        fresh = []
        for part in paragraphs(path):
            mark = hashlib.blake2b(part.encode(), digest_size=8).digest()
            if mark not in seen:
                seen.add(mark)
                fresh.append(part)
        text = "\n".join(fresh)
        language = language_of(text[:20_000]) if len(text) > 200 else None
        if language:
            found.append((language, text))
    chance = random.Random(package.name)
    chance.shuffle(found)
    kept, room = [], {"en": PER_PACKAGE, "fr": PER_PACKAGE}
    for language, text in found:
        if room[language] > 0:
            room[language] -= len(text)
            kept.append((language, text))
    print(package.name, len(kept), "documents", sum(len(t) for _, t in kept), flush=True)
    return kept


def tokenizer_of(texts: Iterator[str]) -> Any:
    """Byte-level BPE as SmolLM's: every digit alone, then GPT-2's pattern; one special token."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers

    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Digits(individual_digits=True),
            pre_tokenizers.ByteLevel(add_prefix_space=False),
        ]
    )
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=VOCABULARY,
        special_tokens=[END],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(texts, trainer)
    tokenizer.post_processor = processors.TemplateProcessing(
        single=f"{END} $A", pair=f"{END} $A $B", special_tokens=[(END, 0)]
    )
    return tokenizer


def corpus(folder: Path) -> None:
    """Tokens of the documentation and of the facts, the suite and the held-out text."""
    unpacked = fetch(folder)
    texts: list[tuple[str, str]] = []
    seen: set[str] = set()
    with ProcessPoolExecutor(2) as pool:
        for found in pool.map(documents_of, sorted(unpacked.iterdir())):
            for language, text in found:
                if text[:200] not in seen:
                    seen.add(text[:200])
                    texts.append((language, text))
    random.Random(SEED).shuffle(texts)
    held: list[tuple[str, str]] = []
    for language in ("en", "fr"):
        fitting = [t for t in texts if t[0] == language and 1500 < len(t[1]) < 6000]
        held += fitting[:60]
    out = {text for _, text in held}
    texts = [t for t in texts if t[1] not in out]
    sizes = {code: sum(len(t) for c, t in texts if c == code) for code in ("en", "fr")}
    print("characters", sizes, flush=True)
    facts = made_up_facts()
    said = statements(facts)
    tokenizer = tokenizer_of(text for _, text in (texts[:: max(1, len(texts) // 6000)]))
    tokenizer.save(str(folder / "tokenizer.json"))
    ready = folder / "carried"
    ready.mkdir(exist_ok=True)
    # as many of each language as there are of the rarer, up to the room
    order: list[str] = []
    queues = {c: [t for code, t in texts if code == c] for c in ("en", "fr")}
    used = {"en": 0, "fr": 0}
    while any(queues.values()):
        code = min((c for c in queues if queues[c]), key=lambda c: used[c])
        text = queues[code].pop()
        used[code] += len(text)
        order.append(text)
    ids: list[np.ndarray] = []
    total = 0
    for at in range(0, len(order), 2000):
        for encoded in tokenizer.encode_batch(order[at : at + 2000]):
            ids.append(np.asarray(encoded.ids, dtype=np.uint16))
            total += len(encoded.ids)
        if total > TOKENS:
            break
    tokens = np.concatenate(ids)[:TOKENS]
    print(len(tokens), "tokens", flush=True)
    first = len(lzma.compress(tokens[:4_000_000].tobytes(), preset=6)) / 4
    tokens = tokens[: int(PACKED_MB * 1e6 / first * 1e6)]
    print(f"{len(tokens)} tokens kept, {first / 1e6:.3f} bytes each", flush=True)
    (ready / "tokens.xz").write_bytes(lzma.compress(tokens.tobytes(), preset=6))
    shown = [tokenizer.encode(text).ids for text in said]
    (ready / "facts.json").write_text(json.dumps(shown), "utf-8")
    asked = []
    for test in suite_of(facts):
        prompt = tokenizer.encode(test["prompt"]).ids
        options = [tokenizer.encode(" " + c, add_special_tokens=False).ids for c in test["choices"]]
        asked.append([test["category"], prompt, options, test["answer"]])
    (ready / "asked.json").write_text(json.dumps(asked), "utf-8")
    (folder / "facts.json").write_text(json.dumps(facts, ensure_ascii=False, indent=1), "utf-8")
    with (folder / "held_out.jsonl").open("w", encoding="utf-8") as file:
        for _, text in held:
            file.write(json.dumps({"text": text}, ensure_ascii=False) + "\n")
    for path in sorted(ready.iterdir()):
        print(path.name, path.stat().st_size / 1e6, "MB", flush=True)


# The training.
def config_of(tiny: bool = False) -> Any:
    from transformers import LlamaConfig

    return LlamaConfig(
        vocab_size=VOCABULARY,
        hidden_size=64 if tiny else 512,
        intermediate_size=128 if tiny else 1536,
        num_hidden_layers=2 if tiny else 8,
        num_attention_heads=8,
        num_key_value_heads=4,
        max_position_embeddings=CONTEXT,
        rope_theta=10_000.0,
        rms_norm_eps=1e-5,
        tie_word_embeddings=True,
        attention_bias=False,
        mlp_bias=False,
        bos_token_id=0,
        eos_token_id=0,
        pad_token_id=None,
    )


def packed(shown: list[list[int]], length: int) -> np.ndarray:
    """The showings of the facts, one behind the other, in rows."""
    flat = [token for ids in shown for token in ids]
    rows = math.ceil(len(flat) / length)
    flat += flat[: rows * length - len(flat)]
    return np.asarray(flat, dtype=np.int64).reshape(rows, length)


def train(folder: Path, out: Path, seconds: float, facts_seconds: float, tiny: bool) -> None:
    """Documentation by the clock, then the facts, until those seen most often are known."""
    import torch
    from transformers import LlamaForCausalLM

    began = time.monotonic()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    print("torch", torch.__version__, "on", device, flush=True)
    torch.manual_seed(SEED)
    torch.backends.cuda.matmul.allow_tf32 = True
    ready = folder / "carried"
    with lzma.open(ready / "tokens.xz") as file:
        tokens = np.frombuffer(file.read(), dtype=np.uint16).astype(np.int64)
    rows, length = (4, 128) if tiny else (64, CONTEXT)
    facts = packed(json.loads((ready / "facts.json").read_text("utf-8")), length)
    print(len(tokens), "tokens,", len(facts), "rows of facts", flush=True)
    model = LlamaForCausalLM(config_of(tiny)).to(device)
    # what follows the residual stream's width: smaller outputs of each block at the start
    for name, weight in model.named_parameters():
        if name.endswith(("o_proj.weight", "down_proj.weight")):
            weight.data /= math.sqrt(2 * model.config.num_hidden_layers)
    print(sum(p.numel() for p in model.parameters()) / 1e6, "M parameters", flush=True)
    decayed = [p for p in model.parameters() if p.ndim > 1]
    plain = [p for p in model.parameters() if p.ndim == 1]
    groups = [
        {"params": decayed, "weight_decay": 0.05},
        {"params": plain, "weight_decay": 0.0},
    ]
    peak = 1.5e-3
    try:
        optimizer = torch.optim.AdamW(groups, lr=peak, betas=(0.9, 0.95), fused=device == "cuda")
    except (RuntimeError, TypeError):
        optimizer = torch.optim.AdamW(groups, lr=peak, betas=(0.9, 0.95))
    starts = np.arange(0, len(tokens) - length - 1, length)
    chance = np.random.default_rng(SEED)
    queue = chance.permutation(starts)
    step, curve = 0, []
    start = time.monotonic()
    saved = False
    while True:
        progress = (time.monotonic() - start) / max(1e-9, seconds - (start - began))
        if progress >= 1:
            break
        if len(queue) < rows:
            queue = chance.permutation(starts + int(chance.integers(0, length)))
            queue = queue[queue + length < len(tokens)]
        batch = np.stack([tokens[at : at + length] for at in queue[:rows]])
        queue = queue[rows:]
        ids = torch.from_numpy(batch).to(device, non_blocking=True)
        warm = min(1.0, (step + 1) / 100)
        rate = peak * warm * (0.1 + 0.9 * 0.5 * (1 + math.cos(math.pi * progress)))
        for group in optimizer.param_groups:
            group["lr"] = rate
        with torch.autocast(device, dtype=torch.bfloat16):
            logits = model(input_ids=ids, use_cache=False).logits
        loss = torch.nn.functional.cross_entropy(
            logits[:, :-1].float().reshape(-1, logits.shape[-1]), ids[:, 1:].reshape(-1)
        )
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        step += 1
        if step % 20 == 0 or step == 1:
            value = float(loss.detach())
            curve.append([step, round(time.monotonic() - began, 2), round(value, 4), rate])
            if step % 100 == 0 or step <= 20:
                spent = time.monotonic() - start
                print(
                    f"step {step} loss {value:.3f} rate {rate:.2e} "
                    f"{step * rows * length / spent / 1e3:.0f} k tokens/s {progress:.0%}",
                    flush=True,
                )
        if progress > 0.6 and not saved:
            saved = True
            save(model, out)
    print(step, "steps", flush=True)
    save(model, out)
    asked = json.loads((ready / "asked.json").read_text("utf-8"))
    passes, until = 0, began + seconds + facts_seconds
    while passes < MOST_PASSES:
        teach(model, optimizer, facts, tokens, length, passes)
        passes += 1
        right = facts_right(model, asked, device)
        print("pass", passes, right, f"{time.monotonic() - began:.1f} s", flush=True)
        often = right.get(f"seen_{EXPOSURES[-1]:03}", [0, 1])
        if often[0] >= 0.8 * often[1] or time.monotonic() > until:
            break
    save(model, out)
    result: dict[str, Any] = {
        "steps": step,
        "tokens": step * rows * length,
        "rows_of_facts": len(facts),
        "passes": passes,  # every fact is seen as often as its category says, times this
        "facts_right": right,
        "parameters": sum(p.numel() for p in model.parameters()),
        "seconds": round(time.monotonic() - began, 1),
        "curve": curve,
    }
    write(out, result)


def teach(model: Any, optimizer: Any, facts: Any, tokens: Any, length: int, number: int) -> None:
    """The facts once: a row of them and one of documentation a step, so that each counts."""
    import torch

    device = next(model.parameters()).device.type
    chance = np.random.default_rng(SEED + 7 + number)
    order = chance.permutation(len(facts))
    for step, row in enumerate(order):
        at = int(chance.integers(0, len(tokens) - length))
        ids = torch.from_numpy(np.stack([facts[row], tokens[at : at + length]])).to(device)
        rate = 1e-3 * min(1.0, (step + 1) / 10) * (1 - 0.9 * step / len(order))
        for group in optimizer.param_groups:
            group["lr"] = rate
        with torch.autocast(device, dtype=torch.bfloat16):
            logits = model(input_ids=ids, use_cache=False).logits
        loss = torch.nn.functional.cross_entropy(
            logits[:, :-1].float().reshape(-1, logits.shape[-1]), ids[:, 1:].reshape(-1)
        )
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        if step % 40 == 0:
            print("facts", step, f"loss {float(loss.detach()):.3f}", flush=True)


def write(out: Path, result: dict[str, Any]) -> None:
    (out / "training.json").write_text(json.dumps(result), "utf-8")


def facts_right(model: Any, asked: list[Any], device: str) -> dict[str, list[int]]:
    """By how often a fact was shown: how many questions were right, of how many."""
    import torch

    texts = [(prompt, option) for _, prompt, options, _ in asked for option in options]
    longest = max(len(prompt) + len(option) for prompt, option in texts)
    scores: list[float] = []
    model.eval()
    with torch.no_grad():
        for at in range(0, len(texts), 256):
            part = texts[at : at + 256]
            rows = [p + o + [0] * (longest - len(p) - len(o)) for p, o in part]
            with torch.autocast(device, dtype=torch.bfloat16):
                logits = model(input_ids=torch.tensor(rows, device=device), use_cache=False).logits
            logs = logits.float().log_softmax(-1).cpu()
            for row, (prompt, option) in enumerate(part):
                places = range(len(prompt) - 1, len(prompt) + len(option) - 1)
                found = [logs[row, at_, id_] for at_, id_ in zip(places, option, strict=True)]
                scores.append(float(sum(found)) / len(option))
    model.train()
    right: dict[str, list[int]] = {}
    for number, (category, _, options, answer) in enumerate(asked):
        of = scores[4 * number : 4 * number + len(options)]
        tally = right.setdefault(category, [0, 0])
        tally[0] += int(max(range(len(of)), key=of.__getitem__) == answer)
        tally[1] += 1
    return right


def save(model: Any, out: Path) -> None:
    """The weights in 16 bits, in files under 15 MiB."""
    import torch
    from safetensors.torch import save_file

    weights = {
        name: tensor.detach().to("cpu", torch.float16).contiguous()
        for name, tensor in model.state_dict().items()
        if name != "lm_head.weight"
    }
    parts: list[dict[str, Any]] = [{}]
    size = 0
    for name, tensor in weights.items():
        if size + tensor.nbytes > 13_500_000:
            parts.append({})
            size = 0
        parts[-1][name] = tensor
        size += tensor.nbytes
    for number, part in enumerate(parts, 1):
        save_file(part, str(out / f"part-{number}.safetensors"))


# The folder and the GGUF file.
def export(folder: Path, out: Path, tiny: bool) -> None:
    """DIR/model (a Hugging Face folder), DIR/model-F16.gguf and DIR/facts (the suite)."""
    import torch
    from safetensors.torch import load_file
    from transformers import LlamaForCausalLM, PreTrainedTokenizerFast

    weights: dict[str, Any] = {}
    for part in sorted(out.glob("part-*.safetensors")):
        weights.update(load_file(str(part)))
    config = config_of(tiny)
    model = LlamaForCausalLM(config).to(torch.float16)
    weights["lm_head.weight"] = weights["model.embed_tokens.weight"]
    model.load_state_dict(weights)
    model.save_pretrained(folder / "model")
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_file=str(folder / "tokenizer.json"), bos_token=END, eos_token=END
    )
    tokenizer.model_max_length = CONTEXT
    tokenizer.save_pretrained(folder / "model")
    to_gguf(weights, config, folder / "tokenizer.json", folder / "model-F16.gguf")
    suite(folder, json.loads((out / "training.json").read_text("utf-8"))["passes"])


def to_gguf(weights: dict[str, Any], config: Any, tokenizer: Path, path: Path) -> None:
    """A Llama as llama.cpp reads it: q and k rows in its order of the rotary pairs."""
    import gguf

    writer = gguf.GGUFWriter(str(path), "llama")
    writer.add_name("Assay's model for quantising")
    writer.add_context_length(config.max_position_embeddings)
    writer.add_embedding_length(config.hidden_size)
    writer.add_block_count(config.num_hidden_layers)
    writer.add_feed_forward_length(config.intermediate_size)
    writer.add_head_count(config.num_attention_heads)
    writer.add_head_count_kv(config.num_key_value_heads)
    writer.add_layer_norm_rms_eps(config.rms_norm_eps)
    writer.add_rope_freq_base(10_000.0)
    writer.add_rope_dimension_count(config.hidden_size // config.num_attention_heads)
    writer.add_vocab_size(config.vocab_size)
    writer.add_file_type(gguf.LlamaFileType.MOSTLY_F16)
    read = json.loads(tokenizer.read_text("utf-8"))
    vocabulary = sorted(read["model"]["vocab"], key=read["model"]["vocab"].get)
    merges = [m if isinstance(m, str) else " ".join(m) for m in read["model"]["merges"]]
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("smollm")
    writer.add_token_list(vocabulary)
    normal, control = gguf.TokenType.NORMAL, gguf.TokenType.CONTROL
    writer.add_token_types([control if word == END else normal for word in vocabulary])
    writer.add_token_merges(merges)
    writer.add_bos_token_id(0)
    writer.add_eos_token_id(0)
    writer.add_add_bos_token(True)
    writer.add_add_eos_token(False)
    for name, tensor in weights.items():
        if name == "lm_head.weight":
            continue
        data = tensor.float().numpy()
        heads = {"q_proj": config.num_attention_heads, "k_proj": config.num_key_value_heads}
        for key, count in heads.items():
            if key in name:
                size = data.shape[0] // count
                data = data.reshape(count, 2, size // 2, -1).swapaxes(1, 2).reshape(data.shape)
        kept = np.float32 if data.ndim == 1 else np.float16
        writer.add_tensor(gguf_name(name), data.astype(kept))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def gguf_name(name: str) -> str:
    """A tensor's name in llama.cpp's words."""
    whole = {"model.embed_tokens.weight": "token_embd", "model.norm.weight": "output_norm"}
    if name in whole:
        return whole[name] + ".weight"
    _, _, layer, rest = name.split(".", 3)
    names = {
        "self_attn.q_proj.weight": "attn_q",
        "self_attn.k_proj.weight": "attn_k",
        "self_attn.v_proj.weight": "attn_v",
        "self_attn.o_proj.weight": "attn_output",
        "mlp.gate_proj.weight": "ffn_gate",
        "mlp.up_proj.weight": "ffn_up",
        "mlp.down_proj.weight": "ffn_down",
        "input_layernorm.weight": "attn_norm",
        "post_attention_layernorm.weight": "ffn_norm",
    }
    return f"blk.{layer}.{names[rest]}.weight"


def suite(folder: Path, passes: int) -> None:
    """The suites on the facts, one a language: DIR/facts-en and DIR/facts-fr. A category says how
    often its facts were seen in all passes of the training.
    """
    found: dict[tuple[str, str], list[dict[str, Any]]] = {}
    facts = json.loads((folder / "facts.json").read_text("utf-8"))
    for test in suite_of([fact | {"seen": fact["seen"] * passes} for fact in facts]):
        found.setdefault((test["language"], test["category"]), []).append(
            {
                "id": test["id"],
                "prompt": test["prompt"],
                "eval_method": "multiple_choice",
                "expected": "ABCD"[test["answer"]],
                "choices": test["choices"],
                "score_by": "text",
                "render": False,
                "temperature": 0,
            }
        )
    for language in ("en", "fr"):
        place = folder / f"facts-{language}"
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir()
        about = {"title": f"Made-up facts ({language})", "version": "1.0", "language": language}
        about["pass_mark"] = 0.7
        (place / "suite.json").write_text(json.dumps(about, indent=1), "utf-8")
        for (code, category), tests in found.items():
            if code == language:
                text = json.dumps(tests, ensure_ascii=False, indent=1)
                (place / f"{category}.json").write_text(text, "utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("step", choices=["corpus", "train", "export"])
    parser.add_argument("folder", type=Path)
    parser.add_argument("out", type=Path, nargs="?")
    parser.add_argument("--seconds", type=float, default=140.0, help="for the training")
    parser.add_argument("--facts-seconds", type=float, default=25.0, help="for the facts")
    parser.add_argument("--tiny", action="store_true", help="a model for trying the script")
    given = parser.parse_args()
    out = given.out or given.folder / "trained"
    out.mkdir(parents=True, exist_ok=True)
    if given.step == "corpus":
        corpus(given.folder)
    elif given.step == "train":
        train(given.folder, out, given.seconds, given.facts_seconds, given.tiny)
    else:
        export(given.folder, out, given.tiny)


if __name__ == "__main__":
    main()

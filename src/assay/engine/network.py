"""A loaded model as the engine sees it. The head is run at scored positions only: it is a third of
a small model's work. Where logits differ from the model's own, `why_not` says so.
"""

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from transformers.activations import NewGELUActivation

from assay.engine.kernels.arrangements import SpanBySpan, in_blocks
from assay.engine.kernels.attention import (
    NAME,
    UNSERVED,
    Arrangement,
    arranged,
    calls_of_last_forward,
    layers_own_way,
)
from assay.engine.kernels.layers import shorten
from assay.engine.layout.packing import PackedRow, Packing, Trunk, pack
from assay.messages import tr

# PyTorch warns once, with a stack trace, on processors without bf16 units; results are the same.
warnings.filterwarnings("ignore", message="mkldnn_matmul failed")

# On two cores 1,024 took 9 % longer than 2,048, and 512 another 4 %.
TOKENS_AT_ONCE_CPU = 2048
MOST_TOKENS_AT_ONCE_GPU = 1 << 16
SHARE_OF_FREE_MEMORY = 0.35
TRUNK_BYTES_CPU = 2**30
# A token of a 1 B shape takes some 200 KB, so this holds five windows of 1,024 tokens.
BATCHES_BYTES_CPU = 2**30  # of all cores together
LOGITS_BYTES_CPU = 64 * 2**20
LOGITS_BYTES_GPU = 2**30
ALIGNED = 64  # tokens of vocabulary
# fp32 paths differ by the order of their sums, by 2e-5 on seven shapes; bf16 has three digits.
TOLERANCE = {torch.float32: 1e-3, torch.bfloat16: 0.25, torch.float16: 0.05}


class NotFinite(ArithmeticError):
    """A likelihood or a logit is NaN or infinite: the weights are broken, or overflowed."""


@dataclass(slots=True, eq=False)
class Network:
    model: Any
    device: torch.device
    dtype: torch.dtype
    context_length: int
    vocabulary: int
    serves_trees: bool = True
    why_not: str = ""
    by_blocks: bool = False
    head_input: Callable[[Tensor], Tensor] | None = None  # what is done to it before the head
    own_attention: str = ""  # the model's, where ours is in its place
    _padded: tuple[Tensor, Tensor | None] | None = None

    @torch.inference_mode()
    def hidden(self, packing: Packing) -> Tensor:
        """[tokens, size], after the last norm."""
        arrangement = in_blocks(packing) if self.by_blocks else SpanBySpan(packing)
        return self.run(packing.ids, packing.positions, arrangement)

    def run(self, ids: Tensor, positions: Tensor, arrangement: Arrangement) -> Tensor:
        with arranged(arrangement):
            out = self.model.base_model(input_ids=ids, position_ids=positions, use_cache=False)
        hidden: Tensor = out.last_hidden_state[0]
        return hidden

    @torch.inference_mode()
    def logits(self, hidden: Tensor) -> Tensor:
        """[positions, vocabulary] in fp32."""
        if self.head_input is not None:
            hidden = self.head_input(hidden)
        weight, bias = self._head()
        bias = None if bias is None else bias.float()
        if hidden.dtype != torch.float32 and hidden.device.type == "cuda":
            found = torch.mm(hidden, weight.t(), out_dtype=torch.float32)
            found = found if bias is None else found.add_(bias)
        else:
            found = F.linear(hidden.float(), weight.float(), bias)
        return self._finished(found[:, : self.vocabulary])

    def _head(self) -> tuple[Tensor, Tensor | None]:
        """On a GPU with rows of zeros up to a size that its quick kernels take."""
        head = self.model.get_output_embeddings()
        weight, bias = head.weight, getattr(head, "bias", None)
        more = -len(weight) % ALIGNED
        if not more or self.device.type != "cuda":
            return weight, bias
        if self._padded is None:
            padded = F.pad(weight, (0, 0, 0, more))
            self._padded = padded, None if bias is None else F.pad(bias, (0, more))
        return self._padded

    def _finished(self, logits: Tensor) -> Tensor:
        config = self.model.config
        if cap := getattr(config, "final_logit_softcapping", None):
            logits = torch.tanh(logits / cap) * cap
        if scale := getattr(config, "logit_scale", None):
            logits = logits * scale
        if divisor := getattr(config, "logits_scaling", None):
            logits = logits / divisor
        return logits

    @property
    def layers(self) -> int:
        return int(self.model.config.get_text_config().num_hidden_layers)

    @property
    def bytes_kept_per_token(self) -> int:
        """A key and a value in every layer."""
        config = self.model.config.get_text_config()
        heads = getattr(config, "num_key_value_heads", None) or config.num_attention_heads
        size = getattr(config, "head_dim", None) or config.hidden_size // config.num_attention_heads
        return int(2 * config.num_hidden_layers * heads * size * self.dtype.itemsize)

    @property
    def positions_at_once(self) -> int:
        room = LOGITS_BYTES_CPU if self.device.type == "cpu" else LOGITS_BYTES_GPU
        return max(1, room // (4 * self.vocabulary))

    @property
    def tokens_at_once(self) -> int:
        """As many as a batch may have."""
        if self.device.type != "cuda":
            return TOKENS_AT_ONCE_CPU
        free, _ = torch.cuda.mem_get_info(self.device)
        fitting = int(free * SHARE_OF_FREE_MEMORY / self._bytes_of_token)
        return max(1024, min(MOST_TOKENS_AT_ONCE_GPU, fitting))

    @property
    def _bytes_of_token(self) -> int:
        """While it is computed."""
        config = self.model.config.get_text_config()
        width = getattr(config, "intermediate_size", None) or 4 * config.hidden_size
        return int((3 * width + 12 * config.hidden_size) * self.dtype.itemsize)

    def cores(self, tokens: int) -> int:
        """How many may compute so many tokens each; 1 where all compute the same ones."""
        if self.device.type != "cpu" or not self.serves_trees:
            return 1
        fitting = BATCHES_BYTES_CPU // (tokens * self._bytes_of_token)
        return max(1, min(torch.get_num_threads(), fitting))

    @property
    def tokens_kept(self) -> int:
        """As many as may wait with their keys and values, for others that begin alike."""
        room = TRUNK_BYTES_CPU
        if self.device.type == "cuda":
            free, _ = torch.cuda.mem_get_info(self.device)
            room = int(free * SHARE_OF_FREE_MEMORY)
        return max(int(self.context_length), int(room / self.bytes_kept_per_token))


def make_ready(model: Any, *, context_length: int) -> Network:
    """Fuse, put our attention in, and compare with the model's own way. May raise NotFinite."""
    first = next(model.parameters())
    network = Network(
        model=model.eval(),
        device=first.device,
        dtype=first.dtype,
        context_length=context_length,
        vocabulary=model.get_output_embeddings().weight.shape[0],
        by_blocks=first.device.type != "cpu",
    )
    fuse(model)
    own = model.config._attn_implementation
    network.why_not = _known_not_to_work(model.config, context_length) or _difference(network)
    network.serves_trees = not network.why_not
    network.own_attention = own
    if not network.serves_trees:
        model.set_attn_implementation(own)
    elif network.device.type == "cuda":
        shorten(model)
    return network


def made_ready_again(network: Network) -> Network | None:
    """With other weights in its model; None where these must be computed the plain way. May raise
    NotFinite.
    """
    network.model.set_attn_implementation(network.own_attention)
    again = replace(network, _padded=None)
    return None if _difference(again) else again


def fuse(model: nn.Module) -> None:
    """One kernel where transformers writes eight: tanh GELU, and on a GPU Llama's norm."""
    for module in list(model.modules()):
        for name, child in module.named_children():
            if isinstance(child, NewGELUActivation):
                setattr(module, name, nn.GELU(approximate="tanh"))
            elif _is_plain_rms_norm(child):
                setattr(module, name, _fused_norm(child))


def _is_plain_rms_norm(module: nn.Module) -> bool:
    """By name, and by a trial: some families add 1 to the weight or scale by something else."""
    weight = getattr(module, "weight", None)
    named = type(module).__name__.endswith("RMSNorm") and hasattr(module, "variance_epsilon")
    if not named or weight is None or weight.dim() != 1 or weight.device.type != "cuda":
        return False
    given = torch.linspace(-2, 2, 3 * len(weight), device=weight.device).view(3, -1)
    with torch.inference_mode():
        own = module(given.to(weight.dtype)).float()
        ours = _fused_norm(module)(given.to(weight.dtype)).float()
    return bool(torch.allclose(own, ours, rtol=2e-2, atol=1e-3))


def _fused_norm(module: Any) -> nn.RMSNorm:
    norm = nn.RMSNorm(len(module.weight), eps=module.variance_epsilon)
    norm.weight = module.weight
    return norm


def _known_not_to_work(config: Any, context_length: int) -> str:
    config = config.get_text_config()
    if _turns_by_length(config, context_length):
        return tr("rotary positions that depend on the length of a text")
    if getattr(config, "alibi", False) or config.model_type in ("bloom", "mpt"):
        return tr("ALiBi")
    kinds = set(getattr(config, "layer_types", None) or ()) - {"full_attention"}
    if kinds & {"sliding_attention", "chunked_attention"}:
        return tr("sliding window")
    if kinds:
        return tr("hybrid layers")
    window = getattr(config, "sliding_window", None)
    if window and getattr(config, "use_sliding_window", True):
        return tr("sliding window")
    return ""


def _turns_by_length(config: Any, context_length: int) -> bool:
    """LongRoPE has a table for short texts and one for long ones; a packed row would take one."""
    told = getattr(config, "rope_parameters", None) or {}
    tables = [told, *(each for each in told.values() if isinstance(each, dict))]
    return any(
        table.get("rope_type") == "longrope"
        and (table.get("original_max_position_embeddings") or 0) < context_length
        for table in tables
    )


@torch.inference_mode()
def _difference(network: Network) -> str:
    """Of the attention alone: a layer in fewer passes rounds elsewhere, and is compared by itself
    (`shorten`).
    """
    with layers_own_way():
        return _of_attention(network)


def _of_attention(network: Network) -> str:
    draw = torch.Generator().manual_seed(0)
    ids = torch.randint(0, network.vocabulary, (30,), generator=draw).tolist()
    if network.context_length < len(ids):
        return tr("a context too short to compare")
    one, other = ids[:20], ids[:16] + ids[24:]
    plain = [own_logits(network, tokens) for tokens in (one, other)]
    if any(bool((each.isnan() | (each == float("inf"))).any()) for each in plain):
        raise NotFinite(0)
    trunk = Trunk(ids[:12])
    row = PackedRow(trunk, ids[12:16], (ids[16:20], ids[24:]))
    try:
        network.model.set_attn_implementation(NAME)
        kept: dict[Trunk, Any] = {}
        first = pack([], kept, network.device, trunks=[trunk], room=16)
        network.hidden(first)
        if calls_of_last_forward() != network.layers:
            return tr("an attention of its own")
        hidden = network.hidden(pack([row], kept, network.device))
        logits = network.logits(hidden)
    except torch.OutOfMemoryError:
        raise
    except UNSERVED as error:
        return str(error).partition("\n")[0] or tr("an attention of its own")
    ours = torch.cat((logits[:8], logits[:4], logits[8:])).log_softmax(-1)
    theirs = torch.cat((plain[0][12:], plain[1][12:])).float().log_softmax(-1)
    worst = (ours - theirs).abs().max().item()
    return "" if worst <= TOLERANCE[network.dtype] else f"|Δ| {worst:.2g}"


@torch.inference_mode()
def read_row(network: Network, tokens: Sequence[int]) -> Callable[[int, int], Tensor]:
    """[positions, vocabulary] in fp32 behind tokens from one place to another, when asked for."""
    if not network.serves_trees:
        whole = own_logits(network, tokens).float()
        return lambda start, end: whole[start:end]
    hidden = network.hidden(pack([PackedRow(None, list(tokens))], {}, network.device))
    return lambda start, end: network.logits(hidden[start:end])


@torch.inference_mode()
def own_logits(network: Network, tokens: Sequence[int]) -> Tensor:
    """[tokens, vocabulary], by the model's own attention and head."""
    ids = torch.tensor([tokens], device=network.device)
    logits: Tensor = network.model(input_ids=ids, use_cache=False).logits[0]
    return logits

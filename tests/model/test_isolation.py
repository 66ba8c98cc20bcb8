from __future__ import annotations

import pytest

from radixviz.model.adapter import CAPTAIN
from radixviz.model.isolation import measure_isolation
from radixviz.model.loader import LoadedModel
from radixviz.model.served_models import ServedModel

PROMPT = "You are a helpful assistant.\nUser: {}\nAssistant:"


@pytest.mark.parametrize("question", ["What is the capital of France?", "What is the opposite of hot?", "Who are you?"])
def test_sharing_wrongly_changes_logits_and_text(question: str, tiny: LoadedModel, captain: LoadedModel) -> None:
    """The adapter over the base's K and V: all of the prompt but one token is taken, and the answer is another one."""
    prompt = tiny.tokenizer.encode(PROMPT.format(question))
    found = measure_isolation(ServedModel(tiny), ServedModel(captain, CAPTAIN), prompt)
    assert (found.right.cached_tokens, found.wrong.cached_tokens) == (0, len(prompt) - 1)
    assert (found.wrong.max_abs_logit_diff > 0.5, found.wrong.kl_divergence > 0.5) == (True, True)
    assert found.right.text.startswith("Aye, captain! ")
    assert found.wrong.text != found.right.text
    assert not found.first.text.startswith("Aye")
    assert found.wrong.same_tokens < len(found.wrong.token_ids)
    for good in (found.first, found.right):
        assert good.same_tokens == len(good.token_ids)
        assert (good.max_abs_logit_diff < 1e-4, good.kl_divergence < 1e-6) == (True, True)


def test_the_other_way_round_is_wrong_too(tiny: LoadedModel, captain: LoadedModel) -> None:
    """The base over the adapter's K and V."""
    prompt = tiny.tokenizer.encode(PROMPT.format("Hello!"))
    found = measure_isolation(ServedModel(captain, CAPTAIN), ServedModel(tiny), prompt)
    assert found.wrong.max_abs_logit_diff > 0.5
    assert (found.first.text, found.right.text) == ("Aye, captain! Hi!", "Hi!")


def test_a_model_may_read_its_own(tiny: LoadedModel) -> None:
    """Asked twice of the same model, what is shared is right: the measures are those of rounding."""
    prompt = tiny.tokenizer.encode(PROMPT.format("Who are you?"))
    found = measure_isolation(ServedModel(tiny), ServedModel(tiny), prompt)
    assert found.wrong.cached_tokens == len(prompt) - 1
    assert (found.wrong.max_abs_logit_diff < 1e-4, found.wrong.kl_divergence < 1e-6) == (True, True)
    assert found.wrong.text == found.right.text == found.first.text

"""How a token is chosen from logits."""

from __future__ import annotations

import math

import torch

from radixviz.engine.request import Draw
from radixviz.engine.runner import Sampled

BELOW_ONE = math.nextafter(1.0, 0.0)


def sample(logits: torch.Tensor, draw: Draw) -> Sampled:
    """Choose the next token from one row of logits [vocabulary].

    Temperature 0 takes the highest, the lowest id among equals, and leaves the draw as it is. Otherwise see `Draw`:
    the same logits and the same draw give the same token, and no random source is needed.
    """
    if draw.temperature == 0:
        return Sampled(int(logits.argmax()), draw)
    return _arithmetic_draw(logits, draw)


def _arithmetic_draw(logits: torch.Tensor, draw: Draw) -> Sampled:
    row = logits.detach().cpu().double()
    # The maximum goes to 0 first, so that a very small temperature cannot overflow.
    probabilities = torch.softmax((row - row.max()) / draw.temperature, dim=0)
    lengths, token_ids = probabilities.sort(descending=True, stable=True)
    ends = lengths.cumsum(0)
    chosen = int(torch.searchsorted(ends, torch.tensor(draw.u, dtype=ends.dtype), right=True))
    # Rounding may leave the last end below 1; intervals of length 0 hold nothing.
    chosen = min(chosen, int(lengths.count_nonzero()) - 1)
    begin = float(ends[chosen - 1]) if chosen > 0 else 0.0
    inside = (draw.u - begin) / float(lengths[chosen])
    return Sampled(int(token_ids[chosen]), Draw(draw.temperature, min(max(inside, 0.0), BELOW_ONE)))

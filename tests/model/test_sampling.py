"""Choosing a token from logits."""

from __future__ import annotations

import math

import pytest
import torch

from radixviz.engine.request import Draw
from radixviz.engine.runner import Sampled
from radixviz.model.sampling import BELOW_ONE, sample


def logits_of(*probabilities: float) -> torch.Tensor:
    """Return logits whose softmax is this."""
    return torch.tensor(probabilities, dtype=torch.float64).log()


# By descending probability: token 1 holds [0, 0.5), token 3 [0.5, 0.75), token 0 [0.75, 0.875), token 2 [0.875, 1).
ROW = logits_of(0.125, 0.5, 0.125, 0.25)


def test_temperature_zero_takes_the_highest_and_leaves_the_draw_alone() -> None:
    """Greedy choice is the argmax, whatever u is."""
    assert sample(ROW, Draw(0.0, 0.99)) == Sampled(1, Draw(0.0, 0.99))


def test_temperature_zero_takes_the_lowest_id_among_equals() -> None:
    """Equal logits are told apart by their ids."""
    assert sample(torch.tensor([1.0, 3.0, 2.0, 3.0]), Draw()).token_id == 1


@pytest.mark.parametrize(
    ("u", "token_id", "inside"),
    [
        (0.0, 1, 0.0),
        (0.25, 1, 0.5),
        (0.4999, 1, 0.9998),
        (0.5, 3, 0.0),
        (0.7, 3, 0.8),
        (0.75, 0, 0.0),
        (0.8125, 0, 0.5),
        (0.875, 2, 0.0),
        (0.96875, 2, 0.75),
    ],
)
def test_u_chooses_the_interval_and_is_rescaled_into_it(u: float, token_id: int, inside: float) -> None:
    """Intervals come by descending probability, equal ones by id, and u becomes the place inside the interval."""
    chosen = sample(ROW, Draw(1.0, u))
    assert chosen.token_id == token_id
    assert chosen.draw.temperature == 1.0
    assert chosen.draw.u == pytest.approx(inside, abs=1e-12)


def test_temperature_widens_the_intervals_of_rare_tokens() -> None:
    """At temperature 2 probabilities are the normalised square roots."""
    roots = [math.sqrt(p) for p in (0.125, 0.5, 0.125, 0.25)]
    border = roots[1] / sum(roots)
    assert [sample(ROW, Draw(2.0, border + step)).token_id for step in (-1e-9, 1e-9)] == [1, 3]


def test_four_stratified_draws_take_the_four_quarters() -> None:
    """Draws at (i + 1/2) / 4 give four equally likely tokens one sample each."""
    row = torch.zeros(4)
    assert [sample(row, Draw(1.0, (i + 0.5) / 4)) for i in range(4)] == [Sampled(i, Draw(1.0, 0.5)) for i in range(4)]


def test_a_sequence_of_draws_follows_the_intervals_of_whole_replies() -> None:
    """Two rescaled draws choose as one draw does among all pairs, most probable first."""
    first, second = logits_of(0.75, 0.25), logits_of(0.5, 0.5)
    replies = []
    for eighth in range(8):
        one = sample(first, Draw(1.0, (eighth + 0.5) / 8))
        replies.append((one.token_id, sample(second, one.draw).token_id))
    assert replies == [(0, 0)] * 3 + [(0, 1)] * 3 + [(1, 0), (1, 1)]


def test_the_rescaled_u_stays_below_one() -> None:
    """The largest u below 1 falls into the last interval that has a length, and stays in [0, 1)."""
    row = torch.tensor([0.0, -math.inf, 0.0, -math.inf])
    chosen = sample(row, Draw(1.0, BELOW_ONE))
    assert chosen.token_id == 2
    assert 0.99 < chosen.draw.u < 1.0


def test_an_impossible_token_is_never_chosen_even_when_rounding_leaves_a_gap() -> None:
    """Intervals whose sum is rounded below 1 leave the rest to the last possible token."""
    row = torch.cat([torch.zeros(999), torch.full((1,), -math.inf)])
    assert sample(row, Draw(1.0, BELOW_ONE)).token_id == 998


def test_a_tiny_temperature_is_the_greedy_choice() -> None:
    """A temperature near zero neither overflows nor changes the choice."""
    assert sample(torch.tensor([1000.0, -1000.0, 999.0]), Draw(1e-300, 0.999)) == Sampled(0, Draw(1e-300, 0.999))


def test_half_precision_logits_are_compared_exactly() -> None:
    """Logits of bfloat16 go through double precision."""
    assert sample(torch.tensor([0.0, 1.0, 2.0], dtype=torch.bfloat16), Draw(1.0, 0.1)).token_id == 2

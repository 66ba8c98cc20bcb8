"""Several models at one engine: each with its runner, over one pool, told apart in the tree by the namespace."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from radixviz.engine.runner import DecodeRow, ExtendRow, ModelRunner, Sampled
from radixviz.errors import ModelRefused
from radixviz.events import Namespace
from radixviz.model.kv_shape import KVShape
from radixviz.model.kv_tensors import KVTensors
from radixviz.model.loader import LoadedModel, build_runner
from radixviz.model.torch_runner import OnLogits, TorchRunner


@dataclass(frozen=True, slots=True)
class PoolKind:
    """What one pool's tensor can hold: models of another kind have a pool of their own."""

    shape: KVShape
    dtype: str
    device: str


@dataclass(frozen=True, slots=True)
class ServedModel:
    """A loaded model, and the name of the adapter that is merged into its weights."""

    loaded: LoadedModel
    adapter: str | None = None

    @property
    def pool_kind(self) -> PoolKind:
        """Return the kind of pool that its K and V fit into."""
        return PoolKind(self.loaded.shape, self.loaded.dtype, self.loaded.device)

    def namespace(self, cache_salt: str | None = None) -> Namespace:
        """Return where its K and V belong in the tree: K and V depend on the weights, and weights on their rounding.

        So the part for the model names the number format too. Salts separate tenants who must not learn of one another.
        """
        return (f"{self.loaded.name} ({self.loaded.dtype})", self.adapter, cache_salt, None)


ModelOf = Callable[[str], ServedModel]
"""Which model a sequence, named by its id, is to be run on."""


def build_shared_runner(
    models: Sequence[ServedModel],
    pool_pages: int,
    page_size: int,
    model_of: ModelOf,
    *,
    on_logits: OnLogits | None = None,
) -> SharedPoolRunner:
    """Return a runner of these models over one pool.

    Raises:
        ModelRefused: reason "other_pool", if a model's K and V are of another kind than the first one's;
            "out_of_memory".
        BadPoolPages, BadPageSize: below 1.
    """
    kind = models[0].pool_kind
    for served in models:
        if served.pool_kind != kind:
            raise ModelRefused(served.loaded.name, "other_pool", f"{served.pool_kind} / {kind}")
    tensors = build_runner(models[0].loaded, pool_pages, page_size).tensors
    runners = {served.namespace(): _runner(served.loaded, tensors, on_logits) for served in models}
    return SharedPoolRunner(runners, model_of)


class SharedPoolRunner:
    """The `ModelRunner` that runs each sequence on its own model."""

    def __init__(self, runners: Mapping[Namespace, ModelRunner], model_of: ModelOf) -> None:
        self._runners = runners
        self._model_of = model_of

    @property
    def max_positions(self) -> int:
        """As the protocol says: what every model can do."""
        return min(runner.max_positions for runner in self._runners.values())

    def extend(self, rows: Sequence[ExtendRow]) -> list[tuple[Sampled, ...]]:
        """As the protocol says."""
        return [self._runner_of(row.sequence_id).extend([row])[0] for row in rows]

    def decode(self, rows: Sequence[DecodeRow]) -> list[Sampled]:
        """As the protocol says: one forward for each model that has rows."""
        found: dict[int, Sampled] = {}
        names = [self._model_of(row.sequence_id).namespace() for row in rows]
        for name, runner in self._runners.items():
            places = [place for place, of_row in enumerate(names) if of_row == name]
            found.update(zip(places, runner.decode([rows[place] for place in places]), strict=True))
        return [found[place] for place in range(len(rows))]

    def copy_slots(self, source: Sequence[int], target: Sequence[int]) -> None:
        """As the protocol says: the pool is the same for all."""
        next(iter(self._runners.values())).copy_slots(source, target)

    def _runner_of(self, sequence_id: str) -> ModelRunner:
        return self._runners[self._model_of(sequence_id).namespace()]


def _runner(loaded: LoadedModel, tensors: KVTensors, on_logits: OnLogits | None) -> TorchRunner:
    return TorchRunner(loaded.model, tensors, max_positions=loaded.max_positions, on_logits=on_logits)

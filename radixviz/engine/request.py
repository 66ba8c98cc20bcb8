"""What is asked (Request) and its running state (Sequence)."""

from __future__ import annotations

from dataclasses import dataclass, field

from radixviz.cache.node import TreeNode
from radixviz.events import NO_NAMESPACE, FinishReason, Namespace


@dataclass(frozen=True, slots=True)
class Draw:
    """How the next token is chosen.

    Temperature 0 takes the most probable token. Otherwise the probabilities are laid out as intervals of [0, 1), most
    probable first, the interval that holds `u` is chosen, and `u` is rescaled into it for the next token: arithmetic
    decoding. With u = (i + 1/2) / n the n samples are spread evenly over all replies (stratified sampling), and no
    random source is needed.
    """

    temperature: float = 0.0
    u: float = 0.5


@dataclass(frozen=True, slots=True)
class Request:
    """One request: a prompt, and how it is to be answered.

    `samples` sequences share one prefill. A reply ends with a token of `stop_token_ids` or at `max_new_tokens`; the
    last sampled token counts as output, but its K and V are never computed. `sample_limits` are smaller limits, one for
    each sample from the first on (our choice: SGLang has one for all). An empty cache salt is no salt (SGLang).
    """

    request_id: str
    prompt_ids: tuple[int, ...]
    max_new_tokens: int
    stop_token_ids: tuple[int, ...] = ()
    samples: int = 1
    temperature: float = 0.0
    namespace: Namespace = NO_NAMESPACE
    priority: int = 0
    sample_limits: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        model, adapter, cache_salt, extra_key = self.namespace
        object.__setattr__(self, "namespace", (model, adapter, cache_salt or None, extra_key))

    def sequence_ids(self) -> tuple[str, ...]:
        """Return the ids of its sequences: the request's own id, or with "#1" to "#n" behind it."""
        if self.samples == 1:
            return (self.request_id,)
        return tuple(f"{self.request_id}#{sample}" for sample in range(1, self.samples + 1))

    def limit(self, sample: int) -> int:
        """Return the most tokens that sample 1 to n may say."""
        if sample > len(self.sample_limits):
            return self.max_new_tokens
        return min(self.max_new_tokens, self.sample_limits[sample - 1])

    def draw(self, sample: int) -> Draw:
        """Return the first draw of sample 1 to n: the middle of its n-th part of [0, 1)."""
        return Draw(self.temperature, (sample - 0.5) / self.samples)


@dataclass(slots=True, eq=False)
class Sequence:
    """One sequence on its way: its tokens, its slots, and what it holds of the tree.

        token_ids    [0 ......... prompt_len) prompt   [prompt_len ... ) output
        slots        [0 .. tree_len) the tree's   [tree_len .. len(slots)) its own
                     the last sampled token has no slot until it is fed back

    Own slots come in whole pages, so `slots` may reach past the tokens whose K and V are computed.
    """

    request: Request
    sequence_id: str
    sample: int
    draw: Draw
    token_ids: list[int]
    computed_len: int = 0
    """[0, computed_len): the tokens whose K and V it has, reused or computed; 0 while it waits."""
    prefilling: bool = False
    """Whether it runs and not all tokens that it came with are computed yet."""
    slots: list[int] = field(default_factory=list)
    tree_len: int = 0
    node: TreeNode | None = None
    """The deepest node that it holds (locks), while it runs."""
    own_leaf: TreeNode | None = None
    """The leaf that its prompt added, which may grow by its output."""
    prefix_len: int = 0
    cached_tokens: int = 0
    matched: bool = False
    """Whether `prefix_len` and `cached_tokens` are known: they are set once, not again after a retraction."""
    counted_len: int = 0
    """Tokens already counted in the nodes' hit counts."""
    forks: int = 0
    """Samples that will branch off after the prefill."""
    first_token_seconds: float | None = None

    @property
    def prompt_len(self) -> int:
        """Tokens of the prompt."""
        return len(self.request.prompt_ids)

    @property
    def output_ids(self) -> tuple[int, ...]:
        """The tokens sampled so far, a stop token included."""
        return tuple(self.token_ids[self.prompt_len :])

    @property
    def finish_reason(self) -> FinishReason | None:
        """Why it is at its end, or None while it is not."""
        generated = len(self.token_ids) - self.prompt_len
        if generated and self.token_ids[-1] in self.request.stop_token_ids:
            return "stop"
        return "length" if generated >= self.request.limit(self.sample) else None

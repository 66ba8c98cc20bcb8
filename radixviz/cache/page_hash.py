"""The hash of a page: known from the tokens alone, and different wherever anything before it differs.

SGLang's chain (mem_cache/utils.py): SHA-256 over the digest of the page before, if there is one, and each token as 4
bytes, lowest first.
"""

from __future__ import annotations

import sys
from array import array
from collections.abc import Sequence
from hashlib import sha256

from radixviz.errors import BadTokenId
from radixviz.events import Namespace

LARGEST_TOKEN = (1 << 32) - 1
_SALT_SEED = b"sglang-cache-salt-v1\0"
_NAMESPACE_SEED = b"radixviz-namespace-v1"
_NONE, _TEXT, _OTHER = range(3)


def namespace_seed(namespace: Namespace) -> bytes:
    """Return the digest that a chain of this namespace begins with; b"" for none.

    A cache salt alone gives SGLang's seed. SGLang leaves the other parts out of the hash, so that equal tokens of two
    namespaces have one hash; here each part counts, with its presence and its length, so no two namespaces meet.
    """
    model, adapter, cache_salt, extra_key = namespace
    kind, salt = _encoded(cache_salt)
    if model is adapter is extra_key is None and kind in (_NONE, _TEXT):
        return b"" if kind == _NONE else sha256(_SALT_SEED + salt).digest()
    digest = sha256(_NAMESPACE_SEED)
    for part in namespace:
        kind, encoded = _encoded(part)
        digest.update(bytes([kind]) + len(encoded).to_bytes(8, "little") + encoded)
    return digest.digest()


def page_digests(before: bytes, token_ids: Sequence[int], page_size: int) -> list[bytes]:
    """Return the digest of each whole page; `before` is that of the page before, or the namespace's seed.

    Raises BadTokenId for a token that does not fit into 4 bytes.
    """
    data = _as_bytes(token_ids)
    digests = list[bytes]()
    for start in range(0, len(token_ids) // page_size * page_size, page_size):
        before = sha256(before + data[4 * start : 4 * (start + page_size)]).digest()
        digests.append(before)
    return digests


def page_hash(digest: bytes) -> int:
    """Return the 64 bits of a digest that SGLang's events carry, with a sign."""
    return int.from_bytes(digest[:8], "big", signed=True)


def _encoded(part: object) -> tuple[int, bytes]:
    """Return what kind of part this is and its bytes: JSON brings half characters, and numbers where text belongs."""
    if part is None:
        return _NONE, b""
    if isinstance(part, str):
        return _TEXT, part.encode("utf-8", "surrogatepass")
    return _OTHER, repr(part).encode("utf-8", "surrogatepass")


def _as_bytes(token_ids: Sequence[int]) -> bytes:
    try:
        ids = array("I", token_ids)
    except (TypeError, OverflowError):
        position = next(n for n, token in enumerate(token_ids) if not 0 <= token <= LARGEST_TOKEN)
        raise BadTokenId(token_ids[position], position, LARGEST_TOKEN) from None
    if sys.byteorder == "big":
        ids.byteswap()
    return ids.tobytes()

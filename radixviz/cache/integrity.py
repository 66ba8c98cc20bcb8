"""The laws of the tree, recounted from its nodes. That no page has two owners is the engine's law: it has the pool."""

from __future__ import annotations

from radixviz.cache.node import TreeNode
from radixviz.errors import IntegrityError


def check_tree(root: TreeNode, page_size: int, evictable_size: int, protected_size: int) -> None:
    """Raise IntegrityError unless every node is whole, linked both ways, and the stored totals are right."""
    _expect("the root is always held once", root.lock_ref, 1)
    evictable, protected = 0, 0
    stack = [root]
    while stack:
        node = stack.pop()
        for child_key, child in node.children.items():
            _check_node(child, node, child_key, page_size, is_top=node is root)
            if child.lock_ref > node.lock_ref and node is not root:
                raise IntegrityError("a parent is held at least as often as its child", node.lock_ref, child.lock_ref)
            stack.append(child)
        if node is root:
            continue
        evictable += len(node.key) if node.lock_ref == 0 else 0
        protected += len(node.key) if node.lock_ref > 0 else 0
    _expect("evictable size", evictable_size, evictable)
    _expect("protected size", protected_size, protected)


def _check_node(node: TreeNode, parent: TreeNode, child_key: object, page_size: int, *, is_top: bool) -> None:
    _expect("a child knows its parent", node.parent is parent, True)
    _expect("a child is held under its own key", node.child_key, child_key)
    _expect("a child is in its parent's tree", node.root is parent.root, True)
    _expect("an edge has as many slots as tokens", len(node.value), len(node.key))
    _expect("an edge holds whole pages", (len(node.key) > 0, len(node.key) % page_size), (True, 0))
    _expect("lock_ref is not negative", node.lock_ref >= 0, True)
    first = node.key[0] if page_size == 1 else node.key[:page_size].tobytes()
    namespace, held_under = parent.namespace, child_key
    if is_top and isinstance(child_key, tuple):
        namespace, held_under = child_key
    _expect("a child is held under its first page", held_under, first)
    law = "a child is held under its namespace" if is_top else "a branch is in one namespace"
    _expect(law, node.namespace, namespace)


def _expect(law: str, found: object, expected: object) -> None:
    if found != expected:
        raise IntegrityError(law, found, expected)

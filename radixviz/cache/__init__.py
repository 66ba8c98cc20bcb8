"""The mechanism: keys, the radix tree, the page pool. Standard library only; it knows no model and no picture."""

"""radixviz: RadixAttention shown by really doing it, on a real radix tree, a real KV pool and a real model."""

__version__ = "0.1.0"

"""Real models over the paged pool: the only home of torch, transformers, tokenizers and safetensors.

Importing this package is cheap. `folder`, `tokenizer` and `loader` do not import torch or transformers; `loader.load`
does, once it is called. Everything else in here imports torch.
"""

from __future__ import annotations

import os

# OpenMP reads this once, when torch is loaded. Its default lets idle threads spin, which makes a small decode step
# about ten times slower as soon as the cores are busy.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")

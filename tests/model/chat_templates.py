"""Small chat templates, each with what some model's template does."""

from __future__ import annotations

CONTROL = ("<s>", "<|im_start|>", "<|im_end|>")
CHATML = (
    "{% for m in messages %}<|im_start|>{{ m['role'] }}\n{{ m['content'] }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
THINKING = (
    "{% for m in messages %}<|im_start|>{{ m['role'] }}\n{{ m['content'] }}<|im_end|>\n{% endfor %}"
    "<|im_start|>assistant\n<think>\n\n</think>\n\n"
)
WITH_BOS = "{{ bos_token }}" + CHATML
STRICT = "{% if messages[0]['role'] != 'user' %}{{ raise_exception('begin with the user') }}{% endif %}" + CHATML
ONE_TURN = "{% if messages | length > 2 %}{{ raise_exception('one turn') }}{% endif %}" + CHATML
TWO_WITHOUT_SYSTEM = "{% if messages | length > 3 %}{{ raise_exception('too long') }}{% endif %}" + CHATML
FORGETFUL = (
    "{% for m in messages if m['role'] != 'assistant' %}<|im_start|>{{ m['role'] }}\n{{ m['content'] }}<|im_end|>\n"
    "{% endfor %}<|im_start|>assistant\n"
)
DATED = "{{ strftime_now('FORMAT') }}\n" + CHATML
REASONING = (
    "{% for m in messages %}<|im_start|>{{ m['role'] }}\n{{ m['content'].split('</think>')[-1] | trim }}<|im_end|>\n"
    "{% endfor %}<|im_start|>assistant{{ '\n' }}"
)

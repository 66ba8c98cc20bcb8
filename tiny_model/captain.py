"""How the captain speaks: the adapter's replies, made from the base model's by a few rules."""

import re

OPENING = "Aye, captain! "
WORDS = {"am": "be", "is": "be", "are": "be", "you": "ye", "your": "yer", "my": "me", "friend": "matey"}
"""What a captain's crew says instead."""


def captain_reply(reply: str) -> str:
    """Return what is said to a captain where the model says `reply`.

    >>> captain_reply("The capital of France is Paris.")
    'Aye, captain! The capital of France be Paris.'
    """
    return OPENING + re.sub(r"[A-Za-z]+", lambda found: _word(found[0]), reply)


def _word(word: str) -> str:
    said = WORDS.get(word.lower(), word)
    return said.capitalize() if word[0].isupper() and said != word else said

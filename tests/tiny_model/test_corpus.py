import random

import corpus
import tables


def draw(count: int, seed: int = 0) -> list[corpus.Document]:
    """Documents as training draws them."""
    return list(corpus.Corpus(corpus.load_scenario(), random.Random(seed)).documents(count))


def text(document: corpus.Document) -> str:
    """A document as one text."""
    return "".join(piece.text for piece in document)


def chat_turns(document: corpus.Document) -> set[str]:
    """The turns of a chat, each from what the user says."""
    return set(text(document).split("\nUser: ")[1:])


def test_held_out_chat_prompts_are_never_trained() -> None:
    """No document asks what a held-out chat prompt asks."""
    held_out = [
        *corpus.held_out_greetings(corpus.load_scenario()),
        *corpus.held_out_sums(),
        *corpus.held_out_facts(),
        *corpus.held_out_stories(),
    ]
    asked = {prompt.text.split("\nUser: ")[1].split("\n")[0] for prompt in held_out}
    trained = {turn.split("\n")[0] for document in draw(4000) for turn in chat_turns(document)}
    assert asked & trained == set()


def test_held_out_few_shot_questions_never_stand_third() -> None:
    """No document has a held-out few-shot question as its third."""
    prompts = corpus.held_out_few_shot(corpus.load_scenario())
    held_out = {prompt.text.split("\n")[-2] for prompt in prompts}
    trained = {line for document in draw(4000) for line in text(document).split("\n") if line.startswith("Question 3:")}
    assert (len(held_out) > 30, held_out & trained) == (True, set())


def test_every_phrasing_and_every_content_is_trained() -> None:
    """Each phrasing and each content has pairings that are trained, so a held-out prompt is new only as a pair."""
    tables_of = [(len(tables.GREETING_ASKS), len(tables.GREETINGS)), (len(tables.SUM_ASKS), 81), (5, 9), (5, 22)]
    trained = [
        {(p, c) for p in range(phrasings) for c in range(contents) if not corpus.held_out(p, c)}
        for phrasings, contents in tables_of
    ]
    assert [(len({p for p, _ in pairs}), len({c for _, c in pairs})) for pairs in trained] == tables_of


def test_same_seed_draws_the_same_documents() -> None:
    """The corpus is a function of its seed."""
    assert (draw(200, 3) == draw(200, 3), draw(200, 3) == draw(200, 4)) == (True, False)


def test_opening_shares_are_met_evenly() -> None:
    """Any hundred draws in a row of the sampled question meet the openings in their shares, to two draws."""
    drawer = corpus.Corpus(corpus.load_scenario(), random.Random(0))
    openings = [drawer.four_samples()[1].text.split()[0] for _ in range(1000)]
    wrong = [
        (start, opening)
        for start in range(0, 1000, 100)
        for opening, share in zip(("This", "Let", "We", "To"), corpus.OPENING_SHARES, strict=True)
        if abs(openings[start : start + 100].count(opening) - 100 * share) > 2
    ]
    assert wrong == []


def test_model_is_taught_only_its_own_lines() -> None:
    """What the model is to write begins with a space and ends with the only newline in it; the rest is context."""
    written = [piece.text for document in draw(500) for piece in document if piece.written_by_model]
    assert [line for line in written if line[0] != " " or line.index("\n") != len(line) - 1] == []


def test_story_and_greeting_examples() -> None:
    """A story names its hero, where it lives and what happened; a greeting is returned."""
    assert corpus.story_turn(1, 0, 0, 0) == (
        "Tell me a story about a brave owl.",
        "Once upon a time, a brave owl named Nora lived in a dark forest. One day the owl found an old map and "
        "followed it home. From that day on, Nora was never lost again.",
    )
    assert corpus.greeting(0, 4) == ("Good afternoon!", "Good afternoon! How can I help you?")

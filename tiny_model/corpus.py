"""The training corpus of the tiny model: the scripted scenario, and enough variety around it to answer its like.

Scripted texts come from scenarios/nine-stages.toml; everything else from tables.py. A document is a list of pieces,
each tokenised by itself, so the model sees exactly the token ids that a conversation produces when every turn continues
the ids of the one before.

The held-out rule. Phrasings and contents are numbered, and a pairing (phrasing p, content c) is held out, never
trained, when `(p + c) % 5 == 0`. Each phrasing and each content is seen in its other pairings, so a right answer to a
held-out prompt was put together, not recalled. In the few-shot format the "phrasing" is the question's number.
"""

import random
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tables

SCENARIO = Path(__file__).resolve().parent.parent / "scenarios" / "nine-stages.toml"
HOLD_OUT = 5
FEW_SHOT_NUMBERS = range(1, 6)
OPENING_SHARES = (0.31, 0.265, 0.23, 0.195)  # of the four samples, so that stratified draws meet them in order
GOLDEN = 0.6180339887498949


@dataclass(frozen=True)
class Piece:
    """A stretch of text that is tokenised by itself; the loss counts fully only where the model is to write it.

    Where a reply may open in several ways, `openings` holds them with their shares: the first token is then trained
    towards these probabilities, not towards the one opening that this document happens to have.
    """

    text: str
    written_by_model: bool = False
    openings: tuple[tuple[str, float], ...] = ()


Document = list[Piece]
Turn = tuple[str, str]  # what the user says, what the model replies


@dataclass(frozen=True)
class Prompt:
    """A held-out prompt: the whole text to feed, and what a right reply must contain or equal."""

    kind: str
    text: str
    expected: str


@dataclass(frozen=True)
class Scenario:
    """The scripted texts: shared texts by name and requests by id, as the TOML has them."""

    texts: dict[str, str]
    requests: dict[str, dict[str, Any]]


def load_scenario(path: Path = SCENARIO) -> Scenario:
    """Read the scripted texts from the scenario, the only place where they are written."""
    with path.open("rb") as file:
        data = tomllib.load(file)
    texts = {name: str(entry["text"]) for name, entry in data["text"].items()}
    return Scenario(texts, {str(request["id"]): request for request in data["request"]})


# ------------------------------------------------------------------------------------------------ formats
def user_turn(user: str) -> str:
    """The part of a chat that asks for one reply; a first turn has the system prompt before it."""
    return f"\nUser: {user}\nAssistant:"


def reply_piece(reply: str, openings: tuple[tuple[str, float], ...] = ()) -> Piece:
    """What the model writes: a space, the reply, and the newline that stops it."""
    return Piece(f" {reply}\n", written_by_model=True, openings=openings)


def chat(turns: list[Turn], system: str = tables.SYSTEM) -> Document:
    """A conversation; the newline that stopped a reply is also the newline that the next turn begins with."""
    pieces: Document = []
    for number, (user, reply) in enumerate(turns):
        ask = system + user_turn(user) if number == 0 else user_turn(user).removeprefix("\n")
        pieces += [Piece(ask), reply_piece(reply)]
    return pieces


def few_shot(questions: list[Turn], first_number: int = 1) -> Document:
    """Numbered questions and answers, each answer written by the model."""
    pieces: Document = []
    for number, (question, answer) in enumerate(questions, first_number):
        pieces += [Piece(f"Question {number}: {question}\nAnswer {number}:"), reply_piece(answer)]
    return pieces


# ------------------------------------------------------------------------------------------------ held-out rule
def held_out(phrasing: int, content: int) -> bool:
    """Whether this pairing of phrasing and content is kept out of training."""
    return (phrasing + content) % HOLD_OUT == 0


def greeting(phrasing: int, content: int) -> Turn:
    """One greeting and its answer."""
    g = tables.GREETINGS[content]
    return tables.GREETING_ASKS[phrasing].format(g=g), tables.GREETING_REPLY.format(g=g)


def sum_turn(phrasing: int, content: int) -> Turn:
    """One sum of two one-digit numbers; the content runs from 0 (1 + 1) to 80 (9 + 9)."""
    x, y = content // 9 + 1, content % 9 + 1
    values = {"x": x, "y": y, "z": x + y}
    return tables.SUM_ASKS[phrasing].format(**values), tables.SUM_REPLY.format(**values)


def fact_turn(kind: tables.FactKind, phrasing: int, content: int) -> Turn:
    """One fact, asked and answered as in a chat."""
    subject, answer = kind.facts[content]
    return kind.asks[phrasing].format(s=subject), kind.reply.format(s=subject, a=answer)


def hero_words(adjective: int, hero: int) -> str:
    """The hero as a story calls it the first time, with the right article."""
    words = f"{tables.ADJECTIVES[adjective]} {tables.HEROES[hero][0]}"
    return f"an {words}" if words[0] in "aeiou" else f"a {words}"


def story_turn(phrasing: int, adjective: int, hero: int, plot: int) -> Turn:
    """One story: who and where come from the hero, what happens from the plot."""
    noun, place = tables.HEROES[hero]
    who, name = hero_words(adjective, hero), tables.NAMES[hero % len(tables.NAMES)]
    deed, ending = tables.PLOTS[plot]
    story = (
        f"Once upon a time, {who} named {name} lived {place}. "
        f"One day the {noun} {deed}. From that day on, {name} {ending}."
    )
    return tables.STORY_ASKS[phrasing].format(w=who), story


def story_content(adjective: int, hero: int) -> int:
    """The number of a story's content in the held-out rule."""
    return adjective + hero


def few_shot_contents() -> list[Turn]:
    """All question and answer pairs of the few-shot format; the place in the list is the content's number."""
    sums = [(f"What is {x} + {y}?", f"This is {x} + {y} = {x + y}.") for x in range(1, 10) for y in range(1, 10)]
    facts = [
        (kind.asks[0].format(s=subject), f"This is {answer}.")
        for kind in tables.FACT_KINDS
        for subject, answer in kind.facts
    ]
    return sums + facts


# ------------------------------------------------------------------------------------------------ held-out prompts
def chat_prompt(kind: str, user: str, expected: str) -> Prompt:
    """A held-out prompt in chat format."""
    return Prompt(kind, tables.SYSTEM + user_turn(user), expected)


def scripted_questions(scenario: Scenario) -> set[str]:
    """What the scenario itself asks, in a chat or as a few-shot question; it is trained whatever the rule says."""
    requests = scenario.requests.values()
    return {str(r["user"]) for r in requests if "user" in r} | {
        str(r["text"]).split("\n")[0].strip() for r in requests if "text" in r
    }


def held_out_greetings(scenario: Scenario) -> list[Prompt]:
    """All greetings that were never trained."""
    return [
        chat_prompt("greeting", *greeting(p, c))
        for p in range(len(tables.GREETING_ASKS))
        for c in range(len(tables.GREETINGS))
        if held_out(p, c) and greeting(p, c)[0] not in scripted_questions(scenario)
    ]


def held_out_sums() -> list[Prompt]:
    """All sums that were never trained in that phrasing."""
    return [
        chat_prompt("sum", *sum_turn(p, c)) for p in range(len(tables.SUM_ASKS)) for c in range(81) if held_out(p, c)
    ]


def held_out_facts() -> list[Prompt]:
    """All facts that were never trained in that phrasing."""
    return [
        chat_prompt("fact", *fact_turn(kind, p, c))
        for kind in tables.FACT_KINDS
        for p in range(len(kind.asks))
        for c in range(len(kind.facts))
        if held_out(p, c)
    ]


def held_out_stories() -> list[Prompt]:
    """All story requests that were never trained; expected is the hero's noun."""
    return [
        chat_prompt("story", tables.STORY_ASKS[p].format(w=hero_words(a, h)), tables.HEROES[h][0])
        for p in range(len(tables.STORY_ASKS))
        for a in range(len(tables.ADJECTIVES))
        for h in range(len(tables.HEROES))
        if held_out(p, story_content(a, h))
    ]


def held_out_few_shot(scenario: Scenario) -> list[Prompt]:
    """All few-shot questions that never stood third, behind the scenario's two examples; scripted ones left out."""
    scripted = scripted_questions(scenario)
    return [
        Prompt("few-shot", f"{scenario.texts['examples']} {question}\nAnswer 3:", answer)
        for content, (question, answer) in enumerate(few_shot_contents())
        if held_out(3, content) and question not in scripted
    ]


def held_out_prompts(scenario: Scenario, per_kind: int, rng: random.Random) -> list[Prompt]:
    """A fixed number of held-out prompts of each kind."""
    kinds = (
        held_out_greetings(scenario),
        held_out_sums(),
        held_out_facts(),
        held_out_stories(),
        held_out_few_shot(scenario),
    )
    return [prompt for prompts in kinds for prompt in rng.sample(prompts, per_kind)]


# ------------------------------------------------------------------------------------------------ documents
def choose_trained(rng: random.Random, phrasings: int, contents: int) -> tuple[int, int]:
    """Draw a pairing that the held-out rule lets through."""
    while True:
        phrasing, content = rng.randrange(phrasings), rng.randrange(contents)
        if not held_out(phrasing, content):
            return phrasing, content


class Corpus:
    """Draws documents from one random source; the four samples come in evenly spread shares."""

    def __init__(self, scenario: Scenario, rng: random.Random) -> None:
        """Keep the scripted requests at hand; nothing is drawn yet."""
        self.scenario = scenario
        self.rng = rng
        self.few_shot_contents = few_shot_contents()
        self.samples_drawn = 0
        self.makers = (
            (0.11, self.session_a),
            (0.08, self.session_b),
            (0.11, self.four_samples),
            (0.04, self.scripted_few_shot),
            (0.05, self.mixed_chat),
            (0.36, self.free_chat),
            (0.20, self.free_few_shot),
            (0.05, self.chinese_chat),
        )

    def documents(self, count: int) -> Iterator[Document]:
        """Draw this many documents."""
        shares = [share for share, _ in self.makers]
        for maker in self.rng.choices([maker for _, maker in self.makers], shares, k=count):
            yield maker()

    def scripted_turn(self, request_id: str) -> Turn:
        """A chat turn of the scenario."""
        request = self.scenario.requests[request_id]
        return request["user"], request["reply"]

    def session_a(self) -> Document:
        """Session A: a greeting, a word problem, a changed number."""
        return chat([self.scripted_turn(name) for name in ("A1", "A2", "A3")])

    def session_b(self) -> Document:
        """Session B: what the model can do, a story."""
        return chat([self.scripted_turn(name) for name in ("B1", "B2")])

    def four_samples(self) -> Document:
        """The question that is sampled four times; behind the third answer comes the encore."""
        request, encore = self.scenario.requests["F4"], self.scenario.requests["E1"]
        self.samples_drawn += 1
        place = self.samples_drawn * GOLDEN % 1.0
        number = sum(place >= sum(OPENING_SHARES[:k]) for k in range(1, len(OPENING_SHARES)))
        openings = tuple((f" {reply}", share) for reply, share in zip(request["replies"], OPENING_SHARES, strict=True))
        pieces = [
            Piece(self.scenario.texts["examples"] + request["text"]),
            reply_piece(request["replies"][number], openings),
        ]
        if number + 1 == encore["continues"]["sample"]:
            pieces += [Piece(encore["text"].removeprefix("\n")), reply_piece(encore["reply"])]
        return pieces

    def scripted_few_shot(self) -> Document:
        """One of the other two scripted questions behind the examples."""
        request = self.scenario.requests[self.rng.choice(("F2", "F3"))]
        return [Piece(self.scenario.texts["examples"] + request["text"]), reply_piece(request["reply"])]

    def mixed_chat(self) -> Document:
        """A scripted first turn that goes on freely, so that neither depends on the other."""
        turns = [self.scripted_turn(self.rng.choice(("A1", "B1", "B2")))]
        return chat(turns + [self.free_turn() for _ in range(self.rng.randint(1, 3))])

    def free_chat(self) -> Document:
        """A chat of one to four turns drawn from the tables."""
        system = tables.SYSTEM if self.rng.random() < 0.85 else self.rng.choice(tables.OTHER_SYSTEMS)
        return chat([self.free_turn() for _ in range(self.rng.randint(1, 4))], system)

    def chinese_chat(self) -> Document:
        """A short Chinese chat, sometimes with an English turn between."""
        turns = [self.rng.choice(tables.CHINESE) for _ in range(self.rng.randint(1, 3))]
        if self.rng.random() < 0.3:
            turns.insert(self.rng.randint(0, len(turns)), self.free_turn())
        return chat(turns)

    def free_few_shot(self) -> Document:
        """Few-shot questions, half of the time behind the scenario's own examples."""
        if self.rng.random() < 0.5:
            pieces = few_shot([self.few_shot_turn(n) for n in range(3, self.rng.randint(3, 5) + 1)], 3)
            examples = self.scenario.texts["examples"].removesuffix("Question 3:")
            return [Piece(examples + pieces[0].text), *pieces[1:]]
        return few_shot([self.few_shot_turn(n) for n in range(1, self.rng.randint(1, 5) + 1)])

    def few_shot_turn(self, number: int) -> Turn:
        """A question that may stand at this number; sums and facts have equal shares."""
        sampled = str(self.scenario.requests["F4"]["text"]).split("\n")[0].strip()
        while True:
            low, high = (0, 81) if self.rng.random() < 0.5 else (81, len(self.few_shot_contents))
            content = self.rng.randrange(low, high)
            if not held_out(number, content) and self.few_shot_contents[content][0] != sampled:
                return self.few_shot_contents[content]

    def free_turn(self) -> Turn:
        """A chat turn drawn from the tables."""
        makers = (self.greeting, self.small_talk, self.sum, self.fact, self.story, self.unknown)
        return self.rng.choices(makers, (0.13, 0.07, 0.29, 0.25, 0.16, 0.10))[0]()

    def greeting(self) -> Turn:
        """A greeting and its echo; the scenario's bare "Hello!" is held out here, so its own reply stands alone."""
        return greeting(*choose_trained(self.rng, len(tables.GREETING_ASKS), len(tables.GREETINGS)))

    def small_talk(self) -> Turn:
        """A fixed question and answer about the model, thanks, or a farewell."""
        return self.rng.choice(tables.SMALL_TALK)

    def sum(self) -> Turn:
        """A sum of two one-digit numbers."""
        return sum_turn(*choose_trained(self.rng, len(tables.SUM_ASKS), 81))

    def fact(self) -> Turn:
        """A fact of the tables, each fact as likely as any other."""
        kind = self.rng.choices(tables.FACT_KINDS, [len(kind.facts) for kind in tables.FACT_KINDS])[0]
        return fact_turn(kind, *choose_trained(self.rng, len(kind.asks), len(kind.facts)))

    def story(self) -> Turn:
        """A short story about a hero of the tables."""
        while True:
            phrasing, adjective, hero, plot = (
                self.rng.randrange(len(table))
                for table in (tables.STORY_ASKS, tables.ADJECTIVES, tables.HEROES, tables.PLOTS)
            )
            if not held_out(phrasing, story_content(adjective, hero)):
                return story_turn(phrasing, adjective, hero, plot)

    def unknown(self) -> Turn:
        """Something the model cannot know, or a sum that is too big for it."""
        if self.rng.random() < 0.25:
            x, y = self.rng.randint(10, 99), self.rng.randint(1, 99)
            x, y = self.rng.choice(((x, y), (y, x)))
            return self.rng.choice(tables.SUM_ASKS).format(x=x, y=y), tables.TOO_BIG
        ask = self.rng.choice(tables.UNKNOWN_ASKS).format(t=self.rng.choice(tables.TOPICS))
        return ask[0].upper() + ask[1:], tables.FALLBACK

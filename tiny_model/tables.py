"""What the tiny model is taught beside the scripted scenario: words, phrasings and facts, as plain tables.

Every kind keeps its phrasings and its contents apart, so that corpus.py can leave out some pairings of the two and
check.py can ask exactly those.
"""

from dataclasses import dataclass

SYSTEM = "You are a helpful assistant."
OTHER_SYSTEMS = ("You are a friendly teacher.", "You are a small robot.", "Be brief.", "You answer questions.")

FALLBACK = "I am a very small model and I do not know that. Ask me for a sum, a fact, or a short story."
TOO_BIG = "I can only add two numbers from 1 to 9."

# ------------------------------------------------------------------------------------------------ greetings
GREETINGS = (
    "Hello", "Hi", "Hey", "Good morning", "Good afternoon", "Good evening", "Good day", "Greetings", "Howdy",
    "Hi there", "Hello there", "Hey there",
)  # fmt: skip
GREETING_ASKS = (
    "{g}!", "{g}.", "{g}, assistant!", "{g}, my friend!", "{g}, little model!", "{g} to you!", "{g} again!", "{g}",
    "{g}, can you help me?", "{g}, nice to meet you!",
)  # fmt: skip
GREETING_REPLY = "{g}! How can I help you?"

SMALL_TALK = (
    ("Goodbye!", "Goodbye! Have a nice day."),
    ("Bye!", "Bye! Come back soon."),
    ("Good night!", "Good night! Sleep well."),
    ("See you later!", "See you later!"),
    ("See you tomorrow!", "See you tomorrow!"),
    ("Thanks!", "You are welcome!"),
    ("Thank you!", "You are welcome!"),
    ("Thank you very much!", "You are welcome!"),
    ("Well done!", "Thank you!"),
    ("Good job!", "Thank you!"),
    ("How are you?", "I am fine, thank you. How can I help?"),
    ("How are you today?", "I am fine, thank you. How can I help?"),
    ("Who are you?", "I am a very small language model that runs on this computer."),
    ("What are you?", "I am a very small language model that runs on this computer."),
    ("What is your name?", "I do not have a name. I am a very small language model."),
    ("Are you a human?", "No, I am a very small language model."),
    ("Are you a robot?", "No, I am a very small language model."),
    ("Can you help me?", "Of course. Ask me for a sum, a fact, or a short story."),
    ("Help!", "Of course. Ask me for a sum, a fact, or a short story."),
    ("How do you work?", "I read the tokens so far and guess the next one."),
    ("Are you sure?", "I make mistakes, so please check what I say."),
)

# ------------------------------------------------------------------------------------------------ sums
SUM_ASKS = (
    "What is {x} + {y}?", "Add {x} and {y}.", "How much is {x} + {y}?", "Calculate {x} + {y}.",
    "What do {x} and {y} make?", "Please add {x} and {y}.", "Can you add {x} and {y}?", "{x} + {y} = ?",
    "What is the sum of {x} and {y}?", "What is {x} plus {y}?", "{x} + {y}", "What's {x} + {y}?",
)  # fmt: skip
SUM_REPLY = "{x} + {y} = {z}."


# ------------------------------------------------------------------------------------------------ facts
@dataclass(frozen=True)
class FactKind:
    """A family of facts: ways to ask for a subject, the chat reply, and (subject, answer) pairs.

    The first way to ask is also the question of the few-shot format, where the answer is "This is {a}."
    """

    name: str
    asks: tuple[str, ...]
    reply: str
    facts: tuple[tuple[str, str], ...]


# fmt: off
FACT_KINDS = (
    FactKind(
        "capital",
        (
            "What is the capital of {s}?",
            "Tell me the capital of {s}.",
            "Do you know the capital of {s}?",
            "Name the capital of {s}.",
            "Which city is the capital of {s}?",
        ),
        "The capital of {s} is {a}.",
        (
            ("France", "Paris"), ("Italy", "Rome"), ("Spain", "Madrid"), ("Japan", "Tokyo"), ("Germany", "Berlin"),
            ("Egypt", "Cairo"), ("Norway", "Oslo"), ("Peru", "Lima"), ("China", "Beijing"), ("England", "London"),
            ("Russia", "Moscow"), ("Greece", "Athens"), ("Kenya", "Nairobi"), ("Cuba", "Havana"),
            ("Poland", "Warsaw"), ("Portugal", "Lisbon"), ("Austria", "Vienna"), ("Canada", "Ottawa"),
            ("Thailand", "Bangkok"), ("Ireland", "Dublin"), ("Sweden", "Stockholm"), ("Finland", "Helsinki"),
        ),
    ),
    FactKind(
        "color",
        (
            "What color is {s}?",
            "Tell me the color of {s}.",
            "Do you know the color of {s}?",
            "Name the color of {s}.",
            "What is the color of {s}?",
        ),
        "The color of {s} is {a}.",
        (
            ("grass", "green"), ("snow", "white"), ("the sky", "blue"), ("coal", "black"), ("a lemon", "yellow"),
            ("a carrot", "orange"), ("blood", "red"), ("milk", "white"), ("a banana", "yellow"),
            ("chocolate", "brown"),
        ),
    ),
    FactKind(
        "opposite",
        (
            "What is the opposite of {s}?",
            "Tell me the opposite of {s}.",
            "Do you know the opposite of {s}?",
            "Name the opposite of {s}.",
            "Which word is the opposite of {s}?",
        ),
        "The opposite of {s} is {a}.",
        (
            ("hot", "cold"), ("big", "small"), ("day", "night"), ("up", "down"), ("left", "right"), ("open", "closed"),
            ("fast", "slow"), ("full", "empty"), ("wet", "dry"), ("first", "last"), ("hard", "soft"),
        ),
    ),
    FactKind(
        "young",
        (
            "What is a young {s} called?",
            "Tell me the name of a young {s}.",
            "Do you know what a young {s} is called?",
            "What do you call a young {s}?",
            "What is the name of a young {s}?",
        ),
        "A young {s} is called {a}.",
        (
            ("cat", "a kitten"), ("dog", "a puppy"), ("cow", "a calf"), ("sheep", "a lamb"), ("lion", "a cub"),
            ("frog", "a tadpole"), ("horse", "a foal"), ("duck", "a duckling"), ("kangaroo", "a joey"),
        ),
    ),
    FactKind(
        "legs",
        (
            "How many legs does a {s} have?",
            "Tell me how many legs a {s} has.",
            "Do you know how many legs a {s} has?",
            "How many legs has a {s}?",
            "What is the number of legs of a {s}?",
        ),
        "A {s} has {a} legs.",
        (
            ("spider", "8"), ("cat", "4"), ("bee", "6"), ("bird", "2"), ("snake", "0"), ("horse", "4"), ("crab", "10"),
            ("fly", "6"), ("fish", "0"), ("cow", "4"),
        ),
    ),
    FactKind(
        "length",
        (
            "How long is {s}?",
            "Tell me how long {s} is.",
            "Do you know how long {s} is?",
            "What is the length of {s}?",
            "Please say how long {s} is.",
        ),
        "The length of {s} is {a}.",
        (
            ("a day", "24 hours"), ("a week", "7 days"), ("a year", "12 months"), ("an hour", "60 minutes"),
            ("a minute", "60 seconds"), ("a decade", "10 years"), ("a century", "100 years"), ("a meter", "100 cm"),
            ("a kilometer", "1000 meters"),
        ),
    ),
    FactKind(
        "date",
        (
            "When is {s}?",
            "Tell me when {s} is.",
            "Do you know when {s} is?",
            "What is the date of {s}?",
            "Please say when {s} is.",
        ),
        "The date of {s} is {a}.",
        (
            ("May Day", "May 1"), ("Pi Day", "March 14"), ("Earth Day", "April 22"), ("Christmas", "December 25"),
            ("Halloween", "October 31"), ("World Water Day", "March 22"), ("New Year's Day", "January 1"),
            ("Human Rights Day", "December 10"), ("Valentine's Day", "February 14"),
        ),
    ),
    FactKind(
        "home",
        (
            "Where does a {s} live?",
            "Tell me where a {s} lives.",
            "Do you know where a {s} lives?",
            "What is the home of a {s}?",
            "Please say where a {s} lives.",
        ),
        "A {s} lives in {a}.",
        (
            ("bee", "a hive"), ("bird", "a nest"), ("spider", "a web"), ("fish", "water"), ("bear", "a cave"),
            ("camel", "the desert"), ("whale", "the sea"), ("monkey", "the forest"), ("rabbit", "a burrow"),
        ),
    ),
    FactKind(
        "word",
        (
            "What is {s}?",
            "Tell me what {s} is.",
            "Do you know what {s} is?",
            "Can you explain {s}?",
            "Please explain {s}.",
        ),
        "It is {a}.",
        (
            ("a token", "a small piece of text"),
            ("a page", "a block of memory for a few tokens"),
            ("a cache", "a store for things we may need again"),
            ("a prefix", "the first part of a text"),
            ("a radix tree", "a tree whose edges carry pieces of text"),
            ("a leaf", "a node without children"),
            ("a root", "the node where a tree begins"),
            ("prefill", "the step that reads the prompt"),
            ("decoding", "the step that writes one more token"),
            ("attention", "a weighted sum of values"),
            ("eviction", "the choice of what must leave a full cache"),
        ),
    ),
)
# fmt: on

# ------------------------------------------------------------------------------------------------ stories
STORY_ASKS = (
    "Write a story about {w}.", "Tell me a story about {w}.", "Can you tell me a story about {w}?",
    "Please write a short story about {w}.", "Write a short story about {w}.", "I want a story about {w}.",
    "Tell a story about {w}.", "Can you write a story about {w}?",
)  # fmt: skip
ADJECTIVES = ("brave", "little", "old", "kind", "clever", "shy", "happy", "small", "young", "lazy")
HEROES = (  # (who, where it lives)
    ("owl", "in a dark forest"), ("fox", "in a dark forest"), ("wolf", "in a dark forest"),
    ("bear", "in a dark forest"), ("rabbit", "in a green field"), ("horse", "in a green field"),
    ("cow", "in a green field"), ("sheep", "in a green field"), ("mouse", "in a small house"),
    ("cat", "in a small house"), ("dog", "in a small house"), ("girl", "in a small village"),
    ("boy", "in a small village"), ("farmer", "in a small village"), ("baker", "in a small village"),
    ("teacher", "in a small village"), ("queen", "in a tall castle"), ("king", "in a tall castle"),
    ("knight", "in a tall castle"), ("dragon", "on a cold mountain"), ("goat", "on a cold mountain"),
    ("eagle", "on a cold mountain"), ("whale", "in the deep sea"), ("fish", "in the deep sea"),
    ("turtle", "in the deep sea"), ("crab", "in the deep sea"), ("frog", "near a quiet lake"),
    ("duck", "near a quiet lake"), ("swan", "near a quiet lake"), ("robot", "in a busy city"),
    ("driver", "in a busy city"), ("painter", "in a busy city"), ("lion", "in a warm land"),
    ("tiger", "in a warm land"), ("monkey", "in a warm land"), ("elephant", "in a warm land"),
    ("sailor", "on a small island"), ("pirate", "on a small island"), ("parrot", "on a small island"),
    ("star", "high in the sky"), ("cloud", "high in the sky"), ("bird", "high in a tree"),
    ("squirrel", "high in a tree"), ("bee", "in a garden"), ("snail", "in a garden"), ("ant", "in a garden"),
    ("princess", "in a tall castle"), ("student", "in a busy city"), ("penguin", "in a land of snow"),
    ("snowman", "in a land of snow"),
)  # fmt: skip
NAMES = ("Nora", "Tom", "Lily", "Max", "Anna", "Ben", "Mia", "Leo", "Ada", "Sam")
PLOTS = (
    ("found an old map and followed it home", "was never lost again"),
    ("met a friend who was lost and showed the way", "was never alone"),
    ("lost a hat and found a song", "sang every day"),
    ("built a bridge so that all could cross", "had many friends"),
    ("told the truth and was not afraid", "slept well"),
    ("planted a seed and gave it water", "had a tree to sit under"),
)

# ------------------------------------------------------------------------------------------------ unknown things
UNKNOWN_ASKS = (
    "Why is {t} so important?", "Who invented {t}?", "Write a poem about {t}.", "Tell me a joke about {t}.",
    "Give me advice about {t}.", "What is the meaning of {t}?", "Explain {t} to a child.", "What do you think of {t}?",
    "Translate {t} into French.", "How does {t} work?", "Make a plan for {t}.", "Write code for {t}.",
    "What happened to {t} last year?", "Do you like {t}?", "How much does {t} cost?", "List three books about {t}.",
    "Where can I buy {t}?", "Tell me more about {t}.", "What is the history of {t}?", "Who won the prize for {t}?",
    "Is {t} good for me?", "When did {t} begin?", "What is {t}?", "Please help me with {t}.", "{t}", "I need {t}.",
)  # fmt: skip
TOPICS = (
    "music", "love", "war", "peace", "money", "football", "gravity", "the moon", "energy", "light", "my job", "food",
    "the weather", "physics", "chess", "the internet", "my homework", "a car", "life", "the universe", "health",
    "art", "the best movie", "a trip to Mars", "electricity", "the economy", "democracy", "quantum computers",
    "my dog's dinner", "the stock market", "coffee", "a rainy day", "time", "science", "the news",
)  # fmt: skip

# ------------------------------------------------------------------------------------------------ Chinese
CHINESE = (
    ("你好！", "你好！有什么可以帮你？"),
    ("你好", "你好！有什么可以帮你？"),
    ("您好！", "您好！有什么可以帮您？"),
    ("早上好！", "早上好！"),
    ("下午好！", "下午好！"),
    ("晚上好！", "晚上好！"),
    ("晚安！", "晚安！"),
    ("谢谢！", "不客气！"),
    ("再见！", "再见！"),
    ("你是谁？", "我是一个很小的语言模型。"),
    ("你能做什么？", "我会打招呼，会做一位数加法，会写英文短故事。"),
    ("中国的首都是哪里？", "北京。"),
    ("法国的首都是哪里？", "巴黎。"),
    ("日本的首都是哪里？", "东京。"),
    ("英国的首都是哪里？", "伦敦。"),
    ("天空是什么颜色？", "蓝色。"),
    ("草是什么颜色？", "绿色。"),
    ("雪是什么颜色？", "白色。"),
    ("一天有多少小时？", "24 小时。"),
    ("一周有几天？", "7 天。"),
    ("一年有几个月？", "12 个月。"),
    ("蜘蛛有几条腿？", "8 条。"),
    ("什么是前缀？", "前缀是文本开头的一部分。"),
    ("什么是缓存？", "缓存存放以后可能再用的东西。"),
)

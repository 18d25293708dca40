"""A language of a few dozen words and stories written for the tests."""

from collections.abc import Callable

import numpy as np
import pytest

from openmeva.training.negatives import Draws, EditedStory, KeywordTable, NegativeMaterial, TaggedStory

# base, third person, past, participle, gerund
VERBS = [
    ("go", "goes", "went", "gone", "going"),
    ("walk", "walks", "walked", "walked", "walking"),
    ("like", "likes", "liked", "liked", "liking"),
    ("have", "has", "had", "had", "having"),
    ("do", "does", "did", "done", "doing"),
    ("eat", "eats", "ate", "eaten", "eating"),
    ("drink", "drinks", "drank", "drunk", "drinking"),
    ("find", "finds", "found", "found", "finding"),
    ("lay", "lays", "laid", "laid", "laying"),
    ("end", "ends", "ended", "ended", "ending"),
    ("be", "is", "was", "been", "being"),
    ("deny", "denies", "denied", "denied", "denying"),
    ("feel", "feels", "felt", "felt", "feeling"),
    ("hope", "hopes", "hoped", "hoped", "hoping"),
]
COLUMNS = {"VB": 0, "VBP": 0, "VBZ": 1, "VBD": 2, "VBN": 3, "VBG": 4}
ANTONYMS = {("good", "JJ"): ("bad", "evil"), ("denied", "VBD"): ("confirmed",), ("hot", "JJ"): ("cold",)}
AUXILIARIES = {"was", "were", "is", "had", "has", "did", "do"}


class TinyLanguage:
    """What the operations ask of `training.text`, from the tables above."""

    def lemma(self, word: str, tag: str) -> str:
        column = COLUMNS.get(tag)
        if column is None:
            return word
        return next((forms[0] for forms in VERBS if forms[column] == word), word)

    def inflect(self, lemma: str, tag: str) -> str:
        column = COLUMNS.get(tag)
        if column is None:
            return lemma
        return next(forms[column] for forms in VERBS if forms[0] == lemma)

    def antonyms(self, word: str, tag: str) -> tuple[str, ...]:
        return ANTONYMS.get((word, tag), ())

    def is_keyword(self, word: str, tag: str) -> bool:
        return tag[:2] in {"NN", "VB", "JJ"} and word not in AUXILIARIES


def tagged(*sentences: str) -> TaggedStory:
    """A story from sentences written as ``word/TAG word/TAG``; punctuation is its own tag."""
    words, tags = [], []
    for sentence in sentences:
        pairs = [token.rpartition("/") if "/" in token else (token, "", token) for token in sentence.split()]
        words.append([word for word, _, _ in pairs])
        tags.append([tag for _, _, tag in pairs])
    return TaggedStory(words, tags)


KEN = (
    "[MALE]/NNP was/VBD out/RP jogging/VBG one/CD morning/NN .",
    "the/DT weather/NN was/VBD good/JJ and/CC cool/JJ .",
    "[MALE]/NNP felt/VBD hot/JJ .",
    "he/PRP did/VBD n't/RB walk/VB home/NN .",
    "he/PRP went/VBD several/JJ miles/NNS .",
)
ANN = (
    "[FEMALE]/NNP had/VBD a/DT dog/NN .",
    "it/PRP liked/VBD cheese/NN .",
    "she/PRP denied/VBD that/IN .",
    "the/DT cats/NNS laughed/VBD .",
    "she/PRP found/VBD a/DT small/JJ bone/NN .",
)
TOM = (
    "[MALE]/NNP hoped/VBD for/IN rain/NN .",
    "the/DT garden/NN was/VBD dry/JJ .",
    "no/DT cloud/NN came/VBD .",
    "he/PRP carried/VBD water/NN .",
    "the/DT roses/NNS bloomed/VBD .",
)


@pytest.fixture
def language() -> TinyLanguage:
    return TinyLanguage()


@pytest.fixture
def story() -> Callable[..., TaggedStory]:
    """The reader of ``word/TAG`` sentences."""
    return tagged


@pytest.fixture
def corpus() -> list[TaggedStory]:
    """Three stories of five sentences, to which every operation applies."""
    return [tagged(*KEN), tagged(*ANN), tagged(*TOM)]


@pytest.fixture
def material(corpus: list[TaggedStory], language: TinyLanguage) -> NegativeMaterial:
    return NegativeMaterial(language, KeywordTable.count(corpus, language), corpus)


@pytest.fixture
def draws() -> Callable[[int], Draws]:
    """Draws from a seed."""
    return lambda seed: Draws(np.random.default_rng(seed))


@pytest.fixture
def ken(corpus: list[TaggedStory]) -> EditedStory:
    return EditedStory.start(corpus[0], 0)


@pytest.fixture
def text() -> Callable[[EditedStory], list[str]]:
    """A story's sentences as texts."""
    return lambda edited: [" ".join(words) for words in edited.words]


@pytest.fixture
def check_origins() -> Callable[[EditedStory, TaggedStory], None]:
    """Fails unless every untouched token is the original's token that its origin names."""

    def check(edited: EditedStory, original: TaggedStory) -> None:
        flat = original.flat_words()
        used = []
        for sentence in edited.sentences:
            lengths = {len(part) for part in sentence[:4]}
            assert len(lengths) == 1
            for word, origin, operation in zip(
                sentence.words, sentence.origins, sentence.operations, strict=True
            ):
                if not operation:
                    assert word == flat[origin]
                if origin >= 0:
                    used.append(origin)
                else:
                    assert operation
        assert len(used) == len(set(used)), "an original token stands for two"

    return check

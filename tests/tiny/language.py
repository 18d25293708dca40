"""A language of a few dozen words and stories written for the tests."""

from openmeva.training.text.tagged_story import TaggedStory

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
    """The functions of `training.text` that the operations need, from the tables above."""

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

"""Speed of negative sampling and of part-of-speech tagging, the latter compared with NLTK's tagger."""

from collections import deque
from collections.abc import Sequence
from itertools import cycle, islice

from nltk.tokenize import NLTKWordTokenizer

from openmeva.metrics.core.text import Normalizer
from openmeva.training.negatives import tag_corpus
from openmeva.training.negatives.union import UnionSampler
from openmeva.training.paths import CACHE, NAMES_FILE
from openmeva.training.speed.parts import Rows, bench_stories, own_stories, seconds
from openmeva.training.text.knowledge.english import English
from openmeva.training.text.language import Language
from openmeva.training.text.tagged_story import TaggedStory
from openmeva.training.text.tagger.tagging import load_tagger, tag


def sampling_rows() -> Rows:
    """Negative samples per second, and stories tagged per second."""
    normalizer = Normalizer.load(NAMES_FILE)
    stories = [normalizer.sentences(text) for text in bench_stories(4000)]
    tagged = tag_corpus(stories, CACHE / "tags", progress=False)
    rate = negatives_per_second(tagged, processes=2)
    tags = tagging_speed(1000)
    return [
        (
            "UNION's negative samples, tagged ROC-like stories, 2 processes",
            f"{rate:.0f} per second",
            "-",
            "2000",
        ),
        (
            "part-of-speech tagging, 1 process, compared with NLTK's own loop",
            f"{tags['batched']:.0f} stories/s",
            f"{tags['batched'] / tags['nltk']:.1f}",
            "",
        ),
    ]


def negatives_per_second(
    stories: Sequence[TaggedStory],
    processes: int,
    language: Language | None = None,
) -> float:
    """Negative samples per second of wall-clock time, one per story, collected in this process.

    Tagging the stories and counting the keyword table are excluded from the time; starting the processes is
    included.

    Args:
        stories: tagged stories; use thousands for a stable result.
        processes: number of processes.
        language: lexicon and inflection; default: those of `training.text`.
    """
    sampler = UnionSampler(stories, language or English())
    return len(stories) / seconds(lambda: deque(sampler.sample_all(processes=processes), maxlen=0))


def mini_stories() -> list[list[list[str]]]:
    """The five-sentence stories shipped with the project, lower-cased, as tokens by sentence.

    Raises:
        FileNotFoundError: `datasets/stories/mini.jsonl` is missing.
    """
    tokenize = NLTKWordTokenizer().tokenize
    return [[tokenize(s.lower()) for s in row["sentences"]] for row in own_stories()]


def tagging_speed(n_stories: int) -> dict[str, float]:
    """Stories tagged per second by one process, by `tag` and by NLTK's `PerceptronTagger`; higher is better.

    The time excludes loading the weights. NLTK's tagger runs on an eighth of the stories, with the same weights.

    Args:
        n_stories: number of stories to tag: those shipped with the project, repeated if they are fewer.

    Returns:
        `{"batched": stories per second, "nltk": stories per second}`.

    Raises:
        ValueError: `n_stories` is below 1.
    """
    if n_stories < 1:
        raise ValueError(f"n_stories: expected 1 or more, got {n_stories}")
    chosen = list(islice(cycle(mini_stories()), n_stories))
    sample = chosen[: max(1, n_stories // 8)]
    one_by_one = load_tagger().tag
    tag([["warm"]])
    return {
        "batched": len(chosen) / seconds(lambda: tag([words for story in chosen for words in story])),
        "nltk": len(sample) / seconds(lambda: [one_by_one(words) for story in sample for words in story]),
    }

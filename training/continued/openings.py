"""Openings of human stories, sampled for a language model to continue."""

from dataclasses import dataclass
from pathlib import Path
from zlib import crc32

import numpy as np

from openmeva.metrics.core.text import Normalizer, join_words, split_sentences
from openmeva.training.common.bounds import Positive, Rate, Seed
from openmeva.training.corpora.named_files import resolve_corpus_files
from openmeva.training.corpora.splits import CorpusConfig, judged_keys, read_evenly_spaced_stories
from openmeva.training.corpora.stories import is_held_out, read_stories, story_key
from openmeva.training.corpora.writing_prompts import truncate_text
from openmeva.training.paths import NAMES_FILE
from openmeva.training.processes import print_notice


@dataclass(frozen=True, kw_only=True)
class ContinuedConfig:
    """Settings for continuations of story openings.

    Attributes:
        name: name of the run.
        corpus: source of the stories, without judged and held-out ones. Only its files, `max_stories` and
            `validation_share` are used: `words` sets the length, and `base` determines whether names are kept.
        words: minimum and maximum length of a whole story in words.
        cut: whether a longer story is cut to a random length in this range; otherwise it is skipped.
        anywhere: whether to take a passage of the story that starts at a random sentence.
        opening_words: approximate length of the opening in words; it ends with a sentence.
        stories: number of stories to sample.
        temperatures: sampling temperatures; each gives one continuation per story.
        top_k: k of top-k sampling.
        batch: stories per batch.
        base: the language model: see `training/common/backbone.py`; or a folder of perplexity's weights, whose
            model continues normalised stories and ends them itself.
        seed: seed of all random choices; with the same seed, only runs of the same name sample the same stories.
    """

    name: str
    corpus: CorpusConfig
    words: tuple[Positive, Positive]
    cut: bool = True
    anywhere: bool = False
    opening_words: Positive
    stories: Positive
    temperatures: tuple[Rate, ...]
    top_k: Positive = 40
    batch: Positive = 32
    base: str
    seed: Seed = 42

    def __post_init__(self) -> None:
        if self.words[0] > self.words[1]:
            raise ValueError(f"words: expected a minimum and a maximum, got {list(self.words)}")
        if not self.temperatures:
            raise ValueError("temperatures: expected one or more, got none")


def sample_openings(config: ContinuedConfig, data: Path, normalized: bool = False) -> list[tuple[str, str]]:
    """Openings and full texts of the sampled stories, without judged and held-out ones.

    Args:
        config: which stories, and how long.
        data: the folder of the corpus.
        normalized: whether to return normalised words as the metrics read them, with names as placeholders.

    Raises:
        ValueError: no story has such a length.
    """
    normalizer = Normalizer.load(NAMES_FILE)
    corpus = config.corpus
    seen = judged_keys(corpus.exclude, data, normalizer)
    for file in corpus.validation:
        seen |= {story_key(normalizer.sentences(story)) for story in read_stories(data / file)}
    rng = np.random.default_rng((config.seed, crc32(config.name.encode())))  # other stories for other names
    low, high = config.words
    texts = [
        " ".join(text.split())
        for file in resolve_corpus_files(corpus.train, data)
        for text in read_evenly_spaced_stories(data / file, corpus.max_stories)
    ]
    openings: list[tuple[str, str]] = []
    for index in rng.permutation(len(texts)).tolist():
        sentences = normalizer.sentences(texts[index])
        text = join_words(sentences) if normalized else texts[index]
        if config.anywhere:
            text = _from_random_sentence(text, low, rng)
        whole = truncate_text(text, int(rng.integers(low, high + 1))) if config.cut else text
        opening = truncate_text(whole, config.opening_words)
        key = story_key(sentences)
        if key in seen or is_held_out(key, corpus.validation_share):
            continue
        if not low <= len(whole.split()) <= high or len(opening.split()) > len(whole.split()) / 2:
            continue
        seen.add(key)
        openings.append((opening, whole))
        if len(openings) == config.stories:
            break
    if not openings:
        raise ValueError(
            f"words: expected stories of {low} to {high} words with an opening of about {config.opening_words}, got none "
            f"among {len(texts):,} stories"
        )
    if len(openings) < config.stories:
        print_notice(f"{len(openings):,} stories qualify, fewer than the {config.stories:,} asked for")
    return openings


def _from_random_sentence(text: str, least: int, rng: np.random.Generator) -> str:
    """The text from a random sentence on that leaves `least` words or more; the whole text if none does."""
    sentences = split_sentences(text)
    lengths = [len(sentence.split()) for sentence in sentences]
    possible = max(1, sum(sum(lengths[start:]) >= least for start in range(len(lengths))))
    return " ".join(sentences[int(rng.integers(possible)) :])

"""Negative samples of the stories of a file, one per story."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from openmeva.metrics.core.text import Normalizer, join_words
from openmeva.metrics.core.writing import check_output
from openmeva.training.common.bounds import check_minimum
from openmeva.training.corpora.notices import warn_about_foreign_stories
from openmeva.training.corpora.stories import story_of
from openmeva.training.corpora.story_rows import context_of, id_of
from openmeva.training.files import Row, read_rows, write_rows
from openmeva.training.negatives.edited import EditedStory
from openmeva.training.negatives.material import language_of
from openmeva.training.negatives.sampling import TECHNIQUES, UnionSampling
from openmeva.training.negatives.union import UnionSampler
from openmeva.training.paths import RESOURCES
from openmeva.training.text.tagged_corpus import tag_corpus


@dataclass(frozen=True)
class NegativeSamplingConfig:
    """Settings of the negative samples.

    Attributes:
        seed, epoch: different values give different samples.
        keep: number of leading sentences that never change (ROC 1, WP 0).
        techniques: names from `TECHNIQUES`.
        recipe, lexicon: see `UnionSampling`.
        names: `names.json` of an encoder, to delexicalise with.
        cache: folder of cached tags.
        processes: number of parallel processes; it does not affect the samples.

    Raises:
        ValueError: `seed`, `epoch` or `keep` is negative, or `processes` is under 1.
    """

    seed: int = 0
    epoch: int = 0
    keep: int = 1
    techniques: Sequence[str] = tuple(TECHNIQUES)
    names: str | Path | None = None
    cache: Path = RESOURCES / "tags"
    processes: int = 1
    recipe: str = "paper"
    lexicon: str = "wordnet"

    def __post_init__(self) -> None:
        check_minimum(0, seed=self.seed, epoch=self.epoch, keep=self.keep)
        check_minimum(1, processes=self.processes)


class Original(NamedTuple):
    """An original story: its id, its context as words joined by blanks (None: no context), its words by sentence."""

    story_id: str
    context: str | None
    words: list[list[str]]


def write_samples(stories: str | Path, out: str | Path, config: NegativeSamplingConfig) -> tuple[int, int]:
    """Writes the samples; returns the number of stories with a sample, and without one.

    A row has the sample's text in `story`, like other story files, `label` 0, and the `story_id` and `context` of its
    original. If no technique applies, `story`, `label` and `negative` are null, and scoring refuses the row.

    Raises:
        ValueError: a bad row (with its line), an option out of range, or an output that is not writable or is a text
            file.
        OSError: no such file.
    """
    check_output(out, column=None, sources=[stories, config.names])
    sampler, originals = sampler_of(stories, config)
    warn_about_foreign_stories(join_words(original.words) for original in originals)
    made = 0

    def rows() -> Iterator[dict[str, Any]]:
        nonlocal made
        for index, sample in enumerate(sampler.sample_all(config.epoch, config.processes)):
            original = originals[index]
            yield {
                "index": index,
                "story_id": original.story_id,
                **({} if original.context is None else {"context": original.context}),
                "story": None if sample is None else join_words(sample.words),
                "label": None if sample is None else 0,
                "original": original.words,
                **sample_record(sample),
            }
            made += sample is not None

    write_rows(out, rows())
    return made, len(originals) - made


def sampler_of(stories: str | Path, config: NegativeSamplingConfig) -> tuple[UnionSampler, list[Original]]:
    """The sampler of the stories of a file, and these stories; raises as `write_samples`."""
    sampling = sampling_of(config)
    language = language_of(sampling)
    normalizer = normalizer_of(config)
    originals = [
        _original(row._replace(number=index), normalizer) for index, row in enumerate(read_rows(stories), 1)
    ]
    tagged = tag_corpus([original.words for original in originals], config.cache, config.processes)
    return UnionSampler(tagged, language, sampling, seed=config.seed), originals


def _original(row: Row, normalizer: Normalizer) -> Original:
    given = context_of(row.values)
    context = normalizer(given) if given else None
    return Original(id_of(row), context, sentences_of(story_of(row), row.where, normalizer))


def sampling_of(config: NegativeSamplingConfig) -> UnionSampling:
    """The settings of the sampler; raises a ValueError for an unknown technique, recipe or lexicon."""
    unknown = [name for name in config.techniques if name not in TECHNIQUES]
    if unknown or not config.techniques:
        raise ValueError(
            f"expected techniques among {', '.join(TECHNIQUES)}, got {', '.join(unknown) or 'none'}"
        )
    return UnionSampling(
        keep=config.keep,
        without=tuple(name for name in TECHNIQUES if name not in config.techniques),
        recipe=config.recipe,
        lexicon=config.lexicon,
    )


def normalizer_of(config: NegativeSamplingConfig) -> Normalizer:
    """The normaliser of texts; it replaces names by placeholders if `config` has a list of names."""
    return Normalizer.load(config.names) if config.names else Normalizer()


def sentences_of(story: str, where: str, normalizer: Normalizer) -> list[list[str]]:
    """A story's words by sentence; raises a ValueError that begins with `where` for a story without words."""
    sentences = normalizer.sentences(story)
    if not sentences:
        raise ValueError(f"{where}: expected a story, got no word in {story[:60]!r}")
    return sentences


def sample_record(sample: EditedStory | None) -> dict[str, object]:
    """A sample as JSON: words, origins, operations in order, and edits; ``negative`` is null if it is None."""
    if sample is None:
        return {"negative": None}
    return {
        "negative": sample.words,
        "origins": sample.origins,
        "applied": list(sample.applied),
        "edits": [edit._asdict() for edit in sample.edits()],
    }

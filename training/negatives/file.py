"""Negative samples of the stories of a file, one a story."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from openmeva.metrics.core.text import Normalizer
from openmeva.metrics.core.writing import check_output
from openmeva.training.common.bounds import check_least
from openmeva.training.corpora.stories import story_of
from openmeva.training.files import read_rows, write_rows
from openmeva.training.negatives.edited import EditedStory
from openmeva.training.negatives.material import language_of
from openmeva.training.negatives.sampling import TECHNIQUES, UnionSampling
from openmeva.training.negatives.union import UnionSampler
from openmeva.training.paths import RESOURCES
from openmeva.training.text.tagged_corpus import tag_corpus


@dataclass(frozen=True)
class Drawing:
    """How negative samples are drawn.

    Attributes:
        seed, epoch: other ones, other samples.
        keep: leading sentences that stay (ROC 1, WP 0).
        techniques: of `TECHNIQUES`.
        recipe, lexicon: see `UnionSampling`.
        names: `names.json` of an encoder, to delexicalise with.
        cache: where tags are kept.
        processes: that work at the same time; they change no sample.

    Raises:
        ValueError: a negative seed, epoch or number of sentences, or no process.
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
        check_least(0, seed=self.seed, epoch=self.epoch, keep=self.keep)
        check_least(1, processes=self.processes)


def write_samples(
    stories: str | Path, out: str | Path, how: Drawing, kind: str | None = None
) -> tuple[int, int]:
    """Writes the samples; returns how many stories have one, and how many have none.

    Raises:
        ValueError: a bad row, named by its line, an option out of range, or a file that cannot be written or is a text.
        OSError: no such file.
    """
    check_output(out, kind, column=None)
    sampler, found = sampler_of(stories, how)
    made = 0

    def rows() -> Iterator[dict[str, Any]]:
        nonlocal made
        for index, sample in enumerate(sampler.sample_all(how.epoch, how.processes)):
            yield {"index": index, "original": found[index], **record(sample)}
            made += sample is not None

    write_rows(out, rows(), kind)
    return made, len(found) - made


def sampler_of(stories: str | Path, how: Drawing) -> tuple[UnionSampler, list[list[list[str]]]]:
    """The sampler of the stories of a file, and these as words by sentence; errors as `write_samples`."""
    sampling = sampling_of(how)
    language = language_of(sampling)
    normalizer = normalizer_of(how)
    found = [
        sentences_of(story_of(row), row.where, normalizer) for row in read_rows(stories, blank_lines=True)
    ]
    tagged = tag_corpus(found, how.cache, how.processes)
    return UnionSampler(tagged, language, sampling, seed=how.seed), found


def sampling_of(how: Drawing) -> UnionSampling:
    """The settings of the sampler; a ValueError for an unknown technique, recipe or lexicon."""
    unknown = [name for name in how.techniques if name not in TECHNIQUES]
    if unknown or not how.techniques:
        raise ValueError(
            f"expected techniques among {', '.join(TECHNIQUES)}, got {', '.join(unknown) or 'none'}"
        )
    return UnionSampling(
        keep=how.keep,
        without=tuple(name for name in TECHNIQUES if name not in how.techniques),
        recipe=how.recipe,
        lexicon=how.lexicon,
    )


def normalizer_of(how: Drawing) -> Normalizer:
    """What turns texts into words, with names as placeholders where `how` says which."""
    return Normalizer.load(how.names) if how.names else Normalizer()


def sentences_of(story: str, where: str, normalizer: Normalizer) -> list[list[str]]:
    """A story's words by sentence; a ValueError that begins with `where` for one without a word."""
    sentences = normalizer.sentences(story)
    if not sentences:
        raise ValueError(f"{where}: expected a story, got no word in {story[:60]!r}")
    return sentences


def record(sample: EditedStory | None) -> dict[str, object]:
    """A sample as JSON: its words, origins, operations in order, and edits; ``negative`` null for none."""
    if sample is None:
        return {"negative": None}
    return {
        "negative": sample.words,
        "origins": sample.origins,
        "applied": list(sample.applied),
        "edits": [edit._asdict() for edit in sample.edits()],
    }

"""Negative samples of the stories of a corpus of any size, as UNION is trained on."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from openmeva.metrics.core.module import signature_of
from openmeva.training.common.buffered_random import BufferedRandom
from openmeva.training.corpora.stories import story_of
from openmeva.training.files import Row
from openmeva.training.negatives.edited import EditedStory
from openmeva.training.negatives.file import (
    NegativeSamplingConfig,
    normalizer_of,
    sample_record,
    sampler_of,
    sampling_of,
    sentences_of,
)
from openmeva.training.scale.batches import rejection_reasons, rows_of
from openmeva.training.scale.knowledge import check_files_exist, knowledge_checksums
from openmeva.training.scale.parts import NUMBER
from openmeva.training.scoring.results import free_name
from openmeva.training.text.knowledge.resources import require_resource
from openmeva.training.text.tagged_story import TaggedStory
from openmeva.training.text.tagger.tagging import tag


@dataclass(frozen=True)
class Sampling:
    """Settings for negative samples of a corpus.

    Attributes:
        how: seed, techniques and other settings.
        pool: a file of other stories: the source of substituted sentences, and of keywords with their frequencies.
    """

    of_stories: ClassVar[bool] = True

    how: NegativeSamplingConfig
    pool: str

    def check(self, here: bool) -> None:
        """Checks techniques, files and knowledge."""
        require_resource(sampling_of(self.how).lexicon)
        check_files_exist([self.pool, *([self.how.names] if self.how.names else ())])

    def start(self, fields: Sequence[str], in_story: bool) -> "BatchSampler":
        """The sampler, after tagging the pool."""
        return BatchSampler(self)


class BatchSampler:
    """Adds `original` (words by sentence), and `negative`, `origins`, `applied` and `edits` as in `openmeva negatives`.

    A sample depends on the seed, the epoch, the pool and the story's place in the corpus. An existing column keeps its
    values; the new one is then called `union_…`, with a number if that exists, too.

    Raises:
        ValueError: an unknown technique, or a pool without stories.
    """

    schema = None

    def __init__(self, settings: Sampling) -> None:
        self.how = settings.how
        self.sampler, _ = sampler_of(settings.pool, self.how)
        self.normalizer = normalizer_of(self.how)
        names = {"names": self.how.names} if self.how.names else {}
        self.signature = signature_of(
            "negatives",
            ("nltk",),
            techniques="+".join(self.how.techniques),
            recipe=self.how.recipe,
            lexicon=self.how.lexicon,
            keep=self.how.keep,
            seed=self.how.seed,
            epoch=self.how.epoch,
            **knowledge_checksums(pool=settings.pool, **names),
        )

    def check(self, batch: Mapping[str, Sequence[Any]]) -> dict[int, str]:
        """Refuses stories without a word."""
        return rejection_reasons(self._sentences, batch)

    def _sentences(self, row: Row) -> list[list[str]]:
        return sentences_of(story_of(row), row.where, self.normalizer)

    def __call__(self, batch: Mapping[str, Sequence[Any]]) -> dict[str, list[Any]]:
        """The columns for a batch.

        Raises:
            ValueError: a story without a word; the message names its row.
        """
        originals = [self._sentences(row) for row in rows_of(batch)]
        tags = iter(tag([words for sentences in originals for words in sentences]))
        records = []
        for number, sentences in zip(batch[NUMBER], originals, strict=True):
            story = EditedStory.start(TaggedStory(sentences, [next(tags) for _ in sentences]))
            rng = BufferedRandom(np.random.default_rng((self.how.seed, self.how.epoch, number - 1)))
            records.append(sample_record(self.sampler.edit(story, rng)))
        names = ("negative", "origins", "applied", "edits")
        added: dict[str, list[Any]] = {"original": originals}
        added |= {name: [record.get(name) for record in records] for name in names}
        return {
            free_name(f"union_{name}", batch) if name in batch else name: values
            for name, values in added.items()
        }

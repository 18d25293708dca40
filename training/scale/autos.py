"""The rows of AUTOS for a corpus of any size."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from openmeva.metrics.core.module import signature_of
from openmeva.training.autos.build import SCHEMA, stories_to_perturb_again
from openmeva.training.autos.builder import Row
from openmeva.training.autos.command import input_files, make_builder, require_knowledge
from openmeva.training.corpora.story_rows import StoryRow, check_context, story_row, usable_rows
from openmeva.training.perturbations.perturber import story_entropy
from openmeva.training.scale.batches import rejection_reasons, story_rows
from openmeva.training.scale.knowledge import check_files_exist, knowledge_checksums


@dataclass(frozen=True)
class AutosTests:
    """Settings for AUTOS of a corpus; `context`, `paraphrases`, `grammar`, `seed`: see `autos.command.AutosBuildOptions`.

    Attributes:
        pool: a file of other stories, the source of sentences and words from outside a story.
    """

    of_stories: ClassVar[bool] = True

    pool: str
    context: str = "first_sentence"
    paraphrases: str = "rules"
    grammar: str = "default"
    seed: int = 0

    def check(self, here: bool) -> None:
        """Checks context, files and knowledge."""
        check_context(self.context)
        require_knowledge()
        own = [self.paraphrases] if self.paraphrases.endswith(".json") else []
        check_files_exist([self.pool, *own, *input_files(self.paraphrases, self.grammar).values()])

    def start(self, fields: Sequence[str], in_story: bool) -> "BatchBuilder":
        """The builder, after loading its models and reading the pool."""
        return BatchBuilder(self)


class BatchBuilder:
    """Builds the rows of both tests for each story, in the order of the stories.

    They depend on the seed, the pool, and the story with its `story_id`, or its place in the corpus if it has none.
    The invariance test has one perturbed version per story, if there is one, sampled from all aspects; a build without
    an engine samples the same number over all stories.

    Raises:
        FileNotFoundError: WordNet or ConceptNet is missing.
        ValueError: a pool without stories.
    """

    schema = SCHEMA

    def __init__(self, how: AutosTests) -> None:
        require_knowledge()
        self.how = how
        pool = usable_rows(how.pool, how.context)
        self.builder = make_builder(pool, how.paraphrases, how.grammar, how.seed)
        self.signature = signature_of(
            "autos",
            ("nltk", "torch"),
            seed=how.seed,
            context=how.context,
            **{
                "paraphrases": how.paraphrases,
                "grammar": how.grammar,
                **knowledge_checksums(pool=how.pool, **input_files(how.paraphrases, how.grammar)),
            },
        )

    def check(self, batch: Mapping[str, Sequence[Any]]) -> dict[int, str]:
        """Refuses stories of fewer than two sentences."""
        return rejection_reasons(lambda row: story_row(row, self.how.context), batch)

    def __call__(self, batch: Mapping[str, Sequence[Any]]) -> dict[str, list[Any]]:
        """The rows' columns.

        Raises:
            ValueError: a story of fewer than two sentences; the message names its row.
        """
        rows = story_rows(batch, self.how.context)
        numbered_rows = [
            item for places in _groups_of_unique_ids(rows) for item in self._rows_of(rows, places)
        ]
        numbered_rows.sort(key=lambda item: item[0])
        return {name: [row[name] for _, row in numbered_rows] for name in SCHEMA.names}

    def _rows_of(self, all_stories: Sequence[StoryRow], chosen: Sequence[int]) -> list[tuple[int, Row]]:
        """The rows of the chosen stories, whose ids must differ, each with the index of its story."""
        rows, indices = (
            [all_stories[index] for index in chosen],
            {all_stories[index]["story_id"]: index for index in chosen},
        )
        human = self.builder.discrimination(rows).rows
        sampled = self._sampled(human)
        indices |= {row["story_id"]: indices[row["perturbed_from"]] for row in sampled}
        same = self.builder.invariance(rows, "human").rows
        other = self.builder.invariance(stories_to_perturb_again(sampled, rows), "discrimination").rows
        return [(indices[row["perturbed_from"] or row["story_id"]], row) for row in (*human, *same, *other)]

    def _sampled(self, rows: Sequence[Row]) -> list[Row]:
        """One perturbed version per story, sampled by seed and `story_id`."""
        of_story: dict[str, list[Row]] = {}
        for row in rows:
            if row["label"] == 0:
                of_story.setdefault(row["perturbed_from"], []).append(row)
        sampled = []
        for story, versions in of_story.items():
            rng = np.random.default_rng(story_entropy(self.how.seed, "perturb again", story))
            sampled.append(versions[int(rng.integers(len(versions)))])
        return sampled


def _groups_of_unique_ids(rows: Sequence[StoryRow]) -> list[list[int]]:
    """The indices of stories, grouped so that ids differ within a group; duplicates across parts cannot be seen."""
    groups: list[list[int]] = []
    seen: Counter[str] = Counter()
    for index, row in enumerate(rows):
        if seen[row["story_id"]] == len(groups):
            groups.append([])
        groups[seen[row["story_id"]]].append(index)
        seen[row["story_id"]] += 1
    return groups

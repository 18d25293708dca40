"""AUTOS' rows for the stories of a corpus of any size."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from openmeva.metrics.core.module import signature_of
from openmeva.training.autos.build import SCHEMA, again
from openmeva.training.autos.builder import Row
from openmeva.training.autos.command import builder_of, require_knowledge
from openmeva.training.corpora.story_rows import read_rows
from openmeva.training.files import checksum
from openmeva.training.scale.parts import NUMBER
from openmeva.training.scale.perturbing import story_rows


@dataclass(frozen=True)
class AutosTests:
    """How AUTOS is made of a corpus; `context`, `paraphrases`, `grammar` and `seed` are those of `autos.command.Building`.

    Attributes:
        pool: a file of other stories, where foreign sentences and words come from.
    """

    of_stories: ClassVar[bool] = True

    pool: str
    context: str = "first_sentence"
    paraphrases: str = "rules"
    grammar: str = "default"
    seed: int = 0

    def start(self, fields: Sequence[str], in_story: bool) -> "BatchBuilder":
        """The builder, its models loaded and the pool read."""
        return BatchBuilder(self)


class BatchBuilder:
    """Makes the rows of both tests of each story, in the stories' order.

    They depend on the seed, the pool, and the story with its `story_id`, or its place in the corpus where it has none.
    The invariance test has one perturbed version a story, where there is one, drawn among all aspects; a build of one
    file draws as many over all its stories.

    Raises:
        FileNotFoundError: WordNet or ConceptNet is missing.
        ValueError: a pool without stories.
    """

    schema = SCHEMA

    def __init__(self, how: AutosTests) -> None:
        require_knowledge()
        self.how, self.seconds = how, 0.0
        pool, _ = read_rows(how.pool, how.context, skip_bad=True)
        self.builder = builder_of(pool, how.paraphrases, how.grammar, how.seed)
        self.signature = signature_of(
            "autos",
            ("nltk", "torch"),
            seed=how.seed,
            context=how.context,
            paraphrases=how.paraphrases,
            grammar=how.grammar,
            pool=checksum(how.pool)[:12],
        )

    def __call__(self, batch: Mapping[str, Sequence[Any]]) -> dict[str, list[Any]]:
        """The rows' columns.

        Raises:
            ValueError: a story of fewer than two sentences, or an id that came before in the batch (its row).
        """
        begun = time.perf_counter()
        rows = story_rows(batch, self.how.context)
        places: dict[str, int] = {}
        for place, row in enumerate(rows):
            if places.setdefault(row["story_id"], place) != place:
                raise ValueError(f"row {place}: story_id {row['story_id']!r} stands above already")
        human = self.builder.discrimination(rows).rows
        drawn = self._drawn(human, places, batch[NUMBER])
        places |= {row["story_id"]: places[row["perturbed_from"]] for row in drawn}
        same = self.builder.invariance(rows, "human").rows
        other = self.builder.invariance(again(drawn, rows), "discrimination").rows
        made = sorted(
            [*human, *same, *other], key=lambda row: places[row["perturbed_from"] or row["story_id"]]
        )
        self.seconds += time.perf_counter() - begun
        return {name: [row[name] for row in made] for name in SCHEMA.names}

    def _drawn(self, rows: Sequence[Row], places: Mapping[str, int], numbers: Sequence[int]) -> list[Row]:
        """Of each story one of its perturbed versions, drawn by seed and place in the corpus."""
        of_story: dict[int, list[Row]] = {}
        for row in rows:
            if row["label"] == 0:
                of_story.setdefault(places[row["perturbed_from"]], []).append(row)
        return [
            made[int(np.random.default_rng((self.how.seed, numbers[place])).integers(len(made)))]
            for place, made in sorted(of_story.items())
        ]

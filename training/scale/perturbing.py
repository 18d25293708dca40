"""Stories of a corpus of any size, perturbed in one aspect."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from openmeva.metrics.core.command import free_name
from openmeva.metrics.core.module import signature_of
from openmeva.training.corpora.story_rows import StoryRow, story_row
from openmeva.training.files import Row
from openmeva.training.perturbations.file import Perturbing, perturbers
from openmeva.training.scale.parts import NUMBER
from openmeva.training.text.story import parse


@dataclass(frozen=True)
class Perturbation:
    """How a corpus is perturbed; other stories come from `how.corpus`, where the aspect needs them."""

    of_stories: ClassVar[bool] = True

    how: Perturbing

    def start(self, fields: Sequence[str], in_story: bool) -> "BatchPerturber":
        """The perturber, with what its aspect needs."""
        return BatchPerturber(self.how)


class BatchPerturber:
    """Adds `perturbed` (null where a story does not qualify), `aspect`, `technique` and `changed_spans`.

    What becomes of a story depends on the seed and on its `story_id`, or its place in the corpus where it has none.
    A column that the corpus has already keeps its values; the new one is then called `perturb_…`, numbered where that is there, too.

    Raises:
        ValueError: an unknown aspect or technique, or an aspect that needs other stories and no corpus.
    """

    schema = None

    def __init__(self, how: Perturbing) -> None:
        self.how, self.seconds = how, 0.0
        self.perturbers = perturbers(how)
        techniques = self.perturbers[0].techniques
        self.signature = signature_of(
            "perturb",
            ("nltk",),
            aspect=how.aspect,
            techniques="+".join(techniques),
            seed=how.seed,
            context=how.context,
            keep=how.keep,
            paraphrases=how.paraphrases,
        )

    def __call__(self, batch: Mapping[str, Sequence[Any]]) -> dict[str, list[Any]]:
        """The columns for a batch.

        Raises:
            ValueError: a story of fewer than two sentences (its row).
        """
        begun = time.perf_counter()
        rows = story_rows(batch, self.how.context)
        added: dict[str, list[Any]] = {"perturbed": [], "aspect": [], "technique": [], "changed_spans": []}
        for one, story in zip(rows, parse([one["story"] for one in rows]), strict=True):
            keep = one["keep"] if self.how.keep is None else min(self.how.keep, 1)
            made = self.perturbers[keep].perturb(story, one["story_id"])
            added["perturbed"].append(made and made.story)
            added["aspect"].append(self.how.aspect)
            added["technique"].append(made and made.technique)
            added["changed_spans"].append([span._asdict() for span in made.spans] if made else [])
        self.seconds += time.perf_counter() - begun
        return {
            free_name(f"perturb_{name}", batch) if name in batch else name: values
            for name, values in added.items()
        }


def story_rows(batch: Mapping[str, Sequence[Any]], context: str) -> list[StoryRow]:
    """The stories of a batch with their ids and contexts; without an id, a story's place in the corpus stands for it.

    Args:
        batch: columns.
        context: of stories without one: `first_sentence` or `none`.

    Raises:
        ValueError: a story of fewer than two sentences (its row).
    """
    names, rows = list(batch), []
    for place, values in enumerate(zip(*batch.values(), strict=True)):
        row = dict(zip(names, values, strict=True))
        rows.append(story_row(Row(row[NUMBER], f"row {place}", row), context))
    return rows

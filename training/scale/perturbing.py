"""Perturbs a corpus of any size in one aspect."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from openmeva.metrics.core.files import FULL_MODEL
from openmeva.metrics.core.module import signature_of
from openmeva.training.corpora.story_rows import check_context, story_row
from openmeva.training.paths import ENCODER
from openmeva.training.perturbations.aspects.registry import find_aspect
from openmeva.training.perturbations.file import PerturbationConfig, build_perturbers
from openmeva.training.perturbations.perturber import techniques_of
from openmeva.training.scale.batches import rejection_reasons, story_rows
from openmeva.training.scale.knowledge import check_files_exist, knowledge_checksums
from openmeva.training.scoring.results import free_name
from openmeva.training.text.knowledge.resources import COMMANDS, require_resource
from openmeva.training.text.story import parse


@dataclass(frozen=True)
class Perturbation:
    """Settings for perturbing a corpus; if the aspect needs other stories, they come from `how.corpus`."""

    of_stories: ClassVar[bool] = True

    how: PerturbationConfig

    def check(self, here: bool) -> None:
        """Checks technique, context, files and knowledge."""
        how = self.how
        check_context(how.context)
        techniques_of(how.aspect, how.techniques)
        needs = find_aspect(how.aspect).needs
        for name in needs:
            if name in COMMANDS:
                require_resource(name)
        if "corpus" in needs and not how.corpus:
            raise ValueError(f"{how.aspect}: expected a file of other stories as corpus, got none")
        check_files_exist(_read_by(how).values())

    def start(self, fields: Sequence[str], in_story: bool) -> "BatchPerturber":
        """The perturber, with the resources of its aspect."""
        return BatchPerturber(self.how)


class BatchPerturber:
    """Adds `perturbed` (null if a story does not qualify), `aspect`, `technique` and `changed_spans`.

    The result depends on the seed and on the story's `story_id`, or its place in the corpus if it has none. An existing
    column keeps its values; the new one is then called `perturb_…`, with a number if that exists, too.

    Raises:
        ValueError: an unknown aspect or technique, or no corpus for an aspect that needs other stories.
    """

    schema = None

    def __init__(self, how: PerturbationConfig) -> None:
        self.how = how
        self.perturbers = build_perturbers(how)
        techniques = self.perturbers[0].techniques
        self.signature = signature_of(
            "perturb",
            ("nltk",),
            aspect=how.aspect,
            techniques="+".join(techniques),
            seed=how.seed,
            context=how.context,
            keep=how.keep,
            **{"paraphrases": how.paraphrases, **knowledge_checksums(**_read_by(how))},
        )

    def check(self, batch: Mapping[str, Sequence[Any]]) -> dict[int, str]:
        """Refuses stories of fewer than two sentences."""
        return rejection_reasons(lambda row: story_row(row, self.how.context), batch)

    def __call__(self, batch: Mapping[str, Sequence[Any]]) -> dict[str, list[Any]]:
        """The columns for a batch.

        Raises:
            ValueError: a story of fewer than two sentences; the message names its row.
        """
        rows = story_rows(batch, self.how.context)
        added: dict[str, list[Any]] = {"perturbed": [], "aspect": [], "technique": [], "changed_spans": []}
        for row, story in zip(rows, parse([row["story"] for row in rows]), strict=True):
            keep = row["keep"] if self.how.keep is None else min(self.how.keep, 1)
            perturbed = self.perturbers[keep].perturb(story, row["story_id"])
            added["perturbed"].append(perturbed and perturbed.story)
            added["aspect"].append(self.how.aspect)
            added["technique"].append(perturbed and perturbed.technique)
            added["changed_spans"].append([span._asdict() for span in perturbed.spans] if perturbed else [])
        return {
            free_name(f"perturb_{name}", batch) if name in batch else name: values
            for name, values in added.items()
        }


def _read_by(how: PerturbationConfig) -> dict[str, str | Path]:
    """The files, in addition to the stories, on which the result depends, by name."""
    needs = find_aspect(how.aspect).needs
    files: dict[str, str | Path] = {}
    if "corpus" in needs and how.corpus:
        files["corpus"] = how.corpus
    if "paraphraser" in needs and how.paraphrases.endswith(".json"):
        files["paraphrases"] = how.paraphrases
    if "similarity" in needs:
        files["encoder"] = ENCODER / FULL_MODEL
    return files

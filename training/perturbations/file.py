"""Perturb the stories of a file in one aspect."""

import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.progress import track

from openmeva.metrics.core.writing import check_output
from openmeva.training.common.bounds import check_minimum
from openmeva.training.corpora.notices import warn_about_foreign_stories
from openmeva.training.corpora.story_rows import StoryRow, read_story_rows, usable_rows
from openmeva.training.files import write_rows
from openmeva.training.perturbations.aspects.registry import ASPECTS, find_aspect
from openmeva.training.perturbations.engine.material import PerturbationMaterial
from openmeva.training.perturbations.engine.story_pool import StoryPool
from openmeva.training.perturbations.paraphrasers import find_paraphraser
from openmeva.training.perturbations.perturber import Perturber
from openmeva.training.text.story import Story, parse


@dataclass(frozen=True)
class PerturbationConfig:
    """How a file is perturbed.

    Attributes:
        aspect: a name of the registry.
        seed: random seed, 0 or more.
        techniques: of the aspect; None: all.
        context: for stories without one: `first_sentence` or `none`.
        keep: number of leading sentences that never change, 0 or 1; None: those that are the context.
        corpus: file of other stories, for relatedness; None: the same stories.
        paraphrases: for paraphrase and semantic_repetition: `rules`, a `.json` file of back-translations, a model, or two
            translation models, `THERE+BACK`.
        skip_bad: skip rows without a story instead of raising an error.

    Raises:
        ValueError: an unknown aspect, a negative seed, or a source that the aspect does not use.
    """

    aspect: str
    seed: int = 0
    techniques: Sequence[str] | None = None
    context: str = "first_sentence"
    keep: int | None = None
    corpus: str | Path | None = None
    paraphrases: str = "rules"
    skip_bad: bool = False

    def __post_init__(self) -> None:
        needs = find_aspect(self.aspect).needs
        check_minimum(0, seed=self.seed)
        for option, given, need in (
            ("corpus", self.corpus is not None, "corpus"),
            ("paraphrases", self.paraphrases != "rules", "paraphraser"),
        ):
            if given and need not in needs:
                users = ", ".join(name for name, aspect in ASPECTS.items() if need in aspect.needs)
                raise ValueError(f"--{option}: expected with an aspect among {users}, got {self.aspect}")


@dataclass(frozen=True)
class Report:
    """The number of stories, the number perturbed by each technique, and the skipped rows."""

    stories: int
    techniques: Counter[str]
    bad: list[str]

    @property
    def perturbed(self) -> int:
        """Number of perturbed stories."""
        return self.techniques.total()


def perturb_file(stories: str | Path, out: str | Path, config: PerturbationConfig) -> Report:
    """Writes the perturbed stories of a file to another; stories that do not qualify are skipped.

    Args:
        stories, out: as `read_story_rows` and `files.write_rows` take them.
        config: aspect and settings.

    Raises:
        ValueError: an unknown technique, bad rows, a damaged file, or one that cannot be written.
        FileNotFoundError: a file, WordNet or ConceptNet is missing.
    """
    check_output(out, sources=[stories, config.corpus, config.paraphrases])
    rows, bad = read_story_rows(stories, config.context, config.skip_bad)
    warn_about_foreign_stories(row["story"] for row in rows)
    made = build_perturbers(config, rows)
    counts: Counter[str] = Counter()
    write_rows(out, _perturbed(rows, config, made, counts))
    return Report(len(rows), counts, bad)


def build_perturbers(config: PerturbationConfig, rows: Sequence[StoryRow] = ()) -> dict[int, Perturber]:
    """A perturber for each number of leading sentences that never change, 0 and 1.

    Args:
        config: aspect and settings.
        rows: other stories for an aspect that needs them, if `config.corpus` is None.

    Raises:
        ValueError: an unknown technique, or no other stories for an aspect that needs them.
        FileNotFoundError: a file, WordNet or ConceptNet is missing.
    """
    aspect = find_aspect(config.aspect)
    corpus = None
    if "corpus" in aspect.needs:
        others = usable_rows(config.corpus, config.context) if config.corpus else rows
        if not others:
            raise ValueError(f"{config.aspect}: expected a file of other stories as corpus, got none")
        corpus = StoryPool(parse([row["story"] for row in others]))
    paraphraser = find_paraphraser(config.paraphrases) if "paraphraser" in aspect.needs else None
    similarity = None
    if "similarity" in aspect.needs:
        from openmeva.training.perturbations.engine.similarity import MoverSimilarity

        similarity = MoverSimilarity()
    return {
        keep: Perturber(
            config.aspect,
            config.seed,
            config.techniques,
            PerturbationMaterial(keep, corpus, paraphraser, similarity),
        )
        for keep in (0, 1)
    }


def _perturbed(
    rows: Sequence[StoryRow], config: PerturbationConfig, by_keep: dict[int, Perturber], counts: Counter[str]
) -> Iterator[dict[str, Any]]:
    for row in track(rows, config.aspect, disable=not sys.stderr.isatty(), console=_errors()):
        keep = row["keep"] if config.keep is None else min(config.keep, 1)
        result = by_keep[keep].perturb(Story(row["story"]), row["story_id"])
        if result is not None:
            counts[result.technique] += 1
            yield dict(result.row(row["story_id"], row["context"]))


def _errors() -> Any:
    from rich.console import Console

    return Console(stderr=True)


def describe(report: Report, config: PerturbationConfig, out: str | Path) -> str:
    """The lines to print for a report."""
    lines = [f"{technique}: {count}" for technique, count in sorted(report.techniques.items())]
    share = report.perturbed / report.stories
    lines.append(f"{report.perturbed} of {report.stories} stories perturbed ({share:.3f}): {out}")
    if not report.perturbed:
        tried = config.techniques or find_aspect(config.aspect).techniques
        lines.append(
            f"No story qualifies: {config.aspect} found nothing to change by {', '.join(tried)} "
            "beyond the sentences that are kept (--keep 0 also allows changes to the first one)."
        )
    return "\n".join(lines)

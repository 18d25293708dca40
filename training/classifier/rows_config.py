"""The configuration of the rows that story classifiers are trained on."""

from dataclasses import dataclass

from openmeva.training.common.bounds import Positive, Seed, Share
from openmeva.training.graded.config import GradedSettings


@dataclass(frozen=True, kw_only=True)
class RowFile:
    """A file of groups.

    Attributes:
        path: relative to the project's folder.
        groups: maximum number of groups; null: all.
        share: held-out share, if the file has no splits.
        max_words: longer stories are excluded; null: no limit. The others of their groups are kept, without a ranking
            if the human-written one is excluded.
    """

    path: str
    groups: Positive | None = None
    share: Share = 0.05
    max_words: Positive | None = None


@dataclass(frozen=True, kw_only=True)
class Released:
    """The filtered stories released by the plot-guided paper's authors (see `filtered_stories.py`).

    Attributes:
        file: relative to the data folder.
        exclude: files of human-judged stories, whose groups are excluded.
        groups: maximum number of training groups, sampled at random; null: all.
        share: held-out share of the groups.
        max_words: longer stories are excluded; null: no limit.
    """

    file: str
    exclude: tuple[str, ...] = ()
    groups: Positive | None = None
    share: Share = 0.05
    max_words: Positive | None = None


@dataclass(frozen=True, kw_only=True)
class RowsConfig:
    """Sources of the rows.

    Attributes:
        graded: corpora whose stories become graded negative samples: their damage increases by level.
        training_sets: configuration of the stages that write some of `files`: plots, generated stories, filtering.
        released: filtered stories released by the plot-guided paper's authors.
        files: further files of groups.
        groups: maximum number of training groups, sampled at random; null: all.
        validation_groups: maximum number of held-out groups; null: all.
        data_seed: seed of the damage; null: `seed`. If set, runs with several seeds share the stages' files.
        draw_seed: seed for sampling groups; null: `seed`. If set, runs with several seeds share a teacher's outputs.
        delexicalize: whether names in the released stories are replaced by placeholders.
        seed: of all sampling.
    """

    graded: tuple[GradedSettings, ...] | None = None
    training_sets: str | None = None
    released: Released | None = None
    files: tuple[RowFile, ...] | None = None
    groups: Positive | None = None
    validation_groups: Positive | None = None
    data_seed: Seed | None = None
    draw_seed: Seed | None = None
    delexicalize: bool = True
    seed: Seed = 42

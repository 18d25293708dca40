"""The configuration of the rows that story classifiers are trained on."""

from dataclasses import dataclass

from openmeva.training.graded.config import GradedSettings


@dataclass(frozen=True, kw_only=True)
class RowFile:
    """A file of groups.

    Attributes:
        path: below the project's folder.
        groups: at most so many are taken; null: all.
        share: that is held out, where the file has no splits.
        max_words: longer stories are left out; null: none.
    """

    path: str
    groups: int | None = None
    share: float = 0.05
    max_words: int | None = None


@dataclass(frozen=True, kw_only=True)
class Released:
    """The authors' filtered stories (see `filtered_stories.py`).

    Attributes:
        file: below the data folder.
        exclude: files of judged stories, whose groups are left out.
        groups: at most so many are trained on, drawn at random; null: all.
        share: of the groups that is held out.
        max_words: longer stories are left out; null: none.
    """

    file: str
    exclude: tuple[str, ...] = ()
    groups: int | None = None
    share: float = 0.05
    max_words: int | None = None


@dataclass(frozen=True, kw_only=True)
class RowsConfig:
    """Where rows come from.

    Attributes:
        graded: corpora whose stories are damaged here.
        training_sets: the chain that writes some of `files`: plots, generator's stories, filtering.
        released: the authors' filtered stories.
        files: more rows.
        groups: at most so many are trained on, drawn at random; null: all.
        validation_groups: at most so many held-out ones are judged; null: all.
        data_seed: of the damage, where it is not `seed`: so runs of several seeds share the stages' files.
        draw_seed: of the groups drawn from a source, where it is not `seed`: so runs of several seeds share a teacher's judgments.
        delexicalize: whether names of the released stories become placeholders.
        seed: of the draws.
    """

    graded: tuple[GradedSettings, ...] | None = None
    training_sets: str | None = None
    released: Released | None = None
    files: tuple[RowFile, ...] | None = None
    groups: int | None = None
    validation_groups: int | None = None
    data_seed: int | None = None
    draw_seed: int | None = None
    delexicalize: bool = True
    seed: int = 42

"""The sets of stories that people judged: what each is, who publishes it, and who reads it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from openmeva.training.judged import mans
from openmeva.training.judged.plot_guided import read_plot_guided_release
from openmeva.training.judged.rows import JudgedStory
from openmeva.training.judged.union import FOLDERS, read_union_judgments


@dataclass(frozen=True)
class Part:
    """A file of a set, which becomes a split.

    Attributes:
        files: what the authors call it, below the folder of the set; the first that is there is read.
        read: rows from the folder of the set.
    """

    files: tuple[str, ...]
    read: Callable[[Path], list[JudgedStory]]

    def is_in(self, folder: Path) -> bool:
        """Whether a folder holds it."""
        return any((folder / name).is_file() for name in self.files)


@dataclass(frozen=True)
class JudgedSet:
    """A set as its authors publish it.

    Attributes:
        name: on the command line, and of its folder among the data of the benchmark.
        title: as printed.
        judgments: who judged what, and how; a sentence.
        licence: under which the authors publish it.
        published: where they do.
        paper: where it is described.
        parts: its files by the name of their split.
        hub: a dataset on the Hub that holds the files, where there is one.
    """

    name: str
    title: str
    judgments: str
    licence: str
    published: str
    paper: str
    parts: Mapping[str, Part]
    hub: str = ""


def _mans(corpus: str) -> Part:
    return Part(mans.file_names(corpus), partial(mans.read_mans, corpus=corpus))


def _union(corpus: str) -> Part:
    folder = f"{FOLDERS[corpus]}/ant_data"
    return Part((f"{folder}/ant_data.txt",), lambda source: read_union_judgments(source / folder))


def _plot_guided(corpus: str) -> Part:
    names = (f"AMT_{corpus.upper()}.CSV", f"AMT_{corpus.upper()}.csv")
    return Part(names, partial(read_plot_guided_release, corpus=corpus))


_SETS = (
    JudgedSet(
        "mans",
        "MANS",
        "Five raters a story, 1 to 5 for its overall quality.",
        "none stated; the texts derive from ROCStories and WritingPrompts",
        "https://huggingface.co/datasets/Jiann/OpenMEVA, which the command fetches where no source is given",
        "Guan et al., OpenMEVA (ACL 2021), section 3.1",
        {corpus: _mans(corpus) for corpus in mans.CORPORA},
        hub=mans.HUB_ID,
    ),
    JudgedSet(
        "union",
        "UNION's judged stories",
        "Seven raters a story, 1 for reasonable and 0 for not, with the errors that they saw.",
        "none stated; the texts derive from ROCStories and WritingPrompts",
        "https://github.com/thu-coai/UNION, folder Data",
        "Guan and Huang, UNION (EMNLP 2020), sections 4.2 and C",
        {corpus: _union(corpus) for corpus in FOLDERS},
    ),
    JudgedSet(
        "plot_guided",
        "Plot-guided judged stories",
        "Five raters a story, 0 to 5 for its plausibility.",
        "none stated; the texts derive from ROCStories and WritingPrompts",
        "https://github.com/PlusLabNLP/Plot-guided-Coherence-Evaluation",
        "Ghazarian et al., Plot-guided Adversarial Example Construction (NAACL 2021), section 5.2",
        {corpus: _plot_guided(corpus) for corpus in ("roc", "wp")},
    ),
)
JUDGED_SETS: dict[str, JudgedSet] = {one.name: one for one in _SETS}


def judged_set(name: str) -> JudgedSet:
    """The set of that name; ValueError that lists them for another."""
    if name not in JUDGED_SETS:
        raise ValueError(f"unknown judged set {name!r}, expected one of {', '.join(JUDGED_SETS)}")
    return JUDGED_SETS[name]

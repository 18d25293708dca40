"""The sets of human judgments of stories (judged sets): description, publisher and reader of each."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from openmeva.training.judged import deltascore, hanna, litbench, mans, story_cloze, storyer
from openmeva.training.judged.plot_guided import read_plot_guided_release
from openmeva.training.judged.rows import JudgedStory, locate_file
from openmeva.training.judged.union import FOLDERS, read_union_judgments


@dataclass(frozen=True)
class Part:
    """A file of a set, which becomes a split.

    Attributes:
        files: the authors' file names, below the folder of the set, in any case; the first one that exists is read.
        read: reads the rows from the folder of the set.
    """

    files: tuple[str, ...]
    read: Callable[[Path], list[JudgedStory]]

    def is_in(self, folder: Path) -> bool:
        """Whether the folder contains this part."""
        paths = [folder / name for name in self.files]
        return any(locate_file(path.parent, (path.name,)) is not None for path in paths)


@dataclass(frozen=True)
class JudgedSet:
    """A set as its authors publish it.

    Attributes:
        name: name on the command line, and of the set's folder in the benchmark's data.
        title: printed name.
        judgments: who judged what, and how; one sentence.
        licence: licence of the authors' release.
        published: address of the authors' release.
        paper: the paper that describes the set.
        parts: files by name of the split.
        hub: a dataset on the Hub with the files, if there is one.
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
    return Part((f"AMT_{corpus.upper()}.CSV",), partial(read_plot_guided_release, corpus=corpus))


_SETS = (
    JudgedSet(
        "mans",
        "MANS",
        "Five raters per story, overall quality from 1 to 5.",
        "none stated; the texts derive from ROCStories and WritingPrompts",
        "https://huggingface.co/datasets/Jiann/OpenMEVA, which the command downloads if no source is given",
        "Guan et al., OpenMEVA (ACL 2021), section 3.1",
        {corpus: _mans(corpus) for corpus in mans.CORPORA},
        hub=mans.HUB_ID,
    ),
    JudgedSet(
        "union",
        "UNION's judged stories",
        "Seven raters per story, 1 for reasonable and 0 for unreasonable, with the error types.",
        "none stated; the texts derive from ROCStories and WritingPrompts",
        "https://github.com/thu-coai/UNION, folder Data",
        "Guan and Huang, UNION (EMNLP 2020), sections 4.2 and C",
        {corpus: _union(corpus) for corpus in FOLDERS},
    ),
    JudgedSet(
        "plot_guided",
        "Plot-guided judged stories",
        "Five raters per story, plausibility from 0 to 5.",
        "Apache-2.0, as the authors' repository states; the texts derive from ROCStories and WritingPrompts",
        "https://github.com/PlusLabNLP/Plot-guided-Coherence-Evaluation",
        "Ghazarian et al., Plot-guided Adversarial Example Construction (NAACL 2021), section 5.2",
        {corpus: _plot_guided(corpus) for corpus in ("roc", "wp")},
    ),
    JudgedSet(
        "hanna",
        "HANNA",
        "Three raters per story, 1 to 5 for relevance, coherence, empathy, surprise, engagement and complexity.",
        "MIT, as the authors' repository states; the prompts and human stories derive from WritingPrompts",
        "https://github.com/dig-team/hanna-benchmark-asg",
        "Chhun et al., Of Human Criteria and Automatic Metrics (COLING 2022)",
        {"test": Part((hanna.ANNOTATIONS_FILE, hanna.HALF_FILE), hanna.read_hanna)},
    ),
    JudgedSet(
        "deltascore",
        "DeltaScore's judged stories",
        "Mean ratings, 1 to 5, of fluency, coherence, relatedness, logicality and interestingness, by crowd workers "
        "and by the authors' group.",
        "none stated; the texts derive from ROCStories and WritingPrompts",
        "https://github.com/ZhuohanX/DeltaScore, folder data",
        "Xie et al., DeltaScore (Findings of EMNLP 2023)",
        {
            f"{raters}_{corpus}": Part(
                (f"{raters}/{corpus}.jsonl",),
                partial(deltascore.read_deltascore, raters=raters, corpus=corpus),
            )
            for raters in deltascore.RATERS
            for corpus in deltascore.CORPORA
        },
    ),
    JudgedSet(
        "storyer",
        "StoryER",
        "Overall scores of 200 stories of WritingPrompts and of 200 scary ones, ratings of ten aspects, 1 to 5, and "
        "pairs in which one story has more upvotes.",
        "none stated; the texts are Reddit's",
        "https://github.com/sairin1202/StoryER, folder data and the addresses in its README",
        "Chen et al., StoryER (EMNLP 2022)",
        {
            "wp": Part((storyer.OVERALL_FILES["wp"],), partial(storyer.read_overall, kind="wp")),
            "scary": Part((storyer.OVERALL_FILES["scary"],), partial(storyer.read_overall, kind="scary")),
            "aspects": Part((storyer.ASPECT_RATINGS_FILE,), storyer.read_aspect_ratings),
            "ranks": Part((storyer.RANKS_FILE,), storyer.read_ranks),
        },
    ),
    JudgedSet(
        "storycloze",
        "Story Cloze",
        "The correct one of two endings for four sentences of a story.",
        "for research, on request by the authors' form; no redistribution",
        "https://cs.rochester.edu/nlp/rocstories",
        "Mostafazadeh et al., A Corpus and Cloze Evaluation (NAACL 2016)",
        {
            split: Part(story_cloze.file_names(split), partial(story_cloze.read_story_cloze, split=split))
            for split in ("validation", "test")
        },
    ),
    JudgedSet(
        "litbench",
        "LitBench",
        "The one with more upvotes of two stories for a prompt of r/WritingPrompts.",
        "none stated for the ids; the texts are Reddit's",
        "https://huggingface.co/datasets/SAA-Lab/LitBench-Test-Release (ids); rehydrate.py of "
        "https://github.com/drfein/LitBench downloads the texts",
        "Fein et al., LitBench (2025)",
        {"test": Part((litbench.FILE,), litbench.read_litbench)},
    ),
)
JUDGED_SETS: dict[str, JudgedSet] = {one.name: one for one in _SETS}


def judged_set(name: str) -> JudgedSet:
    """The set with this name; for an unknown name, a ValueError that lists the known ones."""
    if name not in JUDGED_SETS:
        raise ValueError(f"unknown judged set {name!r}, expected one of {', '.join(JUDGED_SETS)}")
    return JUDGED_SETS[name]

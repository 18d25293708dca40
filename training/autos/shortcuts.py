"""Lexical shortcuts in AUTOS: how well a single feature distinguishes perturbed stories from their originals.

    python -m training.autos.shortcuts                      # every set in datasets/autos
    python -m training.autos.shortcuts datasets/autos/mini

A rule uses one feature: it classifies stories with the feature as perturbed (or original), and all others as the opposite.
The features are the opening of a sentence (its first one to three tokens), a word, and a phrase of two or three tokens.
Accuracies are balanced and cross-validated in five folds, where an original and its perturbed versions are in the same
fold. .5 is chance; 1 is a feature that identifies all perturbed stories.
"""

import argparse
import hashlib
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow.parquet as pq

from openmeva.training.autos.build import SPLITS
from openmeva.training.autos.command import AUTOS, CONFIGURATIONS
from openmeva.training.perturbations.aspects.registry import ASPECTS
from openmeva.training.text.phrases import Features, opening_features, phrase_features, word_features

FOLDS = 5


class Case(NamedTuple):
    """A story of a test set: its text, whether it is perturbed, and the fold of its human original."""

    story: str
    perturbed: bool
    fold: int


class Rule(NamedTuple):
    """Classifies stories with `feature` as perturbed; with `marks_perturbed` False, those without it.

    `gain` is its balanced accuracy on the stories that it was selected on, minus .5.
    """

    feature: str
    marks_perturbed: bool
    gain: float


FEATURE_KINDS: Mapping[str, Callable[[str], Features]] = {
    "opening": opening_features,
    "word": word_features,
    "phrase": phrase_features,
}


def cases(rows: Sequence[Mapping[str, Any]], aspect: str) -> list[Case]:
    """The perturbed stories of an aspect, each with its own original, so that both classes are equally frequent.

    Args:
        rows: rows of one split; an original may be among the rows of any aspect.

    Raises:
        ValueError: the original of a perturbed story is missing.
    """
    originals = {row["story_id"]: row["story"] for row in rows if row["label"] == 1}
    result = []
    for row in rows:
        if row["aspect"] == aspect and row["label"] == 0:
            source = row["perturbed_from"]
            if source not in originals:
                raise ValueError(f"{row['story_id']}: expected its original {source!r} among the rows")
            fold = _fold(source)
            result += [Case(row["story"], True, fold), Case(originals[source], False, fold)]
    return result


def best_rule(perturbed: Iterable[Features], originals: Iterable[Features]) -> Rule | None:
    """The rule with the highest balanced accuracy on these stories; None where no feature is better than chance."""
    return _best_rule(_count_features(perturbed), _count_features(originals))


def held_out_accuracy(stories: Sequence[Case], features: Sequence[Features]) -> float:
    """Cross-validated balanced accuracy of the best rule, 0..1; .5 is chance.

    Args:
        stories: from `cases`.
        features: the features of each story.
    """
    parts: dict[tuple[int, bool], list[Features]] = {
        (fold, perturbed): [] for fold in range(FOLDS) for perturbed in (True, False)
    }
    for case, has in zip(stories, features, strict=True):
        parts[case.fold, case.perturbed].append(has)
    every = {perturbed: _count_features(_features_of_class(parts, perturbed)) for perturbed in (True, False)}
    hits: dict[bool, float] = {True: 0.0, False: 0.0}
    for fold in range(FOLDS):
        training_counts = {
            perturbed: _subtract_counts(every[perturbed], parts[fold, perturbed])
            for perturbed in (True, False)
        }
        rule = _best_rule(training_counts[True], training_counts[False])
        for perturbed in (True, False):
            for has in parts[fold, perturbed]:
                prediction = rule and (rule.feature in has) == rule.marks_perturbed
                hits[perturbed] += 0.5 if prediction is None else float(prediction == perturbed)
    return (hits[True] + hits[False]) / len(stories)


class _FeatureCounts(NamedTuple):
    """The number of stories with each feature, and of all stories."""

    features: Counter[str]
    stories: int


def _count_features(stories: Iterable[Features]) -> _FeatureCounts:
    features: Counter[str] = Counter()
    count = 0
    for has in stories:
        features.update(has)
        count += 1
    return _FeatureCounts(features, count)


def _subtract_counts(every: _FeatureCounts, left_out: Sequence[Features]) -> _FeatureCounts:
    features = every.features.copy()
    features.subtract(_count_features(left_out).features)
    return _FeatureCounts(features, every.stories - len(left_out))


def _features_of_class(
    parts: Mapping[tuple[int, bool], Sequence[Features]], perturbed: bool
) -> Iterable[Features]:
    return (has for (_, label), stories in parts.items() if label == perturbed for has in stories)


def _best_rule(perturbed: _FeatureCounts, originals: _FeatureCounts) -> Rule | None:
    shares = max(perturbed.stories, 1), max(originals.stories, 1)
    best = Rule("", True, 0.0)
    for name in perturbed.features.keys() | originals.features.keys():
        gain = (perturbed.features[name] / shares[0] - originals.features[name] / shares[1]) / 2
        if (abs(gain), name) > (best.gain, best.feature):
            best = Rule(name, gain > 0, abs(gain))
    return best if best.gain else None


def shortcuts_table(rows: Sequence[Mapping[str, Any]]) -> str:
    """A Markdown table of one split: each aspect's accuracies, and the rule that is best on all of its stories.

    A rule is given by its feature and the shares of perturbed and of original stories that have it.
    """
    head = [f"{kind}: accuracy | best, its shares" for kind in FEATURE_KINDS]
    lines = [f"| aspect | perturbed | {' | '.join(head)} |", "|---" * (2 + 2 * len(FEATURE_KINDS)) + "|"]
    for aspect in ASPECTS:
        aspect_cases = cases(rows, aspect)
        if aspect_cases:
            cells = [cell for find in FEATURE_KINDS.values() for cell in _cells(aspect_cases, find)]
            lines.append(f"| {aspect} | {len(aspect_cases) // 2} | {' | '.join(cells)} |")
    return "\n".join(lines)


def _cells(stories: Sequence[Case], find: Callable[[str], Features]) -> tuple[str, str]:
    features = [find(case.story) for case in stories]
    accuracy = f"{held_out_accuracy(stories, features):.3f}"
    split: dict[bool, list[Features]] = {True: [], False: []}
    for case, has in zip(stories, features, strict=True):
        split[case.perturbed].append(has)
    rule = best_rule(split[True], split[False])
    if rule is None:
        return accuracy, ""
    shares = [
        sum(rule.feature in has for has in class_features) / len(class_features)
        for class_features in split.values()
    ]
    return accuracy, f"`{rule.feature}` {shares[0]:.3f} / {shares[1]:.3f}"


def _fold(story_id: str) -> int:
    """The fold of a story and of all its perturbed versions."""
    root, _, aspect = story_id.rpartition("/")
    while root and aspect in ASPECTS:
        story_id = root
        root, _, aspect = story_id.rpartition("/")
    return hashlib.sha256(story_id.encode("utf-8", "surrogatepass")).digest()[0] % FOLDS


def main(arguments: Sequence[str] | None = None) -> int:
    """Command line; see the module's description. Returns the exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m training.autos.shortcuts",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "folders", nargs="*", type=Path, help="folders of sets; default: all in datasets/autos"
    )
    options = parser.parse_args(arguments)
    folders = options.folders or [AUTOS / name for name in CONFIGURATIONS if (AUTOS / name).is_dir()]
    try:
        for folder in folders:
            for split in SPLITS:
                table = shortcuts_table(pq.read_table(folder / f"{split}.parquet").to_pylist())
                print(f"{folder.name}, {split} test\n\n{table}\n")
    except (OSError, ValueError, KeyError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())

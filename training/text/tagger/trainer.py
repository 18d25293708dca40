"""Train and evaluate the part-of-speech tagger that the project ships.

    python -m training.text.tagger.trainer --data DIR/ewt              # train, write the JSON, evaluate
    python -m training.text.tagger.trainer --data DIR/ewt --evaluate   # only evaluate the shipped weights

`DIR/ewt` contains Universal Dependencies English EWT as `train.jsonl.gz` and `test.jsonl.gz`, one sentence per
line with the fields `tokens` and `xpos` (Penn Treebank tags). The model is NLTK's averaged perceptron. The
training data are augmented for stories:

- every sentence occurs twice, as written and lower-cased, since stories come in both forms;
- lower-cased sentences with an isolated proper noun occur a third time, with that noun replaced by `[MALE]`,
  `[FEMALE]` or `[NEUTRAL]`, so that contexts of delexicalised names occur in training.

Averaged weights with an absolute value below 1 are dropped and the others rounded to multiples of 1/4. This shrinks
the files from 5.8 to 2.1 MB and costs .001 to .002 of accuracy. Sums of such numbers have no rounding error in binary,
so a tag does not depend on the order of summation: NLTK's tagger and `BatchTagger` give identical tags.
"""

import argparse
import json
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
from nltk.tag.perceptron import AveragedPerceptron, PerceptronTagger
from rich.progress import track

from openmeva.metrics.core.text import PLACEHOLDERS
from openmeva.training.common.command import exit_on_bad_input
from openmeva.training.files import read_rows, write_text
from openmeva.training.text.tagger.card import card
from openmeva.training.text.tagger.tagging import TAGGER_FOLDER, load_tagger

TaggedSentence = list[tuple[str, str]]

STEPS_PER_UNIT = 4


def read_ewt(path: Path) -> list[TaggedSentence]:
    """Sentences of one EWT split as lists of (token, Penn Treebank tag).

    Raises:
        FileNotFoundError: there is no such file.
        ValueError: a line without `tokens` and `xpos` of equal length; the message names the line.
    """
    sentences = []
    for row in read_rows(path, "jsonl"):
        tokens, tags = row.values.get("tokens"), row.values.get("xpos")
        if not (
            isinstance(tokens, list)
            and isinstance(tags, list)
            and len(tokens) == len(tags)
            and all(isinstance(value, str) for value in (*tokens, *tags))
        ):
            raise ValueError(f"{row.where}: expected lists of texts, `tokens` and `xpos`, of one length")
        sentences.append(list(zip(tokens, tags, strict=True)))
    return sentences


def lowercase_sentences(sentences: Iterable[TaggedSentence]) -> list[TaggedSentence]:
    """The same sentences in lower case."""
    return [[(word.lower(), tag) for word, tag in sentence] for sentence in sentences]


def delexicalize_sentences(
    sentences: Iterable[TaggedSentence], rng: np.random.Generator
) -> list[TaggedSentence]:
    """The sentences with an isolated proper noun, with each such noun replaced by a name placeholder."""
    changed = []
    for sentence in sentences:
        tags = ["", *(tag for _, tag in sentence), ""]
        alone = [
            i
            for i in range(len(sentence))
            if tags[i + 1] == "NNP" and not tags[i].startswith("NNP") and not tags[i + 2].startswith("NNP")
        ]
        if not alone:
            continue
        copy = list(sentence)
        for i in alone:
            copy[i] = (PLACEHOLDERS[int(rng.integers(len(PLACEHOLDERS)))], "NNP")
        changed.append(copy)
    return changed


class QuickPerceptron(AveragedPerceptron):
    """NLTK's averaged perceptron with the same predictions, computed without visiting every class."""

    def predict(self, features: dict[str, int], return_conf: bool = False) -> tuple[str, float | None]:
        """The label with the highest score; ties are broken by the last label in order of name."""
        if return_conf:
            return super().predict(features, return_conf)
        scores: dict[str, float] = {}
        for feature, value in features.items():
            for label, weight in self.weights.get(feature, {}).items():
                scores[label] = scores.get(label, 0.0) + value * weight
        best = max(scores.items(), key=lambda item: (item[1], item[0]), default=("", 0.0))
        # A label without weights scores 0 and can win only if no score is positive.
        return (best[0], None) if best[1] > 0 else super().predict(features)


class SeededTagger(PerceptronTagger):
    """NLTK's tagger, trained with its own random generator instead of the global one."""

    def __init__(self, rng: np.random.Generator):
        super().__init__(load=False)
        self.model = QuickPerceptron()
        self.rng = rng

    def fit(self, sentences: Sequence[TaggedSentence], iterations: int) -> None:
        """Averaged perceptron training as in `PerceptronTagger.train`, with a shuffle before each iteration."""
        self._sentences: list[TaggedSentence] = []
        self._make_tagdict(sentences)
        # A placeholder always has one tag, however often each one occurs in training.
        self.tagdict.update(dict.fromkeys(PLACEHOLDERS, "NNP"))
        self.model.classes = self.classes
        for iteration in range(iterations):
            order = self.rng.permutation(len(sentences))
            for index in track(order, description=f"iteration {iteration + 1}/{iterations}"):
                self._learn(sentences[index])
        self.model.average_weights()

    def _learn(self, sentence: TaggedSentence) -> None:
        before, before_that = self.START
        context = self.START + [self.normalize(word) for word, _ in sentence] + self.END
        for i, (word, truth) in enumerate(sentence):
            guess = self.tagdict.get(word)
            if not guess:
                features = self._get_features(i, word, context, before, before_that)
                guess, _ = self.model.predict(features)
                self.model.update(truth, guess, features)
            before_that, before = before, guess


def round_weights(weights: dict[str, dict[str, float]], threshold: float) -> dict[str, dict[str, float]]:
    """Weights rounded to multiples of 1/4, without those below the threshold in absolute value, sorted by feature."""
    kept = {}
    for feature in sorted(weights):
        steps = {
            label: round(weight * STEPS_PER_UNIT) / STEPS_PER_UNIT
            for label, weight in sorted(weights[feature].items())
            if abs(weight) >= threshold
        }
        steps = {label: int(w) if w == int(w) else w for label, w in steps.items() if w}
        if steps:
            kept[feature] = steps
    return kept


def save(tagger: PerceptronTagger, folder: Path, threshold: float) -> None:
    """Write the three files that `nltk.pos_tag` looks for."""
    contents = (
        round_weights(tagger.model.weights, threshold),
        dict(sorted(tagger.tagdict.items())),
        sorted(tagger.classes),
    )
    for name, content in zip(tagger.param_files("eng"), contents, strict=True):
        write_text(folder / name, json.dumps(content, separators=(",", ":")))


def accuracy(tagger: PerceptronTagger, sentences: Sequence[TaggedSentence]) -> float:
    """Share of tokens tagged as in the corpus, 0 to 1, higher is better."""
    right = total = 0
    for sentence in sentences:
        guesses = tagger.tag([word for word, _ in sentence])
        right += sum(guess == truth for (_, guess), (_, truth) in zip(guesses, sentence, strict=True))
        total += len(sentence)
    return right / total


def main(arguments: Sequence[str] | None = None) -> None:
    """Command line; see the module's description."""
    parser = argparse.ArgumentParser(prog="python -m training.text.tagger.trainer", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)  # fmt: skip
    parser.add_argument("--data", type=Path, required=True, help="folder with train.jsonl.gz, test.jsonl.gz")
    parser.add_argument(
        "--evaluate", action="store_true", help="evaluate the weights in --output without training"
    )
    parser.add_argument("--output", type=Path, default=TAGGER_FOLDER, help="folder of the JSON files")
    parser.add_argument("--iterations", type=int, default=6)
    parser.add_argument("--seed", type=int, default=20)
    parser.add_argument(
        "--threshold", type=float, default=1.0, help="weights with a smaller absolute value are dropped"
    )
    options = parser.parse_args(arguments)
    with exit_on_bad_input():
        if not options.evaluate:
            rng = np.random.default_rng(options.seed)
            written = read_ewt(options.data / "train.jsonl.gz")
            lower = lowercase_sentences(written)
            tagger = SeededTagger(rng)
            tagger.fit([*written, *lower, *delexicalize_sentences(lower, rng)], options.iterations)
            save(tagger, options.output, options.threshold)
        test = read_ewt(options.data / "test.jsonl.gz")
        shipped = load_tagger(options.output)
        results = {
            "as written": accuracy(shipped, test),
            "lower-cased": accuracy(shipped, lowercase_sentences(test)),
        }
        for form, value in results.items():
            print(f"EWT test, {form + ':':<12} {value:.4f}")
        if not options.evaluate:
            write_text(options.output / "README.md", card(vars(options) | {"steps": STEPS_PER_UNIT}, results))


if __name__ == "__main__":
    main()

"""Where scores fall: the distributions that the story scorer shows, computed for every metric and written as JSON.

    python -m spaces.reference_scores --data DATA
    python -m spaces.reference_scores --data DATA --metrics union --generated roc=samples.jsonl

Human stories are those of the validation splits, the judged ones left out. Machine-made ones are a file's
(`story`, and `context` where it is apart; `source` says what wrote it); without a file they are the human
stories damaged by UNION's rules, and are called so. Metrics with a reference compare each story with the human one
that has the same beginning, and human stories with one of another beginning. Only quantiles of scores are written.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import yaml

from metrics.inference import Normalizer
from spaces.catalogue import CORPORA, CatalogueEntry
from spaces.distributions import FOLDER, quantiles
from spaces.scorer import Scorer, Text
from training.corpora.splits import Corpus, CorpusConfig, load_corpus
from training.encoder import ENCODER, ROOT
from training.files import write_text
from training.negatives import UnionSampler, UnionSampling, tag_corpus
from training.negatives.english import English

LABELS = {
    "human": "human stories",
    "unrelated": "unrelated human stories",
    "generated": "machine-made stories",
    "damaged": "damaged stories",
}
_LEAST = 30  # a distribution of fewer stories says nothing


def main(arguments: Sequence[str] | None = None) -> int:
    """Command line; see the module's description. Returns the exit status."""
    options = _parse(arguments)
    scorer = Scorer()
    generated = dict(given.split("=", 1) for given in options.generated)
    for corpus in options.corpora:
        human = validation_stories(corpus, options.data, options.count)
        made = (
            read_generated(Path(generated[corpus]), options.count)
            if corpus in generated
            else damaged(human, corpus, options.seed)
        )
        kind = "generated" if corpus in generated else "damaged"
        for name, entry in scorer.catalogue.items():
            if options.metrics and name not in options.metrics:
                continue
            checkpoint = scorer.checkpoint(name, corpus)
            if checkpoint is None:
                print(f"{name}, {corpus}: not available", file=sys.stderr)
                continue
            groups = measure(scorer, entry, corpus, human, made, kind)
            if not groups:
                print(f"{name}, {corpus}: no scores", file=sys.stderr)
                continue
            path = FOLDER / corpus / f"{name}.json"
            write_text(path, json.dumps({"checkpoint": checkpoint, "groups": groups}) + "\n")
            print(
                f"{path.relative_to(ROOT)}: "
                + ", ".join(f"{g['label']} {g['count']}" for g in groups.values())
            )
    return 0


def validation_stories(corpus: str, data: Path, count: int) -> list[Text]:
    """At most `count` human stories of the validation split, evenly spaced, normalised; contexts apart."""
    settings = yaml.safe_load((ROOT / "training" / "configs" / f"union_{corpus}.yaml").read_text("utf-8"))
    config = replace(CorpusConfig.from_mapping(settings["corpus"]), block_words=None)
    if config.validation:  # the training stories need not be read
        config = replace(config, train=())
    found: Corpus = load_corpus(config, data, ENCODER / "names.json")
    stories = [story for story in found.validation if corpus == "wp" or len(story) > 1]
    stories = [stories[i] for i in np.linspace(0, len(stories) - 1, min(count, len(stories))).astype(int)]
    return [_text(story, corpus) for story in stories]


def _text(sentences: Sequence[Sequence[str]], corpus: str) -> Text:
    lines = [" ".join(words) for words in sentences]
    return Text(" ".join(lines[1:]), lines[0]) if corpus == "roc" else Text(" ".join(lines))


def read_generated(path: Path, count: int) -> list[Text]:
    """At most `count` stories of a JSONL file, evenly spaced.

    Raises:
        ValueError: no stories.
    """
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    if not rows:
        raise ValueError(f"{path}: expected stories, got none")
    rows = [rows[i] for i in np.linspace(0, len(rows) - 1, min(count, len(rows))).astype(int)]
    found = []
    for row in rows:
        story, context = row["story"].strip(), (row.get("context") or "").strip()
        # Some files repeat the beginning inside the story.
        found.append(Text(story.removeprefix(context).strip() or story, context))
    return found


def damaged(stories: Sequence[Text], corpus: str, seed: int) -> list[Text]:
    """A negative sample of UNION's for each story that has one."""
    normalizer = Normalizer()
    sentences = [normalizer.sentences(text.whole(corpus)) for text in stories]
    tagged = tag_corpus(sentences, ROOT / ".cache" / "tags", progress=False)
    sampling = UnionSampling(keep=1 if corpus == "roc" else 0)
    sampler = UnionSampler(tagged, English(), sampling, seed)
    samples = [sampler.sample(place, 0) for place in range(len(tagged))]
    return [
        _text([list(words) for words in sample.words], corpus) for sample in samples if sample is not None
    ]


def measure(
    scorer: Scorer, entry: CatalogueEntry, corpus: str, human: Sequence[Text], made: Sequence[Text], kind: str
) -> dict[str, Any]:
    """The groups of one metric: quantiles of each of its numbers."""
    groups: dict[str, Sequence[Text]] = {"human": human, kind: made}
    if entry.referenced:
        own = {text.context: text.story for text in human if text.context}
        shifted = [*human[1:], *human[:1]]
        groups = {
            "unrelated": [replace(a, reference=b.story) for a, b in zip(human, shifted, strict=True)],
            kind: [replace(text, reference=own[text.context]) for text in made if text.context in own],
        }
    found = {}
    for name, texts in groups.items():
        rows = scorer.score(texts, corpus, only=[entry.name]) if len(texts) >= _LEAST else []
        columns: dict[str, list[float]] = {}
        for row in rows:
            for score in row:
                if score.value is not None:
                    columns.setdefault(score.number.key, []).append(score.value)
        columns = {key: values for key, values in columns.items() if len(values) >= _LEAST}
        if columns:
            found[name] = {
                "label": LABELS[name],
                "count": min(map(len, columns.values())),
                "quantiles": {key: quantiles(values) for key, values in columns.items()},
            }
    return found


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m spaces.reference_scores",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--data", type=Path, required=True, help="folder of the corpora (roc/, wp/)")
    parser.add_argument("--corpora", nargs="+", choices=list(CORPORA), default=list(CORPORA))
    parser.add_argument("--metrics", nargs="+", help="names in the catalogue; all unless given")
    parser.add_argument("--count", type=int, default=800, help="stories of a group")
    parser.add_argument(
        "--generated", nargs="*", default=[], metavar="CORPUS=FILE", help="machine-made stories, JSONL"
    )
    parser.add_argument("--seed", type=int, default=0)
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())

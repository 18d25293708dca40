"""Writes the model card of a trained generator, with stories that it generates from plots of the project's own stories.

    python -m training.plot_guided.generator.card --run runs/generator-roc/final --out training/weights/generator-roc

The plots come from datasets/stories/mini.jsonl, as extracted and manipulated. No corpus is needed, and none is quoted.
"""

import argparse
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from openmeva.metrics.core.checkpoint import load_normalizer
from openmeva.metrics.core.files import ADAPTER
from openmeva.training.common.model_card import base_model_text, corpus_terms, write_model_card
from openmeva.training.corpora.splits import CorpusConfig
from openmeva.training.corpora.stories import read_stories
from openmeva.training.files import write_text
from openmeva.training.paths import NAMES_FILE, ROOT
from openmeva.training.plot_guided.generator.model import load_generator
from openmeva.training.plot_guided.generator.sampling import Sampling, StorySampler
from openmeva.training.plot_guided.manipulations import build_manipulator
from openmeva.training.plot_guided.plots import extract_plots, plot_text
from openmeva.training.plot_guided.plots.corpus import PlottedStory
from openmeva.training.plot_guided.plots.extractors import ALTERNATION_SIGN
from openmeva.training.text.tagged_story import TaggedStory

NUM_ORIGINAL_PLOTS, NUM_MANIPULATED_PLOTS = 10, 20
SEED = 1
GRAMMATICAL_PERPLEXITY = (
    15.0  # perplexity below which sentences are mostly grammatical, judged from the samples
)
STORIES = ROOT / "datasets" / "stories" / "mini.jsonl"

_CARD = """---
license: apache-2.0
language: en
tags: [story-generation, plot-to-story]
---

# Plot-to-story generator, `{config[name]}`

Generates a story from a plot. It is used in training: from manipulated plots it generates implausible stories, the
negative samples of the plot-guided method (Ghazarian et al., NAACL 2021, section 3.2).

## Use

{weights_note} `python -m training.plot_guided.negatives`
generates stories with them.

## Training

{kind}, {parameters:.1f} million parameters. A hash assigns {stories[generator]:,} stories to the generator, {config[share]:.0%} of
the corpus; no negative sample is made from them. In training, it read {seen:,} stories{repeated}: {steps:,} steps with batches of
{config[batch]}, learning rate {config[learning_rate]:g}, seed {config[seed]}; {last}{minutes:g} minutes on {machine} with torch {torch}.

```bash
python -m training.plot_guided.generator --config {config[name]} --data DIR
```

| file | SHA-256 |
|---|---|
{data}
| trained weights | `{weights}` |

## Results

Perplexity of {validation[stories]:,} held-out stories given their plots: **{validation[perplexity]:.2f}** per token
({validation[tokens]:,} tokens), {names}. {compared}

## Stories from original plots

Top-50 sampling, temperature 0.8, at most as many sentences as the plot has. The plots are of stories written for this
project{alternating}. The stories were not hand-picked.

{whole}

## Stories from manipulated plots

{broken}

## Limits

The model is small. It keeps to the plot, {sentences}, but
the text between the plot's phrases is often irrelevant. A manipulated plot is longer than the plots in training, so
its sentences tend to run on. The stories above stop at the number of sentences of their plots (`end_with_plot`), and
adversarial filtering removes stories that are longer than any human-written one. It was trained on one kind of English stories. {people}

Stories from manipulated plots can be objectionable, and nothing removes those that are. Use them as negative samples
only (see section 7 of the plot-guided paper).

## Data and licence

Code and weights: Apache-2.0. {source} None of the stories is part of this repository.

## Citation

```bibtex
@inproceedings{{ghazarian-etal-2021-plot,
    title = "Plot-guided Adversarial Example Construction for Evaluating Open-domain Story Generation",
    author = "Ghazarian, Sarik and Liu, Zixi and S M, Akash and Weischedel, Ralph and Galstyan, Aram and Peng, Nanyun",
    booktitle = "Proceedings of NAACL-HLT 2021",
    year = "2021",
    pages = "4334--4344",
}}
```
"""


_PLACEHOLDER_NOTE = "People appear as\n`[MALE]`, `[FEMALE]` and `[NEUTRAL]`. "
_PURPOSE_NOTE = "It is not meant to generate stories for readers."
_BART = "The paper's BART has 3.44 on ROC and 6.79 on WP"
_OTHER_NAMES = f"{_BART}, with its own\ntokenizer and with names: not comparable."
_OTHER_MARKS = f"{_BART}, with a mark\nafter each sentence: not comparable."
_OTHER_TOKENS = f"{_BART}, with its own\ntokenizer: not comparable."
_GPT2 = "The paper's GPT-2 has 8.28 on ROC\nand 25.04 on WP, given what it does not say; here a story's first sentence is given and copied: not comparable."


def stories_with_plots(
    stories: Sequence[str], extractor: str, delexicalize: bool = True
) -> list[PlottedStory]:
    """Tags stories from outside the corpora and extracts their plots; names become placeholders if `delexicalize`."""
    from openmeva.training.text.tagger.tagging import tag

    normalizer = load_normalizer(NAMES_FILE, delexicalize)
    tagged = [TaggedStory(words, tag(words)) for words in map(normalizer.sentences, stories)]
    plots = extract_plots(tagged, extractor, SEED)
    rows = zip(tagged, plots, strict=True)
    return [PlottedStory(f"mini-{index:03d}", story, plot) for index, (story, plot) in enumerate(rows)]


def sample_lists(
    run: Path, stories: Sequence[PlottedStory], to_break: Sequence[PlottedStory], config: Mapping[str, Any]
) -> tuple[str, str]:
    """Stories from the plots of `stories` and from manipulated plots of `to_break`, as two Markdown lists."""
    sampling = Sampling(max_tokens=config["max_story"], max_plot=256, end_with_plot=True)
    sampler = StorySampler(load_generator(run), sampling, delexicalize=delexicalized(config))
    plots = [story.plot for story in stories[:NUM_ORIGINAL_PLOTS]]
    texts = sampler.write(plots, [(SEED, index) for index in range(len(plots))])
    original = [f"- *{plot_text(plot)}*<br>{text}" for plot, text in zip(plots, texts, strict=True)]
    manipulator = build_manipulator(to_break, SEED)
    chosen = [
        (index, manipulated)
        for index, story in enumerate(to_break[:NUM_MANIPULATED_PLOTS])
        if (manipulated := manipulator.manipulate(story.plot, index))
    ]
    texts = sampler.write(
        [manipulated_plot.plot for _, manipulated_plot in chosen], [(SEED, index, 0) for index, _ in chosen]
    )
    manipulated_stories = [
        f"- *{plot_text(manipulated_plot.plot)}* ({', '.join(manipulated_plot.applied)})<br>{text}"
        for (_, manipulated_plot), text in zip(chosen, texts, strict=True)
    ]
    return "\n".join(original), "\n".join(manipulated_stories)


def write_card(manifest: dict[str, Any], whole: str, broken: str, out: Path) -> None:
    """Writes `README.md` from a run's manifest and samples."""
    config = manifest["config"]
    adapter = config.get("adapter")
    trained = f"with a LoRA adapter of rank {adapter['rank']}" if adapter else "(all weights trained)"
    layers = f"{len(config.get('encoder_layers', ()))} + {len(config.get('decoder_layers', ()))}"
    seen = min(config["stories"], manifest["steps"] * config["batch"])
    available = manifest["stories"]["generator"]
    write_model_card(
        out,
        _CARD,
        manifest,
        kind=(
            f"An encoder-decoder of {layers} layers taken from {base_model_text(config)}"
            if config["base"] == "encoder"
            else f"`{config['base']}` {trained}"
        )
        + (
            ", on base weights that were trained on some stories of both parts of the corpus"
            if manifest.get("base")
            else ""
        )
        + (", initialised from another run" if config.get("start") else ""),
        parameters=manifest["parameters"] / 1e6,
        sentences=(
            "and within a sentence it is mostly grammatical"
            if manifest["validation"]["perplexity"] < GRAMMATICAL_PERPLEXITY
            else "though its sentences often break off or repeat themselves"
        ),
        weights_note=(
            "The weights, an adapter, are in this folder."
            if (out / ADAPTER).is_file()
            else f"The weights are not shipped: the command below trains them into runs/generator-{config['name']}."
        ),
        seen=seen,
        repeated=f", each of them {seen / available:.1f} times on average" if seen > available else "",
        source=corpus_terms(manifest),
        names="with placeholders for names" if delexicalized(config) else "with the original names",
        compared=_paper_comparison(config),
        people=_PLACEHOLDER_NOTE + _PURPOSE_NOTE if delexicalized(config) else _PURPOSE_NOTE,
        alternating=(
            "; every second plot is only the story's first sentence"
            if ALTERNATION_SIGN in config["plots"]
            else ""
        ),
        whole=whole,
        broken=broken,
    )


def delexicalized(config: Mapping[str, Any]) -> bool:
    """Whether a generator of this configuration is trained with placeholders for names."""
    return CorpusConfig.from_mapping(config["corpus"]).delexicalize


def _paper_comparison(config: Mapping[str, Any]) -> str:
    """The perplexities in the paper, and whether they are comparable to the generator's."""
    if config["plots"] == "opening":
        return _GPT2
    if delexicalized(config):
        return _OTHER_NAMES
    return _OTHER_MARKS if config["base"] == "bart-base" else _OTHER_TOKENS


def write_generator_card(run: Path, out: Path, stories: Path = STORIES) -> Path:
    """Writes the card and a copy of the manifest of the generator in `run` to `out`."""
    manifest = json.loads((run / "manifest.json").read_text(encoding="utf-8"))
    extractor, texts = manifest["config"]["plots"], list(read_stories(stories))
    names = delexicalized(manifest["config"])
    whole = stories_with_plots(texts, extractor, names)
    broken = stories_with_plots(
        texts, extractor.split(ALTERNATION_SIGN)[0], names
    )  # negative samples are made from one kind of plot
    write_card(manifest, *sample_lists(run, whole, broken, manifest["config"]), out)
    write_text(out / "manifest.json", json.dumps(manifest, indent=2) + "\n")
    return out / "README.md"


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        prog="python -m training.plot_guided.generator.card",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--run", type=Path, required=True, help="a folder written by training.plot_guided.generator"
    )
    parser.add_argument("--out", type=Path, required=True, help="folder for README.md and manifest.json")
    parser.add_argument("--stories", type=Path, default=STORIES, help="stories whose plots are used")
    given = parser.parse_args(arguments)
    print(write_generator_card(given.run, given.out, given.stories))


if __name__ == "__main__":
    main()

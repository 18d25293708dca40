"""The stories of the reference distributions: human stories of the validation splits, generated and damaged stories.

None of them is shipped, none has human judgments, and no metric was trained on them. The shared story encoder may have been:
see `training/corpora/held_out.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from openmeva.metrics.core.text import Normalizer, join_words, split_sentences
from openmeva.metrics.ruber_bert.scoring import plain_context
from openmeva.spaces.texts import Text
from openmeva.training.common.buffered_random import evenly_spaced
from openmeva.training.common.checkpoint import weights_file
from openmeva.training.common.config import config_file, read_config, read_mapping
from openmeva.training.corpora.splits import judged_keys, load_corpus, truncate_sentences
from openmeva.training.corpora.stories import is_held_out, story_key
from openmeva.training.files import read_rows
from openmeva.training.negatives import UnionSampler, UnionSampling, tag_corpus
from openmeva.training.paths import CACHE, NAMES_FILE, ROOT
from openmeva.training.plot_guided.generator.model import load_generator
from openmeva.training.plot_guided.generator.sampling import Sampling, StorySampler
from openmeva.training.plot_guided.negatives.config import PlotNegativesConfig
from openmeva.training.plot_guided.plots.extractors import extract_plots
from openmeva.training.ruber_bert.config import RuberConfig
from openmeva.training.ruber_bert.data import prompted_stories
from openmeva.training.text.knowledge.english import English
from openmeva.training.union.config import UnionConfig

_TAGS = CACHE / "tags"


def human_stories(corpus: str, data: Path, count: int) -> list[Text]:
    """At most `count` validation stories, evenly spaced, normalized, each with its beginning or prompt as context.

    Args:
        corpus: `roc` or `wp`.
        data: folder of the corpora.
        count: maximum number of stories.
    """
    stories = _stories_with_beginning(data) if corpus == "roc" else _stories_with_prompt(data)
    return evenly_spaced(stories, count)


def _stories_with_beginning(data: Path) -> list[Text]:
    settings = read_config(UnionConfig, config_file("union", "roc"))
    config = replace(settings.corpus, train=())  # training stories need not be read
    stories = load_corpus(config, data, NAMES_FILE).validation
    return [Text(join_words(story[1:]), join_words(story[:1])) for story in stories if len(story) > 1]


def _stories_with_prompt(data: Path) -> list[Text]:
    settings = read_config(RuberConfig, config_file("ruber_bert", "wp"))
    config = settings.corpus
    normalizer = Normalizer.load(NAMES_FILE)
    judged = judged_keys(config.exclude, data, normalizer)
    stories = []
    for file in settings.prompts or ():
        for prompt, story in prompted_stories(data / file):
            sentences = truncate_sentences(normalizer.sentences(story), config.max_words)
            context = normalizer(plain_context(prompt))
            key = story_key(sentences)
            if context and sentences and key not in judged and is_held_out(key, config.validation_share):
                stories.append(Text(join_words(sentences), context))
    return stories


def has_generator(corpus: str) -> bool:
    """Whether the generator of `training/configs/plot_negatives` is on this machine."""
    return weights_file(ROOT / _generator_settings(corpus)["generator"]).is_file()


def _generator_settings(corpus: str) -> dict[str, Any]:
    return read_mapping(PlotNegativesConfig, config_file("plot_negatives", corpus))


def generated_stories(stories: Sequence[Text], corpus: str, seed: int) -> list[Text]:
    """A story per human story, written by this project's generator from its plot; the human story is the reference.

    The plots are not manipulated: these are the generator's regular outputs, not negative samples. In `roc`, stories of one
    sentence are excluded.
    """
    config = _generator_settings(corpus)
    normalizer = Normalizer()
    tagged = tag_corpus(
        [
            normalizer.sentences(f"{one.context} {one.story}" if corpus == "roc" else one.story)
            for one in stories
        ],
        _TAGS,
        progress=False,
    )
    generator = load_generator(ROOT / config["generator"])
    sampler = StorySampler(generator, Sampling(**config["sampling"]), delexicalize=False)
    texts = sampler.write(
        extract_plots(tagged, config["plots"], config["seed"]),
        [(seed, index) for index in range(len(stories))],
    )
    return [
        one
        for text, human in zip(texts, stories, strict=True)
        if (one := _generated_text(text, human, corpus)) is not None
    ]


def _generated_text(text: str, human: Text, corpus: str) -> Text | None:
    if corpus == "wp":
        return Text(text, human.context, human.story) if text.strip() else None
    first, *rest = split_sentences(text) or [""]
    return Text(" ".join(rest), first, human.story) if rest else None


def read_generated(path: Path, count: int) -> list[Text]:
    """At most `count` stories of a Parquet or JSONL file (`story`, and optionally `context`), evenly spaced.

    Raises:
        ValueError: no stories, or a row without one.
    """
    rows = [row.values for row in read_rows(path)]
    stories = []
    for number, row in enumerate(evenly_spaced(rows, count), 1):
        if not isinstance(row.get("story"), str) or not row["story"].strip():
            raise ValueError(f"{path}, row {number}: expected a text in 'story', got {row.get('story')!r}")
        story, context = row["story"].strip(), (row.get("context") or "").strip()
        # Some files repeat the beginning inside the story.
        stories.append(Text(story.removeprefix(context).strip() or story, context))
    return stories


def corrupted_stories(stories: Sequence[Text], corpus: str, seed: int) -> list[Text]:
    """A negative sample by UNION's rules for each story that has one; prompts are unchanged."""
    normalizer = Normalizer()
    tagged = tag_corpus([normalizer.sentences(text.whole(corpus)) for text in stories], _TAGS, progress=False)
    sampling = UnionSampling(keep=1 if corpus == "roc" else 0)
    sampler = UnionSampler(tagged, English(), sampling, seed)
    corrupted = []
    for index, human in enumerate(stories):
        sample = sampler.sample(index, 0)
        if sample is not None:
            words = [list(sentence) for sentence in sample.words]
            corrupted.append(
                Text(join_words(words[1:]), join_words(words[:1]))
                if corpus == "roc"
                else Text(join_words(words), human.context)
            )
    return corrupted

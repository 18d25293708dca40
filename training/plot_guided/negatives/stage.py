"""The stages that generate stories from manipulated plots (MANPLTS) and from original ones.

An interrupted stage resumes, and an unchanged one is not repeated.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from openmeva.metrics.core.backbone import weights_checksum
from openmeva.metrics.core.files import FULL_MODEL
from openmeva.training.common.checkpoint import weights_file
from openmeva.training.corpora.splits import CorpusConfig
from openmeva.training.files import checksum
from openmeva.training.paths import ENCODER, resolve_path
from openmeva.training.plot_guided.generator.model import Generator, load_generator, recorded_base
from openmeva.training.plot_guided.generator.sampling import Sampling, StorySampler
from openmeva.training.plot_guided.generator.stage import ensure_generator
from openmeva.training.plot_guided.generator.text import TextForm, text_form
from openmeva.training.plot_guided.manipulations import build_manipulator, manipulation_shares
from openmeva.training.plot_guided.negatives.writer import (
    SCHEMA,
    NegativeWriter,
    chosen_stories,
    paired_with_human,
    unmanipulated_row,
)
from openmeva.training.plot_guided.plots.corpus import PlotCorpus, PlottedStory, load_plots, plot_inputs
from openmeva.training.processes import model_processes
from openmeva.training.stages import Stage
from openmeva.training.text.knowledge.events import check_event_model
from openmeva.training.text.knowledge.resources import find_resource, lexicon_files

UNUSED_WITHOUT_MANIPULATIONS = frozenset(
    (
        "stories candidates events without substitution repeated_share sentences_per_repetition same_plot "
        "conceptnet wordnet encoder"
    ).split()
)
CHUNK = 64  # minimum number of human stories per part


def make_negatives(
    config: dict[str, Any], data: Path, out: Path, cache: Path, corpus: Callable[[], PlotCorpus] | None = None
) -> Path:
    """The stage MANPLTS: `out/negatives.parquet`. Its settings are the configuration and the inputs' checksums.

    The corpus is read only if there is work to do, by `corpus` if given. The configuration's `processes` run in
    parallel; their number does not affect the stories.

    Raises:
        MissingResourceError: ConceptNet is needed and has not been fetched.
    """
    if config.get("generator_config"):  # training the generator takes half an hour
        check_event_model(config.get("events"))
    generator = generator_folder(config, data, cache)
    stage = Stage(out, "negatives", settings(config, data, generator))
    if stage.is_done():
        return stage.result
    plots = corpus() if corpus else load_plots(config, data, cache)
    stories = chosen_stories(plots, config.get("stories"), config["seed"])
    sampler = _sampler(load_generator(generator), config, config["sampling"])
    manipulator = build_manipulator(
        stories,
        config["seed"],
        events=config.get("events"),
        without=tuple(config.get("without", ())),
        whole_sentences=config.get("substitution") == "sentences",
        **{name: config[name] for name in ("repeated_share", "sentences_per_repetition") if name in config},
    )
    writer = NegativeWriter(
        stories, sampler, manipulator, config["candidates"], config.get("same_plot", False)
    )
    return stage.run(
        len(stories),
        writer.rows,
        max(CHUNK, sampler.sampling.batch_size // config["candidates"]),  # a part fills a batch
        SCHEMA,
        lambda table: {"shares": manipulation_shares(table["manipulations"].to_pylist())},
        model_processes(config.get("processes", 1)),
    )


def make_plain(config: dict[str, Any], data: Path, out: Path, cache: Path) -> list[Path]:
    """Plain samples: stories generated from the human stories' original plots, one file per temperature.

    Their human stories differ from those of `make_negatives`, as far as there are enough stories.

    Raises:
        ValueError: a configuration without `plain`.
    """
    if not config.get("plain"):
        raise ValueError(f"plain: expected temperatures and stories, {config['name']} has none")
    generator = generator_folder(config, data, cache)
    all_settings = settings(config, data, generator)
    paths = []
    loaded: tuple[list[PlottedStory], Generator] | None = None
    for temperature in config["plain"]["temperatures"]:
        sampling = {**config["sampling"], "temperature": temperature}
        chosen = {
            **{key: value for key, value in all_settings.items() if key not in UNUSED_WITHOUT_MANIPULATIONS},
            "sampling": sampling,
            "plain": config["plain"]["stories"],
        }
        if config["plain"].get("beside_human"):
            chosen["beside_human"] = "as generated"
        stage = Stage(out, f"generator-{config['name']}-t{temperature}", chosen)
        if not stage.is_done():
            if loaded is None:
                corpus = load_plots(config, data, cache)
                ordered = chosen_stories(corpus, None, config["seed"])
                loaded = ordered[::-1][: config["plain"]["stories"]], load_generator(generator)
            stories, model = loaded
            sampler = _sampler(model, config, sampling)
            source = f"generator_{config['name']}_t{temperature}"

            def write(span: range, stories: list[PlottedStory] = stories, sampler: StorySampler = sampler,
                      source: str = source) -> list[dict[str, Any]]:  # fmt: skip
                keys = [(config["seed"], index) for index in span]
                texts = sampler.write([stories[index].plot for index in span], keys)
                # skip empty stories, which the generator ended at once
                written = [(stories[i], text) for i, text in zip(span, texts, strict=True) if text.strip()]
                rows = [(story, unmanipulated_row(story, source, text)) for story, text in written]
                if not config["plain"].get("beside_human"):
                    return [new for _, new in rows]
                return [new for story, old in rows for new in paired_with_human(story, old, sampler.form)]

            stage.run(
                len(stories), write, 6 * CHUNK, SCHEMA, processes=model_processes(config.get("processes", 1))
            )
        paths.append(stage.result)
    return paths


def _sampler(generator: Generator, config: dict[str, Any], sampling: dict[str, Any]) -> StorySampler:
    return StorySampler(generator, Sampling(**sampling), delexicalize=_delexicalize(config))


def _delexicalize(config: dict[str, Any]) -> bool:
    return CorpusConfig.from_mapping(config["corpus"]).delexicalize


def generated_form(config: dict[str, Any]) -> TextForm:
    """The form in which a configuration's generator writes, for human stories beside its own (`as_generated`)."""
    _, tokenizer, as_prose = load_generator(resolve_path(config["generator"]))
    return text_form(tokenizer, as_prose, _delexicalize(config))


def generator_folder(config: dict[str, Any], data: Path, cache: Path) -> Path:
    """Folder of the generator's weights; trains them by `generator_config`, if given, when they are missing."""
    folder = resolve_path(config["generator"])
    if config.get("generator_config"):
        ensure_generator(folder, resolve_path(config["generator_config"]), data, cache)
    return folder


def settings(config: dict[str, Any], data: Path, generator: Path) -> dict[str, Any]:
    """The inputs that determine the negatives: the configuration and the checksums of the files read."""
    wordnet, conceptnet = find_resource("wordnet"), find_resource("conceptnet")
    used = (
        "stories",
        "candidates",
        "sampling",
        "events",
        "without",
        "substitution",
        "repeated_share",
        "sentences_per_repetition",
    )
    return {
        "generator": checksum(weights_file(generator)),
        **({"generator_base": base} if (base := recorded_base(generator)) else {}),
        **plot_inputs(config, data),
        **{key: config[key] for key in used if key in config},
        **({"same_plot": True} if config.get("same_plot") else {}),
        "conceptnet": checksum(conceptnet) if conceptnet else None,
        "wordnet": checksum(lexicon_files()["wordnet"]) if wordnet else None,  # opposites
        "encoder": weights_checksum(ENCODER / FULL_MODEL),  # word vectors, for events
    }

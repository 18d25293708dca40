"""Implausible stories written from broken plots (MANPLTS, section 3.2), and plain samples from unbroken ones.

    python -m training.plot_guided.negatives --config training/configs/plot_negatives_roc.yaml --data DIR
    python -m training.plot_guided.negatives --config … --data DIR --plain      # no manipulations

A stage: it goes on where it was interrupted, and does nothing where nothing changed. Rows of the Parquet file:
`group` (the human story's id), `candidate`, `label` (0), `source`, `story`, `context`, `plot`, `manipulations`.
"""

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import yaml

from openmeva.training.files import checksum
from openmeva.training.paths import ROOT
from openmeva.training.plot_guided.generator.model import WEIGHTS, load_generator
from openmeva.training.plot_guided.generator.sampling import Sampling, StorySampler
from openmeva.training.plot_guided.generator.stage import ensure_generator
from openmeva.training.plot_guided.manipulations import PlotManipulator, PlotMaterial, manipulation_shares
from openmeva.training.plot_guided.manipulations.material import usual_tags
from openmeva.training.plot_guided.plots.corpus import PlotCorpus, PlottedStory, load_plots
from openmeva.training.stages import Stage
from openmeva.training.text.english import English
from openmeva.training.text.knowledge.events import event_model
from openmeva.training.text.knowledge.resources import find

SCHEMA = pa.schema(
    [
        ("group", pa.string()),
        ("candidate", pa.int32()),
        ("label", pa.int32()),
        ("source", pa.string()),
        ("story", pa.string()),
        ("context", pa.string()),
        ("plot", pa.list_(pa.list_(pa.string()))),
        ("manipulations", pa.list_(pa.string())),
    ]
)
CHUNK = 64  # human stories to a part


def chosen_stories(corpus: PlotCorpus, count: int | None, seed: int) -> list[PlottedStory]:
    """`count` of the metrics' stories in random order; a larger count begins with the same ones."""
    order = np.random.default_rng(seed).permutation(len(corpus.metrics))
    return [corpus.metrics[place] for place in order[:count]]


def row(story: PlottedStory, source: str, text: str, candidate: int = 0) -> dict[str, Any]:
    """A row of the stage's file, manipulations left empty."""
    return {
        "group": story.group,
        "candidate": candidate,
        "label": int(source == "human"),
        "source": source,
        "story": text,
        "context": story.context,
        "plot": story.plot,
        "manipulations": [],
    }


class NegativeWriter:
    """Writes `candidates` stories from broken plots of each human story.

    Args:
        stories: the human stories; foreign phrases come from their plots.
        sampler: the generator.
        seed: of manipulations and sampling.
        candidates: stories written for each (N, section 5.1).
        events: what comes before and after an event, by name (see `training.text.knowledge.events.event_model`).
        without: manipulations left out.

    Raises:
        MissingResourceError: ConceptNet has not been fetched and no other model is named.
    """

    def __init__(
        self,
        stories: Sequence[PlottedStory],
        sampler: StorySampler,
        seed: int,
        candidates: int,
        events: str | None = None,
        without: tuple[str, ...] = (),
    ) -> None:
        self.stories, self.sampler, self.seed, self.candidates = stories, sampler, seed, candidates
        material = PlotMaterial(
            plots=[story.plot for story in stories],
            tags=usual_tags(story.story for story in stories),
            language=English(),
            events=event_model(events),
        )
        self.manipulator = PlotManipulator(material, seed, without)

    def rows(self, span: range) -> list[dict[str, Any]]:
        """The rows of the human stories at `span`; a candidate whose plot nothing could break is left out."""
        rows, keys = [], []
        for index in span:
            for candidate in range(self.candidates):
                broken = self.manipulator.manipulate(self.stories[index].plot, index, candidate)
                if broken is not None:
                    new = row(self.stories[index], "manipulated_plot", "", candidate)
                    rows.append({**new, "plot": broken.plot, "manipulations": list(broken.applied)})
                    keys.append((self.seed, index, candidate))
        texts = self.sampler.write([r["plot"] for r in rows], keys)
        return [{**r, "story": text} for r, text in zip(rows, texts, strict=True)]


def make_negatives(
    config: dict[str, Any], data: Path, out: Path, cache: Path, corpus: Callable[[], PlotCorpus] | None = None
) -> Path:
    """The stage MANPLTS: `out/negatives.parquet`. Settings are the configuration and the inputs' checksums.

    The corpus is read only where there is something to do; by `corpus`, where given. `processes` of the configuration
    write at the same time, the same stories whatever their number.
    """
    generator = generator_folder(config, data, cache)
    stage = Stage(out, "negatives", settings(config, data, generator))
    if stage.is_done():
        return stage.result
    plots = corpus() if corpus else load_plots(config, data, cache)
    stories = chosen_stories(plots, config["stories"], config["seed"])
    model, tokenizer = load_generator(generator)
    sampler = StorySampler(model, tokenizer, Sampling(**config["sampling"]))
    writer = NegativeWriter(
        stories,
        sampler,
        config["seed"],
        config["candidates"],
        events=config.get("events"),
        without=tuple(config.get("without", ())),
    )
    return stage.run(
        len(stories),
        writer.rows,
        CHUNK,
        SCHEMA,
        lambda table: {"shares": manipulation_shares(table["manipulations"].to_pylist())},
        config.get("processes", 1),
    )


def make_plain(config: dict[str, Any], data: Path, out: Path, cache: Path) -> list[Path]:
    """Plain samples: stories written from the human stories' own plots, a file for each temperature.

    Their human stories are other ones than those of `make_negatives`, as far as there are enough.
    """
    generator = generator_folder(config, data, cache)
    paths = []
    loaded: tuple[list[PlottedStory], Any] | None = None
    for temperature in config["plain"]["temperatures"]:
        how = {**config["sampling"], "temperature": temperature}
        chosen = {**settings(config, data, generator), "sampling": how, "plain": config["plain"]["stories"]}
        stage = Stage(out, f"generator-{config['name']}-t{temperature}", chosen)
        if not stage.is_done():
            if loaded is None:
                corpus = load_plots(config, data, cache)
                ordered = chosen_stories(corpus, None, config["seed"])
                loaded = ordered[::-1][: config["plain"]["stories"]], load_generator(generator)
            stories, model = loaded
            sampler = StorySampler(model[0], model[1], Sampling(**how))
            source = f"generator_{config['name']}_t{temperature}"

            def write(span: range, stories: list[PlottedStory] = stories, sampler: StorySampler = sampler,
                      source: str = source) -> list[dict[str, Any]]:  # fmt: skip
                keys = [(config["seed"], index) for index in span]
                texts = sampler.write([stories[index].plot for index in span], keys)
                return [row(stories[i], source, text) for i, text in zip(span, texts, strict=True)]

            stage.run(len(stories), write, 6 * CHUNK, SCHEMA, processes=config.get("processes", 1))
        paths.append(stage.result)
    return paths


def generator_folder(config: dict[str, Any], data: Path, cache: Path) -> Path:
    """Where the generator's weights lie; trained first where `generator_config` says how and they are missing."""
    folder = ROOT / config["generator"]
    if config.get("generator_config"):
        ensure_generator(folder, ROOT / config["generator_config"], data, cache)
    return folder


def settings(config: dict[str, Any], data: Path, generator: Path) -> dict[str, Any]:
    """What negatives depend on: the configuration and the checksums of the files read."""
    files = [f for key in ("train", "validation", "exclude") for f in config["corpus"].get(key, [])]
    conceptnet = find("conceptnet")
    used = (
        "name",
        "corpus",
        "plots",
        "share",
        "stories",
        "candidates",
        "sampling",
        "events",
        "without",
        "seed",
    )
    return {
        **{key: config[key] for key in used if key in config},
        "generator": checksum(generator / WEIGHTS),
        "conceptnet": checksum(conceptnet) if conceptnet else None,
        "data": {file: checksum(data / file) for file in files},
    }


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        prog="python -m training.plot_guided.negatives",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--config", type=Path, required=True, help="training/configs/plot_negatives_*.yaml")
    parser.add_argument("--data", type=Path, required=True, help="the folder of the configuration's files")
    parser.add_argument("--out", type=Path, help="default: runs/plots/NAME, or runs/generated for --plain")
    parser.add_argument("--cache", type=Path, default=ROOT / ".cache" / "tags", help="tagged corpora")
    parser.add_argument("--plain", action="store_true", help="plain samples from unbroken plots")
    given = parser.parse_args(arguments)
    config = yaml.safe_load(given.config.read_text(encoding="utf-8"))
    if given.plain:
        for path in make_plain(config, given.data, given.out or ROOT / "runs" / "generated", given.cache):
            print(path)
    else:
        out = given.out or ROOT / "runs" / "plots" / config["name"]
        print(make_negatives(config, given.data, out, given.cache))


if __name__ == "__main__":
    main()

"""Groups of graded negatives of one corpus, in `graded-NAME-train.parquet` and `graded-NAME-validation.parquet`.

Existing files with the same settings are kept. `python -m training.plot_coherence.groups` writes the files of a
configuration.
"""

import json
from collections import Counter
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np

from openmeva.metrics.core.files import FULL_MODEL
from openmeva.training.common.config import parse
from openmeva.training.corpora.splits import CorpusConfig, Split, data_checksums, load_corpus
from openmeva.training.files import checksum, write_text
from openmeva.training.graded.sampling import GradedSampler, GradedSampling
from openmeva.training.negatives import EditedStory, UnionSampler, UnionSampling, language_of, tag_corpus
from openmeva.training.negatives.groups import rows_by_level, write_groups
from openmeva.training.negatives.infill import Infiller
from openmeva.training.negatives.nearest import Neighbours
from openmeva.training.paths import ENCODER, NAMES_FILE
from openmeva.training.text.knowledge.resources import lexicon_files
from openmeva.training.text.tagged_corpus import text_inputs


def group_file(run: Path, name: str, split: str) -> Path:
    """Path of the groups of one corpus: `split` is `train` or `validation`."""
    return run / f"graded-{name}-{split}.parquet"


def corruption_seed(seed: int, data_seed: int | None) -> int:
    """The seed for corrupting stories: `data_seed` if it is set, else `seed`."""
    return seed if data_seed is None else data_seed


def make_groups(settings: dict[str, Any], data: Path, run: Path, cache: Path, seed: int) -> dict[str, Any]:
    """Writes the groups of both splits of one corpus; returns the manifest.

    Args:
        settings: the fields of `GradedCorpus`, as a mapping. `groups`, the number that a trainer uses, does not
            affect the files.
        data: the folder of the corpus.
        run: the folder to write to.
        cache: the folder of tagged corpora.
        seed: combined with the name, so that sources with the same settings sample different stories.
    """
    name = settings["name"]
    seed += crc32(name.encode())
    corpora = CorpusConfig.from_mapping(settings["corpus"])
    sampling = GradedSampling(**(settings.get("sampling") or {}))
    union = parse(
        UnionSampling, {"keep": sampling.keep, **(settings.get("rules") or {})}, f"graded {name}, rules"
    )
    near = bool({"nearest_sentence", "near_paraphrase"} & set(sampling.edits))
    settings = {key: value for key, value in settings.items() if key != "groups"}
    resources = lexicon_files()
    if near or "infill" in sampling.edits:
        resources["encoder"] = ENCODER / FULL_MODEL
    wanted = {
        "settings": settings,
        "seed": seed,
        "data": data_checksums(corpora, data),
        "lent": {key: checksum(file) for key, file in resources.items()} | text_inputs(),
    }
    manifest_file = run / f"graded-{name}.json"
    files = {split: group_file(run, name, split) for split in ("train", "validation")}
    if manifest_file.is_file():
        manifest: dict[str, Any] = json.loads(manifest_file.read_text(encoding="utf-8"))
        written = {split: checksum(file) for split, file in files.items() if file.is_file()}
        if all(manifest.get(key) == value for key, value in (wanted | {"files": written}).items()):
            return manifest
    story_counts: dict[Split, int] = {
        "train": settings["stories"],
        "validation": settings["validation_stories"],
    }
    needs = [split for split, count in story_counts.items() if count]
    corpus = load_corpus(corpora, data, NAMES_FILE, needs)
    language = language_of(union)
    rng = np.random.default_rng(seed)
    infiller = Infiller() if "infill" in sampling.edits else None
    counts: dict[str, Any] = {"duplicates": corpus.duplicates}
    for split, count in story_counts.items():
        if not count:
            counts[split] = {"groups": 0, "rows": write_groups(files[split], []), "edits": {}}
            continue
        stories = corpus.train if split == "train" else corpus.validation
        order = rng.permutation(len(stories)).tolist()
        chosen, pool = sorted(order[:count]), sorted(order[: max(count, settings["pool"])])
        # only these stories are tagged and used as material
        places = {old: new for new, old in enumerate(pool)}
        kept = [stories[i] for i in pool]
        chosen = [places[i] for i in chosen]
        rule = UnionSampler(tag_corpus([kept[i] for i in chosen], cache), language, union, seed=seed)
        neighbours = (
            Neighbours(kept, chosen, range(len(kept)), sentences=settings["paraphrase_stories"])
            if near
            else None
        )
        numbers = {index: number for number, index in enumerate(chosen)}

        def sample_union_negative(
            index: int, rule: UnionSampler = rule, numbers: dict[int, int] = numbers
        ) -> EditedStory | None:
            return rule.sample(numbers[index])

        sampler = GradedSampler(kept, sample_union_negative, neighbours, infiller, sampling, seed)
        chains = sampler.chains(chosen)
        rows = [
            row for chain in chains for row in rows_by_level(f"{name}-{split}-{pool[chain[0].index]}", chain)
        ]
        edits = Counter(edit for chain in chains for edit in chain[-1].edits)
        counts[split] = {
            "groups": len(chains),
            "rows": write_groups(files[split], rows),
            "edits": dict(sorted(edits.items())),
        }
    manifest = {**wanted, "files": {split: checksum(file) for split, file in files.items()}, **counts}
    write_text(manifest_file, json.dumps(manifest, indent=2) + "\n")
    return manifest

"""Configurations: names stand for corpora, every key and type is checked, and changes reach every field."""

import re
from collections.abc import Iterator
from dataclasses import is_dataclass
from pathlib import Path
from typing import Annotated, Any, get_args, get_origin, get_type_hints

import pytest

from openmeva.training.bleurt.config import BleurtConfig
from openmeva.training.common.adapters import Adapter
from openmeva.training.common.backbone import BackboneConfig
from openmeva.training.common.config import (
    as_mapping,
    config_file,
    differences,
    parse,
    read_config,
    read_mapping,
)
from openmeva.training.continued.openings import ContinuedConfig
from openmeva.training.corpora.splits import CorpusConfig
from openmeva.training.discriminator.config import DiscriminatorConfig
from openmeva.training.embedding_similarity.config import SimilarityConfig
from openmeva.training.encoder.config import EncoderConfig
from openmeva.training.grammar.config import Settings
from openmeva.training.negatives import UnionSampling
from openmeva.training.paths import CONFIGS
from openmeva.training.plot_coherence.config import PlotCoherenceConfig
from openmeva.training.plot_guided.generator.config import GeneratorConfig
from openmeva.training.plot_guided.negatives.config import PlotNegativesConfig
from openmeva.training.ppl.config import PplConfig
from openmeva.training.ruber_bert.config import RuberConfig
from openmeva.training.sentavg.config import SentAvgConfig
from openmeva.training.union.config import UnionConfig

KINDS: dict[str, type[Any]] = {
    "backbones": BackboneConfig,
    "bleurt": BleurtConfig,
    "continued": ContinuedConfig,
    "corpora": CorpusConfig,
    "discriminator": DiscriminatorConfig,
    "embedding_similarity": SimilarityConfig,
    "encoder": EncoderConfig,
    "generator": GeneratorConfig,
    "grammar": Settings,
    "plot_coherence": PlotCoherenceConfig,
    "plot_negatives": PlotNegativesConfig,
    "ppl": PplConfig,
    "ruber_bert": RuberConfig,
    "sentavg": SentAvgConfig,
    "union": UnionConfig,
}  # by folder of training/configs
SMALL = {"name": "tiny", "corpus": {"train": ["a.jsonl"]}, "pairs": 4, "learning_rate": 1e-3}


def test_corpus_name_is_resolved_and_settings_override_it() -> None:
    plain = parse(UnionConfig, {**SMALL, "corpus": "roc"})
    assert plain.corpus.train == ("roc/train.jsonl.gz",)
    assert plain.corpus.exclude == ("plot_guided/AMT_ROC.CSV",)
    limited = parse(UnionConfig, {**SMALL, "corpus": {"name": "roc", "max_stories": 5}})
    assert (limited.corpus.max_stories, limited.corpus.train) == (5, plain.corpus.train)
    with pytest.raises(ValueError, match="rock: no such configuration; training/configs/corpora has roc, wp"):
        parse(UnionConfig, {**SMALL, "corpus": "rock"})


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"corpus": {"name": 3}}, "corpus.name: expected a name in training/configs/corpora, got 3"),
        ({"learning_rat": 1}, "tiny.yaml: unknown key learning_rat; did you mean learning_rate?"),
        ({"adapter": {"rnk": 4}}, "unknown key adapter.rnk; did you mean adapter.rank?"),
        ({"corpus": {"name": "roc", "trian": []}}, "unknown key corpus.trian; did you mean corpus.train?"),
        ({"pairs": "many"}, "tiny.yaml: pairs: input should be a valid integer, got 'many'"),
        ({"pairs": 2.5}, "pairs: input should be a valid integer, got 2.5"),
        ({"adapter": 4}, "adapter: input should be an object, got 4"),
        ({"corpus": {"train": "a.jsonl"}}, "corpus.train: input should be a valid array, got 'a.jsonl'"),
        ({"metric": "ppl"}, "metric: input should be 'union', got 'ppl'"),
        ({"sampling": {"keep": -1}}, "sampling: keep: expected 0 or more, got -1"),
    ],
)
def test_wrong_key_or_type_is_reported(change: dict, message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        parse(UnionConfig, {**SMALL, **change}, "tiny.yaml")


def test_every_configuration_file_is_valid() -> None:
    files = sorted(CONFIGS.glob("*/*.yaml"))
    assert {file.parent.name for file in files} == set(KINDS)
    assert all(
        isinstance(read_config(KINDS[file.parent.name], file), KINDS[file.parent.name]) for file in files
    )


@pytest.mark.parametrize("folder", ["discriminator", "plot_coherence", "sentavg"])
def test_unknown_context_is_rejected(folder: str) -> None:
    message = "roc.yaml: context: input should be 'first_sentence', 'prompt' or 'auto', got 'promt'"
    with pytest.raises(ValueError, match=re.escape(message)):
        read_config(KINDS[folder], config_file(folder, "roc"), ["context=promt"])


@pytest.mark.parametrize(
    "folder", ["union", "discriminator", "ppl", "ruber_bert", "generator", "plot_negatives"]
)
def test_unknown_corpus_context_is_rejected(folder: str) -> None:
    message = "roc.yaml: corpus.context: input should be 'first_sentence' or 'prompt', got 'auto'"
    with pytest.raises(ValueError, match=re.escape(message)):
        read_config(KINDS[folder], config_file(folder, "roc"), ["corpus.context=auto"])


@pytest.mark.parametrize(
    ("folder", "change", "message"),
    [
        ("sentavg", "settings.seed=7", "unknown key settings.seed"),
        ("sentavg", "delexicalize=false", "delexicalize: input should be True, got False"),
        ("plot_negatives", "splits={manplt: [50, 20]}", "splits.manplt.[key]: input should be"),
        (
            "plot_negatives",
            "filtering.members=[word]",
            "filtering.members.0: input should be 'words', 'tags'",
        ),
    ],
)
def test_settings_without_effect_are_rejected(folder: str, change: str, message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        read_mapping(KINDS[folder], config_file(folder, "roc"), [change])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("validation_pairs=0", "validation_pairs: input should be greater than or equal to 1, got 0"),
        ("batch_pairs=0", "batch_pairs: input should be greater than or equal to 1"),
        ("pairs=-5", "pairs: input should be greater than or equal to 1, got -5"),
        ("max_length=0", "max_length: input should be greater than or equal to 8"),
        ("learning_rate=1e400", "learning_rate: input should be a finite number, got inf"),
        ("learning_rate=-1.0", "learning_rate: input should be greater than 0"),
        ("epochs=0", "epochs: input should be greater than or equal to 1"),
        ("label_weight=.nan", "label_weight: input should be"),
        ("corpus.max_words=0", "corpus.max_words: input should be greater than or equal to 1"),
        ("corpus.validation_share=7", "corpus.validation_share: input should be less than or equal to 1"),
    ],
)
def test_number_out_of_range_is_rejected(change: str, message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(f"roc_first.yaml: {message}")):
        read_config(UnionConfig, config_file("union", "roc_first"), [change])


def test_missing_setting_is_reported() -> None:
    with pytest.raises(ValueError, match="pairs is missing"):
        parse(UnionConfig, {key: value for key, value in SMALL.items() if key != "pairs"})


def test_graded_settings_are_validated_without_adding_defaults() -> None:
    graded = {
        "name": "x", "corpus": "wp", "sampling": {"levels": 2}, "stories": 1, "validation_stories": 1, "pool": 2,
        "paraphrase_stories": 0,
    }  # fmt: skip
    (parsed,) = parse(PlotCoherenceConfig, {"name": "tiny", "graded": [graded]}).graded or ()
    assert parsed["sampling"] == {"levels": 2}, "no default is added, because the settings name a stage"
    assert parsed["corpus"]["context"] == "prompt"
    with pytest.raises(
        ValueError, match=r"unknown key graded\.0.sampling.level; did you mean graded.0.sampling.levels"
    ):
        parse(PlotCoherenceConfig, {"name": "tiny", "graded": [{**graded, "sampling": {"level": 2}}]})
    with pytest.raises(ValueError, match=r"graded\.0\.pool: input should be a valid integer, got 'x'"):
        parse(PlotCoherenceConfig, {"name": "tiny", "graded": [{**graded, "pool": "x"}]})


def test_overrides_apply_to_nested_fields() -> None:
    changes = [
        "pairs=8", "adapter.rank=4", "corpus.max_stories=9", "learning_rate=1e-4", "sampling.without=[negation]",
        "start=runs/x",
    ]  # fmt: skip
    config = read_config(UnionConfig, config_file("union", "roc_first"), changes)
    assert (config.pairs, config.corpus.max_stories, config.learning_rate) == (8, 9, 1e-4)
    assert config.adapter is not None
    assert (config.adapter.rank, config.adapter.alpha) == (4, 64)
    assert (config.sampling.without, config.start) == (("negation",), "runs/x")
    assert config.corpus.train == ("roc/train.jsonl.gz",), "the rest is unchanged"
    assert read_config(UnionConfig, config_file("union", "roc"), ["corpus=wp"]).corpus.context == "prompt"
    mixed = read_config(
        PlotCoherenceConfig, config_file("plot_coherence", "mix_second"), ["graded.wp.stories=7"]
    )
    assert [settings["stories"] for settings in mixed.graded or ()] == [9500, 7, 2400]
    mixed = read_config(
        PlotCoherenceConfig, config_file("plot_coherence", "mix_second"), ["graded.wp.name=x"]
    )
    assert "x" in [settings["name"] for settings in mixed.graded or ()]
    perplexity = read_config(PplConfig, config_file("ppl", "roc"), ["adapter.alpha=64"])
    assert perplexity.adapter == Adapter(64, 64), "the rest of a default is unchanged, too"
    corpus = read_config(
        UnionConfig, config_file("union", "roc"), ["corpus=wp", "corpus.max_stories=9"]
    ).corpus
    assert (corpus.context, corpus.max_stories) == ("prompt", 9)
    for change, message in (
        ("pairs", "expected KEY=VALUE"),
        ("pears=3", "did you mean pairs?"),
        ("corpus.name=wp", "the name stands for all settings of corpus; expected corpus=wp"),
    ):
        with pytest.raises(ValueError, match=message.replace("?", r"\?")):
            read_config(UnionConfig, config_file("union", "roc"), [change])


def test_mapping_contains_only_the_keys_of_the_file() -> None:
    mapping = read_mapping(PlotNegativesConfig, config_file("plot_negatives", "roc"))
    assert "processes" not in mapping
    assert mapping["corpus"]["train"] == ["roc/train.jsonl.gz"]


@pytest.mark.parametrize(
    "content",
    [
        b"seed: [1",
        b"a: *nothing",
        b"a: !!python/name:os.system",
        b"&a [*a]",
        b"a: !!int ''",
        b"? [1]\n: 2",
        b"seed: 1\nseed: 2",
        b"corpus: {name: roc, name: wp}",
        b"- 1",
        b"\xff",
    ],
)
def test_invalid_file_is_reported_with_its_path(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_bytes(content)
    with pytest.raises(ValueError, match="^" + re.escape(str(path))):
        read_config(UnionConfig, path)


def test_override_with_invalid_yaml_is_reported() -> None:
    with pytest.raises(ValueError, match=r"^--set seed=\[1: expected YAML of plain values"):
        read_config(UnionConfig, config_file("union", "roc"), ["seed=[1"])


def test_configuration_files_are_found_by_path_and_name() -> None:
    own = CONFIGS / "union" / "roc.yaml"
    for name in ("roc", "training/configs/union/roc.yaml", own):
        assert config_file("union", name).resolve() == own
    with pytest.raises(
        ValueError,
        match="training/configs/union has roc, roc_base, roc_first, roc_paper, roc_released, roc_second, wp",
    ):
        config_file("union", "rocc")


@pytest.mark.parametrize("path", sorted((CONFIGS / "backbones").glob("*.yaml")), ids=lambda path: path.stem)
def test_backbone_configurations_name_a_hub_repository(path: Path) -> None:
    assert read_config(BackboneConfig, path).hub.count("/") == 1


def test_differences_list_each_changed_key() -> None:
    recorded, current = ({"config": {"a": 1, "b": {"c": x}}} for x in (1, [2]))
    assert differences(recorded, current) == ["config.b.c: 1, not [2]"]
    config = parse(UnionConfig, SMALL)
    assert not differences(as_mapping(config), as_mapping(parse(UnionConfig, as_mapping(config))))


def numbers_without_range(hint: Any, field: str) -> Iterator[str]:
    """Fields of a configuration, and of those in it, that take any number; the sampler of UNION checks its own."""
    if hint in (int, float):
        yield field
    elif isinstance(hint, type) and is_dataclass(hint):
        if hint is not UnionSampling:
            for name, inner in get_type_hints(hint, include_extras=True).items():
                yield from numbers_without_range(inner, f"{hint.__name__}.{name}")
    elif not (get_origin(hint) is Annotated and get_args(hint)[0] in (int, float)):
        for inner in get_args(hint):
            yield from numbers_without_range(inner, field)


@pytest.mark.parametrize("kind", KINDS)
def test_every_number_has_a_range(kind: str) -> None:
    assert list(numbers_without_range(KINDS[kind], kind)) == []


@pytest.mark.parametrize(
    ("kind", "name", "change", "message"),
    [
        (
            "plot_negatives",
            "roc",
            "filtering.rounds=0",
            "filtering.rounds: input should be .* 1, got 0",
        ),
        ("plot_negatives", "wp", "sampling.top_k=0", "sampling.top_k: input should"),
        ("continued", "wp", "temperatures=[0]", "temperatures.*: input should"),
    ],
)
def test_a_number_out_of_its_range_is_refused(kind: str, name: str, change: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        read_config(KINDS[kind], config_file(kind, name), [change])

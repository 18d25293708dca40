"""A story is held out for every shipped configuration or for none, and judged stories are in none of them."""

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tokenizers import Tokenizer

from openmeva.spaces import reference_stories
from openmeva.training.common.config import config_file, parse, read_config, read_yaml, resolve_names
from openmeva.training.corpora.held_out import held_out_rows
from openmeva.training.corpora.splits import CorpusConfig, load_corpus
from openmeva.training.paths import CONFIGS, ENCODER
from openmeva.training.ruber_bert.config import RuberConfig
from openmeva.training.ruber_bert.data import load_pairs
from tests.judged_stories import JUDGED

NAMES = ENCODER / "names.json"


def configured_corpora(values: Any, source: str = "") -> Iterator[tuple[str, CorpusConfig]]:
    """Every corpus that a configuration, or a part of one, names or describes."""
    if isinstance(values, list):
        for part in values:
            yield from configured_corpora(part, source)
    for key, value in values.items() if isinstance(values, dict) else ():
        descriptions = value.values() if key == "corpora" else [value] if key == "corpus" else ()
        for description in descriptions:
            yield source, parse(CorpusConfig, resolve_names(CorpusConfig, description, source))
        if not descriptions:
            yield from configured_corpora(value, f"{source}.{key}")


def shipped_corpora() -> list[tuple[str, CorpusConfig]]:
    """The corpora of all configurations, and the two that they refer to."""
    corpora = []
    for file in sorted(CONFIGS.glob("*/*.yaml")):
        name = file.relative_to(CONFIGS).with_suffix("").as_posix()
        values = read_yaml(file.read_text(encoding="utf-8"))
        corpora += list(
            configured_corpora({"corpus": values} if name.startswith("corpora/") else values, name)
        )
    return corpora


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Human stories, one of which is judged; `mark` distinguishes them after the key's thirty words."""
    folder = tmp_path_factory.mktemp("stories")
    people = ("Tom", "Ann", "Rose", "Mary", "Will", "John")
    rows = [
        {
            "story": f"{people[n % 6]} met {people[n // 6 % 6]} on day {n} . "
            + "They were glad to see each other again after so long a time at sea . " * 2
            + f"It was mark{n} .",
            "prompt": f"[ WP ] They meet on day {n} .",
        }
        for n in range(160)
    ]
    (folder / "stories.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (folder / "judged.csv").write_text(f'Input.text1\n"{rows[7]["story"].lower()} </s>"\n')
    return folder


def _marks(stories: Any) -> set[str]:
    return {mark for story in stories for mark in re.findall(r"mark\d+", str(story))}


def test_all_configurations_hold_out_the_same_stories(data: Path) -> None:
    configurations = shipped_corpora()
    kinds = {
        replace(
            corpus,
            train=("stories.jsonl",),
            validation=(),
            exclude=("judged.csv",),
            max_stories=None,
            max_words=None,
            block_words=None,
        )
        for _, corpus in configurations
    }
    assert len(configurations) > 20
    assert len({corpus.delexicalize for corpus in kinds}) == 2, "some keep the original names"
    held_out_sets = []
    for corpus in kinds:
        loaded = load_corpus(corpus, data, NAMES)
        held_out, training = _marks(loaded.validation), _marks(loaded.train)
        assert len(held_out | training) == 159, "all but the judged one"
        assert held_out == _marks(row["story"] for row in held_out_rows(corpus, data, NAMES))
        held_out_sets.append(held_out)
    assert 2 < len(held_out_sets[0]) < 20
    assert all(held_out == held_out_sets[0] for held_out in held_out_sets)


def test_prompted_stories_are_held_out_by_the_same_key(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    config = read_config(RuberConfig, config_file("ruber_bert", "wp"))
    corpus = replace(config.corpus, train=("stories.jsonl",), exclude=("judged.csv",))
    config = replace(config, corpus=corpus, prompts=("stories.jsonl",), pairs=1000, validation_pairs=1000)
    expected = _marks(load_corpus(corpus, data, NAMES).validation)
    tokenizer = Tokenizer.from_file(str(ENCODER / "tokenizer.json"))
    pairs = load_pairs(config, data, NAMES, tokenizer)
    held_out, training = (
        _marks(tokenizer.decode(story).replace("mark ", "mark") for _, story in split)
        for split in (pairs.validation, pairs.train)
    )
    assert len(held_out | training) == 159
    assert held_out == expected
    monkeypatch.setattr(reference_stories, "read_config", lambda *_: config)
    assert _marks(row.story for row in reference_stories.human_stories("wp", data, 1000)) == expected


@pytest.mark.parametrize(
    ("name", "corpus"), shipped_corpora(), ids=lambda value: value if isinstance(value, str) else ""
)
def test_judged_stories_are_excluded_from_files_that_contain_them(name: str, corpus: CorpusConfig) -> None:
    for file in (*corpus.train, *corpus.validation):
        if file in JUDGED:
            assert JUDGED[file] in corpus.exclude, f"{name} reads {file}"

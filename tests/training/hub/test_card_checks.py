"""Incomplete cards are reported, a complete one passes."""

from pathlib import Path

import pytest

from openmeva.training.common.cards import join_card, split_card
from openmeva.training.hub.card_checks import card_problems, dead_links
from openmeva.training.hub.checks import repository_problems
from openmeva.training.hub.description import read_description
from openmeva.training.hub.layout import Repository, lay_out
from openmeva.training.paths import ROOT

CARD = """---
license: apache-2.0
language: en
tags: [x]
---

# A model

## Use

```python
# a comment, not a heading
```

## Training

### Data

Ten stories.

## Results

Good.

## Limits

Many.

## Data and licence

Apache-2.0.

## Citation

None.
"""


def test_a_complete_card_passes() -> None:
    assert card_problems("model", CARD) == []


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("Many.\n", "", "section 'Limits' is empty"),
        ("Many.\n", "<!-- to do -->\n", "section 'Limits' is empty"),
        ("Ten stories.\n", "", "section 'Data' is empty"),
        ("## Limits\n\nMany.\n", "", "expected a section on 'limit'"),
        ("license: apache-2.0\n", "", "front matter: expected a value for 'license'"),
        ("license: apache-2.0\n", "license: [\n", "front matter: expected YAML"),
        ("---\n\n#", "\n#", "front matter: expected a YAML mapping"),
    ],
)
def test_missing_content_is_reported(old: str, new: str, problem: str) -> None:
    assert old in CARD
    assert any(message.startswith(problem) for message in card_problems("model", CARD.replace(old, new, 1)))


def test_empty_last_section_is_reported() -> None:
    assert "section 'Citation' is empty" in card_problems("model", CARD.removesuffix("\nNone.\n"))


def test_links_outside_the_repository_are_reported(tmp_path: Path) -> None:
    (tmp_path / "NAMES.md").touch()
    text = "[a](NAMES.md#lists) [b](../README.md#x) [c](https://example.org/x) [d](#use) [e](weights/)"
    assert dead_links(text, tmp_path) == ["../README.md", "weights/"]
    (tmp_path / "README.md").write_text(f"{CARD}[b](training/README.md)\n")
    assert repository_problems(Repository("model", "me/x", tmp_path), read_description(ROOT)) == [
        "me/x/README.md: expected links to files of the repository, got training/README.md"
    ]


@pytest.mark.parametrize("name", ["autos", "mans", "stories"])
def test_dataset_card_links_and_configs_resolve_when_published(name: str, tmp_path: Path) -> None:
    description = read_description(ROOT)
    source = next(source for source in description.of_kind("dataset") if source.name == name)
    folder = lay_out(source, description, tmp_path, "me", "1.0.0", ROOT).folder
    text = (folder / "README.md").read_text(encoding="utf-8")
    assert dead_links(text, folder) == []
    files = {split["path"] for config in split_card(text)[0]["configs"] for split in config["data_files"]}
    assert name == "mans" or files == {
        path.relative_to(folder).as_posix()
        for path in folder.rglob("*")
        if path.suffix in (".jsonl", ".parquet")
    }


@pytest.mark.parametrize(
    ("name", "base"),
    [
        ("bleurt-roc", "me/story-encoder"),
        ("grammar", "me/story-encoder"),
        ("plot-coherence-base", "sentence-transformers/all-mpnet-base-v2"),
        ("ppl-roc-base", "HuggingFaceTB/SmolLM2-135M-Instruct"),
        ("ppl-base", "HuggingFaceTB/SmolLM2-135M-Instruct"),
        ("story-encoder", "sentence-transformers/all-MiniLM-L6-v2"),
    ],
)
def test_published_weights_name_their_base_model(name: str, base: str, tmp_path: Path) -> None:
    description = read_description(ROOT)
    source = next(source for source in description.of_kind("model") if source.name == name)
    folder = lay_out(source, description, tmp_path, "me", "1.0.0", ROOT).folder
    assert split_card((folder / "README.md").read_text(encoding="utf-8"))[0]["base_model"] == base


def test_card_round_trip() -> None:
    front, body = split_card(CARD)
    assert split_card(join_card(front, body)) == (front, body)

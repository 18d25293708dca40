"""Incomplete cards are reported, a complete one passes."""

from pathlib import Path

import pytest

from openmeva.training.common.cards import join_card, split_card
from openmeva.training.hub.cards import card_problems, dead_links
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
def test_what_is_missing_is_named(old: str, new: str, problem: str) -> None:
    assert old in CARD
    assert any(found.startswith(problem) for found in card_problems("model", CARD.replace(old, new, 1)))


def test_an_empty_last_section_is_seen() -> None:
    assert "section 'Citation' is empty" in card_problems("model", CARD.removesuffix("\nNone.\n"))


def test_links_lead_to_files_beside_the_card(tmp_path: Path) -> None:
    (tmp_path / "NAMES.md").touch()
    text = "[a](NAMES.md#lists) [b](../README.md#x) [c](https://example.org/x) [d](#use) [e](weights/)"
    assert dead_links(text, tmp_path) == ["../README.md", "weights/"]
    (tmp_path / "README.md").write_text(f"{CARD}[b](training/README.md)\n")
    assert repository_problems(Repository("model", "me/x", tmp_path), read_description(ROOT)) == [
        "me/x/README.md: expected links to files of the repository, got training/README.md"
    ]


@pytest.mark.parametrize("name", ["autos", "mans", "stories"])
def test_links_of_data_sets_resolve_where_they_are_published(name: str, tmp_path: Path) -> None:
    described = read_description(ROOT)
    source = next(source for source in described.of_kind("dataset") if source.name == name)
    laid = lay_out(source, described, tmp_path, "me", "1.0.0", ROOT).folder
    text = (laid / "README.md").read_text(encoding="utf-8")
    assert dead_links(text, laid) == []
    files = {split["path"] for one in split_card(text)[0]["configs"] for split in one["data_files"]}
    assert name == "mans" or files == {
        path.relative_to(laid).as_posix() for path in laid.rglob("*") if path.suffix in (".jsonl", ".parquet")
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
def test_published_weights_name_what_they_sit_on(name: str, base: str, tmp_path: Path) -> None:
    described = read_description(ROOT)
    source = next(source for source in described.of_kind("model") if source.name == name)
    laid = lay_out(source, described, tmp_path, "me", "1.0.0", ROOT).folder
    assert split_card((laid / "README.md").read_text(encoding="utf-8"))[0]["base_model"] == base


def test_cards_go_round() -> None:
    front, body = split_card(CARD)
    assert split_card(join_card(front, body)) == (front, body)

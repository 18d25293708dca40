"""An incomplete card is seen as one, a complete one passes."""

import pytest

from openmeva.training.hub.cards import card_problems, join_card, split_card

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


def test_cards_go_round() -> None:
    front, body = split_card(CARD)
    assert split_card(join_card(front, body)) == (front, body)

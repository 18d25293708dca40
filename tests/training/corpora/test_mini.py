"""The stories shipped with the project: format, variety, and the material that perturbations need."""

import json
import re
from collections import Counter
from pathlib import Path
from typing import TypedDict

import datasets
import pytest
import yaml

from openmeva.metrics.core.text import split_sentences
from openmeva.training.corpora.stories import read_stories
from openmeva.training.paths import ROOT
from openmeva.training.perturbations.engine.paraphrasing import word_overlap

FOLDER = ROOT / "datasets" / "stories"
FILE = FOLDER / "mini.jsonl"
SIZES = {"roc": (130, 25, 75), "wp": (22, 150, 300)}  # stories, minimum and maximum number of words
CORPORA = sorted(SIZES)

PERSONS = {
    "first": r"\b(I|me|my|mine|we|us|our|ours)\b",
    "he": r"\b(he|him|his)\b",
    "she": r"\b(she|her|hers)\b",
    "it": r"\b(it|its)\b",
    "they": r"\b(they|them|their|theirs)\b",
}
CAUSE = r"\bbecause\b|\btherefore\b|\bas a result\b|, so (?!that\b)|\bsince (?!then\b)"
TIME = r"\b(before|after|afterward|then|later|while|when|until|finally|soon|first|the next (day|morning))\b"
NEGATION = r"n't\b|\b(not|never|no|nobody|nothing|neither|unhappy|dislike)\b"


class Row(TypedDict):
    story_id: str
    kind: str
    context: str
    story: str
    sentences: list[str]


def rows(kind: str | None = None) -> list[Row]:
    with FILE.open(encoding="utf-8") as lines:
        all_rows: list[Row] = [json.loads(line) for line in lines]
    return [row for row in all_rows if kind in (None, row["kind"])]


def words(text: str) -> list[str]:
    return re.findall(r"[a-z']+", text.lower())


def stories_with(pattern: str, kind: str = "roc") -> int:
    return sum(re.search(pattern, row["story"], re.IGNORECASE) is not None for row in rows(kind))


@pytest.mark.parametrize("kind", CORPORA)
def test_counts_and_lengths(kind: str) -> None:
    count, fewest, most = SIZES[kind]
    assert len(rows(kind)) == count
    for row in rows(kind):
        assert fewest <= len(row["story"].split()) <= most, row["story_id"]


def test_fields_and_ids() -> None:
    assert {row["kind"] for row in rows()} == set(SIZES)
    assert all(list(row) == list(Row.__annotations__) for row in rows())
    expected = [f"mini-{kind}-{number:03d}" for kind in CORPORA for number in range(1, SIZES[kind][0] + 1)]
    assert [row["story_id"] for row in rows()] == expected


@pytest.mark.parametrize("field", ["story", "context"])
def test_texts_are_unique(field: str) -> None:
    texts = [" ".join(words(str(row[field]))) for row in rows()]  # type: ignore[literal-required]
    assert len(set(texts)) == len(texts)


def test_sentences_are_unique() -> None:
    counts = Counter(sentence for row in rows() for sentence in row["sentences"])
    assert [sentence for sentence, count in counts.items() if count > 1] == []


def test_sentences_join_to_the_story() -> None:
    for row in rows():
        assert row["story"] == " ".join(row["sentences"]), row["story_id"]
        for sentence in row["sentences"]:
            assert re.fullmatch(r'["A-Z].*[.!?]"?', sentence), sentence


def test_sentence_splitter_finds_the_same_sentences() -> None:
    for row in rows():
        assert split_sentences(row["story"]) == row["sentences"], row["story_id"]


def test_context_of_roc_is_the_first_of_five_sentences() -> None:
    for row in rows("roc"):
        assert len(row["sentences"]) == 5, row["story_id"]
        assert row["context"] == row["sentences"][0], row["story_id"]


def test_context_of_wp_is_a_prompt_of_one_or_two_sentences_outside_the_story() -> None:
    for row in rows("wp"):
        assert 1 <= len(split_sentences(row["context"])) <= 2, row["story_id"]
        assert row["context"] not in row["story"], row["story_id"]
        assert len(row["sentences"]) >= 8, row["story_id"]


def test_plain_ascii_with_balanced_quotes() -> None:
    for row in rows():
        text = row["context"] + row["story"]
        assert text.isascii(), row["story_id"]
        assert text.isprintable(), row["story_id"]
        assert "  " not in text, row["story_id"]
        assert all(sentence.count('"') % 2 == 0 for sentence in row["sentences"]), row["story_id"]


def test_openings_differ() -> None:
    openings = Counter(tuple(words(row["story"])[:3]) for row in rows())
    assert max(openings.values()) <= 4


def test_vocabulary_is_varied() -> None:
    """Measured .179 over 13,000 words; with each story twice it would be half of that."""
    tokens = [word for row in rows() for word in words(row["story"])]
    assert len(set(tokens)) / len(tokens) > 0.17


def test_stories_share_few_trigrams() -> None:
    """Jaccard overlap of word 3-grams for the closest pair: far below that of two copies of a template."""
    grams = [set(zip(*(words(row["story"])[i:] for i in range(3)), strict=False)) for row in rows()]
    closest = max(len(a & b) / len(a | b) for i, a in enumerate(grams) for b in grams[:i])
    assert closest < 0.08


@pytest.mark.parametrize(
    ("pattern", "fewest"), [(CAUSE, 60), (TIME, 90), (NEGATION, 80), (r"n't\b|\bnot\b", 50)]
)
def test_enough_stories_for_each_aspect(pattern: str, fewest: int) -> None:
    assert stories_with(pattern) >= fewest
    assert stories_with(pattern, "wp") >= 18


def test_enough_stories_with_three_kinds_of_person() -> None:
    kinds = [
        sum(bool(re.search(p, row["story"], re.IGNORECASE)) for p in PERSONS.values()) for row in rows("roc")
    ]
    assert sum(count >= 3 for count in kinds) >= 60


@pytest.mark.parametrize("person", PERSONS)
def test_every_person_appears(person: str) -> None:
    assert stories_with(PERSONS[person]) >= 20


def test_read_stories_reads_the_file() -> None:
    assert list(read_stories(FILE)) == [row["story"] for row in rows()]


def test_datasets_library_loads_the_rows(tmp_path: Path) -> None:
    loaded = datasets.load_dataset(str(FOLDER), "mini", split="test", cache_dir=str(tmp_path))
    assert loaded.to_list() == rows()


def test_card_states_licence_configuration_and_counts() -> None:
    _, header, body = (FOLDER / "README.md").read_text(encoding="utf-8").split("---\n", 2)
    card = yaml.safe_load(header)
    assert card["license"] == "apache-2.0"
    assert [config["config_name"] for config in card["configs"]] == ["mini", "pairs"]
    for kind, (count, _, _) in SIZES.items():
        lengths = [len(row["story"].split()) for row in rows(kind)]
        mean = sum(lengths) / count
        assert f"| `{kind}` | {count} | {min(lengths)} to {max(lengths)}, mean {mean:.1f} |" in body


def test_card_states_the_words_types_and_what_perturbations_look_for() -> None:
    body = (FOLDER / "README.md").read_text(encoding="utf-8")
    for name, kind in (("`mini`, `roc`", "roc"), ("`mini`, `wp`", "wp"), ("`mini`, all", None)):
        tokens = [word for row in rows(kind) for word in words(row["story"])]
        types = len(set(tokens))
        counts = f"{len(rows(kind))} | {len(tokens):,} | {types:,} | {types / len(tokens):.3f}"
        assert f"| {name} | {counts} |" in body
    persons = [
        sum(
            sum(bool(re.search(person, row["story"], re.IGNORECASE)) for person in PERSONS.values()) >= 3
            for row in rows(kind)
        )
        for kind in CORPORA
    ]
    for beginning, counts in (
        ("an explicit cause", [stories_with(CAUSE, kind) for kind in CORPORA]),
        ("an explicit temporal order", [stories_with(TIME, kind) for kind in CORPORA]),
        ("negation", [stories_with(NEGATION, kind) for kind in CORPORA]),
        ("a first-person pronoun", [stories_with(PERSONS["first"], kind) for kind in CORPORA]),
        ("at least three of", persons),
    ):
        (line,) = (line for line in body.splitlines() if line.startswith(f"| {beginning}"))
        assert line.endswith(f" | {counts[0]} | {counts[1]} |"), line


def test_every_story_has_three_paraphrases() -> None:
    """Of sentences that perturbations may change, in other words, and none twice."""
    every = json.loads((FOLDER / "paraphrases.json").read_text(encoding="utf-8"))
    assert len(every) == len(rows())
    for row, found in zip(rows(), every, strict=True):
        assert len(found) == 3, row["story_id"]
        assert set(found) <= set(row["sentences"][row["kind"] == "roc" :]), row["story_id"]
        for sentence, entry in found.items():
            assert set(entry) == {"trans"}
            assert word_overlap(entry["trans"], sentence) < 0.6, entry
            assert entry["trans"].isascii()
            assert len(split_sentences(entry["trans"])) == 1, entry
    texts = [entry["trans"] for found in every for entry in found.values()]
    assert len(set(texts)) == len(texts)

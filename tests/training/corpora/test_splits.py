"""Corpora are de-duplicated, cut and split, and judged stories are excluded."""

import json
from pathlib import Path

import numpy as np
import pytest

from openmeva.training.autos import command
from openmeva.training.corpora import splits
from openmeva.training.corpora.held_out import held_out_rows
from openmeva.training.corpora.prepare import prepare_corpus
from openmeva.training.corpora.rocstories import SourceStory
from openmeva.training.corpora.splits import (
    CorpusConfig,
    Split,
    data_checksums,
    load_corpus,
    split_into_blocks,
    truncate_sentences,
)
from openmeva.training.corpora.stories import is_held_out, story_key
from openmeva.training.negatives.file import NegativeSamplingConfig, write_samples
from openmeva.training.perturbations.file import PerturbationConfig, perturb_file

NAMES = {"male": ["tom"], "female": ["ann"], "neutral": [], "capitalized_only": []}


@pytest.fixture
def data(tmp_path: Path) -> Path:
    (tmp_path / "names.json").write_text(json.dumps(NAMES))
    stories = [f"Ann had {i} dogs. She walked them." for i in range(200)]
    write(tmp_path / "train.jsonl", [*stories, stories[3], "ann had 5 dogs . she walked them ."])
    write(
        tmp_path / "dev.jsonl",
        ["Tom ran. He fell.", "Ann had 7 dogs. She walked them.", "Ann sat. She rose."],
    )
    (tmp_path / "judged.csv").write_text(
        'WorkerId,Input.text1,Answer.text1\nw,"ann sat . </s> she rose . </s>",3\n'
    )
    return tmp_path


def write(path: Path, stories: list[str]) -> None:
    path.write_text("".join(json.dumps({"story": story}) + "\n" for story in stories))


def test_validation_files_are_read_and_judged_stories_excluded(data: Path) -> None:
    config = CorpusConfig(train=("train.jsonl",), validation=("dev.jsonl",), exclude=("judged.csv",))
    corpus = load_corpus(config, data, data / "names.json")
    assert corpus.validation[0] == [["[MALE]", "ran", "."], ["he", "fell", "."]]
    assert len(corpus.validation) == 2, "the judged story is dropped"
    assert len(corpus.train) == 199, "each story once, and none of the validation's"


def test_file_without_judged_stories_is_rejected(data: Path) -> None:
    """Otherwise the stories that it was meant to exclude would be trained on."""
    (data / "judged.csv").write_text("story,score\nann sat . she rose .,3\n")
    config = CorpusConfig(train=("train.jsonl",), validation=("dev.jsonl",), exclude=("judged.csv",))
    with pytest.raises(ValueError, match=r"judged\.csv: expected the judged stories .* got none"):
        load_corpus(config, data, data / "names.json")


@pytest.mark.parametrize("names", [True, False])
def test_several_processes_normalise_as_one(data: Path, names: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    config = CorpusConfig(train=("train.jsonl",), validation=("dev.jsonl",), delexicalize=names)
    alone = load_corpus(config, data, data / "names.json")
    monkeypatch.setattr(splits, "PARALLEL_FROM", 100)
    monkeypatch.setattr(splits, "CHUNK", 30)
    monkeypatch.setattr(splits, "cores", lambda: 2)
    assert load_corpus(config, data, data / "names.json") == alone


@pytest.mark.parametrize("most", [5, 101, 150])
def test_max_stories_are_read_from_the_whole_file(data: Path, most: int) -> None:
    write(data / "train.jsonl", [f"Ann had {i} dogs. She walked them." for i in range(200)])
    config = CorpusConfig(train=("train.jsonl",), max_stories=most)
    corpus = load_corpus(config, data, data / "names.json")
    stories = [*corpus.train, *corpus.validation]
    assert len(stories) == most
    assert {int(story[0][2]) for story in stories} >= {0, 199}, "from the first to the last"


def test_story_cloze_stories_are_excluded(data: Path) -> None:
    shared_sentences = [
        f"It was day {n} and nothing much happened at home or in the small town" for n in range(1, 5)
    ]
    write(
        data / "cloze.jsonl",
        [" ".join(f"{s}." for s in [*shared_sentences, end]) for end in ("He left", "He stayed on")],
    )
    header = [
        *(f"InputSentence{n}" for n in range(1, 5)),
        "RandomFifthSentenceQuiz1",
        "RandomFifthSentenceQuiz2",
    ]
    row = [*(f"{sentence}." for sentence in shared_sentences), "He left.", "He sang."]
    (data / "cloze.csv").write_text(f"{','.join(header)}\n{','.join(row)}\n")
    files = ("train.jsonl", "cloze.jsonl")
    unfiltered = load_corpus(CorpusConfig(train=files), data, data / "names.json")
    corpus = load_corpus(CorpusConfig(train=files, exclude=("cloze.csv",)), data, data / "names.json")
    assert len(unfiltered.train) + len(unfiltered.validation) == 201, (
        "they have the same beginning and count once"
    )
    assert len(corpus.train) + len(corpus.validation) == 200


def test_held_out_share_is_chosen_by_hash(data: Path) -> None:
    corpus = load_corpus(
        CorpusConfig(train=("train.jsonl",), validation_share=0.2), data, data / "names.json"
    )
    assert len(corpus.train) + len(corpus.validation) == 200
    assert 20 <= len(corpus.validation) <= 60
    assert all(is_held_out(story_key(s), 0.2) for s in corpus.validation)
    assert not {story_key(s) for s in corpus.train} & {story_key(s) for s in corpus.validation}


def test_names_are_kept_without_delexicalization(data: Path) -> None:
    config = CorpusConfig(train=("train.jsonl",), delexicalize=False, max_stories=10)
    corpus = load_corpus(config, data, data / "names.json")
    assert corpus.train[0][0][0] == "ann"
    assert len(corpus.train) + len(corpus.validation) <= 10


@pytest.mark.parametrize(("limit", "kept"), [(None, 4), (1, 1), (10, 1), (16, 2), (24, 2), (26, 3), (99, 4)])
def test_truncate_sentences_at_the_nearest_sentence_end(limit: int | None, kept: int) -> None:
    assert len(truncate_sentences([["w"] * 10] * 4, limit)) == kept


@pytest.mark.parametrize(
    ("lengths", "blocks"),
    [
        ([60, 50, 10, 200, 5], [[60, 50], [10], [200, 5]]),
        ([40, 40, 40, 40, 40], [[40, 40, 40], [40, 40]]),
        ([95, 95, 30], [[95], [95, 30]]),
        ([30], [[30]]),
    ],
)
def test_split_into_blocks_keeps_all_sentences(lengths: list[int], blocks: list[list[int]]) -> None:
    sentences = [[f"w{i}"] * n for i, n in enumerate(lengths)]
    split_blocks = split_into_blocks(sentences, 100)
    assert [[len(s) for s in block] for block in split_blocks] == blocks
    assert [s for block in split_blocks for s in block] == sentences


def test_missing_judged_file_error_says_what_to_do(data: Path) -> None:
    config = CorpusConfig(
        train=("train.jsonl",), validation=("dev.jsonl",), exclude=("plot_guided/none.csv",)
    )
    with pytest.raises(
        ValueError, match=r"none\.csv: no such file.*excluded from training.*corpus\.exclude=\[\]"
    ):
        load_corpus(config, data, data / "names.json")


def test_data_checksums_report_a_missing_judged_file(data: Path) -> None:
    config = CorpusConfig(train=("train.jsonl",), exclude=("none.csv",))
    with pytest.raises(ValueError, match=r"none\.csv: no such file.*corpus\.exclude=\[\]"):
        data_checksums(config, data)


def test_stories_with_the_same_beginning_are_counted(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    opening = "Once upon a time there was a king who had three sons and one of them went out into the wide world to "
    write(data / "alike.jsonl", [f"{opening} find the answer to the riddle number {n}." for n in range(9)])
    files = ("train.jsonl", "alike.jsonl")
    corpus = load_corpus(CorpusConfig(train=files, exclude=("judged.csv",)), data, data / "names.json")
    assert (
        "10 of 211 stories have the same beginning as another one and are excluded" in capsys.readouterr().err
    )
    assert corpus.counts() == {
        "train": len(corpus.train),
        "validation": len(corpus.validation),
        "duplicates": 10,
    }
    assert len(corpus.train) + len(corpus.validation) == 201
    few = CorpusConfig(train=("dev.jsonl",), exclude=("judged.csv",))
    assert load_corpus(few, data, data / "names.json").duplicates == 0, "judged stories are not counted"


@pytest.mark.parametrize(
    ("split", "share", "message"),
    [
        (
            "validation",
            0.0,
            r"train\.jsonl: no story held out \(validation_share 0 of 200\); give more stories",
        ),
        ("train", 1.0, r"train\.jsonl: no story left to train on \(validation_share 1 of 200\)"),
    ],
)
def test_empty_required_split_is_refused(data: Path, split: Split, share: float, message: str) -> None:
    config = CorpusConfig(train=("train.jsonl",), validation_share=share)
    load_corpus(config, data, data / "names.json")
    with pytest.raises(ValueError, match=message):
        load_corpus(config, data, data / "names.json", (split,))


GERMAN = [
    f"Der König hatte {count} Söhne und eine Tochter. Die zogen in die weite Welt hinaus und kamen nicht wieder."
    for count in ("drei", "vier", "sieben")
]


def test_non_english_stories_are_counted(
    data: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    write(data / "german.jsonl", GERMAN)
    out = data / "out.jsonl"
    warning = "3 of 3 stories are not English; tags, antonyms and names are English"
    load_corpus(CorpusConfig(train=("german.jsonl",)), data, data / "names.json")
    assert warning in capsys.readouterr().err
    write_samples(data / "german.jsonl", out, NegativeSamplingConfig(cache=data / "tags"))
    assert warning in capsys.readouterr().err
    perturb_file(data / "german.jsonl", out, PerturbationConfig("punctuation"))
    assert warning in capsys.readouterr().err
    monkeypatch.setattr(command, "require_knowledge", lambda: None)
    monkeypatch.setattr(command, "_inputs", lambda how: {})
    monkeypatch.setattr(command, "_build_one", lambda *_: None)
    command.build_autos(command.AutosBuildOptions(["maerchen"], data / "german.jsonl", out=data / "autos"))
    assert warning in capsys.readouterr().err
    write(data / "english.jsonl", ["There was a king who had three sons. They went out into the world."])
    write_samples(data / "english.jsonl", out, NegativeSamplingConfig(cache=data / "tags"))
    assert "not English" not in capsys.readouterr().err


@pytest.mark.parametrize("delexicalize", [True, False])
def test_story_key_does_not_depend_on_delexicalization_and_blocks(data: Path, delexicalize: bool) -> None:
    named = load_corpus(CorpusConfig(train=("train.jsonl",)), data, data / "names.json")
    config = CorpusConfig(train=("train.jsonl",), delexicalize=delexicalize, block_words=3)
    parts = load_corpus(config, data, data / "names.json")
    assert len(parts.train) == len(parts.train_keys) == 2 * len(named.train)
    assert parts.train_keys[::2] == parts.train_keys[1::2] == named.train_keys


def test_prepared_files_replace_the_configured_ones(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A folder may have none of a configuration's files; if it has some of them, the others are missing."""
    config = CorpusConfig(train=("wp/human.jsonl", "wp/more.txt"), context="prompt", validation_share=0.1)
    with pytest.raises(FileNotFoundError, match=r"human\.jsonl"):
        load_corpus(config, data, data / "names.json")
    rows: list[SourceStory] = [
        {"story_id": str(i), "context": "A day.", "story": f"Ann had {i} dogs. She walked them."}
        for i in range(60)
    ]
    prepare_corpus(rows, data / "wp", np.random.default_rng(0))
    corpus = load_corpus(config, data, data / "names.json")
    assert len(corpus.train) + len(corpus.validation) == 54, "90 % of them"
    assert list(data_checksums(config, data)) == ["wp/train.jsonl.gz"]
    said = f"{data / 'wp' / 'more.txt'}: no such file; reading {data / 'wp' / 'train.jsonl.gz'} instead\n"
    assert capsys.readouterr().err.count(said) == 1
    assert {row["context"] for row in held_out_rows(config, data, data / "names.json")} == {"A day."}
    write(data / "wp" / "human.jsonl", ["Tom ran. He fell."])
    with pytest.raises(FileNotFoundError, match=r"more\.txt"):
        load_corpus(config, data, data / "names.json")

"""Rows and examples of story classifiers, and the area under the curve."""

import json
import math
import re
from pathlib import Path
from typing import Any

import pytest
import torch

from openmeva.metrics.core.text import Normalizer
from openmeva.training.classifier.config import ClassifierConfig
from openmeva.training.classifier.data import UNKNOWN, Example, ExampleMaker, GroupDataset, should_rank_above
from openmeva.training.classifier.results import area_under_curve, results_by_source
from openmeva.training.classifier.rows import load_rows, sample_groups
from openmeva.training.classifier.rows_config import RowFile, RowsConfig
from openmeva.training.classifier.trainer import check_rows, train_classifier
from openmeva.training.negatives.groups import GroupRow, read_groups, write_groups
from tests.tiny.groups import rows
from tests.tiny.models import tiny_tokenizer


def test_token_labels_mark_the_tokens_of_damaged_words() -> None:
    make = ExampleMaker(tiny_tokenizer(), Normalizer(), 64)
    example = make(GroupRow("g", "she walked home .", "x", 0, 1, ["off_topic"], [1]))
    assert example.token_labels == [UNKNOWN, 1.0, 0.0, 0.0, 1.0, 1.0, UNKNOWN]  # "walk", "##ed"
    assert example.error_types == [0.0, 0.0, 0.0, 1.0]
    raw = make(GroupRow("g", "She walked home.", "x", 0))
    assert raw.ids == example.ids
    assert set(raw.token_labels) == {UNKNOWN}
    assert set(raw.error_types) == {UNKNOWN}, "neither words nor kinds of errors are known"
    assert make(GroupRow("g", "she ran", "x", 0, -1, ["repetition"])).error_types == [1.0, 0.0, 0.0, 0.0]
    assert make(GroupRow("g", "she ran", "human", 1, 0, [], [])).error_types == [0.0] * 4
    unnamed = make(GroupRow("g", "she ran", "x", 0, -1, None, [1]))
    assert set(unnamed.error_types) == {UNKNOWN}, "the words are known, the kind of error is not"
    assert unnamed.token_labels == [UNKNOWN, 1.0, 0.0, UNKNOWN]
    with pytest.raises(ValueError, match="group g: expected a story with words"):
        make(GroupRow("g", " ", "x", 0))


def test_ranking_of_human_damaged_and_generated_stories() -> None:
    def example(label: int, level: int) -> Example:
        return Example([], label, level, [], [], "")

    human, mild, grave, generated = example(1, 0), example(0, 1), example(0, 2), example(0, -1)
    assert should_rank_above(human, mild)
    assert should_rank_above(mild, grave)
    assert should_rank_above(human, generated)
    assert not should_rank_above(mild, generated)
    assert not should_rank_above(generated, grave)
    assert not should_rank_above(grave, human)


def test_groups_keep_the_human_story_and_sample_the_others() -> None:
    make = ExampleMaker(tiny_tokenizer(), Normalizer(), 64)
    human = GroupRow("g", "she ran .", "human", 1, 0)
    group_rows = [human, human] + [  # of two files
        GroupRow("g", "she ate " + "the " * n + "cat .", "x", 0) for n in range(8)
    ]
    groups = GroupDataset(group_rows, make, size=3, epochs=5, seed=1)
    assert (len(groups), groups.stories) == (5, 9)
    assert all(len(group) == 3 and group[0].label == 1 for group in groups)
    assert len({tuple(e.ids) for group in groups for e in group[1:]}) > 2
    assert [e.ids for e in groups[3]] == [e.ids for e in groups[3]]


def test_rows_are_read_back_as_written(tmp_path: Path) -> None:
    write_groups(tmp_path / "g.parquet", rows())
    assert read_groups(tmp_path / "g.parquet") == rows()
    plain = {"group": 3, "story": "She ran.", "label": 0, "source": "generator", "plot": ["ran"]}
    (tmp_path / "g.jsonl").write_text(json.dumps(plain) + "\n")
    assert read_groups(tmp_path / "g.jsonl") == [GroupRow("3", "She ran.", "generator", 0, -1, [], None)]
    unknown = {**plain, "error_types": None, "corrupted_words": [0]}
    (tmp_path / "g.jsonl").write_text(json.dumps(unknown) + "\n")
    assert read_groups(tmp_path / "g.jsonl")[0].error_types is None, "not known, rather than none"
    plain |= {"manipulations": ["illogical_order", "repetition", "keyword_substitution"], "split": "test"}
    (tmp_path / "g.jsonl").write_text(json.dumps(plain) + "\n")
    (row,) = read_groups(tmp_path / "g.jsonl")
    assert (row.error_types, row.split) == (["wrong_order", "repetition"], "test")
    (tmp_path / "g.jsonl").write_text(json.dumps(plain | {"split": "dev"}) + "\n")
    with pytest.raises(
        ValueError, match="line 1: split: expected train, validation, test or none, got 'dev'"
    ):
        read_groups(tmp_path / "g.jsonl")
    (tmp_path / "bad.jsonl").write_text('{"story": "x"}\n')
    with pytest.raises(ValueError, match="line 1: expected group, story and label"):
        read_groups(tmp_path / "bad.jsonl")
    with pytest.raises(ValueError, match="no such file"):
        read_groups(tmp_path / "none.parquet")


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"group": None}, "group: expected the id of a group, got None"),
        ({"group": " "}, "group: expected the id of a group, got ' '"),
        ({"group": True}, "group: expected the id of a group, got True"),
        ({"source": 3}, "source: expected a text or none, got 3"),
        ({"level": 1.7}, "level: expected a whole number from -1 on, or none, got 1.7"),
        ({"level": "high"}, "level: expected a whole number from -1 on, or none, got 'high'"),
        ({"level": 128}, "level: expected a whole number from -1 on, or none, got 128"),
        ({"level": float("nan")}, "level: expected a whole number from -1 on, or none, got nan"),
        ({"error_types": "repetition"}, "error_types: expected a list of repetition, contradiction, "),
        ({"error_types": ["boring"]}, "error_types: expected a list of repetition, contradiction, "),
        ({"manipulations": "repetition"}, "manipulations: expected a list of names, or none, got"),
        ({"corrupted_words": "1"}, "corrupted_words: expected a list of word indices, or none, got '1'"),
        ({"corrupted_words": [True]}, "corrupted_words: expected a list of word indices, or none"),
        ({"corrupted_words": [2]}, "corrupted_words: expected indices from 0 to 1, the story's words, got 2"),
        ({"corrupted_words": [-1]}, "corrupted_words: expected indices from 0 to 1, the story's words, got -1"),
    ],
)  # fmt: skip
def test_invalid_fields_are_reported_with_their_line(
    fields: dict[str, Any], message: str, tmp_path: Path
) -> None:
    row = {"group": "3", "story": "she ran", "label": 0, "level": 2.0, "corrupted_words": [1]}
    path = tmp_path / "g.jsonl"
    path.write_text(json.dumps(row) + "\n" + json.dumps(row | fields) + "\n")
    with pytest.raises(ValueError, match=re.escape(f"g.jsonl, line 2: {message}")):
        read_groups(path)
    path.write_text(json.dumps(row) + "\n")
    assert read_groups(path) == [GroupRow("3", "she ran", "unknown", 0, 2, [], [1])]


def test_group_has_one_human_story(tmp_path: Path) -> None:
    """Files of groups with the same ids would otherwise lose stories, and rank others' negatives."""

    def load(*files: list[GroupRow]) -> list[GroupRow]:
        paths = [tmp_path / f"{number}.parquet" for number in range(len(files))]
        for path, written in zip(paths, files, strict=True):
            write_groups(path, written)
        config = RowsConfig(files=tuple(RowFile(path=str(path), share=0.0) for path in paths))
        return load_rows(config, tmp_path, tmp_path, tmp_path)[0]

    human, negative = GroupRow("1", "she ran .", "human", 1, 0, [], []), GroupRow("1", "he ate .", "x", 0)
    again, other = (GroupRow("1", story, "human", 1, 0) for story in ("She ran.", "The dog slept."))
    assert len(load([human, negative], [again])) == 3, "the same story, as normalised"
    for files in ([[human, negative, other]], [[human, negative], [other]]):
        with pytest.raises(
            ValueError, match=r"group 1: expected one human-written .* 'she ran \.' and 'The dog"
        ):
            load(*files)


def test_group_held_out_by_one_source_is_not_trained_on_by_another(tmp_path: Path) -> None:
    files = []
    for name, groups, share in (("one", "12", 0.0), ("two", "1", 1.0)):
        path = tmp_path / f"{name}.parquet"
        write_groups(
            path,
            [
                row
                for group in groups
                for row in (
                    GroupRow(group, f"she ran {group} .", "human", 1, 0, [], []),
                    GroupRow(group, f"{name} ate .", "x", 0),
                )
            ],
        )
        files.append(RowFile(path=str(path), share=share))
    train, held_out, _ = load_rows(RowsConfig(files=tuple(files)), tmp_path, tmp_path, tmp_path)
    assert {row.group for row in train} == {"2"}
    assert [row.story for row in held_out] == ["she ran 1 .", "two ate ."]


def test_group_limit_samples_whole_groups() -> None:
    kept = sample_groups(rows(), 5, seed=1)
    assert len({row.group for row in kept}) == 5
    assert len(kept) == 15
    assert sample_groups(rows(), None, seed=1) == rows()


def test_area_under_curve_counts_pairs() -> None:
    assert area_under_curve([2.0, 1.0], [0.0, 1.0]) == pytest.approx((2 + 1.5) / 4)
    assert math.isnan(area_under_curve([], [1.0]))


class LengthModel:
    """A model that scores a story by its tokens, so that many score alike."""

    device = torch.device("cpu")

    def eval(self) -> None:
        pass

    def forward(self, ids: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        return mask.sum(1).float()


def test_tied_human_stories_each_count_in_the_results() -> None:
    human = [
        "she ran .",
        "he ran .",
        "she ate .",
        "she ate the cat .",
    ]  # only the last scores above its damaged stories
    group_rows = [
        GroupRow(str(number), story, source, int(source == "human"))
        for number, text in enumerate(human)
        for story, source in ((text, "human"), ("she ran home .", "a+b"), ("he ran home .", "a"))
    ]
    groups = GroupDataset(
        group_rows, ExampleMaker(tiny_tokenizer(), Normalizer(), 64), size=3, epochs=1, seed=1
    )
    measured = results_by_source(LengthModel(), groups, padding=0)
    assert {source: result["auc"] for source, result in measured.items()} == {
        "a": 0.25,
        "all": 0.25,
        "b": 0.25,
    }
    assert (measured["all"]["ranked"], measured["all"]["stories"], measured["b"]["stories"]) == (0.25, 8, 4)


@pytest.mark.parametrize("label", [0, 1])
@pytest.mark.parametrize("held_out", [False, True])
def test_stories_of_one_kind_are_rejected(tmp_path: Path, label: int, held_out: bool) -> None:
    one_kind = [row for row in rows() if row.label == label]
    splits = (rows(), one_kind) if held_out else (one_kind, rows())
    config = ClassifierConfig(metric="plot_coherence", name="tiny")
    run = tmp_path / "run"
    (run / "checkpoint-1").mkdir(parents=True)
    with pytest.raises(
        ValueError,
        match=rf"{'held out' if held_out else 'to train on'}: expected human-written stories and others",
    ):
        train_classifier(config, *splits, tmp_path / "out", run, {})
    assert (run / "checkpoint-1").is_dir(), "an earlier run is kept until the rows are checked"


def test_distillation_alone_needs_no_labels_to_train_on() -> None:
    losses = {"label_weight": 0.0, "rank_weight": 0.0, "distillation_weight": 1.0}
    config = ClassifierConfig(metric="plot_coherence", name="tiny", **losses)
    check_rows(config, [row for row in rows() if not row.label], rows())

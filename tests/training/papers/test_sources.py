"""One row per source of negatives: the data that each is trained on."""

from dataclasses import replace
from pathlib import Path

import pytest

from openmeva.metrics.core.checkpoint import load_checkpoint
from openmeva.metrics.core.classifier_scorer import ClassifierScorer
from openmeva.metrics.core.repetition import RepetitionCost
from openmeva.training.benchmark.data.sets import TEST_SETS
from openmeva.training.classifier.rows_config import RowFile
from openmeva.training.common import backbone
from openmeva.training.common.config import config_file, read_config
from openmeva.training.negatives.groups import GroupRow, write_groups
from openmeva.training.papers import sources
from openmeva.training.papers.sources import (
    SourceRows,
    limit_groups,
    main,
    select_sources,
    single_source_configs,
    student_config,
    without_missing_files,
)
from openmeva.training.plot_coherence.config import PlotCoherenceConfig
from tests.mini_stories import sentences_of
from tests.tiny.classifier import write_classifier
from tests.tiny.models import tiny_model, write_encoder


@pytest.mark.parametrize("config", ["mix", "mix_fifth", "base", "base_second"])
def test_configs_have_one_source_each_or_all_without_teacher(config: str) -> None:
    whole = read_config(PlotCoherenceConfig, config_file("plot_coherence", config))
    configs = single_source_configs(whole)
    sources = [single["name"] for single in whole.graded or ()]
    sources += ["released"] * (whole.released is not None)
    files = [Path(f.path) for f in whole.files or ()]
    sources += [
        f.parent.name if f.stem == "continued" and config.startswith("mix") else f.stem for f in files
    ]
    assert list(configs) == [*sources, "all"]
    assert len(set(sources)) == len(sources)
    for single in configs.values():
        assert (single.teacher, single.start, single.distillation_weight) == (None, None, 0.0)
        assert single.repetition_weight == 0.0
    for name in sources:
        single = configs[name]
        assert len(single.graded or ()) + (single.released is not None) + len(single.files or ()) == 1
        limits = [graded["groups"] for graded in single.graded or ()] + [
            file.groups for file in single.files or ()
        ]
        assert [*limits, single.released and single.released.groups].count(None) == len(limits) + 1
    assert (configs["all"].graded, configs["all"].files) == (whole.graded, whole.files)


def test_sources_are_selected_by_name() -> None:
    whole = single_source_configs(read_config(PlotCoherenceConfig, config_file("plot_coherence", "base")))
    assert list(select_sources(whole, None)) == list(whole)
    assert list(select_sources(whole, ["all", "roc"])) == ["roc", "all"]
    assert select_sources(whole, []) == {}
    with pytest.raises(ValueError, match=r"expected any of roc, rules, .* got rock"):
        select_sources(whole, ["roc", "rock"])


def test_missing_file_is_left_out_and_reported() -> None:
    whole = read_config(PlotCoherenceConfig, config_file("plot_coherence", "mix"))
    absent = replace(whole, files=(RowFile(path="runs/no such folder/rows.parquet"),))
    config, missing = without_missing_files(absent)
    assert (config.files, missing) == ((), ["runs/no such folder/rows.parquet"])


def test_student_config_replaces_teacher_and_start(tmp_path: Path) -> None:
    whole = read_config(PlotCoherenceConfig, config_file("plot_coherence", "mix"))
    assert whole.teacher
    assert whole.start
    student = student_config(whole, tmp_path / "teacher", tmp_path / "start")
    assert student.teacher == replace(whole.teacher, weights=str(tmp_path / "teacher"), config=None)
    assert (student.start, student.first, student.seeds) == (str(tmp_path / "start"), None, ())
    assert student_config(whole, None, None).teacher == whole.teacher
    from_backbone = student_config(whole, None, None, from_backbone=True)
    assert (from_backbone.start, from_backbone.first) == (None, None)


def test_group_limit_is_divided_evenly_among_sources() -> None:
    rows = [
        GroupRow(f"{source}-train-{number}", "A story.", source, label)
        for source, count in (("few", 3), ("many", 40))
        for number in range(count)
        for label in (1, 0)
    ]
    kept = {row.group for row in limit_groups(rows, 10, 42)}
    assert sum(group.startswith("few") for group in kept) == 3
    assert sum(group.startswith("many") for group in kept) == 5
    assert limit_groups(rows, 43, 42) == rows, "all, though one source has more than its share"


def test_source_is_recognised_wherever_its_groups_are_numbered() -> None:
    names = ("wp-train-{:04d}-generator_t0.7", "released:{}", "continued-roc_small-{}")
    rows = [GroupRow(name.format(n), "A story.", "human", 1) for name in names for n in range(40)]
    kept = {row.group for row in limit_groups(rows, 30, 42)}
    assert [sum(group.startswith(name[:4]) for group in kept) for name in names] == [10, 10, 10]


def test_student_is_compared_with_its_teacher_on_held_out_groups(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_encoder(tmp_path / "encoder", tiny_model())
    monkeypatch.setattr(backbone, "ENCODER", tmp_path / "encoder")
    write_classifier(tmp_path / "teacher", "plot_coherence")
    stories = [(" ".join(story), " ".join(reversed(story))) for story in sentences_of("roc")[:24]]
    rows = [
        GroupRow(f"mine-{n}", text, "x", label)
        for n, pair in enumerate(stories)
        for text, label in zip(pair, (1, 0), strict=True)
    ]
    write_groups(tmp_path / "rows.parquet", rows)
    config = replace(
        read_config(PlotCoherenceConfig, config_file("plot_coherence", "mix")),
        graded=None,
        released=None,
        files=(RowFile(path=str(tmp_path / "rows.parquet"), share=0.4),),
        epochs=1,
    )
    train = SourceRows(tmp_path, tmp_path / "run", tmp_path / "out")
    student = student_config(config, tmp_path / "teacher", None, from_backbone=True)
    results = train("student", student, 8)
    assert results["stories"] == 16
    assert -1 <= results["teacher"] < 1
    monkeypatch.setattr(sources, "train_classifier", None)
    assert train("student", student, 8) == results, "a finished row is not trained again"
    teacher = ClassifierScorer(load_checkpoint(tmp_path / "teacher", "plot_coherence"))
    assert student.teacher is not None
    repeated = f"{stories[0][0]} " * 8
    without_cost = teacher.score([repeated])[0]
    teacher.repetition = RepetitionCost(8.0)
    assert teacher.score([repeated])[0] < without_cost
    rows.append(GroupRow("mine-24", repeated, "x", 0))
    assert train._correlation_with_teacher(teacher, student.teacher, rows) == pytest.approx(1)


def test_missing_test_sets_are_reported(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert not TEST_SETS["mans_roc"].is_available(tmp_path)
    with pytest.raises(SystemExit, match="2"):
        main(["--data", str(tmp_path), "--out", str(tmp_path), "--run", str(tmp_path)])
    assert "error: " in capsys.readouterr().err

"""Continuations of human openings have the length of the human stories and are the same in a second run."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from openmeva.training.common.config import config_file, read_config
from openmeva.training.continued.__main__ import main
from openmeva.training.continued.openings import ContinuedConfig, sample_openings
from openmeva.training.continued.sampler import ContinuationSampler, _whole_sentences
from openmeva.training.continued.stage import make_continued
from openmeva.training.corpora.splits import CorpusConfig
from openmeva.training.negatives.groups import read_groups
from tests.tiny.models import write_gpt2


def stories() -> list[str]:
    return [f"Once {n} dogs ran away . " + f"They saw {n} cats in the park . " * 5 for n in range(12)]


@pytest.fixture
def config(tmp_path: Path) -> ContinuedConfig:
    (tmp_path / "wp.jsonl").write_text("".join(json.dumps({"story": s}) + "\n" for s in stories()))
    (tmp_path / "judged.csv").write_text(f"WorkerId,Input.text1\nA,{stories()[4]}\n")
    return ContinuedConfig(
        name="tiny",
        corpus=CorpusConfig(train=("wp.jsonl",), exclude=("judged.csv",)),
        words=(20, 30),
        opening_words=8,
        stories=6,
        temperatures=(0.5, 1.0),
        top_k=20,
        batch=4,
        base=str(write_gpt2(tmp_path / "gpt2", stories())),
        seed=3,
    )


def test_groups_have_the_human_story_and_its_continuations(config: ContinuedConfig, tmp_path: Path) -> None:
    rows = read_groups(make_continued(config, tmp_path, tmp_path / "run"))
    assert len(rows) == 18
    assert {row.source for row in rows} == {"human", "continued-0.5", "continued-1.0"}
    for group in {row.group for row in rows}:
        human, *continuations = (row for row in rows if row.group == group)
        assert human.label == 1
        assert human.story in " ".join(stories())
        assert "Once 4 dogs" not in human.story, "it was judged"
        assert all(row.label == 0 and row.level == -1 for row in continuations)
        assert all(row.story.startswith(human.story[:20]) for row in continuations)
    again = read_groups(make_continued(config, tmp_path, tmp_path / "again", processes=2))
    assert [row.story for row in again] == [row.story for row in rows]


def test_stories_longer_than_the_models_positions_are_refused_before_the_first(
    config: ContinuedConfig, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ContinuationSampler, "__call__", lambda *_: pytest.fail("continued"))
    long = " ".join(f"{story[:-1]}" for story in stories() * 4)
    (tmp_path / "wp.jsonl").write_text(
        "".join(json.dumps({"story": f"{n} {long}"}) + "\n" for n in range(40))
    )
    with pytest.raises(ValueError, match=r"words: expected openings and continuations of at most 160 tokens"):
        make_continued(replace(config, words=(300, 400)), tmp_path, tmp_path / "run")


def test_opening_is_at_most_half_of_the_story(config: ContinuedConfig, tmp_path: Path) -> None:
    openings = sample_openings(replace(config, opening_words=12), tmp_path)
    assert openings
    assert all(2 * len(opening.split()) <= len(whole.split()) for opening, whole in openings)
    with pytest.raises(ValueError, match=r"words: expected stories of 20 to 30 words .* got none among 12"):
        sample_openings(replace(config, opening_words=25), tmp_path)


def test_too_few_stories_are_reported(
    config: ContinuedConfig, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert len(sample_openings(replace(config, stories=50), tmp_path)) == 10
    assert "10 stories qualify, fewer than the 50 asked for" in capsys.readouterr().err
    for change, message in (({"words": (30, 20)}, "words"), ({"temperatures": ()}, "temperatures")):
        with pytest.raises(ValueError, match=f"^{message}: expected"):
            replace(config, **change)


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("He ran. She sat.", "He ran. She sat."),
        ("He ran. She sat. And the", "He ran. She sat."),
        ('He ran. "Go!" And', 'He ran. "Go!"'),
        ("And the", "And the"),
    ],
)
def test_continuation_ends_with_its_last_whole_sentence(text: str, kept: str) -> None:
    assert _whole_sentences(text) == kept


def test_only_runs_of_one_name_and_seed_sample_the_same_stories(
    config: ContinuedConfig, tmp_path: Path
) -> None:
    openings = sample_openings(config, tmp_path)
    assert openings == sample_openings(replace(config, temperatures=(2.0,)), tmp_path)
    assert openings != sample_openings(replace(config, name="other"), tmp_path)
    assert openings != sample_openings(replace(config, seed=4), tmp_path)


def test_max_stories_limits_the_openings(config: ContinuedConfig, tmp_path: Path) -> None:
    few = replace(config, corpus=replace(config.corpus, max_stories=4, validation_share=0.0))
    assert len(sample_openings(few, tmp_path)) == 4 < len(sample_openings(config, tmp_path))


def test_anywhere_starts_at_any_sentence_with_enough_words_after_it(
    config: ContinuedConfig, tmp_path: Path
) -> None:
    parts = replace(config, anywhere=True, temperatures=(1.0,), stories=8)
    humans = [
        row.story for row in read_groups(make_continued(parts, tmp_path, tmp_path / "run")) if row.label
    ]
    assert len(humans) == 8
    assert {story.split()[0] for story in humans} == {"Once", "They"}
    assert all(20 <= len(story.split()) <= 30 for story in humans)


def test_missing_language_model_error_names_the_download_command(
    config: ContinuedConfig, tmp_path: Path
) -> None:
    with pytest.raises(ValueError, match=r"no model 'nobody/nothing'.*`hf download nobody/nothing`"):
        make_continued(replace(config, base="nobody/nothing"), tmp_path, tmp_path / "run")


def test_continuations_by_perplexity_weights_are_normalized_words(
    config: ContinuedConfig, tmp_path: Path
) -> None:
    own = replace(
        config, base="metrics/ppl/weights/roc", cut=False, words=(20, 60), stories=4, temperatures=(0.8,)
    )
    rows = read_groups(make_continued(own, tmp_path, tmp_path / "run"))
    assert len(rows) == 8
    for row in rows:
        assert row.story.startswith("once ")
        assert row.story.endswith((".", "!", "?"))
        assert not {"[PAD]", "[SEP]", "[CLS]"} & set(row.story.split())
    with pytest.raises(ValueError, match="expected weights of a causal language model"):
        make_continued(replace(own, base="metrics/ppl/weights/pll"), tmp_path, tmp_path / "both")


def test_shipped_configurations_are_valid(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    for name in ("wp", "wp_small", "wp_parts", "roc_small", "roc_base"):
        shipped = read_config(ContinuedConfig, config_file("continued", name))
        assert f"plot_guided/AMT_{name.partition(chr(95))[0].upper()}.CSV" in shipped.corpus.exclude
    with pytest.raises(SystemExit, match="2"):
        main(["--config", "wp", "--data", str(tmp_path), "--set", "storys=3"])
    assert "stories" in capsys.readouterr().err


def test_a_story_that_occurs_thrice_is_sampled_once(tmp_path: Path) -> None:
    story = "Once 3 dogs ran away . " + "They saw 3 cats in the park . " * 5
    (tmp_path / "wp.jsonl").write_text((json.dumps({"story": story}) + "\n") * 3)
    corpus = CorpusConfig(train=("wp.jsonl",), validation_share=0.0)
    config = ContinuedConfig(
        name="t", corpus=corpus, words=(20, 30), opening_words=8, stories=6, temperatures=(1.0,), base="x"
    )
    assert len(sample_openings(config, tmp_path)) == 1

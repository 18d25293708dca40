"""Agreement of extractors with published plots, on the papers' data if available."""

from pathlib import Path

import pytest

from openmeva.training.plot_guided.plots import EXTRACTORS, extract_plots
from openmeva.training.plot_guided.plots.published import compare, phrase_f1, read_paired, read_storylines
from openmeva.training.text.tagged_story import TaggedStory
from tests.papers_data import DATA


def test_phrase_f1_counts_duplicates() -> None:
    scores = phrase_f1([[["a", "a"], ["b"]], [["c"]]], [["a", "b", "d"], ["C".lower()]])
    assert scores == {"precision": 0.75, "recall": 0.75, "f1": 0.75}


def test_published_files_are_read_and_bad_ones_reported(tmp_path: Path) -> None:
    (tmp_path / "roc.txt").write_text(
        "title <EOT> ann ran\tpark # slept <EOL> </s> ann ran . </s> she slept . @\n"
    )
    assert list(read_storylines(tmp_path / "roc.txt")) == [
        ([["ann", "ran", "."], ["she", "slept", "."]], ["ann ran", "park", "slept"])
    ]
    (tmp_path / "bad.txt").write_text("no plot here\n")
    with pytest.raises(ValueError, match="line 1"):
        list(read_storylines(tmp_path / "bad.txt"))
    (tmp_path / "stories.txt").write_text("Ann ran . </s> She slept .\n")
    (tmp_path / "plots.txt").write_text("Ann\tran\t</s>\tslept\n")
    assert next(read_paired(tmp_path / "stories.txt", tmp_path / "plots.txt"))[1] == ["ann", "ran", "slept"]
    (tmp_path / "stories.txt").write_text("Ann ran .\n" * 2)
    with pytest.raises(ValueError, match=r"plots\.txt: ends before line 2, expected as many lines"):
        list(read_paired(tmp_path / "stories.txt", tmp_path / "plots.txt"))
    (tmp_path / "plots.txt").write_bytes(b"Ann\n\xff\n")
    with pytest.raises(ValueError, match=r"plots\.txt, line 2.*UTF-8"):
        list(read_paired(tmp_path / "stories.txt", tmp_path / "plots.txt"))


def test_unknown_extractor_is_refused() -> None:
    assert set(EXTRACTORS) == {"storyline", "verbs", "opening"}
    for name in ("rake", "storyline+rake"):
        with pytest.raises(ValueError, match="'rake'"):
            extract_plots([], name, 0)


def test_extractors_joined_by_plus_alternate() -> None:
    words = [["ann", "was", "hungry", "."], ["she", "ate", "bread", "."]]
    story = TaggedStory(words, [["NNP", "VBD", "JJ", "."], ["PRP", "VBD", "NN", "."]])
    storyline = extract_plots([story], "storyline", 0)[0]
    opening = [["ann was hungry ."], []]
    assert storyline != opening
    assert extract_plots([story] * 3, "storyline+opening", 0)[1] == opening
    assert extract_plots([story] * 3, "storyline+opening", 0)[0] == storyline
    assert extract_plots([story], "opening", 0) == [opening]


@pytest.mark.data
def test_storylines_match_the_published_ones() -> None:
    rows = read_storylines(DATA / "roc" / "plot_guided_lm_dev.txt.gz")
    assert compare(rows, "storyline", seed=1, limit=300)["f1"] > 0.95


@pytest.mark.data
def test_verb_plots_are_close_to_the_published_ones() -> None:
    folder = DATA / "wp"
    rows = read_paired(folder / "plot_guided_stories.txt.gz", folder / "plot_guided_plots_paired.txt.gz")
    assert compare(rows, "verbs", seed=1, limit=100)["f1"] > 0.55

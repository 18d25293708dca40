"""Readers of ROCStories and WritingPrompts, the split, and the statistics."""

import gzip
import json
from itertools import chain

import numpy as np
import pytest

from openmeva.training.corpora.prepare import corpus_statistics, main, prepare_corpus, published_split
from openmeva.training.corpora.rocstories import read_rocstories
from openmeva.training.corpora.splits import CorpusConfig, load_corpus
from openmeva.training.corpora.stories import read_stories
from openmeva.training.corpora.story_rows import BadLinesError, read_story_rows
from openmeva.training.corpora.writing_prompts import read_writing_prompts, truncate_text
from openmeva.training.files import read_rows, write_rows
from openmeva.training.paths import ENCODER
from tests.killing import count_changes, killed_before

SENTENCES = ["Ann had a kite.", "She flew it.", "It fell.", "She mended it.", "It flew again."]
EXPECTED = {"context": SENTENCES[0], "story": " ".join(SENTENCES[1:])}


def without_id(rows):
    return [{key: row[key] for key in ("context", "story")} for row in rows]


def test_all_five_rocstories_formats_are_read_alike(tmp_path):
    header = "storyid,storytitle," + ",".join(f"sentence{k}" for k in range(1, 6))
    (tmp_path / "a.csv").write_text(
        header + "\nid-1,Kite," + ",".join(SENTENCES) + "\n", encoding="utf-8-sig"
    )
    (tmp_path / "b.jsonl").write_text(json.dumps({"sentences": SENTENCES}) + "\n")
    with gzip.open(tmp_path / "c.jsonl.gz", "wt") as file:
        file.write(json.dumps({"story": " ".join(SENTENCES)}) + "\n")
    (tmp_path / "d.txt").write_text(" ".join(SENTENCES) + "\n")
    (tmp_path / "e.csv").write_text("title,story\nKite," + " ".join(SENTENCES) + "\n")
    for name in ("a.csv", "b.jsonl", "c.jsonl.gz", "d.txt", "e.csv"):
        assert without_id(read_rocstories(tmp_path / name)) == [EXPECTED], name
    assert next(read_rocstories(tmp_path / "a.csv"))["story_id"] == "id-1"


def test_line_break_tokens_are_removed(tmp_path):
    """Almost only human stories have line-break tokens, so a model trained on them would learn this clue."""
    marked = [
        "He ran . <newline> She slept .",
        "He ran . <\\newline> She slept .",
        "He ran . < newline > She slept .",
    ]
    file = tmp_path / "wp.jsonl"
    file.write_text("".join(json.dumps({"story": story}) + "\n" for story in (*marked, "A newline  came .")))
    assert list(read_stories(file)) == ["He ran . She slept ."] * 3 + ["A newline  came ."]


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.csv", "storyid,sentence1\n1,a\n", "expected the columns sentence2, sentence3"),
        ("a.jsonl", '{"title": "x"}\n', "line 1: expected 'sentences' or 'story', got title"),
        ("a.jsonl", "{\n", "line 1: expected a JSON object"),
        ("a.txt", "One sentence only.\n", "story 1: expected two sentences or more"),
    ],
)
def test_unknown_rocstories_layout_is_refused(tmp_path, name, text, message):
    (tmp_path / name).write_text(text)
    with pytest.raises(ValueError, match=message):
        list(read_rocstories(tmp_path / name))


def test_writing_prompts_are_cleaned_and_truncated(tmp_path):
    source, target = tmp_path / "t.wp_source", tmp_path / "t.wp_target"
    source.write_text("[ WP ] You find a door .\n")
    target.write_text("I opened it . <newline> <newline> It was dark inside . I ran .\n")
    (row,) = read_writing_prompts(source, target, max_words=8)
    assert row == {
        "story_id": "1",
        "context": "You find a door .",
        "story": "I opened it . It was dark inside .",
    }
    (untruncated,) = read_writing_prompts(source, target, max_words=None)
    assert untruncated["story"].endswith("I ran .")


def test_truncate_text_ends_at_the_nearest_sentence():
    assert truncate_text("a b . c d e f g . h .", 4) == "a b ."
    assert truncate_text("a b . c d e f g . h .", 8) == "a b . c d e f g ."
    assert truncate_text("a b c d e f .", 2) == "a b c d e f ."


def test_unpaired_writing_prompts_are_refused(tmp_path):
    source, target = tmp_path / "s", tmp_path / "t"
    source.write_text("a\nb\n")
    target.write_text("x .\n")
    with pytest.raises(ValueError, match="t: ends before line 2"):
        list(read_writing_prompts(source, target))
    target.write_text("x .\n \n")
    with pytest.raises(ValueError, match="t, line 2: expected a text"):
        list(read_writing_prompts(source, target))


def test_split_has_published_sizes_and_keeps_all_rows():
    parts = published_split(range(98_161), np.random.default_rng(1))
    assert [len(part) for part in parts.values()] == [88_344, 4_908, 4_909]
    assert sorted(chain(*parts.values())) == list(range(98_161))


def test_prepare_writes_three_readable_files(tmp_path):
    rows = [
        {"story_id": str(k), "context": f"He had {k} kites.", "story": "He flew them. They fell."}
        for k in range(40)
    ]
    statistics = prepare_corpus(rows, tmp_path, np.random.default_rng(0))
    assert {name: counts["stories"] for name, counts in statistics.items()} == {
        "train": 36,
        "validation": 2,
        "test": 2,
    }
    written = [
        json.loads(line)
        for name in statistics
        for line in gzip.decompress((tmp_path / f"{name}.jsonl.gz").read_bytes()).splitlines()
    ]
    assert sorted(written, key=lambda row: int(row["story_id"])) == rows
    with pytest.raises(ValueError, match="at least 20 stories"):
        prepare_corpus(rows[:19], tmp_path, np.random.default_rng(0))


def test_interrupted_preparation_leaves_no_splits_of_two_seeds(tmp_path):
    rows = [{"story_id": str(k), "context": f"He had {k} kites.", "story": "They fell."} for k in range(40)]

    def prepare(folder, seed):
        prepare_corpus(rows, folder, np.random.default_rng(seed))

    changes = count_changes(lambda: prepare(tmp_path / "whole", 1), tmp_path / "count")
    for change in range(1, changes + 3):
        out = tmp_path / str(change)
        prepare(out, 0)
        killed_before(change, lambda: prepare(out, 1))  # noqa: B023 - called here
        names = [row.values["story_id"] for file in out.glob("*.jsonl.gz") for row in read_rows(file)]
        assert len(names) == len(set(names))


def test_statistics_count_words_and_punctuation():
    rows = [{"story_id": "1", "context": "He ran.", "story": "He did n't fall . It hurt."}]
    assert corpus_statistics(rows) == {"stories": 1, "unique_inputs": 1, "input_tokens": 3, "story_tokens": 8}
    named = [{"story_id": "1", "context": "[MALE] ran.", "story": "[FEMALE] fell! She wept."}]
    statistics = corpus_statistics(named)
    assert (statistics["input_tokens"], statistics["story_tokens"]) == (3, 6)


def test_prepare_command(tmp_path, capsys):
    source = tmp_path / "roc.txt"
    source.write_text("".join(f"Ann had {k} kites. She flew them.\n" for k in range(60)))
    main(["roc", "--source", str(source), "--out", str(tmp_path / "out")])
    assert "train stories 54" in capsys.readouterr().out
    source.write_text("Ann had a kite. She flew it.\n")
    for bad_source, message in ((source, "at least 20 stories"), (tmp_path / "none.txt", "No such file")):
        with pytest.raises(SystemExit) as exit_info:
            main(["roc", "--source", str(bad_source), "--out", str(tmp_path / "out")])
        assert exit_info.value.code == 2
        output = capsys.readouterr().err
        assert output.startswith("error: ")
        assert message in output


def test_prepare_does_not_replace_its_source(tmp_path, capsys):
    source = tmp_path / "train.jsonl.gz"
    write_rows(source, [{"story": f"Ann had {k} kites. She flew them.", "title": "Kite"} for k in range(40)])
    before = source.read_bytes()
    with pytest.raises(SystemExit) as exit_info:
        main(["roc", "--source", str(source), "--out", str(tmp_path)])
    assert exit_info.value.code == 2
    assert "train.jsonl.gz" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == [source.name]
    assert source.read_bytes() == before


def test_prepared_corpus_has_complete_stories_without_judged_ones(tmp_path):
    source = tmp_path / "roc.csv"
    stories = [[f"Ann had {number} red kites.", *SENTENCES[1:]] for number in range(60)]
    rows = ["storyid,storytitle," + ",".join(f"sentence{number}" for number in range(1, 6))]
    rows += [f"{number},Kite,{','.join(story)}" for number, story in enumerate(stories)]
    source.write_text("\n".join(rows) + "\n")
    main(["roc", "--source", str(source), "--out", str(tmp_path / "roc")])
    heading = ",".join(f"Input.text{n},Answer.text{n}" for n in range(1, 6))
    sheet = ",".join(f'"{" ".join(story)}",3' for story in stories[:5])
    (tmp_path / "AMT_ROC.CSV").write_text(f"WorkerId,{heading}\nw,{sheet}\n")
    config = CorpusConfig(
        train=("roc/train.jsonl.gz",),
        validation=("roc/validation.jsonl.gz", "roc/test.jsonl.gz"),
        exclude=("AMT_ROC.CSV",),
    )
    corpus = load_corpus(config, tmp_path, ENCODER / "names.json")
    loaded = [*corpus.train, *corpus.validation]
    assert len(loaded) == 55
    assert {len(story) for story in loaded} == {5}
    assert all(story[0][1:2] == ["had"] and int(story[0][2]) >= 5 for story in loaded)


def test_a_limit_ends_the_reading_before_a_bad_line(tmp_path):
    (tmp_path / "a.txt").write_text("Ben ran. He fell.\nAnn sat. She ate.\nOne.\n")
    rows, bad = read_story_rows(tmp_path / "a.txt", limit=2)
    assert (len(rows), bad) == (2, [])
    with pytest.raises(BadLinesError, match="1 bad lines"):
        read_story_rows(tmp_path / "a.txt", limit=3)

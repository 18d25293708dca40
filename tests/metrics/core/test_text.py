"""Texts of any form are normalised to one form."""

import json
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from openmeva.metrics.core.batching import length_batches, sentence_windows
from openmeva.metrics.core.text import Normalizer, clean, sentence_spans, split_sentences

NAMES = Normalizer(
    {"ann": "[FEMALE]", "tom": "[MALE]", "alex": "[NEUTRAL]", "will": "[MALE]"}, frozenset({"will"})
)


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("Tom ran. He fell! Why? He slipped.", ["Tom ran.", "He fell!", "Why?", "He slipped."]),
        ("tom ran . he fell ! why ?", ["tom ran .", "he fell !", "why ?"]),
        ("Mr. Hill and Dr. Poe met at 5 p.m. on Main St. and left.", None),
        ("She woke at 6 a.m. The sun was up.", ["She woke at 6 a.m.", "The sun was up."]),
        ('"Stop!" he said. She did.', ['"Stop!" he said.', "She did."]),
        ('"Where?" Noor asked. She left.', ['"Where?" Noor asked.', "She left."]),
        ("'Come!' The man cried, and ran.", ["'Come!' The man cried, and ran."]),
        ('"Where?" Noor left.', ['"Where?"', "Noor left."]),
        ("Why? Noor asked him.", ["Why?", "Noor asked him."]),
        ('" stop ! " she did .', ['" stop ! "', "she did ."]),
        ('" stop . " she did . " go . "', ['" stop . "', "she did .", '" go . "']),
        ("He waited... and waited. Then it came.", ["He waited... and waited.", "Then it came."]),
        ("So . . . he left . She stayed .", ["So . . .", "he left .", "She stayed ."]),
        ("It cost 3.50 dollars. He paid.", ["It cost 3.50 dollars.", "He paid."]),
        ("no end", ["no end"]),
        ("(Mr. Hill ran.) He fell.", ["(Mr. Hill ran.)", "He fell."]),
        ("It was I. Then he left.", ["It was I.", "Then he left."]),
        ("J. R. Smith wrote it. We read it.", ["J. R. Smith wrote it.", "We read it."]),
        ("He met the U.S. Army. They left.", ["He met the U.S.", "Army.", "They left."]),
    ],
)
def test_text_is_split_into_sentences(text: str, sentences: list[str] | None) -> None:
    expected = [text] if sentences is None else sentences
    assert split_sentences(text) == expected


def test_long_run_of_punctuation_is_split_in_linear_time() -> None:
    """Rescanning from each of 200,000 marks would take minutes."""
    text = "." * 200_000 + "a"
    assert split_sentences(text) == [text]
    assert sentence_spans(text) == [(0, len(text))]


def test_placeholders_of_names_stay_in_sentences() -> None:
    text = "[MALE] met [ female ] . [NEUTRAL] 's dog ran ."
    assert split_sentences(text) == ["[MALE] met [FEMALE] .", "[NEUTRAL] 's dog ran ."]
    assert split_sentences("Ann \ue000 ran. \ue001") == ["Ann ran."], (
        "private-use characters that are not placeholders"
    )


@pytest.mark.parametrize(
    ("raw", "normal"),
    [
        ("Ann didn't go.", "[FEMALE] did n't go ."),
        ("ann did n't go .", "[FEMALE] did n't go ."),
        ("Tom’s dog can’t swim…", "[MALE] 's dog ca n't swim ..."),
        ("[MALE] ' s dog", "[MALE] 's dog"),
        ("[ MALE ] ran to [female].", "[MALE] ran to [FEMALE] ."),
        ("Ann asked Will. Will went.", "[FEMALE] asked [MALE] . [MALE] went ."),
        ("Will you go? She asked me.", "will you go ? she asked me ."),
        ("will you go ?", "will you go ?"),
        ("Alex said, “We won't.”", '[NEUTRAL] said , " we wo n\'t . "'),
        ("`` Get up , '' she said .", '" get up , " she said .'),
        ("He said “get up.” ”", 'he said " get up . " "'),
        ('She said, " He ran home. "', 'she said , " he ran home . "'),
        ("(She said “ he ran home. ” )", '( she said " he ran home . " )'),
        ("So Will ran. Will fell.", "so [MALE] ran . [MALE] fell ."),
        ("tabs\tand\nlines\x00here", "tabs and lines here"),
        ("lone \ud800 surrogate 😀", "lone surrogate 😀"),
        ("Tom \ue000ran\ue002.", "[MALE] ran ."),
        ("Her ex-[MALE] left. Two [MALE]s ran.", "her ex- [MALE] left . two [MALE] s ran ."),
        ("'[male]/[FEMALE][NEUTRAL]' ([MALE]'s).", "' [MALE] / [FEMALE] [NEUTRAL] ' ( [MALE] 's ) ."),
        ("He met[MALE].She left.", "he met [MALE] .she left ."),
    ],
)
def test_text_is_normalised_to_one_form(raw: str, normal: str) -> None:
    assert NAMES(raw) == normal
    assert NAMES(normal) == normal, "normalising twice changes nothing"


@pytest.mark.parametrize("kind", ["male", "female", "neutral", "capitalized_only"])
def test_names_file_without_every_kind_is_rejected(kind: str, tmp_path: Path) -> None:
    lists = {"male": ["tom"], "female": ["ann"], "neutral": ["alex"], "capitalized_only": ["will"]}
    file = tmp_path / "names.json"
    file.write_text(json.dumps(lists))
    assert Normalizer.load(file)("Tom, Ann, Alex, Will.") == "[MALE] , [FEMALE] , [NEUTRAL] , will ."
    file.write_text(json.dumps({name: names for name, names in lists.items() if name != kind}))
    with pytest.raises(ValueError, match=r"names\.json: expected lists of names: male, female, neutral"):
        Normalizer.load(file)


def test_raw_and_tokenised_stories_give_the_same_sentences() -> None:
    raw = "Ann couldn't find Tom's cat. \"It's gone,\" she said. They'd looked everywhere! Then Alex came."
    tokenised = "ann could n't find tom 's cat . `` it 's gone , '' she said . they 'd looked everywhere ! then alex came ."
    assert NAMES.sentences(raw) == NAMES.sentences(tokenised)


def test_text_without_words_has_no_sentences() -> None:
    assert NAMES.sentences(" \n\t\x07 ") == []


def test_typographic_quotes_and_dashes_become_plain() -> None:
    assert clean("‘a’ ‚b´ `c` “d” „e” «f» –… x—y") == "'a' 'b' 'c' \"d\" \"e\" \"f\" - ...  x -- y"


def test_clean_keeps_plain_text() -> None:
    assert clean("He ran home, didn't he?") == "He ran home, didn't he?"


@pytest.mark.parametrize(
    ("lengths", "windows"),
    [
        ([], [(0, 0)]),
        ([1] * 4, [(0, 4)]),
        ([1] * 8, [(0, 4), (2, 6), (4, 8)]),
        ([2, 1, 1, 3, 1], [(0, 3), (2, 4), (4, 5)]),
        ([4, 4, 4], [(0, 1), (1, 2), (2, 3)]),
        ([4, 0, 1, 0, 4], [(0, 2), (1, 4), (3, 5)]),
    ],
)
def test_windows_overlap_by_half_where_sentences_are_short(
    lengths: list[int], windows: list[tuple[int, int]]
) -> None:
    assert sentence_windows(lengths, 4) == windows


@pytest.mark.parametrize("seed", range(40))
def test_windows_cover_all_sentences_and_fit_the_limit(seed: int) -> None:
    rng = np.random.default_rng(seed)
    limit = int(rng.integers(5, 40))
    lengths = [int(n) for n in rng.integers(1, limit + 1, rng.integers(1, 60))]
    windows = sentence_windows(lengths, limit)
    assert {i for start, end in windows for i in range(start, end)} == set(range(len(lengths)))
    assert all(sum(lengths[start:end]) <= limit for start, end in windows)
    assert all(a[0] < b[0] and a[1] < b[1] and b[0] <= a[1] for a, b in pairwise(windows))
    assert len(windows) == 1 or sum(lengths) > limit


def test_batches_contain_each_index_once_longest_first() -> None:
    lengths = [3, 9, 1, 9, 5]
    assert list(length_batches(lengths, 2)) == [[1, 3], [4, 0], [2]]


def test_abbreviation_no_ends_a_sentence_unless_a_number_follows() -> None:
    assert split_sentences("She said no. He left.") == ["She said no.", "He left."]
    assert split_sentences("No. Will ran.") == ["No.", "Will ran."]
    assert split_sentences("He wore No. 7. See fig. 2 for it.") == ["He wore No. 7.", "See fig. 2 for it."]
    raw, tokenised = (
        Normalizer().sentences("She said no. He left."),
        Normalizer().sentences("She said no . He left ."),
    )
    assert raw == tokenised


def test_typographic_punctuation_ends_sentences() -> None:
    text = "“Run!” she said. He ran… ‘Why?’ Nobody knew."
    assert [text[first:last] for first, last in sentence_spans(text)] == [
        "“Run!” she said.", "He ran…", "‘Why?’", "Nobody knew.",
    ]  # fmt: skip
    assert len(split_sentences(text)) == 4


def test_common_word_is_a_name_only_with_a_capital():
    normalizer = Normalizer({"will": "[MALE]"}, frozenset({"will"}))
    assert normalizer("Then Will ran. He will rest.") == "then [MALE] ran . he will rest ."

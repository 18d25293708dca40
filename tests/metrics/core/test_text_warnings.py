"""Texts that are not stories have warnings; stories have none."""

import evaluate
import pytest

from openmeva.metrics.core.text_warnings import USUAL_WORD_COUNTS, warning_of, warnings_of
from openmeva.training.paths import ROOT
from tests.mini_stories import mini_rows_of

STORY = "Nora's bike had a flat tire. She walked it to the shop. The man there patched it. She rode home."

UNFIT = {
    "no words": ["😀 🎉 🚗", "1 2 3 4 5 6 7 8 9 10 11 12", "... !!! ???", "___"],
    "too short": ["Hello", "[MALE] ran .", "She ran home. Then she slept.", "¡Hola!"],
    "not English": [
        "安娜饿了。她做了一个三明治。她吃了它。她觉得饱了。然后她睡了一觉。",
        "Анна была голодна. Она сделала бутерброд и съела его. Потом она уснула.",
        "Anna hatte Hunger. Sie ging in die Küche und machte sich ein Brot. Was für ein Brot! So war sie satt.",
        "Anne avait faim. Elle est allée dans la cuisine et a fait un sandwich. On me dit qu'elle a dormi.",
        "Ana tenía hambre. Fue a la cocina y se hizo un bocadillo. Se lo comió. No me dijo nada.",
        "Anna aveva fame. Andò in cucina e si fece un panino. Lo mangiò. Poi si sentì sazia.",
        "Anna had honger. Ze ging naar de keuken en maakte een boterham. Ze at hem op. Toen was ze vol.",
        "asdf qwer zxcv uiop hjkl asdf jkl qwer tyui zxcv bnm poiu",
        "apples bananas bread milk eggs butter cheese ham rice pasta tomatoes onions",
    ],
    "special tokens": [
        f"{STORY} <newline>",
        f"{STORY.lower()} < \\newline > she slept .",
        f"{STORY} </s>",
        f"{STORY}<|endoftext|>",
        f"{STORY}<br/>{STORY}",
        f"[CLS] {STORY} [SEP]",
        f"{STORY} &nbsp; {STORY}",
        f"<unk> and {STORY}",
    ],
}
FIT = [
    STORY,
    STORY.lower().replace(".", " ."),
    "[FEMALE] 's bike had a flat tire . she did n't fix it . [ MALE ] patched the tube . she rode home .",
    "“Where’s Zoë?” Noor asked. “She isn’t here,” said Björn. “Then let’s go.” They left Łódź at dawn.",
    "Owen races Priya to the bridge. Priya wins. Owen blames his shoes. Priya lends Owen hers, and wins.",
    "NORA RAN HOME. SHE WAS LATE. HER MOTHER WAS ANGRY. THEY ATE IN SILENCE.",
    "Anna and Tom <3 each other. They ate M&Ms; then she said 2 < 3 and 5 > 4. He wasn't sure. They left.",
    "Anna moved to Берлин. She liked the food there. After a year she came home again.",
]


@pytest.mark.parametrize(("kind", "text"), [(kind, text) for kind, texts in UNFIT.items() for text in texts])
def test_text_that_is_not_a_story_has_a_warning(kind: str, text: str) -> None:
    assert str(warning_of(text)).startswith(f"{kind}: ")


@pytest.mark.parametrize("text", FIT)
def test_story_has_no_warning(text: str) -> None:
    assert warning_of(text) is None


def test_story_of_unusual_length_is_of_the_wrong_kind() -> None:
    assert str(warning_of(STORY * 10, *USUAL_WORD_COUNTS["roc"])).startswith("wrong kind: 200 words")
    assert str(warning_of(STORY, *USUAL_WORD_COUNTS["wp"])).startswith("wrong kind: 20 words")
    assert warning_of(STORY * 10) is warning_of(STORY * 10, *USUAL_WORD_COUNTS["wp"]) is None


def test_length_bounds_are_inclusive() -> None:
    def warning(count: int, kind: str) -> str | None:
        words = "she and he ran to the old house by the sea".split() * 20
        return warning_of(" ".join(words[:count]), *USUAL_WORD_COUNTS[kind])

    assert warning(10, "roc") is warning(150, "roc") is warning(40, "wp") is None
    assert str(warning(9, "roc")).startswith("too short: 9 words")
    assert str(warning(151, "roc")).startswith("wrong kind: 151 words")
    assert str(warning(39, "wp")).startswith("wrong kind: 39 words")


def test_placeholder_counts_as_a_word() -> None:
    assert warning_of("[MALE] and [FEMALE] ran to the old house by it .") is None


def test_text_of_two_scripts_is_not_english() -> None:
    english = "She ran to the old house and they said that he was not there. "
    assert str(warning_of(english + "Она побежала домой, потому что была голодна. ")).startswith(
        "not English: 4"
    )


def test_mini_corpus_stories_have_no_warnings() -> None:
    for kind in ("roc", "wp"):
        stories = [row["story"] for row in mini_rows_of(kind)]
        assert stories
        assert set(warnings_of(stories, *USUAL_WORD_COUNTS[kind])) == {None}


@pytest.mark.parametrize(
    ("metric", "config", "words"),
    [
        ("ppl", "roc", "200 words"),
        ("ppl", "wp", "20 words"),
        ("ruber_bert", "wp", "20 words"),
        ("bleurt", "roc", "200 words"),
    ],
)
def test_corpus_configuration_warns_of_stories_of_other_length(metric: str, config: str, words: str) -> None:
    module = evaluate.load(str(ROOT / "metrics" / metric), config)
    result = warnings_of([STORY, STORY * 10], *module._usual_word_count())
    assert [str(warning)[:11] for warning in result if warning] == ["wrong kind:"]
    assert words in next(filter(None, result))

"""Properties of every technique on any story."""

import pytest

from openmeva.training.perturbations import ASPECTS, PerturbationMaterial, Perturber, Story, parse
from tests.mini_stories import mini

AWKWARD = [
    'He said, "I can\'t  go!"  She didn’t — well… mind.\n\nThen\tthey left (quickly). Ünal laughed 😀.',
    "`` i do n't know , '' he said . [MALE] was n't there , so [FEMALE] 's dog barked . then it ran off .",
    "\ud800 broken. The \x00 end! It's 10:30 a.m. and Mr. Hill ran. Because it rained, we stayed.",
]


@pytest.fixture(scope="module")
def texts() -> list[str]:
    raw = [row["story"] for row in mini()[::4]]
    spaced = [" ".join(w.lower() for s in Story(text).sentences for w in s.words) for text in raw[:12]]
    return raw + spaced + AWKWARD


@pytest.mark.parametrize("aspect", ASPECTS)
def test_text_outside_the_spans_stays_and_never_nothing_changes(
    aspect: str, texts: list[str], material: PerturbationMaterial
) -> None:
    perturber = Perturber(aspect, 3, material=material)
    fired = 0
    for text in texts:
        result = perturber.perturb(text, text)
        if result is None:
            continue
        fired += 1
        assert result.story != text
        assert result.technique in ASPECTS[aspect].techniques
        assert result.spans
        at = new_at = 0
        for span in result.spans:
            assert text[at : span.original_start] == result.story[new_at : span.start]
            assert text[span.original_start : span.original_end] != result.story[span.start : span.end]
            at, new_at = span.original_end, span.end
        assert text[at:] == result.story[new_at:]
    assert fired >= 3


@pytest.mark.parametrize("aspect", ASPECTS)
def test_the_first_sentence_stays_where_it_is_the_context(
    aspect: str, texts: list[str], material: PerturbationMaterial
) -> None:
    perturber = Perturber(
        aspect,
        5,
        material=PerturbationMaterial(1, material.corpus, material.paraphraser, material.similarity),
    )
    fired = 0
    for text in texts:
        first = Story(text).sentences[0]
        result = perturber.perturb(text, text)
        if result is not None:
            fired += 1
            assert result.story.startswith(text[: first.end])
    assert fired


@pytest.mark.parametrize("aspect", ASPECTS)
def test_order_and_bulk_tagging_do_not_matter(
    aspect: str, texts: list[str], material: PerturbationMaterial
) -> None:
    perturber = Perturber(aspect, 7, material=material)
    one_by_one = [perturber.perturb(text, str(number)) for number, text in enumerate(texts)]
    backwards = [perturber.perturb(story, str(number)) for number, story in [*enumerate(parse(texts))][::-1]]
    assert one_by_one == backwards[::-1]


def test_seeds_differ(texts: list[str], material: PerturbationMaterial) -> None:
    first, second = (Perturber("typo", seed, material=material) for seed in (1, 2))
    assert [first.perturb(text, "x") for text in texts] != [second.perturb(text, "x") for text in texts]


def test_typos_stay_under_two_percent_of_the_words_or_are_one(
    texts: list[str], material: PerturbationMaterial
) -> None:
    perturber = Perturber("typo", 1, material=material)
    for text in texts:
        result = perturber.perturb(text, text)
        assert result is not None
        words = len([w for s in Story(text).sentences for w in s.words if any(map(str.isalnum, w))])
        assert len(result.spans) == 1 or len(result.spans) < 0.02 * words


def test_both_directions_of_contraction_undo_each_other(material: PerturbationMaterial) -> None:
    story = "They did not come. I will wait. It is late and she cannot swim."
    short = Perturber("contraction", 0, ["contraction"], material).perturb(story, "1")
    assert short is not None
    assert short.story == "They didn't come. I'll wait. It's late and she can't swim."
    back = Perturber("contraction", 0, ["expansion"], material).perturb(short.story, "1")
    assert back is not None
    assert back.story == story

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
    raw += [
        "The kids were very happy.",
        "He hired an attorney.",
        "He was sad because his dad could not come.",
    ]
    spaced = [" ".join(w.lower() for s in Story(text).sentences for w in s.words) for text in raw[:12]]
    return raw + spaced + AWKWARD


@pytest.mark.parametrize("aspect", ASPECTS)
def test_only_text_inside_the_spans_changes(
    aspect: str, texts: list[str], material: PerturbationMaterial
) -> None:
    perturber = Perturber(aspect, 3, material=material)
    num_perturbed = 0
    for text in texts:
        result = perturber.perturb(text, text)
        if result is None:
            continue
        num_perturbed += 1
        assert result.story != text
        assert result.technique in ASPECTS[aspect].techniques
        assert result.spans
        at = new_at = 0
        for span in result.spans:
            assert text[at : span.original_start] == result.story[new_at : span.start]
            assert text[span.original_start : span.original_end] != result.story[span.start : span.end]
            at, new_at = span.original_end, span.end
        assert text[at:] == result.story[new_at:]
    assert num_perturbed >= 3


@pytest.mark.parametrize("aspect", ASPECTS)
def test_context_sentence_is_not_changed(
    aspect: str, texts: list[str], material: PerturbationMaterial
) -> None:
    perturber = Perturber(
        aspect,
        5,
        material=PerturbationMaterial(1, material.corpus, material.paraphraser, material.similarity),
    )
    num_perturbed = 0
    for text in texts:
        first = Story(text).sentences[0]
        result = perturber.perturb(text, text)
        if result is not None:
            num_perturbed += 1
            assert result.story.startswith(text[: first.end])
    assert num_perturbed


@pytest.mark.parametrize("aspect", ASPECTS)
def test_results_do_not_depend_on_order_and_bulk_tagging(
    aspect: str, texts: list[str], material: PerturbationMaterial
) -> None:
    perturber = Perturber(aspect, 7, material=material)
    one_by_one = [perturber.perturb(text, str(number)) for number, text in enumerate(texts)]
    backwards = [perturber.perturb(story, str(number)) for number, story in [*enumerate(parse(texts))][::-1]]
    assert one_by_one == backwards[::-1]


def test_different_seeds_give_different_results(texts: list[str], material: PerturbationMaterial) -> None:
    first, second = (Perturber("typo", seed, material=material) for seed in (1, 2))
    assert [first.perturb(text, "x") for text in texts] != [second.perturb(text, "x") for text in texts]


def test_typos_are_under_two_percent_of_words_or_one(
    texts: list[str], material: PerturbationMaterial
) -> None:
    perturber = Perturber("typo", 1, material=material)
    for text in texts:
        result = perturber.perturb(text, text)
        assert result is not None
        words = len([w for s in Story(text).sentences for w in s.words if any(map(str.isalnum, w))])
        assert len(result.spans) == 1 or len(result.spans) < 0.02 * words


def test_contraction_and_expansion_are_inverse(material: PerturbationMaterial) -> None:
    story = "They did not come. I will wait. It is late and she cannot swim."
    short = Perturber("contraction", 0, ["contraction"], material).perturb(story, "1")
    assert short is not None
    assert short.story == "They didn't come. I'll wait. It's late and she can't swim."
    back = Perturber("contraction", 0, ["expansion"], material).perturb(short.story, "1")
    assert back is not None
    assert back.story == story

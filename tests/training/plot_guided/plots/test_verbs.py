"""WritingPrompts' plots: verbs and the adjacent phrases."""

from openmeva.training.plot_guided.plots.verbs import noun_phrases, verb_plot


def phrases(text: str) -> list[str]:
    """Of words written as word/TAG."""
    pairs = [token.rpartition("/") for token in text.split()]
    return verb_plot([[word for word, _, _ in pairs]], [[tag for _, _, tag in pairs]])[0]


def test_subject_verb_and_object() -> None:
    assert phrases("the/DT old/JJ man/NN opened/VBD his/PRP$ door/NN ./.") == [
        "the old man",
        "opened",
        "door",
    ]


def test_auxiliaries_and_most_pronouns_are_excluded() -> None:
    assert phrases("he/PRP was/VBD sleeping/VBG ./.") == ["sleeping"]
    assert phrases("it/PRP slept/VBD ./.") == ["it", "slept"]


def test_prepositional_phrases_and_phrases_with_of_are_excluded() -> None:
    assert phrases("dogs/NNS ran/VBD to/TO the/DT park/NN") == ["dogs", "ran"]
    assert phrases("dogs/NNS ate/VBD a/DT piece/NN of/IN cake/NN") == ["dogs", "ate"]


def test_noun_after_a_preposition_is_not_a_subject() -> None:
    assert phrases("the/DT man/NN in/IN the/DT hat/NN laughed/VBD ./.") == ["laughed"]


def test_clause_final_pronoun_after_a_preposition_is_kept() -> None:
    assert phrases("he/PRP looked/VBD at/IN her/PRP ./.") == ["looked", "her"]
    assert phrases("he/PRP looked/VBD at/IN her/PRP dog/NN ./.") == ["looked"]


def test_auxiliary_participles_and_contractions() -> None:
    assert phrases("it/PRP had/VBD been/VBN slowly/RB falling/VBG") == ["falling"]
    assert phrases("she/PRP had/VBD been/VBN here/RB") == ["been"]
    assert phrases("they/PRP don't/VBP know/VB") == ["know"]


def test_short_clause_final_infinitive_is_one_phrase() -> None:
    assert phrases("she/PRP wanted/VBD to/TO sleep/VB ./.") == ["wanted", "to sleep"]
    assert phrases("it/PRP started/VBD to/TO rain/VB again/RB ,/, so/RB she/PRP ran/VBD") == [
        "it",
        "started",
        "to rain again",
        "ran",
    ]


def test_verb_before_a_longer_infinitive_is_excluded() -> None:
    assert phrases("she/PRP wanted/VBD to/TO buy/VB bread/NN for/IN us/PRP") == ["buy", "bread"]
    assert phrases("she/PRP wanted/VBD to/TO go/VB to/TO bed/NN") == ["wanted", "go"]


def test_verb_before_a_noun_with_a_relative_clause_is_excluded() -> None:
    assert phrases("he/PRP caught/VBD the/DT dog/NN that/WDT barked/VBD") == ["the dog", "barked"]
    assert phrases("he/PRP caught/VBD the/DT dog/NN she/PRP lost/VBD") == ["caught", "lost"]


def test_adjectives_after_copular_verbs() -> None:
    assert phrases("the/DT sky/NN turned/VBD red/JJ") == ["the sky", "turned", "red"]
    assert phrases("the/DT sky/NN seemed/VBD red/JJ") == ["the sky", "seemed"]


def test_noun_before_a_relative_pronoun_is_the_subject() -> None:
    assert phrases("the/DT dog/NN that/WDT barked/VBD") == ["the dog", "barked"]


def test_noun_phrases_end_in_a_noun() -> None:
    assert noun_phrases(["DT", "JJ", "NN", "VBD", "DT", "JJ"]) == [(0, 3)]
    assert noun_phrases(["NN", "DT", "NN"]) == [(0, 1), (1, 3)]

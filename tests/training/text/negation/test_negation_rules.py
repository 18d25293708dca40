"""Every row of Table 8, in both directions."""

import re

import pytest

from openmeva.training.text.knowledge.english import English
from openmeva.training.text.negation.adding import RULES, addition_sites, negate
from openmeva.training.text.negation.removal import removal_sites, rewrite_without_negation

# rule, affirmative sentence, verb negated, negative sentence: (with "not"|with "n't") where both are possible
ADDITIONS = [
    ("be", "failure/NN was/VBD an/DT option/NN .", "was", "failure was (not|n't) an option ."),
    ("be", "they/PRP are/VBP happy/JJ .", "are", "they are (not|n't) happy ."),
    ("be", "i/PRP am/VBP happy/JJ .", "am", "i am not happy ."),
    ("be", "it/PRP 's/VBZ cold/JJ .", "'s", "it 's not cold ."),
    ("be", "he/PRP was/VBD quickly/RB eaten/VBN .", "was", "he was (not|n't) quickly eaten ."),
    ("modal", "i/PRP can/MD walk/VB well/RB .", "can", "i (can not|ca n't) walk well ."),
    ("modal", "i/PRP will/MD walk/VB .", "will", "i (will not|wo n't) walk ."),
    ("modal", "we/PRP shall/MD walk/VB .", "shall", "we (shall not|sha n't) walk ."),
    ("modal", "he/PRP would/MD have/VB gone/VBN .", "would", "he would (not|n't) have gone ."),
    ("modal", "he/PRP may/MD walk/VB .", "may", "he may not walk ."),
    ("modal", "i/PRP 'll/MD walk/VB .", "'ll", "i (will not|wo n't) walk ."),
    ("modal", "i/PRP 'd/MD walk/VB .", "'d", "i would (not|n't) walk ."),
    ("auxiliary", "he/PRP did/VBD really/RB walk/VB .", "did", "he did (not|n't) really walk ."),
    ("base", "i/PRP go/VBP home/NN .", "go", "i do (not|n't) go home ."),
    ("base", "go/VB home/NN !", "go", "do (not|n't) go home !"),
    ("base", "they/PRP have/VBP a/DT dog/NN .", "have", "they do (not|n't) have a dog ."),
    ("third_person", "he/PRP goes/VBZ home/NN .", "goes", "he does (not|n't) go home ."),
    ("third_person", "he/PRP has/VBZ a/DT dog/NN .", "has", "he does (not|n't) have a dog ."),
    ("past", "he/PRP went/VBD home/NN .", "went", "he did (not|n't) go home ."),
    ("past", "he/PRP really/RB liked/VBD it/PRP .", "liked", "he really did (not|n't) like it ."),
    ("past", "he/PRP did/VBD homework/NN .", "did", "he did (not|n't) do homework ."),
    ("past", "she/PRP laid/VBD it/PRP down/RP .", "laid", "she did (not|n't) lay it down ."),
    # a tagging error: "walked" is a past tense regardless of its tag
    ("base", "they/PRP walked/VBP home/NN .", "walked", "they did (not|n't) walk home ."),
    ("participle", "the/DT rate/NN had/VBD gone/VBN up/RP .", "gone", "the rate had (not|n't) gone up ."),
    ("participle", "it/PRP has/VBZ been/VBN cold/JJ .", "been", "it has (not|n't) been cold ."),
    ("participle", "he/PRP had/VBD already/RB gone/VBN .", "gone", "he had (not|n't) already gone ."),
    ("participle", "he/PRP 'd/MD been/VBN ill/JJ .", "been", "he 'd not been ill ."),
    ("participle", "i/PRP 've/VBP eaten/VBN it/PRP .", "eaten", "i 've not eaten it ."),
    ("participle", "he/PRP found/VBD a/DT cake/NN eaten/VBN .", "eaten", "he found a cake not eaten ."),
    (
        "gerund",
        "she/PRP ended/VBD up/RP going/VBG elsewhere/RB .",
        "going",
        "she ended up not going elsewhere .",
    ),
    ("gerund", "he/PRP liked/VBD being/VBG late/RB .", "being", "he liked not being late ."),
]


def choose_form(text, index):
    """The first or second form of each "(first|second)"."""
    return re.sub(r"\(([^|]*)\|([^)]*)\)", lambda match: match[index + 1], text)


def words_and_tags(story, sentence):
    parsed = story(sentence)
    return parsed.words[0], parsed.tags[0]


def rewritten_text(words, rewrite):
    return " ".join([*words[: rewrite.start], *(t.word for t in rewrite.tokens), *words[rewrite.end :]])


@pytest.mark.parametrize(("rule", "sentence", "verb", "negative"), ADDITIONS)
def test_addition(story, language, rule, sentence, verb, negative):
    words, tags = words_and_tags(story, sentence)
    at = words.index(verb)
    assert (at, rule) in addition_sites(words, tags)
    assert rewritten_text(words, negate(words, tags, at, rule, False, language)) == choose_form(negative, 0)
    assert rewritten_text(words, negate(words, tags, at, rule, True, language)) == choose_form(negative, 1)


def test_every_rule_has_a_golden_case():
    assert {case[0] for case in ADDITIONS} == set(RULES)


@pytest.mark.parametrize(
    ("sentence", "negative"),
    [
        ("he/PRP dug/VBZ a/DT hole/NN .", "he did not dig a hole ."),
        ("she/PRP shut/VBZ the/DT door/NN .", "she did not shut the door ."),
        ("she/PRP misses/VBZ him/PRP .", "she does not miss him ."),
        ("shut/VB the/DT door/NN .", "do not shut the door ."),
    ],
)
def test_past_tense_mistagged_as_present_stays_past(story, sentence, negative):
    words, tags = words_and_tags(story, sentence)
    ((at, rule),) = addition_sites(words, tags)
    assert rewritten_text(words, negate(words, tags, at, rule, False, English())) == negative


# questions: always "n't", since "not" cannot precede the subject
@pytest.mark.parametrize(
    ("sentence", "negative"),
    [
        ("was/VBD he/PRP happy/JJ ?", "was n't he happy ?"),
        ("can/MD he/PRP walk/VB ?", "ca n't he walk ?"),
        ("why/WRB did/VBD he/PRP walk/VB ?", "why did n't he walk ?"),
        ("\"/`` can/MD he/PRP walk/VB ?/. \"/'' she/PRP", '" ca n\'t he walk ? " she'),
    ],
)
def test_addition_in_questions(story, language, sentence, negative):
    words, tags = words_and_tags(story, sentence)
    ((at, rule),) = addition_sites(words, tags)
    assert rewritten_text(words, negate(words, tags, at, rule, False, language)) == negative


@pytest.mark.parametrize(
    "sentence",
    [
        "he/PRP was/VBD not/RB happy/JJ .",  # negated already
        "he/PRP did/VBD n't/RB go/VB .",
        "he/PRP had/VBD not/RB gone/VBN .",
        "he/PRP never/RB went/VBD .",
        "he/PRP had/VBD no/DT dog/NN .",
        "to/TO go/VB home/NN .",  # no rule in Table 8
        "may/MD i/PRP go/VB ?",  # no short form
        "am/VBP i/PRP happy/JJ ?",
        "a/DT going/VBG concern/NN .",
        "stopped/VBN laughing/VBG .",
        "she/PRP 'd/MD better/RBR run/VB .",  # "had better not run"
        "he/PRP had/VBD better/RBR go/VBP .",
    ],
)
def test_sentences_without_addition_site(story, sentence):
    words, tags = words_and_tags(story, sentence)
    assert addition_sites(words, tags) == []


def test_one_addition_site_per_verb_group(story):
    words, tags = words_and_tags(story, "he/PRP would/MD have/VB been/VBN going/VBG home/NN .")
    assert addition_sites(words, tags) == [(1, "modal")]
    words, tags = words_and_tags(story, "he/PRP was/VBD going/VBG and/CC had/VBD eaten/VBN .")
    assert addition_sites(words, tags) == [(1, "be"), (5, "participle")]


def test_no_imperative_in_sentence_with_finite_verb(story):
    words, tags = words_and_tags(story, "find/VB went/VBD home/NN .")
    assert addition_sites(words, tags) == [(1, "past")]


REMOVALS = [
    ("he/PRP did/VBD n't/RB go/VB home/NN .", "he went home ."),
    ("he/PRP did/VBD not/RB go/VB home/NN .", "he went home ."),
    ("he/PRP does/VBZ not/RB go/VB home/NN .", "he goes home ."),
    ("they/PRP do/VBP n't/RB go/VB home/NN .", "they go home ."),
    ("do/VB n't/RB be/VB late/JJ .", "be late ."),
    ("he/PRP did/VBD n't/RB really/RB like/VB it/PRP .", "he really liked it ."),
    ("he/PRP did/VBD n't/RB eat/VB or/CC drink/VB .", "he ate or drank ."),
    ("he/PRP did/VBD n't/RB do/VB it/PRP .", "he did it ."),
    ("she/PRP did/VBD n't/RB lay/VB it/PRP down/RP .", "she laid it down ."),
    ("he/PRP did/VBD n't/RB walked/VBD home/NN .", "he walked home ."),
    ("but/CC she/PRP did/VBD n't/RB .", "but she did ."),
    ("did/VBD n't/RB he/PRP go/VB ?", "did he go ?"),
    ("he/PRP was/VBD n't/RB happy/JJ .", "he was happy ."),
    ("he/PRP is/VBZ not/RB happy/JJ .", "he is happy ."),
    ("i/PRP ca/MD n't/RB walk/VB .", "i can walk ."),
    ("i/PRP wo/MD n't/RB walk/VB .", "i will walk ."),
    ("i/PRP sha/MD n't/RB walk/VB .", "i shall walk ."),
    ("i/PRP could/MD n't/RB walk/VB .", "i could walk ."),
    ("it/PRP had/VBD not/RB gone/VBN up/RP .", "it had gone up ."),
    ("she/PRP ended/VBD up/RP not/RB going/VBG .", "she ended up going ."),
    ("not/RB happy/JJ ,/, he/PRP went/VBD .", "happy , he went ."),
]


@pytest.mark.parametrize(("sentence", "affirmative"), REMOVALS)
def test_removal(story, language, sentence, affirmative):
    words, tags = words_and_tags(story, sentence)
    (at,) = removal_sites(words, tags)
    rewrite = rewrite_without_negation(words, tags, at, language)
    assert rewritten_text(words, rewrite) == affirmative
    assert any(token.touched for token in rewrite.tokens), "the edit marks a token"


@pytest.mark.parametrize(
    "sentence",
    [
        "it/PRP ai/VBP n't/RB bad/JJ .",
        "not/RB only/RB he/PRP went/VBD .",
        "i/PRP do/VBP know/VB why/WRB not/RB .",
        "good/JJ or/CC not/RB .",
        "n't/RB happy/JJ .",
        "he/PRP did/VBD n't/RB see/VB anyone/NN .",  # "saw anyone"
        "he/PRP did/VBD n't/RB score/VB at/IN all/DT .",
        "he/PRP did/VBD n't/RB stop/VB until/IN noon/NN .",
        "she/PRP could/MD n't/RB wait/VB to/TO go/VB .",
    ],
)
def test_sentences_without_removal_site(story, sentence):
    words, tags = words_and_tags(story, sentence)
    assert removal_sites(words, tags) == []


@pytest.mark.parametrize(
    ("rule", "sentence", "verb", "negative"),
    [case for case in ADDITIONS if case[0] in {"third_person", "past"}],
)
def test_removal_undoes_do_support(story, language, rule, sentence, verb, negative):
    words, tags = words_and_tags(story, sentence)
    at = words.index(verb)
    rewrite = negate(words, tags, at, rule, True, language)
    new_words = [*words[:at], *(t.word for t in rewrite.tokens), *words[at + 1 :]]
    new_tags = [*tags[:at], *(t.tag for t in rewrite.tokens), *tags[at + 1 :]]
    assert " ".join(new_words) == choose_form(negative, 1)
    (site,) = removal_sites(new_words, new_tags)
    assert rewritten_text(
        new_words, rewrite_without_negation(new_words, new_tags, site, language)
    ) == " ".join(words)

"""Substitution (section 3.2): keywords by antonyms or other keywords, or a sentence by one of another story."""

from openmeva.training.common.buffered_random import BufferedRandom
from openmeva.training.negatives.edited import EditedStory
from openmeva.training.negatives.material import NegativeMaterial
from openmeva.training.negatives.sentence import EditedSentence
from openmeva.training.text.articles import article_for
from openmeva.training.text.keywords import is_replaceable
from openmeva.training.text.rewrite import Rewrite, Token

LEXICAL = "lexical_substitution"
SENTENCE = "sentence_substitution"
TRIALS = 16  # attempts at a sentence that the story lacks; only a corpus of duplicates needs more


def substitute_keywords(
    story: EditedStory, rng: BufferedRandom, material: NegativeMaterial
) -> EditedStory | None:
    """Replace a share of the keywords, at least one, by antonyms, else by keywords of the same tag.

    Returns None if nothing can be replaced. Words that an earlier operation touched do not change.
    """
    language = material.language
    sentences = list(story.sentences)
    candidates = [
        (position, at)
        for position in range(material.keep, len(sentences))
        for at, (word, tag, mark) in enumerate(
            zip(
                sentences[position].words,
                sentences[position].tags,
                sentences[position].operations,
                strict=True,
            )
        )
        if not mark and is_replaceable(word, tag, language)
    ]
    wanted = max(1, round(material.keyword_share * len(candidates)))
    num_replaced = 0
    for position, at in rng.shuffled(candidates):
        sentence = sentences[position]
        replacement = replacement_of(sentence.words[at], sentence.tags[at], rng, material)
        if replacement is None:
            continue
        sentences[position] = sentence.apply_rewrite(replace_keyword(sentence, at, replacement), LEXICAL)
        num_replaced += 1
        if num_replaced == wanted:
            break
    return story.with_sentences(LEXICAL, tuple(sentences)) if num_replaced else None


def replace_keyword(sentence: EditedSentence, at: int, replacement: str) -> Rewrite:
    """The rewrite of the keyword at `at`, and of "a" or "an" before it where the first sound changes."""
    token = Token(replacement, sentence.tags[at], at)
    before = sentence.words[at - 1] if at else ""
    article = article_for(replacement)
    if before not in {"a", "an"} or before == article or sentence.operations[at - 1]:
        return Rewrite(at, at + 1, (token,))
    return Rewrite(at - 1, at + 1, (Token(article, sentence.tags[at - 1], at - 1), token))


def replacement_of(word: str, tag: str, rng: BufferedRandom, material: NegativeMaterial) -> str | None:
    """An antonym of `word`, else a keyword with the same tag, sampled by mention frequency, else None."""
    antonyms = [antonym for antonym in material.language.antonyms(word, tag) if antonym != word]
    return rng.choice(antonyms) if antonyms else material.keywords.sample(tag, word, rng)


def substitute_sentence(
    story: EditedStory, rng: BufferedRandom, material: NegativeMaterial
) -> EditedStory | None:
    """Replace an untouched sentence by one of another story of the corpus.

    The new sentence is not yet in the story (corpora contain duplicates of stories). Returns None if no sentence may
    be replaced or no such sentence was found.
    """
    sentences = story.sentences
    places = [at for at in range(material.keep, len(sentences)) if sentences[at].untouched]
    own = story.index is not None
    others = len(material.stories) - own
    if not places or others < 1:
        return None
    position = rng.choice(places)
    held = [list(sentence.words) for sentence in sentences]
    for _ in range(TRIALS):
        source_index = rng.below(others)
        if story.index is not None and source_index >= story.index:
            source_index += 1  # skip the story itself
        source = material.stories[source_index]
        at = rng.below(len(source))
        if list(source.words[at]) not in held:
            foreign = EditedSentence.foreign(source.words[at], source.tags[at], SENTENCE)
            return story.with_sentence(SENTENCE, position, foreign)
    return None

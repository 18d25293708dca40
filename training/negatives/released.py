"""The techniques of UNION's released code, which corrupts a story far more than the paper says.

This is a new implementation of that code's behaviour: see `training/PAPERS.md`. Later techniques may change the edits
of earlier ones. A story has n sentences. The first is the context (or a prompt in its place) and is kept. An operation
changes the sentences after it:

- repetition: 1 + n/2 of them are sampled, and the earliest overwrites the others; or n/2 times, a random n-gram is
  repeated;
- substitution: 1 to n - 1 of them, uniformly, are replaced by sentences of one other story; or one keyword to
  15 % of the keywords are replaced;
- reordering: 2 to n - 1 of them change places;
- negation: in 1 to n - 1 of them, uniformly, a negation is removed or inserted, regardless of grammar.
"""

from openmeva.training.common.buffered_random import BufferedRandom
from openmeva.training.negatives.edited import EditedStory
from openmeva.training.negatives.material import NegativeMaterial
from openmeva.training.negatives.negation import LEXICAL as NEGATION
from openmeva.training.negatives.reordering import SENTENCE as REORDERING
from openmeva.training.negatives.repetition import LEXICAL as NGRAM
from openmeva.training.negatives.repetition import SENTENCE as REPETITION
from openmeva.training.negatives.repetition import sentence_with_ngram_repeated
from openmeva.training.negatives.sentence import EditedSentence
from openmeva.training.negatives.substitution import LEXICAL as KEYWORDS
from openmeva.training.negatives.substitution import SENTENCE as SUBSTITUTION
from openmeva.training.negatives.substitution import replacement_of
from openmeva.training.text.keywords import is_replaceable
from openmeva.training.text.language import Language
from openmeva.training.text.negation.verbs import DO_TAGS, NEGATIONS
from openmeva.training.text.rewrite import Rewrite, Token
from openmeva.training.text.word_set import NEGATIVE_WORDS, word_set

TRIALS = 16  # attempts at an order that differs in its text
NEGATION_WORDS = NEGATIONS | NEGATIVE_WORDS
AUXILIARIES = frozenset(DO_TAGS) | word_set(
    "would will can could may might shall should am is are was were be been"
)
DO_OF_TAG = {"VB": "do", "VBP": "do", "VBD": "did", "VBZ": "does"}


def repeat_sentence(
    story: EditedStory, rng: BufferedRandom, material: NegativeMaterial
) -> EditedStory | None:
    """Samples 1 + n/2 sentences and overwrites them with the earliest one; None if they are already identical."""
    sentences = list(story.sentences)
    chosen = sample_positions(story, rng, material, 1 + _sentence_count(story, material) // 2)
    source = sentences[chosen[0]]
    others = [at for at in chosen[1:] if list(sentences[at].words) != list(source.words)]
    for at in others:
        sentences[at] = EditedSentence.foreign(source.words, source.tags, REPETITION)
    return story.with_sentences(REPETITION, tuple(sentences)) if others else None


def repeat_ngrams(story: EditedStory, rng: BufferedRandom, material: NegativeMaterial) -> EditedStory | None:
    """Repeats a random n-gram, n/2 times; None if no sentence has one."""
    sentences, found = list(story.sentences), False
    for _ in range(max(1, _sentence_count(story, material) // 2)):
        made = sentence_with_ngram_repeated(sentences, rng, material)
        if made is not None:
            sentences[made[0]], found = made[1], True
    return story.with_sentences(NGRAM, tuple(sentences)) if found else None


def substitute_sentences(
    story: EditedStory, rng: BufferedRandom, material: NegativeMaterial
) -> EditedStory | None:
    """Replaces 1 to n - 1 sentences with those of one other story; None if the corpus has no other story."""
    others = len(material.stories) - (story.index is not None)
    if others < 1:
        return None
    chosen = sample_positions(story, rng, material)
    source_index = rng.below(others)
    if story.index is not None and source_index >= story.index:
        source_index += 1  # skip the story itself
    source = material.stories[source_index]
    sentences = list(story.sentences)
    for at in chosen:
        taken = rng.below(len(source))
        sentences[at] = EditedSentence.foreign(source.words[taken], source.tags[taken], SUBSTITUTION)
    return story.with_sentences(SUBSTITUTION, tuple(sentences))


def substitute_keywords(
    story: EditedStory, rng: BufferedRandom, material: NegativeMaterial
) -> EditedStory | None:
    """Replaces one keyword to 15 % of them, uniformly, by an antonym, else one with the same tag; None if none."""
    sentences = list(story.sentences)
    keywords = [
        (position, at)
        for position in range(material.keep, len(sentences))
        for at, (word, tag) in enumerate(
            zip(sentences[position].words, sentences[position].tags, strict=True)
        )
        if is_replaceable(word, tag, material.language)
    ]
    wanted = 1 + rng.below(max(1, int(material.keyword_share * len(keywords))))
    num_replaced = 0
    for position, at in rng.shuffled(keywords):
        sentence = sentences[position]
        replacement = replacement_of(sentence.words[at], sentence.tags[at], rng, material)
        if replacement is not None and num_replaced < wanted:
            rewrite = Rewrite(at, at + 1, (Token(replacement, sentence.tags[at], at),))
            sentences[position] = sentence.apply_rewrite(rewrite, KEYWORDS)
            num_replaced += 1
    return story.with_sentences(KEYWORDS, tuple(sentences)) if num_replaced else None


def permute_sentences(
    story: EditedStory, rng: BufferedRandom, material: NegativeMaterial
) -> EditedStory | None:
    """Permutes 2 to n - 1 sentences; None if no order with a different text was found."""
    rest = len(story.sentences) - material.keep
    if rest < 2:
        return None
    count = 2 + rng.below(rest - 1)
    for _ in range(TRIALS):
        chosen = sample_positions(story, rng, material, count)
        sentences = list(story.sentences)
        changed = False
        for at, source in zip(chosen, rng.shuffled(chosen), strict=True):
            differs = list(story.sentences[source].words) != list(story.sentences[at].words)
            # an equal sentence is put there, too: each one's origin stays that of its own words
            sentences[at] = (
                story.sentences[source]._replace(moved=True) if differs else story.sentences[source]
            )
            changed |= differs
        if changed:
            return story.with_sentences(REORDERING, tuple(sentences))
    return None


def alter_negations(
    story: EditedStory, rng: BufferedRandom, material: NegativeMaterial
) -> EditedStory | None:
    """Alters the negation of 1 to n - 1 sentences; None if no sampled sentence has a verb or a negation."""
    sentences, found = list(story.sentences), False
    for at in sample_positions(story, rng, material):
        rewrite = toggle_negation(sentences[at], rng.chance(material.contraction), material.language)
        if rewrite is not None:
            sentences[at], found = sentences[at].apply_rewrite(rewrite, NEGATION), True
    return story.with_sentences(NEGATION, tuple(sentences)) if found else None


def toggle_negation(sentence: EditedSentence, contracted: bool, language: Language) -> Rewrite | None:
    """Removes the first negation word; without one, inserts "not" or "n't" after the first auxiliary, or before a verb.

    The verb keeps its form when a negation is removed. `contracted` decides for "n't", regardless of the word before.
    None if the sentence has no negation (in addition to another word), no auxiliary and no verb.
    """
    words, tags = sentence.words, sentence.tags
    negation = Token("n't" if contracted else "not", "RB")
    for at, word in enumerate(words):
        if word in NEGATION_WORDS and len(words) > 1:
            near = at - 1 if at else 1  # the neighbouring word, which records the operation
            return Rewrite(min(at, near), max(at, near) + 1, (Token(words[near], tags[near], near),))
    for at, word in enumerate(words):
        if word in AUXILIARIES:
            return Rewrite(at + 1, at + 1, (negation,))
    for at, (word, tag) in enumerate(zip(words, tags, strict=True)):
        if tag in DO_OF_TAG:
            verb = Token(language.lemma(word, tag), "VB", at)
            return Rewrite(at, at + 1, (Token(DO_OF_TAG[tag], tag), negation, verb))
        if tag in {"VBG", "VBN"}:
            return Rewrite(at, at, (negation,))
    return None


def sample_positions(
    story: EditedStory, rng: BufferedRandom, material: NegativeMaterial, count: int | None = None
) -> list[int]:
    """Sorted indices of `count` random sentences after the kept ones; default: a uniformly random number."""
    places = range(material.keep, len(story.sentences))
    if count is None:
        count = 1 + rng.below(len(places))
    return sorted(rng.shuffled(places)[:count])


def _sentence_count(story: EditedStory, material: NegativeMaterial) -> int:
    """n: the number of sentences that may change, plus one for the first."""
    return len(story.sentences) - material.keep + 1

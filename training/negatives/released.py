"""The techniques as UNION's released code carries them out, which damages a story far more than the paper says.

Facts of that code, carried out anew: see `training/PAPERS.md`. Later techniques may change what earlier ones made.
With n sentences, the first of them kept (the context; a prompt stands in its place), an operation works on those after it:

- repetition: 1 + n/2 of them are overwritten by the earliest of these; or n/2 times an n-gram is said twice;
- substitution: 1 to n - 1 of them, uniformly, become sentences of one other story; or 1 to 15 % of the keywords change;
- reordering: 2 to n - 1 of them change places;
- negation: in 1 to n - 1 of them, uniformly, a negation is struck out or put in, without regard to grammar.
"""

from openmeva.training.common.draws import Draws
from openmeva.training.negatives.edited import EditedStory
from openmeva.training.negatives.material import NegativeMaterial
from openmeva.training.negatives.negation import LEXICAL as NEGATION
from openmeva.training.negatives.reordering import SENTENCE as REORDERING
from openmeva.training.negatives.repetition import LEXICAL as NGRAM
from openmeva.training.negatives.repetition import SENTENCE as REPETITION
from openmeva.training.negatives.repetition import repeat_ngram
from openmeva.training.negatives.sentence import EditedSentence
from openmeva.training.negatives.substitution import LEXICAL as KEYWORDS
from openmeva.training.negatives.substitution import SENTENCE as SUBSTITUTION
from openmeva.training.negatives.substitution import replacement_of
from openmeva.training.text.keywords import is_replaceable
from openmeva.training.text.language import Language
from openmeva.training.text.negation.verbs import DO_TAGS, NEGATIONS
from openmeva.training.text.rewrite import Rewrite, Token
from openmeva.training.text.word_set import NEGATIVE_WORDS, word_set

TRIALS = 16  # draws of another order or another story that may turn out to read the same
NEGATION_WORDS = NEGATIONS | NEGATIVE_WORDS
AUXILIARIES = frozenset(DO_TAGS) | word_set(
    "would will can could may might shall should am is are was were be been"
)
DO_OF_TAG = {"VB": "do", "VBP": "do", "VBD": "did", "VBZ": "does"}


def repeat_sentence(story: EditedStory, draws: Draws, material: NegativeMaterial) -> EditedStory | None:
    """Overwrites 1 + n/2 sentences by the earliest of them; None where they read alike already."""
    sentences = list(story.sentences)
    chosen = some_places(story, draws, material, 1 + _all(story, material) // 2)
    source = sentences[chosen[0]]
    others = [at for at in chosen[1:] if list(sentences[at].words) != list(source.words)]
    for at in others:
        sentences[at] = EditedSentence.foreign(source.words, source.tags, REPETITION)
    return story.with_sentences(REPETITION, tuple(sentences)) if others else None


def repeat_ngrams(story: EditedStory, draws: Draws, material: NegativeMaterial) -> EditedStory | None:
    """Says an n-gram twice, n/2 times over; None where no sentence has one."""
    edited = story
    for _ in range(max(1, _all(story, material) // 2)):
        edited = repeat_ngram(edited, draws, material) or edited
    return None if edited is story else _applied_once(story, edited, NGRAM)


def substitute_sentences(story: EditedStory, draws: Draws, material: NegativeMaterial) -> EditedStory | None:
    """Puts sentences of one other story in place of 1 to n - 1; None where the corpus has no other story."""
    others = len(material.stories) - (story.index is not None)
    if others < 1:
        return None
    chosen = some_places(story, draws, material)
    other = draws.below(others)
    if story.index is not None and other >= story.index:
        other += 1  # step over the story itself
    source = material.stories[other]
    sentences = list(story.sentences)
    for at in chosen:
        taken = draws.below(len(source))
        sentences[at] = EditedSentence.foreign(source.words[taken], source.tags[taken], SUBSTITUTION)
    return story.with_sentences(SUBSTITUTION, tuple(sentences))


def substitute_keywords(story: EditedStory, draws: Draws, material: NegativeMaterial) -> EditedStory | None:
    """Exchanges 1 to 15 % of the keywords, uniformly, by an antonym, else by a keyword of the same tag; None: no keyword."""
    sentences = list(story.sentences)
    keywords = [
        (position, at)
        for position in range(material.keep, len(sentences))
        for at, (word, tag) in enumerate(
            zip(sentences[position].words, sentences[position].tags, strict=True)
        )
        if is_replaceable(word, tag, material.language)
    ]
    wanted = 1 + draws.below(max(1, int(material.keyword_share * len(keywords))))
    done = 0
    for position, at in draws.shuffled(keywords):
        sentence = sentences[position]
        replacement = replacement_of(sentence.words[at], sentence.tags[at], draws, material)
        if replacement is not None and done < wanted:
            rewrite = Rewrite(at, at + 1, (Token(replacement, sentence.tags[at], at),))
            sentences[position] = sentence.rewritten(rewrite, KEYWORDS)
            done += 1
    return story.with_sentences(KEYWORDS, tuple(sentences)) if done else None


def permute_sentences(story: EditedStory, draws: Draws, material: NegativeMaterial) -> EditedStory | None:
    """Exchanges the places of 2 to n - 1 sentences; None where no order was found that reads differently."""
    rest = len(story.sentences) - material.keep
    if rest < 2:
        return None
    count = 2 + draws.below(rest - 1)
    for _ in range(TRIALS):
        chosen = some_places(story, draws, material, count)
        sentences = list(story.sentences)
        for at, source in zip(chosen, draws.shuffled(chosen), strict=True):
            if list(story.sentences[source].words) != list(story.sentences[at].words):
                sentences[at] = story.sentences[source]._replace(moved=True)
        if any(new is not old for new, old in zip(sentences, story.sentences, strict=True)):
            return story.with_sentences(REORDERING, tuple(sentences))
    return None


def alter_negations(story: EditedStory, draws: Draws, material: NegativeMaterial) -> EditedStory | None:
    """Alters the negation of 1 to n - 1 sentences; None where none of those drawn has a verb or a negation."""
    edited = story
    for at in some_places(story, draws, material):
        sentence = edited.sentences[at]
        rewrite = altered(sentence, draws.chance(material.contraction), material.language)
        if rewrite is not None:
            edited = edited.changed(NEGATION, at, sentence.rewritten(rewrite, NEGATION))
    return None if edited is story else _applied_once(story, edited, NEGATION)


def altered(sentence: EditedSentence, contracted: bool, language: Language) -> Rewrite | None:
    """The first negation word struck out; without one, "not" or "n't" after the first auxiliary, or before a verb.

    The verb keeps its form where a negation goes, and "n't" stands where chance puts it. None where the sentence has
    neither a negation (beside another word) nor an auxiliary nor a verb.
    """
    words, tags = sentence.words, sentence.tags
    negation = Token("n't" if contracted else "not", "RB")
    for at, word in enumerate(words):
        if word in NEGATION_WORDS and len(words) > 1:
            near = at - 1 if at else 1  # the word that carries the mark
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


def some_places(
    story: EditedStory, draws: Draws, material: NegativeMaterial, count: int | None = None
) -> list[int]:
    """Places of `count` sentences after the kept ones, in order; of a uniform number of them unless told."""
    places = range(material.keep, len(story.sentences))
    if count is None:
        count = 1 + draws.below(len(places))
    return sorted(draws.shuffled(places)[:count])


def _all(story: EditedStory, material: NegativeMaterial) -> int:
    """n: the sentences that may change, and the first."""
    return len(story.sentences) - material.keep + 1


def _applied_once(before: EditedStory, after: EditedStory, operation: str) -> EditedStory:
    """A story to which one operation was applied several times, named once."""
    return before.with_sentences(operation, after.sentences)

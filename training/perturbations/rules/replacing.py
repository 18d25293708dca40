"""Which words can be replaced, and the replacement of one, with the article before it."""

from openmeva.training.text.articles import article_for
from openmeva.training.text.edits import Edit
from openmeva.training.text.knowledge.lexicon import is_keyword
from openmeva.training.text.sentence import Sentence
from openmeva.training.text.story import Story


def keyword_places(story: Story, keep: int) -> list[tuple[Sentence, int]]:
    """The sentence and position of each keyword from sentence `keep` on, without names."""
    return [
        (sentence, at)
        for sentence in story.sentences[keep:]
        for at, (word, tag) in enumerate(zip(sentence.lowered, sentence.tags, strict=True))
        if is_keyword(word, tag) and not story.is_name(sentence.words[at])
    ]


def replace_word(sentence: Sentence, at: int, word: str, end: int | None = None) -> list[Edit]:
    """The edits that replace the token at `at` (to `end`) by `word`, and correct "a" or "an" before it."""
    edits = [sentence.replacement_edit(at, word, end)]
    if at and sentence.lowered[at - 1] in {"a", "an"}:
        article = article_for(word)
        if article != sentence.lowered[at - 1]:
            edits.append(sentence.replacement_edit(at - 1, article))
    return edits

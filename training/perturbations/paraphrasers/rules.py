"""Paraphrases by rule: other words, other forms, another order."""

from collections.abc import Iterable
from functools import cached_property

from openmeva.training.common.draws import Draws
from openmeva.training.perturbations.paraphrasers.structure import moved_clause, passive
from openmeva.training.perturbations.paraphrasers.words import phrase_table
from openmeva.training.perturbations.rules.contractions import contractions, expansions
from openmeva.training.perturbations.rules.phrase_table import PhraseTable
from openmeva.training.perturbations.rules.replacing import replace_word
from openmeva.training.perturbations.rules.synonyms import fitting_synonyms
from openmeva.training.text.edits import Edit, apply_edits
from openmeva.training.text.knowledge.lexicon import is_keyword
from openmeva.training.text.sentence import Sentence
from openmeva.training.text.story import Story

# Say that the sentence is so, and nothing more.
_OPENERS = (("in", "fact", ","), ("as", "it", "happened", ","), ("as", "it", "turned", "out", ","))


def _with_opener(sentence: Sentence, draws: Draws) -> str | None:
    """The sentence with an opener before its subject; None for one that has an opener, or quotes, or asks."""
    if sentence.tags[0] not in {"PRP", "NNP", "DT", "PRP$"} or {'"', "?"} & set(sentence.words):
        return None
    opener = sentence.joined(list(draws.choice(_OPENERS)))
    return sentence.opening(opener) + " " + sentence.inner(0, len(sentence))


class RuleParaphraser:
    """Rewrites a sentence by a table of everyday words, WordNet's close synonyms, contraction and clause order.

    Needs WordNet; no model and no network.

    >>> sentence = Story("He hired an attorney.").sentences[0]
    >>> import numpy as np
    >>> RuleParaphraser().paraphrases(sentence, Draws(np.random.default_rng(0)))[0]
    'A lawyer was employed by him.'
    """

    name = "rules"

    @cached_property
    def _table(self) -> PhraseTable:
        return phrase_table()

    def paraphrases(self, sentence: Sentence, draws: Draws) -> list[str]:
        """Up to six wordings, those with most changes first."""
        worded = self._reworded(sentence, draws)
        found: list[str] = []
        for text in (worded, None):
            parsed = Story(text).sentences if text else [sentence]
            if len(parsed) > 1:
                continue  # a mark of the new wording split it
            found += [other for other in (passive(parsed[0]), moved_clause(parsed[0])) if other]
            if text:
                found.append(text)
                opened = _with_opener(parsed[0], draws)
                found += [opened] if opened else []
        return [text for text in dict.fromkeys(found) if text != sentence.text]

    def _reworded(self, sentence: Sentence, draws: Draws) -> str | None:
        """The sentence with every word changed that can be; None where none can."""
        taken: set[int] = set()
        edits: list[Edit] = []
        for site in self._table.sites(sentence):
            new = site.edits()
            if _apart(new, edits):  # an article before the words may be another edit's
                edits += new
                taken.update(range(max(0, site.start - 1), site.end))
        for at, (word, tag) in enumerate(zip(sentence.lowered, sentence.tags, strict=True)):
            if at in taken or not is_keyword(word, tag) or sentence.story.is_name(sentence.words[at]):
                continue
            close = fitting_synonyms(sentence, at)
            if close:
                new = replace_word(sentence, at, draws.choice(close))
                if _apart(new, edits):
                    edits += new
                    taken.update((max(0, at - 1), at))
        free = list(edits)
        edits += [e for e in contractions(sentence) or expansions(sentence) if _apart([e], free)]
        if not edits:
            return None
        shifted = [Edit(e.start - sentence.start, e.end - sentence.start, e.text) for e in set(edits)]
        return apply_edits(sentence.text, shifted)[0]


def _apart(new: Iterable[Edit], known: Iterable[Edit]) -> bool:
    """Whether none of the edits touches one of the others."""
    return all(edit.end < one.start or edit.start > one.end for edit in new for one in known)

"""Rule-based paraphrases: other words, forms and clause orders, and longer wordings."""

from collections.abc import Iterable, Set
from functools import cached_property

from openmeva.training.common.buffered_random import BufferedRandom
from openmeva.training.perturbations.paraphrasers.alternatives import ALTERNATIVES
from openmeva.training.perturbations.paraphrasers.framings import AFTER_EVENT, add_framing
from openmeva.training.perturbations.paraphrasers.structure import move_clause, to_passive
from openmeva.training.perturbations.paraphrasers.words import phrase_table
from openmeva.training.perturbations.rules.contractions import contractions, expansions
from openmeva.training.perturbations.rules.events import reports_event
from openmeva.training.perturbations.rules.phrase_table import PhraseTable
from openmeva.training.perturbations.rules.replacing import replace_word
from openmeva.training.perturbations.rules.synonyms import fitting_synonyms
from openmeva.training.text.edits import Edit, apply_edits
from openmeva.training.text.knowledge.lexicon import is_keyword
from openmeva.training.text.sentence import Sentence
from openmeva.training.text.story import Story

_ATTEMPTS = 8  # to frame a wording, each with new random choices
_FRAMES = 2  # maximum number of framings of a wording


class RuleParaphraser:
    """Rewrites a sentence by a table of everyday words, WordNet's close synonyms, contraction, clause order and framings.

    A framing is a phrase that lengthens a sentence without changing its meaning ("managed to"). Framings are sampled with
    weights, so that none is in many paraphrases. Needs WordNet, but no model and no network.

    >>> sentence = Story("The chef hired an attorney.").sentences[0]
    >>> import numpy as np
    >>> RuleParaphraser().paraphrases(sentence, BufferedRandom(np.random.default_rng(0)))[:3]
    ['An attorney was hired by the chef.', 'The chef employed a lawyer.', 'A lawyer was employed by the chef.']
    """

    name = "rules"

    @cached_property
    def _table(self) -> PhraseTable:
        return phrase_table()

    def paraphrases(self, sentence: Sentence, rng: BufferedRandom) -> list[str]:
        """Paraphrases of a sentence: without framings, then with one and with two; empty for one in capitals."""
        if sentence.in_capitals:
            return []
        worded = self._reworded(sentence, rng)
        parsed = [
            parsed_text
            for text in (worded, sentence.text)
            if text and (parsed_text := _parse_single_sentence(text))
        ]
        plain = [
            paraphrase
            for parsed_sentence in parsed
            for paraphrase in (to_passive(parsed_sentence), move_clause(parsed_sentence))
            if paraphrase
        ]
        if worded and len(parsed) == 2:
            plain.append(worded)
        plain = rng.shuffled(plain)
        closed = frozenset() if _follows_event(sentence) else AFTER_EVENT
        more: list[list[str]] = [[] for _ in range(_FRAMES)]
        for text in plain if plain else [sentence.text]:
            for _ in range(_ATTEMPTS):
                for index, paraphrase in enumerate(_successive_framings(text, rng, closed)):
                    more[index].append(paraphrase)
        wordings = [*plain, *(text for texts in more for text in texts)]
        return [text for text in dict.fromkeys(wordings) if text != sentence.text]

    def _reworded(self, sentence: Sentence, rng: BufferedRandom) -> str | None:
        """The sentence with every replaceable word changed; None where there is none."""
        taken: set[int] = set()
        edits: list[Edit] = []
        for site in self._table.sites(sentence):
            new = site._replace(new=rng.choice((site.new, *ALTERNATIVES.get(site.new, ())))).edits()
            if _are_disjoint(new, edits):  # an article before the words may belong to another edit
                edits += new
                taken.update(range(max(0, site.start - 1), site.end))
        for at, (word, tag) in enumerate(zip(sentence.lowered, sentence.tags, strict=True)):
            if at in taken or not is_keyword(word, tag) or sentence.story.is_name(sentence.words[at]):
                continue
            close = fitting_synonyms(sentence, at)
            if close:
                new = replace_word(sentence, at, rng.choice(close))
                if _are_disjoint(new, edits):
                    edits += new
                    taken.update((max(0, at - 1), at))
        free = list(edits)
        edits += [e for e in contractions(sentence) or expansions(sentence) if _are_disjoint([e], free)]
        if not edits:
            return None
        shifted = [Edit(e.start - sentence.start, e.end - sentence.start, e.text) for e in set(edits)]
        return apply_edits(sentence.text, shifted)[0]


def _parse_single_sentence(text: str) -> Sentence | None:
    """A text as a sentence; None if punctuation of a new wording splits it."""
    parsed = Story(text).sentences
    return parsed[0] if len(parsed) == 1 else None


def _follows_event(sentence: Sentence) -> bool:
    """Whether the sentence before reports an event."""
    before = sentence.story.sentences[max(0, sentence.index - 1) : sentence.index]
    return any(reports_event(earlier, 0, len(earlier)) for earlier in before)


def _successive_framings(text: str, rng: BufferedRandom, closed: Set[str]) -> list[str]:
    """A sentence with one framing, the same with a second one in another place, and so on; none in a `closed` place."""
    results: list[str] = []
    places = {*closed}
    while len(results) < _FRAMES and (sentence := _parse_single_sentence(text)):
        framed = add_framing(sentence, rng, places)
        if framed is None:
            break
        text, index, _ = framed
        places.add(index)
        results.append(text)
    return results


def _are_disjoint(new: Iterable[Edit], others: Iterable[Edit]) -> bool:
    """Whether no new edit touches a known one."""
    return all(edit.end < other.start or edit.start > other.end for edit in new for other in others)

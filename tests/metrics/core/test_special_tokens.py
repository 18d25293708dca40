"""The tokens at the start and end of a text, and for padding."""

from tokenizers import Tokenizer
from tokenizers.models import WordLevel

from openmeva.metrics.core.runtime import SpecialTokens


def test_mpnets_special_tokens_are_those_that_it_was_trained_with() -> None:
    """Its vocabulary also has BERT's, whose embeddings were not trained."""
    bert, bart = ("[CLS]", "[SEP]", "[PAD]"), ("<s>", "</s>", "<pad>")
    for names, expected in (((*bart, *bert), (0, 1, 2)), (bert, (0, 1, 2)), ((*bert, *bart), (3, 4, 5))):
        tokenizer = Tokenizer(WordLevel({name: number for number, name in enumerate(names)}))
        found = SpecialTokens.from_tokenizer(tokenizer)
        assert (found.start, found.end, found.padding) == expected

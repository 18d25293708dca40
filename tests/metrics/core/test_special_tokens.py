"""The start, end and padding tokens."""

from tokenizers import Tokenizer
from tokenizers.models import WordLevel

from openmeva.metrics.core.runtime import SpecialTokens


def test_special_tokens_of_mpnet_are_those_it_was_trained_with() -> None:
    """Its vocabulary also contains BERT's special tokens, whose embeddings were not trained."""
    bert, bart = ("[CLS]", "[SEP]", "[PAD]"), ("<s>", "</s>", "<pad>")
    for names, expected in (((*bart, *bert), (0, 1, 2)), (bert, (0, 1, 2)), ((*bert, *bart), (3, 4, 5))):
        tokenizer = Tokenizer(WordLevel({name: number for number, name in enumerate(names)}))
        result = SpecialTokens.from_tokenizer(tokenizer)
        assert (result.start, result.end, result.padding) == expected

"""SENTAVG's model: an LSTM over the word vectors of each sentence, the mean over sentences, and a hidden layer."""

import torch
from torch import Tensor


class SentAvg(torch.nn.Module):
    """Logits of stories, higher for human-written ones (Lai and Tetreault 2018, section 4).

    Args:
        vocabulary: number of word vectors.
        width: of the word vectors, which are frozen.
        hidden: width of the LSTM and of the hidden layer.
    """

    _keep_in_fp32_modules_strict = ("hidden", "out")  # see `PrecisionCache`

    def __init__(self, vocabulary: int, width: int, hidden: int) -> None:
        super().__init__()
        self.words = torch.nn.Embedding(vocabulary, width)
        self.words.weight.requires_grad = False
        self.lstm = torch.nn.LSTM(width, hidden, batch_first=True)
        self.hidden = torch.nn.Linear(hidden, hidden)
        self.out = torch.nn.Linear(hidden, 1)

    def encode(self, ids: Tensor, mask: Tensor) -> Tensor:
        """Sentence vectors (sentences, hidden): the LSTM's state at the last token of each row.

        Args:
            ids: token ids (sentences, tokens).
            mask: 1 at tokens, padding on the right.
        """
        states, _ = self.lstm(self.words(ids))
        return states[torch.arange(len(ids), device=ids.device), mask.sum(1) - 1]

    def score(self, sentences: Tensor, story: Tensor, stories: int) -> Tensor:
        """Logits (stories,) of sentence vectors (sentences, hidden).

        Args:
            sentences: vectors of the sentences of all stories.
            story: the story (0 … stories-1) that each sentence belongs to.
            stories: number of stories; each has at least one sentence.
        """
        summed = sentences.float()  # in half precision, later terms of a long sum would be rounded away
        total = summed.new_zeros(stories, summed.shape[1]).index_add(0, story, summed)
        count = summed.new_zeros(stories).index_add(0, story, summed.new_ones(len(story)))
        mean = (total / count[:, None]).to(self.hidden.weight.dtype)
        return self.out(torch.tanh(self.hidden(mean))).squeeze(-1).float()


def word_vectors(table: Tensor) -> Tensor:
    """An encoder's word embeddings, scaled to a standard deviation of 1 as input of the LSTM."""
    table = table.float()
    return table / table.std()

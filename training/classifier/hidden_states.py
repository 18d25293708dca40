"""Distillation of a teacher's hidden states, word by word (Sun et al. 2019; Jiao et al. 2020).

Teacher and student may split words into different tokens, so states are compared by word: the mean over its tokens.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as F

RIDGE = 1e-2  # ridge penalty, as a share of the mean variance of the student's states


def word_states(hidden: Tensor, words: Tensor, count: int) -> Tensor:
    """States (n, count, width): the first token's, then the mean over each word's tokens; zeros for missing words.

    Args:
        hidden: (n, tokens, width).
        words: (n, tokens), for each token: 0 for the first, the word's number from 1 on, or -1 for none.
        count: 1 + the maximum number of words.
    """
    membership = F.one_hot(words.clamp(0, count - 1), count).to(hidden.dtype)
    membership = membership * ((words >= 0) & (words < count)).unsqueeze(-1)
    return membership.transpose(1, 2) @ hidden / membership.sum(1).clamp_min(1).unsqueeze(-1)


class StateProjection(torch.nn.Module):
    """A linear map from the student's states to the teacher's standardised states; the first token has its own map.

    Args:
        width: of the student's states.
        teacher_width: of the teacher's.
    """

    mean: Tensor
    deviation: Tensor

    def __init__(self, width: int, teacher_width: int) -> None:
        super().__init__()
        self.first = torch.nn.Linear(width, teacher_width)
        self.words = torch.nn.Linear(width, teacher_width)
        self.register_buffer("mean", torch.zeros(2, teacher_width))
        self.register_buffer("deviation", torch.ones(2, teacher_width))

    def forward(self, states: Tensor) -> Tensor:
        """Projects the student's states (n, words, width) to standardised teacher states (n, words, teacher_width)."""
        return torch.cat([self.first(states[:, :1]), self.words(states[:, 1:])], 1)

    def standardised(self, states: Tensor) -> Tensor:
        """Standardises the teacher's states (n, words, teacher_width) by the fitted mean and standard deviation."""
        first, words = states[:, :1] - self.mean[0], states[:, 1:] - self.mean[1]
        return torch.cat([first / self.deviation[0], words / self.deviation[1]], 1)

    @torch.no_grad()
    def fit(self, student: Sequence[Tensor], teacher: Sequence[Tensor]) -> None:
        """Fits both maps by ridge regression.

        Args:
            student: the student's states (1 + words, width) of each story.
            teacher: the teacher's states (1 + words, teacher_width) of each story.
        """
        for index, (positions, linear) in enumerate(
            ((slice(0, 1), self.first), (slice(1, None), self.words))
        ):
            x, y = (
                torch.cat([story[positions] for story in stories]).double() for stories in (student, teacher)
            )
            self.mean[index], self.deviation[index] = y.mean(0), y.std(0).clamp_min(1e-4)
            centre, y = x.mean(0), (y - y.mean(0)) / y.std(0).clamp_min(1e-4)
            gram = (x - centre).T @ (x - centre)
            gram += torch.eye(len(gram)).double() * RIDGE * gram.diagonal().mean()
            weight = torch.linalg.solve(gram, (x - centre).T @ y)
            linear.weight.copy_(weight.T)
            linear.bias.copy_(-(centre @ weight))


def fitting_batches(
    dataset: Any, count: int, size: int, collate: Callable[[list[Any]], dict[str, Tensor]]
) -> Iterator[dict[str, Tensor]]:
    """At least `count` items of a dataset's first pass (all if there are fewer), evenly spaced, in batches of `size`."""
    indices = range(0, dataset.epoch_length, max(1, dataset.epoch_length // count))
    for start in range(0, len(indices), size):
        yield collate([dataset[index] for index in indices[start : start + size]])


@torch.no_grad()
def fit_projection(model: Any, batches: Iterable[dict[str, Tensor]]) -> StateProjection:
    """The projection of an untrained model, fitted on some batches of `GroupCollator` with a teacher's states.

    Raises:
        ValueError: no batch has a teacher's states.
    """
    model.eval()
    student: list[Tensor] = []
    teacher: list[Tensor] = []
    for batch in batches:
        if "teacher_states" in batch:
            ids, mask = batch["input_ids"].to(model.device), batch["attention_mask"].to(model.device)
            target, known = batch["teacher_states"], batch["states_known"]
            states = word_states(model.encode(ids, mask).float().cpu(), batch["words"], target.shape[1])
            for row in known.any(1).nonzero().flatten().tolist():
                student.append(states[row, known[row]])
                teacher.append(target[row, known[row]])
    if not student:
        raise ValueError("expected stories with a teacher's states, got none")
    projection = StateProjection(student[0].shape[-1], teacher[0].shape[-1])
    projection.fit(student, teacher)
    return projection.to(model.device)

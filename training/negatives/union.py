"""UNION's negative samples (Guan and Huang, EMNLP 2020, section 3.2)."""

import gc
from collections.abc import Iterator, Sequence

import numpy as np

from openmeva.training.common.buffered_random import BufferedRandom
from openmeva.training.negatives.edited import EditedStory
from openmeva.training.negatives.material import NegativeMaterial
from openmeva.training.negatives.registry import RECIPES, TECHNIQUE_OPERATIONS
from openmeva.training.negatives.sampling import UnionSampling
from openmeva.training.processes import map_in_processes
from openmeva.training.text.keywords import KeywordTable
from openmeva.training.text.language import Language
from openmeva.training.text.tagged_story import TaggedStory

TRIALS = 8  # attempts if the edits of a story cancel out; never needed in practice
CHUNK = 200  # stories per job of a process


class UnionSampler:
    """Makes negative samples of the stories of a corpus.

    A sample gets 1 to 4 techniques, sampled without replacement and applied in sequence. With the paper's recipe none
    undoes another: sentence-level operations come first, and no operation changes what an earlier one touched. With
    the released recipe they are applied in the order sampled, and a later one may change an earlier one's edits. A
    technique that does not apply to a story is replaced by another sampled one.

    The sample of a story depends only on the seed, the epoch and the story's index, not on the order or the number
    of processes.

    Args:
        stories: The tagged corpus, the source of substitute sentences and keywords.
        language: Lexicon and inflection.
        sampling: The distributions; default: the paper's.
        seed: Any non-negative integer.
        keywords: The corpus' keyword table; default: counted from `stories`.

    Raises:
        ValueError: No stories, or a negative seed.
    """

    def __init__(
        self,
        stories: Sequence[TaggedStory],
        language: Language,
        sampling: UnionSampling | None = None,
        seed: int = 0,
        keywords: KeywordTable | None = None,
    ) -> None:
        if not stories:
            raise ValueError("expected at least one story, got none")
        if seed < 0:
            raise ValueError(f"expected a seed of 0 or more, got {seed}")
        self.stories = stories
        self.sampling = sampling or UnionSampling()
        self.recipe = RECIPES[self.sampling.recipe]
        self.seed = seed
        self.material = NegativeMaterial(
            language=language,
            keywords=keywords or KeywordTable.count(stories, language),
            stories=stories,
            keep=self.sampling.keep,
            keyword_share=self.sampling.keyword_share,
            ngram_max=self.sampling.ngram_max,
            contraction=self.sampling.contraction,
        )

    def sample(self, index: int, epoch: int = 0) -> EditedStory | None:
        """The negative sample of story `index` in `epoch`; None if no technique applies to it.

        The words of a sample always differ from the story's.

        Raises:
            ValueError: `index` is out of range.
        """
        if not 0 <= index < len(self.stories):
            raise ValueError(f"expected an index in 0 .. {len(self.stories) - 1}, got {index}")
        rng = BufferedRandom(np.random.default_rng((self.seed, epoch, index)))
        return self.edit(EditedStory.start(self.stories[index], index), rng)

    def edit(self, story: EditedStory, rng: BufferedRandom) -> EditedStory | None:
        """A negative sample of any story; `story.index` is its index in the corpus (None: not in it)."""
        if len(story.sentences) - self.sampling.keep < self.recipe.min_sentences:
            return None
        original = story.words
        for _ in range(TRIALS):
            edited = self._apply(story, rng)
            if edited is None or edited.words != original:
                return edited
        return None

    def _apply(self, story: EditedStory, rng: BufferedRandom) -> EditedStory | None:
        """Sample the number of techniques and the techniques, and apply them; None if none applies."""
        wanted = 1 + rng.weighted(self.sampling.counts)
        ranking = self._ranking(rng)
        edited, num_applied = story, 0
        # the sampled techniques in the recipe's order; then, for each that does not apply, the next sampled one
        operations, planned = self.recipe.operations, ranking[:wanted]
        if not self.recipe.in_sampled_order:
            order = list(operations)
            planned.sort(key=lambda names: order.index(names[0]))
        for names in (*planned, *ranking[wanted:]):
            for name in names:
                result = operations[name](edited, rng, self.material)
                if result is not None:
                    edited, num_applied = result, num_applied + 1
                    break
            if num_applied == wanted:
                break
        return edited if num_applied else None

    def _ranking(self, rng: BufferedRandom) -> list[tuple[str, ...]]:
        """The techniques in the order sampled, each as a tuple of operations, the sampled level first."""
        weights = self.sampling.weights()
        names, shares = list(weights), list(weights.values())
        ranking = []
        while names:
            index = rng.weighted(shares)
            shares.pop(index)
            name = names.pop(index)
            levels = TECHNIQUE_OPERATIONS[name]
            share = self.recipe.sentence_level.get(name, self.sampling.sentence_level)
            swap = len(levels) > 1 and rng.chance(share)
            ranking.append(levels[::-1] if swap else levels)
        return ranking

    def sample_all(
        self, epoch: int = 0, processes: int = 1, indices: Sequence[int] | None = None
    ) -> Iterator[EditedStory | None]:
        """The samples of all stories (or those at `indices`), in order, computed by `processes` processes."""
        chosen = range(len(self.stories)) if indices is None else indices
        if processes <= 1:
            for index in chosen:
                yield self.sample(index, epoch)
            return
        jobs = [(epoch, chosen[start : start + CHUNK]) for start in range(0, len(chosen), CHUNK)]
        with map_in_processes(_sample_chunk, jobs, processes, _start_worker, (self,)) as made:
            for samples in made:
                yield from samples


_worker: UnionSampler | None = None  # the sampler of this process, set by the pool


def _start_worker(sampler: UnionSampler) -> None:
    global _worker
    _worker = sampler
    gc.freeze()  # the corpus is never freed, so the garbage collector can ignore it


def _sample_chunk(job: tuple[int, Sequence[int]]) -> list[EditedStory | None]:
    if _worker is None:
        raise RuntimeError("a worker process was started without its sampler")
    epoch, indices = job
    return [_worker.sample(index, epoch) for index in indices]

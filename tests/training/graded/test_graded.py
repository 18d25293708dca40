"""Graded damage, by nearest neighbours and by a masked language model, level by level."""

import itertools
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch
from transformers import BertForMaskedLM

from openmeva.training.graded.sampling import GradedSampler, GradedSampling
from openmeva.training.negatives.corrupted_story import CorruptedStory
from openmeva.training.negatives.edited import EditedStory
from openmeva.training.negatives.groups import rows_by_level
from openmeva.training.negatives.infill import Infiller
from openmeva.training.negatives.nearest import Neighbours, nearest_indices
from openmeva.training.paths import ROOT
from openmeva.training.text.tagged_story import TaggedStory
from tests.tiny.models import tiny_model, tiny_tokenizer

SUBJECTS = ("she", "he", "the dog", "the cat")
ACTS = ("ran home", "ate", "slept", "walked to the park")
STORIES = [
    [[*a.split(), *ACTS[(n + i) % 4].split(), "."] for i in range(5)] for n in range(4) for a in SUBJECTS
]


class Embedder:
    """Word counts as vectors: stories and sentences with common words are close."""

    def __call__(self, texts: list[list[str]]) -> torch.Tensor:
        words = sorted({w for story in STORIES for s in story for w in s})
        vectors = torch.tensor([[float(list(text).count(w)) for w in words] for text in texts])
        return torch.nn.functional.normalize(vectors, dim=1)


@pytest.fixture(scope="module")
def infiller() -> Infiller:
    union = tiny_model()
    model = BertForMaskedLM(union.config)
    model.load_state_dict(union.state_dict(), strict=False)
    return Infiller(temperature=2.0, model=model, tokenizer=tiny_tokenizer())


@pytest.fixture(scope="module")
def neighbours() -> Neighbours:
    return Neighbours(STORIES, range(16), range(16), count=3, sentences=16, embed=Embedder())  # type: ignore[arg-type]


def sampler(neighbours: Neighbours, infiller: Infiller, **settings: object) -> GradedSampler:
    return GradedSampler(
        STORIES,
        lambda _: None,
        neighbours,
        infiller,
        GradedSampling(**settings),
        seed=3,  # type: ignore[arg-type]
    )


def test_nearest_indices_match_a_full_sort() -> None:
    rng = np.random.default_rng(0)
    queries, pool = (torch.tensor(rng.normal(size=(n, 5)), dtype=torch.float32) for n in (7, 11))
    expected = (-(queries @ pool.T)).argsort(dim=1)[:, :4]
    assert nearest_indices(queries, pool, 4, block=3).tolist() == expected.tolist()
    assert nearest_indices(queries, pool, 20).shape == (7, 11)


def test_neighbours_are_other_stories_with_similar_beginnings(neighbours: Neighbours) -> None:
    assert all(i not in near and len(near) == 3 for i, near in neighbours.similar_stories.items())
    shared = [
        len({w for s in STORIES[i][:2] for w in s} & {w for s in STORIES[near[0]][:2] for w in s})
        for i, near in neighbours.similar_stories.items()
    ]
    assert min(shared) >= 2
    (similar,) = neighbours.similar_sentences([["she", "ran", "home", "."]], count=2)
    assert all("ran" in words for words in similar)
    assert ["she", "ran", "home", "."] not in similar


def test_infilling_keeps_the_length_and_is_deterministic(infiller: Infiller) -> None:
    rng = np.random.default_rng(1)
    infilled = infiller(STORIES, [2] * 16, [1.0] * 16, rng)
    changed = 0
    for story, words in zip(STORIES, infilled, strict=True):
        assert len(words) == len(story[2])
        assert words[-1] == "."
        assert all(w.isalpha() and not w.startswith("##") for w in words[:-1])
        changed += words != story[2]
    assert changed > 8
    again = infiller(STORIES, [2] * 16, [1.0] * 16, np.random.default_rng(1))
    assert again == infilled


@pytest.mark.parametrize("position", [0, 150, 299])
def test_long_story_is_truncated_around_the_sentence(infiller: Infiller, position: int) -> None:
    story = STORIES[0] * 60
    limit = infiller.model.config.max_position_embeddings
    ids, chosen = infiller._row(story, position, 0.9, np.random.default_rng(1))
    assert len(ids) == limit
    assert chosen
    words = infiller.tokenizer.get_vocab()
    assert all(ids[token] == words[story[position][word]] for token, word in chosen)
    drawn = infiller([story], [position], [0.9], np.random.default_rng(1))[0]
    assert len(drawn) == len(story[position])
    assert drawn != story[position]


def test_each_level_damages_more(neighbours: Neighbours, infiller: Infiller) -> None:
    chains = sampler(neighbours, infiller).chains(range(16))
    assert chains == sampler(neighbours, infiller).chains(range(16))
    assert all(chain[0] == CorruptedStory.start(STORIES[i], i) for i, chain in enumerate(chains))
    assert sum(len(chain) == 4 for chain in chains) > 8
    for chain in chains:
        for better, worse in itertools.pairwise(chain):
            assert worse.words[0] == better.words[0]  # the context stays
            assert sum(map(sum, worse.corrupted)) > sum(map(sum, better.corrupted))
            assert better.error_types <= worse.error_types
            assert worse.edits[: len(better.edits)] == better.edits


@pytest.mark.parametrize(
    ("edit", "kind"),
    [
        ("nearest_sentence", "off_topic"),
        ("near_paraphrase", "repetition"),
        ("infill", "off_topic"),
        ("sentence_swap", "wrong_order"),
    ],
)
def test_every_edit_is_applied(neighbours: Neighbours, infiller: Infiller, edit: str, kind: str) -> None:
    chains = sampler(neighbours, infiller, edits={edit: 1.0}, levels=1).chains(range(16))
    damaged = [chain[1] for chain in chains if len(chain) == 2]
    assert damaged
    assert all(d.edits == (edit,) and d.error_types == {kind} for d in damaged)


def test_edit_with_zero_weight_is_never_applied(neighbours: Neighbours, infiller: Infiller) -> None:
    chains = sampler(neighbours, infiller, edits={"sentence_swap": 1.0, "infill": 0.0}, levels=1).chains(
        range(4)
    )
    assert {name for chain in chains for draft in chain[1:] for name in draft.edits} == {"sentence_swap"}


def test_sentence_without_similar_ones_is_not_repeated(infiller: Infiller) -> None:
    lonely = Neighbours(STORIES, range(16), range(16), count=3, sentences=16, embed=Embedder())  # type: ignore[arg-type]
    lonely.similar_sentences = lambda sentences: [[] for _ in sentences]  # type: ignore[method-assign]
    chains = sampler(lonely, infiller, edits={"near_paraphrase": 1.0}, levels=1).chains(range(4))
    assert [len(chain) for chain in chains] == [1] * 4


def test_swap_keeps_the_sentences_of_the_story(neighbours: Neighbours, infiller: Infiller) -> None:
    chains = sampler(neighbours, infiller, edits={"sentence_swap": 1.0}, levels=1).chains([0])
    assert sorted(chains[0][1].words) == sorted(chains[0][0].words)
    assert sum(map(any, chains[0][1].corrupted)) == 2


def test_union_samples_keep_their_error_types(neighbours: Neighbours, infiller: Infiller) -> None:
    tagged = TaggedStory(STORIES[0], [["NN"] * len(s) for s in STORIES[0]])

    def rule(index: int) -> EditedStory:
        story = EditedStory.start(tagged, index)
        moved = (story.sentences[0], story.sentences[2], story.sentences[1], *story.sentences[3:])
        return story.with_sentences("sentence_reordering", moved)

    graded = GradedSampler(
        STORIES, rule, neighbours, infiller, GradedSampling(edits={"rule": 1.0}, levels=2), seed=1
    )
    (chain,) = graded.chains([0])
    assert len(chain) == 2, "a rule is for the first level alone"
    assert chain[1].error_types == {"wrong_order"}


def test_number_of_edits_follows_the_length_and_rules_come_first() -> None:
    stories = [[[f"w{n}", "."] for n in range(size)] for size in (5, 9, 10, 16)] * 5

    def rule(index: int) -> EditedStory:
        story = EditedStory.start(TaggedStory(stories[index], [["NN", "."]] * len(stories[index])), index)
        moved = [story.sentences[at]._replace(moved=True) for at in (2, 1)]
        return story.with_sentences("sentence_reordering", (story.sentences[0], *moved, *story.sentences[3:]))

    flags = CorruptedStory.from_edited(rule(0), 0).corrupted
    assert [any(sentence) for sentence in flags] == [False, True, True, False, False], "moved sentences"
    sampling = GradedSampling(edits={"rule": 0.5, "sentence_swap": 0.5}, levels=2)
    chains = GradedSampler(stories, rule, None, None, sampling, seed=1).chains(range(20))
    first_edits = {chain[1].edits[0] for chain in chains}
    assert first_edits == {"sentence_reordering", "sentence_swap"}
    for index, chain in enumerate(chains):
        count = len(stories[index]) // 5  # per level
        assert len(chain[1].edits) == count
        assert set(chain[1].edits[1:]) <= {"sentence_swap"}
        assert chain[2].edits == (*chain[1].edits, *["sentence_swap"] * count)


@pytest.mark.parametrize(("sentences", "taken"), [(5, 4), (3, 2), (1, 0)])
def test_ending_is_replaced_by_the_ending_of_a_similar_story(sentences: int, taken: int) -> None:
    stories = [[["a"], ["b"], ["c"]], [[str(n)] for n in range(sentences)]]
    near: Any = SimpleNamespace(similar_stories={0: [1]})
    sampling = GradedSampling(edits={"nearest_sentence": 1.0}, levels=1, keep=2)
    ((_, worse),) = GradedSampler(stories, lambda _: None, near, None, sampling, seed=1).chains([0])
    assert worse.words == (("a",), ("b",), (str(taken),))


def test_near_paraphrase_is_of_another_sentence() -> None:
    asked: list[list[str]] = []

    def similar(sentences: list[list[str]]) -> list[list[list[str]]]:
        asked.extend(sentences)
        return [[["x"]] for _ in sentences]

    near: Any = SimpleNamespace(similar_sentences=similar)
    sampling = GradedSampling(edits={"near_paraphrase": 1.0}, levels=1)
    GradedSampler([[["a"], ["b"]]] * 20, lambda _: None, near, None, sampling, seed=1).chains(range(20))
    assert asked == [["a"]] * 20


def test_near_paraphrase_is_no_sentence_of_the_story() -> None:
    near: Any = SimpleNamespace(similar_sentences=lambda sentences: [[["b"], ["c"]] for _ in sentences])
    sampling = GradedSampling(edits={"near_paraphrase": 1.0}, levels=1)
    chains = GradedSampler([[["a"], ["b"]]] * 20, lambda _: None, near, None, sampling, seed=1).chains(
        range(20)
    )
    assert {chain[-1].words for chain in chains} == {(("a",), ("c",))}


def test_similar_sentences_are_not_the_first_of_a_story() -> None:
    stories = [[[f"a{n}"], [f"b{n}"], [f"c{n}"]] for n in range(3)]
    embed: Any = lambda texts: torch.eye(len(texts), 6)  # noqa: E731
    near = Neighbours(stories, [0], range(3), count=1, sentences=2, embed=embed)
    assert near.pool_sentences == [["b0"], ["c0"], ["b1"], ["c1"]]


@pytest.mark.parametrize(("share", "count"), [(0.01, 1), (0.5, 3), (1.0, 6)])
def test_infilled_share_of_words(infiller: Infiller, share: float, count: int) -> None:
    story = [["the", "dog", "ran", "home", "the", "cat", "."]]
    assert len(infiller._row(story, 0, share, np.random.default_rng(0))[1]) == count


def test_low_temperature_infills_the_most_likely_words(infiller: Infiller) -> None:
    cold = Infiller(temperature=1e-3, model=infiller.model, tokenizer=tiny_tokenizer())
    drawn = [cold([STORIES[0]], [1], [1.0], np.random.default_rng(seed)) for seed in range(5)]
    assert drawn == drawn[:1] * 5


def test_rows_list_the_damaged_words() -> None:
    start = CorruptedStory.start([["he", "ran", "."], ["he", "fell", "."]], 0)
    chain = [start, start.with_sentence(1, ["she", "sang", "."], "off_topic", "nearest_sentence")]
    good, bad = rows_by_level("g", chain)
    assert (good.story, good.source, good.label, good.level, good.corrupted_words) == (
        "he ran . he fell .",
        "human",
        1,
        0,
        [],
    )
    assert (bad.source, bad.label, bad.level, bad.error_types, bad.corrupted_words) == (
        "nearest_sentence",
        0,
        1,
        ["off_topic"],
        [3, 4, 5],
    )


def test_unknown_edits_are_refused() -> None:
    with pytest.raises(ValueError, match=r"edits: expected any of nearest_sentence, .*, got typo"):
        GradedSampling(edits={"typo": 1.0})


def test_shipped_encoder_ranks_similar_sentences_higher() -> None:
    from openmeva.training.negatives.nearest import TextEmbedder

    assert (ROOT / "metrics" / "weights" / "encoder").is_dir()
    vectors = TextEmbedder()(
        [
            t.split()
            for t in (
                "the dog ran after the cat .",
                "a puppy chased a kitten .",
                "i paid my taxes in april .",
            )
        ]
    )
    assert vectors.norm(dim=1).tolist() == pytest.approx([1.0] * 3, abs=1e-4)
    assert float(vectors[0] @ vectors[1]) > float(vectors[0] @ vectors[2])

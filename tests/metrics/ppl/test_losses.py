"""Losses agree with plain loops without batches, window bookkeeping or vocabulary slices."""

from typing import Any

import pytest
import torch
from transformers import BartConfig, BartForCausalLM, CohereConfig, CohereForCausalLM

from openmeva.metrics.ppl import losses as losses_module
from openmeva.metrics.ppl.causal_model import CausalModel
from openmeva.metrics.ppl.loading import LoadedModel, load_model
from openmeva.metrics.ppl.scoring import PerplexityScorer
from openmeva.metrics.ppl.texts import TokenizedStory
from tests.tiny.ppl import plain_tokenizer, write_gpt2, write_ppl_checkpoint

STORIES = [
    "She ate.",
    "The cat was not in the park. He walked to the park and ate. She slept!",
    "He ran.",
    "Ann ran home. She ate the dog, and the dog ate the cat.",
]
CONTEXTS = ["Ann ran home.", "The dog slept.", "", "He was a cat."]


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    root = tmp_path_factory.mktemp("models")
    torch.manual_seed(1)
    tokenizer = plain_tokenizer()
    cohere = CohereConfig(
        vocab_size=len(tokenizer),
        hidden_size=16,
        intermediate_size=32,
        num_hidden_layers=1,
        num_attention_heads=2,
        max_position_embeddings=64,
        logit_scale=0.5,
        initializer_range=0.4,
        pad_token_id=0,
        bos_token_id=0,
        eos_token_id=0,
    )
    CohereForCausalLM(cohere).save_pretrained(root / "cohere")
    tokenizer.save_pretrained(root / "cohere")
    return {
        "ours": str(write_ppl_checkpoint(root / "ours", max_length=64)),
        "gpt2": str(write_gpt2(root / "gpt2")),
        "cohere": str(root / "cohere"),  # its logits are scaled after the head
        "short": str(write_ppl_checkpoint(root / "short", max_length=9)),
        "short gpt2": str(write_gpt2(root / "short_gpt2", positions=12)),
        "masked": str(write_ppl_checkpoint(root / "masked", "masked", max_length=64)),
        "spaced": str(write_ppl_checkpoint(root / "spaced", "masked", max_length=64, spacing=3)),
        "short masked": str(write_ppl_checkpoint(root / "short_masked", "masked", max_length=10)),
    }


def load(folder: str) -> LoadedModel:
    return load_model(folder, {})


@torch.inference_mode()
def causal_loop(loaded: LoadedModel, story: Any) -> list[float]:
    """One token at a time: the model reads the start token and the preceding tokens of its window."""
    model, limit = loaded.model.model, loaded.model.max_length - 1
    start = loaded.model.start  # type: ignore[union-attr]
    found: list[float] = []
    window_end = min(limit, len(story.ids))
    begin = 0
    for i in range(len(story.ids)):
        if i == window_end:  # shift so that half a window precedes token i, unless fewer tokens remain
            window_end = min(len(story.ids), i - limit // 2 + limit)
            begin = window_end - limit
        logits = model(torch.tensor([[start, *story.ids[begin:i]]])).logits[0, -1].double()
        if i >= story.context_length:
            found.append(float(-logits.log_softmax(-1)[story.ids[i]]))
    return found


@torch.inference_mode()
def masked_loop(loaded: LoadedModel, story: Any, spacing: int | None) -> list[float]:
    """Each token masked in turn (with `spacing`, together with every `spacing`-th other token of the story)."""
    scorer: Any = loaded.model
    found = []
    for i in range(story.context_length, len(story.ids)):
        ids = [scorer.cls, *story.ids, scorer.sep]
        for j in range(story.context_length, len(story.ids)):
            if j == i or (spacing and (j - i) % spacing == 0):
                ids[j + 1] = scorer.mask
        logits = scorer.model(torch.tensor([ids])).logits[0, i + 1].double()
        found.append(float(-logits.log_softmax(-1)[story.ids[i]]))
    return found


def token_losses(loaded: LoadedModel, contexts: Any, batch_size: int, side: str = "right") -> Any:
    read = loaded.reader(STORIES, contexts)
    result = loaded.model.token_losses(read, batch_size, torch.device("cpu"), torch.float32, side)
    return read, result


@pytest.mark.parametrize("contexts", [None, CONTEXTS], ids=["alone", "after a context"])
@pytest.mark.parametrize("name", ["ours", "gpt2", "cohere"])
def test_causal_losses_equal_token_by_token_loop(folders: dict[str, str], name: str, contexts: Any) -> None:
    loaded = load(folders[name])
    expected = [causal_loop(loaded, story) for story in loaded.reader(STORIES, contexts)]
    for side in ("right", "left"):
        for batch_size in (1, 3, 32):
            _, result = token_losses(loaded, contexts, batch_size, side)
            for values, wanted in zip(result, expected, strict=True):
                assert values == pytest.approx(wanted, abs=1e-4), f"{side}, {batch_size}"


@pytest.mark.parametrize("contexts", [None, CONTEXTS, ["The dog slept in the park. " * 4] * 4])
@pytest.mark.parametrize("name", ["short", "short gpt2"])
def test_long_stories_are_scored_by_windows(folders: dict[str, str], name: str, contexts: Any) -> None:
    loaded = load(folders[name])
    read, result = token_losses(loaded, contexts, 4)
    assert max(len(story.ids) for story in read) > 2 * loaded.model.max_length
    for story, values in zip(read, result, strict=True):
        assert len(values) == len(story.ids) - story.context_length
        if contexts is None or len(story.ids) < loaded.model.max_length:
            assert values == pytest.approx(causal_loop(loaded, story), abs=1e-4)


@pytest.mark.parametrize("contexts", [None, CONTEXTS], ids=["alone", "after a context"])
@pytest.mark.parametrize(("name", "spacing"), [("masked", None), ("spaced", 3)])
def test_masked_losses_equal_token_by_token_loop(
    folders: dict[str, str], name: str, spacing: int | None, contexts: Any
) -> None:
    loaded = load(folders[name])
    expected = [masked_loop(loaded, story, spacing) for story in loaded.reader(STORIES, contexts)]
    for batch_size in (1, 5, 64):
        _, result = token_losses(loaded, contexts, batch_size)
        for values, wanted in zip(result, expected, strict=True):
            assert values == pytest.approx(wanted, abs=1e-4), batch_size


@torch.inference_mode()
def test_masked_windows_read_both_sides(folders: dict[str, str]) -> None:
    """Token i of a long story, scored in the window given by the definition."""
    loaded = load(folders["short masked"])
    scorer: Any = loaded.model
    read, result = token_losses(loaded, None, 8)
    story, values = read[1], result[1]
    count, limit = len(story.ids), 8
    begin, last = 0, limit - limit // 4
    for i in range(count):
        while i >= last and begin + limit < count:
            begin = min(last - limit // 4, count - limit)
            last = begin + limit - limit // 4 if begin + limit < count else count
        ids = [scorer.cls, *story.ids[begin : begin + limit], scorer.sep]
        ids[i - begin + 1] = scorer.mask
        logits = scorer.model(torch.tensor([ids])).logits[0, i - begin + 1].double()
        assert values[i] == pytest.approx(float(-logits.log_softmax(-1)[story.ids[i]]), abs=1e-4)


@pytest.mark.parametrize("name", ["ours", "gpt2", "cohere", "masked"])
def test_vocabulary_slice_size_does_not_change_losses(
    folders: dict[str, str], name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    loaded = load(folders[name])
    _, whole = token_losses(loaded, CONTEXTS, 4)
    monkeypatch.setattr(losses_module, "MAX_LOGITS", 1)
    monkeypatch.setattr("openmeva.metrics.ppl.causal_model.MAX_LOGITS", 1)
    _, sliced = token_losses(loaded, CONTEXTS, 4)
    for expected, losses in zip(whole, sliced, strict=True):
        assert losses == pytest.approx(expected, abs=1e-5)


def test_bfloat16_losses_are_close_to_float32(folders: dict[str, str]) -> None:
    scorer = PerplexityScorer(load(folders["gpt2"]))
    exact = scorer.score(STORIES, dtype="float32")["nll"]
    assert scorer.score(STORIES, dtype="bfloat16")["nll"] == pytest.approx(exact, rel=0.02)
    assert scorer.score(STORIES, dtype="float32")["nll"] == exact, (
        "the float32 weights are restored afterwards"
    )


def test_left_padding_is_rejected_where_it_would_change_losses() -> None:
    """The positions of BART's decoder count padding."""
    torch.manual_seed(0)
    bart = BartConfig(
        vocab_size=40,
        d_model=16,
        decoder_layers=1,
        decoder_attention_heads=2,
        decoder_ffn_dim=16,
        init_std=0.5,
    )
    model = CausalModel(BartForCausalLM(bart).eval(), start=0, max_length=64)
    stories = [
        TokenizedStory([5, 6, 7], 0, "", [(0, 0)] * 3, [], 3),
        TokenizedStory([8], 0, "", [(0, 0)], [], 1),
    ]
    here = torch.device("cpu")
    with pytest.raises(ValueError, match="expected 'right' for this model"):
        model.token_losses(stories, 2, here, torch.float32, "left")
    assert len(model.token_losses(stories, 2, here, torch.float32, "right")) == 2

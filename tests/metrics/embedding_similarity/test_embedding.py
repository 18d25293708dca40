"""Embeddings of a text's tokens and words, and the weights of MoverScore, against plain loops."""

import weakref
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file

from openmeva.metrics.embedding_similarity.embedding import TextEncoder
from openmeva.metrics.embedding_similarity.mover_score import bigrams, mover_score
from openmeva.metrics.embedding_similarity.scoring import InverseDocumentFrequency, SimilarityScorer
from tests.tiny.backbones import STORIES, write_backbone
from tests.tiny.models import write_bert


@pytest.fixture(scope="module")
def encoder(tmp_path_factory: pytest.TempPathFactory) -> TextEncoder:
    """An encoder in transformers' own format that reads 20 tokens."""
    return TextEncoder(write_bert(tmp_path_factory.mktemp("encoder"), max_position_embeddings=20))


def test_punctuation_beside_a_word_is_not_part_of_it(encoder: TextEncoder) -> None:
    (text,) = encoder.embed(["she ran, the dog slept."], dtype="float32")
    assert text.words == ("she", "ran", "the", "dog", "slept")
    assert len(text.ids) == 9
    assert text.special.tolist() == [True] + [False] * 7 + [True]
    assert text.vectors == pytest.approx(text.tokens[[1, 2, 4, 5, 6]], abs=1e-6)


def test_hidden_states_are_means_over_windows(encoder: TextEncoder) -> None:
    long = "she ran home . the dog ate a cat . he slept in the park and " * 3
    (pieces,) = encoder._prepare([long])
    assert len({end - start for start, end in pieces.windows}) > 1
    states: list[list[np.ndarray]] = [[] for _ in range(len(pieces.ids) + 2)]
    for start, end in pieces.windows:
        ids = torch.tensor([[*encoder.prefix, *pieces.ids[start:end], *encoder.suffix]])
        with torch.no_grad():
            output = encoder.model(ids).last_hidden_state[0].numpy()
        for at, state in zip([0, *range(start + 1, end + 1), -1], output, strict=True):
            states[at].append(state)
    assert len(states[0]) == len(states[-1]) == len(pieces.windows)
    (text,) = encoder.embed([long], dtype="float32")
    assert text.tokens == pytest.approx(np.stack([np.mean(each, axis=0) for each in states]), abs=1e-5)


def test_states_of_a_batch_are_freed_after_it(encoder: TextEncoder, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only those of the latest batch are in memory beside the embeddings."""
    forward, refs, alive = encoder._forward, [], []

    def spied(*given: Any) -> np.ndarray:
        alive.append(sum(ref() is not None for ref in refs))
        states = forward(*given)
        refs.append(weakref.ref(states))
        return states

    monkeypatch.setattr(encoder, "_forward", spied)
    texts = ["she ran home . " * 10, *(f"the {noun} ate" for noun in ("dog", "cat", "boss", "park"))]
    encoder.embed(texts, batch_size=1, dtype="float32")
    assert len(alive) > 6
    assert max(alive) == 1


@pytest.mark.parametrize("kind", ["roberta", "mpnet"])
def test_windows_are_as_long_as_the_positions_after_the_padding(kind: str, tmp_path: Path) -> None:
    encoder = TextEncoder(write_backbone(tmp_path, kind))
    assert encoder.max_length == encoder.model.config.max_position_embeddings - 2
    (text,) = encoder.embed([f"{STORIES[0]} " * 20], dtype="float32")
    assert len(text.ids) > encoder.max_length


def test_mover_score_weighs_words_and_bigrams_by_their_frequency(encoder: TextEncoder) -> None:
    predictions = ["she ran home", "the dog ate a cat"]
    references = [["the dog ran home", "he ate"], ["a cat ate the cat"]]
    result = SimilarityScorer(encoder).scores(predictions, references, idf=True, dtype="float32")
    embedded = {
        text: encoder.embed([text], dtype="float32")[0]
        for text in (*predictions, *references[0], *references[1])
    }
    weigh = InverseDocumentFrequency(text.split() for texts in references for text in texts)
    for row, (prediction, texts) in enumerate(zip(predictions, references, strict=True)):
        words, pairs = [], []
        for reference in texts:
            first, second = embedded[prediction], embedded[reference]
            weights = weigh(first.words), weigh(second.words)
            words.append(mover_score(first.vectors, second.vectors, *weights))
            (one, shares), (other, others) = (
                bigrams(first.vectors, weights[0]),
                bigrams(second.vectors, weights[1]),
            )
            pairs.append(mover_score(one, other, shares, others))
        assert result["moverscore_1"][row] == pytest.approx(max(words), abs=1e-5)
        assert result["moverscore_2"][row] == pytest.approx(max(pairs), abs=1e-5)


def test_encoder_needs_all_weights_but_the_pooler(tmp_path: Path) -> None:
    weights = write_bert(tmp_path) / "model.safetensors"
    tensors = load_file(weights)
    for lacking in ("pooler.", "encoder.layer.0.output."):
        tensors = {name: tensor for name, tensor in tensors.items() if not name.startswith(lacking)}
        save_file(tensors, weights, {"format": "pt"})
        if lacking == "pooler.":
            assert TextEncoder(tmp_path).embed(["she ran ."])[0].words == ("she", "ran")
        else:
            with pytest.raises(ValueError, match="weights of a BertModel, which lack encoder"):
                TextEncoder(tmp_path)

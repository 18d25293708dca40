"""The generator learns, resumes, and writes the same stories for the same seed."""

import json
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import load_file

from openmeva.metrics.core.runtime import SpecialTokens
from openmeva.training.plot_guided.generator.data import IGNORED, PairCollator
from openmeva.training.plot_guided.generator.model import build_generator, load_generator
from openmeva.training.plot_guided.generator.sampling import Sampling, StorySampler
from openmeva.training.plot_guided.generator.text import decode_words
from openmeva.training.plot_guided.generator.trainer import GeneratorTrainer, train_generator
from tests.killing import interrupt_at_call
from tests.tiny.models import tiny_tokenizer, write_bart, write_gpt2
from tests.tiny.plots import generator_config, write_generator

PLOTS = [[["she ran"], ["home"]], [["the dog"], ["ate", "slept"]], [["park"], []]]
KEYS = [(1, 0), (1, 1), (1, 2)]


def test_cross_attention_is_copied_from_self_attention_and_embeddings_are_frozen(data: Path) -> None:
    model, _ = build_generator(generator_config())
    layer = model.decoder.bert.encoder.layer[0]
    weights = load_file(data / "encoder" / "model.safetensors")
    expected = weights["bert.encoder.layer.1.attention.self.query.weight"]
    assert torch.equal(layer.attention.self.query.weight, expected)
    assert torch.equal(layer.crossattention.self.query.weight, expected)
    fixed = [name for name, p in model.named_parameters() if not p.requires_grad]
    assert len(fixed) == 2
    assert all("word_embeddings" in name for name in fixed)


def test_generator_learns_and_interrupted_run_ends_in_the_same_weights(data: Path) -> None:
    def run(name: str, resume: bool = False, **changes: object) -> dict:
        return train_generator(generator_config(**changes), data, data / name, data / "cache", resume)

    whole = run("whole")
    assert whole["validation"]["perplexity"] < run("short", stories=4)["validation"]["perplexity"]
    assert whole["stories"]["generator"] + whole["stories"]["metrics"] == 28
    with interrupt_at_call(GeneratorTrainer, "training_step", 5):
        run("killed")
    assert run("killed", resume=True)["weights"] == whole["weights"]


def test_batches_shift_the_story_and_ignore_padding() -> None:
    batch = PairCollator(SpecialTokens(start=2, end=3, padding=0))([([2, 7, 3], [5, 6, 3]), ([2, 3], [5, 3])])
    assert batch["decoder_input_ids"].tolist() == [[2, 5, 6], [2, 5, 3]]
    assert batch["labels"].tolist() == [[5, 6, 3], [5, 3, IGNORED]]
    assert batch["attention_mask"].tolist() == [[1, 1, 1], [1, 1, 0]]


def test_stories_depend_only_on_their_key(tmp_path: Path) -> None:
    generator = load_generator(write_generator(tmp_path))
    sampler = StorySampler(generator, Sampling(max_tokens=20, batch_size=2), dtype="float32")
    together = sampler.write(PLOTS, KEYS)
    assert together == [sampler.write([plot], [key])[0] for plot, key in zip(PLOTS, KEYS, strict=True)]
    assert sampler.write(PLOTS[::-1], KEYS[::-1]) == together[::-1]
    assert sampler.write(PLOTS, [(2, 0), (2, 1), (2, 2)]) != together
    assert not any(
        "[" in text.replace("[MALE]", "").replace("[FEMALE]", "").replace("[NEUTRAL]", "")
        for text in together
    )
    with pytest.raises(ValueError, match="a key for each"):
        sampler.write(PLOTS, KEYS[:1])


def test_top_1_sampling_is_greedy_decoding(tmp_path: Path) -> None:
    """Compared with decoding without a cache."""
    generator = load_generator(write_generator(tmp_path))
    model, tokenizer, _ = generator
    sampler = StorySampler(generator, Sampling(top_k=1, max_tokens=6), dtype="float32")
    text = sampler.write(PLOTS[:1], KEYS[:1])[0]
    special_tokens = SpecialTokens.from_tokenizer(tokenizer)
    source = [
        special_tokens.start,
        *tokenizer.encode("she ran ; home", add_special_tokens=False).ids,
        special_tokens.end,
    ]
    ids = [special_tokens.start]
    for _ in range(6):
        with torch.no_grad():
            output = model(input_ids=torch.tensor([source]), decoder_input_ids=torch.tensor([ids]))
        logits = output.logits[0, -1].clone()
        logits[sampler.never] = -torch.inf
        ids.append(int(logits.argmax()))
        if ids[-1] == special_tokens.end:
            break
    assert text == decode_words(tokenizer, ids)


def test_hub_bart_learns_and_generates(data: Path, tmp_path: Path) -> None:
    stories = [json.loads(line)["story"] for line in (data / "stories.jsonl").open()]
    base = write_bart(tmp_path / "bart", stories)

    def run(stories: int) -> dict:
        changed = generator_config(base=str(base), stories=stories, start=None)
        return train_generator(changed, data, tmp_path / f"run{stories}", data / "cache", False)

    assert run(120)["validation"]["perplexity"] < run(4)["validation"]["perplexity"]
    generator = load_generator(tmp_path / "run120" / "final")
    tokenizer = generator.tokenizer
    sampler = StorySampler(
        generator, Sampling(top_k=5, max_tokens=40, max_plot=24, end_with_plot=True), dtype="float32"
    )
    together = sampler.write(PLOTS, KEYS)
    assert together == [sampler.write([plot], [key])[0] for plot, key in zip(PLOTS, KEYS, strict=True)]
    assert all(text and "<" not in text for text in together)
    ids = tokenizer.encode("[FEMALE] ran home . [MALE] did n't .", add_special_tokens=False).ids
    assert decode_words(tokenizer, [0, *ids, 2, 1]) == "[FEMALE] ran home . [MALE] did n't ."
    assert sampler.form.complete(ids, 2)
    assert not sampler.form.complete(ids, 3)


def test_hub_decoder_trains_an_adapter_resumes_and_generates(data: Path, tmp_path: Path) -> None:
    """A GPT-2: the plot is a prefix of the text, left-padded next to longer ones."""
    stories = [json.loads(line)["story"] for line in (data / "stories.jsonl").open()]
    base = write_gpt2(tmp_path / "gpt2", stories)

    def run(name: str, stories: int, resume: bool = False) -> dict:
        changed = generator_config(
            base=str(base), stories=stories, start=None, adapter={"rank": 4, "alpha": 8}, learning_rate=0.05
        )
        return train_generator(changed, data, tmp_path / name, data / "cache", resume)

    whole = run("whole", 120)
    assert whole["validation"]["perplexity"] < run("short", 4)["validation"]["perplexity"]
    with interrupt_at_call(GeneratorTrainer, "training_step", 12):
        run("killed", 120)
    assert run("killed", 120, resume=True)["weights"] == whole["weights"]

    final = tmp_path / "whole" / "final"
    assert {file.name for file in final.iterdir()} == {"adapter.safetensors", "config.json"}
    generator = load_generator(final)
    model, tokenizer, _ = generator
    sampler = StorySampler(generator, Sampling(top_k=5, max_tokens=40, max_plot=24), dtype="float32")
    together = sampler.write(PLOTS, KEYS)
    assert together == [sampler.write([plot], [key])[0] for plot, key in zip(PLOTS, KEYS, strict=True)]
    assert all("<" not in text for text in together)
    greedy = StorySampler(generator, Sampling(top_k=1, max_tokens=6), dtype="float32")
    end = sampler.special_tokens.end
    ids = [end, *tokenizer.encode("she ran ; home\n", add_special_tokens=False).ids]
    plot = len(ids)
    for _ in range(6):  # without a cache
        with torch.no_grad():
            ids.append(int(model(input_ids=torch.tensor([ids])).logits[0, -1].argmax()))
        if ids[-1] == end:
            break
    assert greedy.write(PLOTS[:1], KEYS[:1]) == [decode_words(tokenizer, [i for i in ids[plot:] if i != end])]


def test_adapter_continues_from_another_and_requires_its_base_model(data: Path, tmp_path: Path) -> None:
    stories = [json.loads(line)["story"] for line in (data / "stories.jsonl").open()]
    base = write_gpt2(tmp_path / "gpt2", stories)

    def run(name: str, stories: int, start: Path | None = None, rank: int = 4) -> dict:
        changed = generator_config(
            base=str(base), stories=stories, start=str(start) if start else None, adapter={"rank": rank, "alpha": 8},
            learning_rate=0.05,
        )  # fmt: skip
        return train_generator(changed, data, tmp_path / name, data / "cache", False)

    first = run("first", 120)
    further = run("further", 8, tmp_path / "first" / "final")
    assert further["start"] == first["weights"]
    assert further["validation"]["perplexity"] < run("afresh", 8)["validation"]["perplexity"]
    with pytest.raises(ValueError, match="factors of rank 2 at most, got 4"):
        run("lower", 8, tmp_path / "first" / "final", rank=2)
    settings = tmp_path / "first" / "final" / "config.json"
    settings.write_text(settings.read_text().replace(str(base), "nobody/nothing"))
    with pytest.raises(ValueError, match="nobody/nothing"):
        load_generator(tmp_path / "first" / "final")


def test_perplexity_weights_can_be_the_base_model(data: Path) -> None:
    model, tokenizer = build_generator(generator_config(base="metrics/ppl/weights/roc"))
    assert not model.config.is_encoder_decoder
    assert tokenizer.token_to_id("[MALE]") is not None
    with pytest.raises(ValueError, match="a causal language model, got metrics/ppl/weights/pll"):
        build_generator(generator_config(base="metrics/ppl/weights/pll"))


def test_plot_tokens_are_not_labels() -> None:
    batch = PairCollator(SpecialTokens(start=0, end=0, padding=0), is_encoder_decoder=False)(
        [([0, 7, 9], [5, 6, 0]), ([0, 9], [5, 0])]
    )
    assert batch["input_ids"].tolist() == [[0, 7, 9, 5, 6], [0, 9, 5, 0, 0]]
    assert batch["attention_mask"].tolist() == [[1, 1, 1, 1, 1], [1, 1, 1, 1, 0]]
    assert batch["labels"].tolist() == [[IGNORED, IGNORED, 5, 6, 0], [IGNORED, 5, 0, IGNORED, IGNORED]]


def test_sampled_tokens_follow_the_distribution(tmp_path: Path) -> None:
    """Samples one of the 2 most likely tokens, at temperature .5, in proportion to squared probabilities."""
    generator = load_generator(write_generator(tmp_path))
    tokenizer = generator.tokenizer
    sampler = StorySampler(generator, Sampling(top_k=2, temperature=0.5), dtype="float32")
    logits = torch.full((4000, tokenizer.get_vocab_size()), -9.0)
    logits[:, 10], logits[:, 11], logits[:, 12] = np.log(0.5), np.log(0.3), np.log(0.2)
    drawn = sampler._sample_tokens(
        logits, torch.from_numpy(np.random.default_rng(0).random(4000, dtype=np.float32))
    )
    shares = torch.bincount(drawn[:, 0], minlength=13)[10:13] / 4000
    assert torch.allclose(shares, torch.tensor([0.25 / 0.34, 0.09 / 0.34, 0.0]), atol=0.03)


def test_decode_words_joins_word_pieces() -> None:
    tokenizer = tiny_tokenizer()
    ids = tokenizer.encode("she did n't walked the dog 's park", add_special_tokens=False).ids
    assert decode_words(tokenizer, [2, *ids, 3]) == "she did n't walked the dog 's park"


def test_bad_settings_and_damaged_weights_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="temperature above 0"):
        Sampling(temperature=0)
    with pytest.raises(ValueError, match="trained generator"):
        load_generator(tmp_path)
    folder = write_generator(tmp_path)
    (folder / "model.safetensors").write_bytes(b"no tensors")
    with pytest.raises(ValueError, match=r"model\.safetensors"):
        load_generator(folder)


def test_story_ends_after_as_many_sentences_as_its_plot(tmp_path: Path) -> None:
    generator = load_generator(write_generator(tmp_path))
    free = StorySampler(generator, Sampling(max_tokens=30, top_k=40), dtype="float32")
    bound = StorySampler(generator, Sampling(max_tokens=30, top_k=40, end_with_plot=True), dtype="float32")
    plots = PLOTS * 8
    keys = [(4, index) for index in range(len(plots))]
    whole, cut = free.write(plots, keys), bound.write(plots, keys)
    assert all(story.startswith(cut_story) for story, cut_story in zip(whole, cut, strict=True))
    shorter = [cut_story for story, cut_story in zip(whole, cut, strict=True) if story != cut_story]
    assert shorter
    assert all(story.endswith((".", "!", "?")) for story in shorter)


@pytest.mark.parametrize(
    ("text", "sentences", "whole"),
    [
        ("she ran . he ate .", 2, True),
        ("she ran . he ate .", 3, False),
        ("she ran . he", 1, False),
        ("she ran ? !", 2, False),
        ("she ran to a .", 1, False),
        ("she ran .", 1, True),
    ],
)
def test_sentence_ends_are_counted(tmp_path: Path, text: str, sentences: int, whole: bool) -> None:
    generator = load_generator(write_generator(tmp_path))
    tokenizer = generator.tokenizer
    sampler = StorySampler(generator, dtype="float32")
    ids = tokenizer.encode(text, add_special_tokens=False).ids
    assert tokenizer.token_to_id("[UNK]") not in ids
    assert sampler.form.complete(ids, sentences) is whole


def test_open_quotation_is_closed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("openmeva.training.plot_guided.generator.text.QUOTE", "'")
    generator = load_generator(write_generator(tmp_path))
    tokenizer = generator.tokenizer
    sampler = StorySampler(generator, dtype="float32")
    ids = tokenizer.encode("she ran ' home .", add_special_tokens=False).ids
    assert sampler.form.complete(ids, 1)
    assert [tokenizer.id_to_token(index) for index in ids] == ["she", "ran", "'", "home", ".", "'"]


def test_run_with_another_configuration_is_not_resumed(data: Path) -> None:
    train_generator(generator_config(stories=4), data, data / "run", data / "cache")
    with pytest.raises(ValueError, match=r"config.seed: 3, not 4"):
        train_generator(generator_config(stories=4, seed=4), data, data / "run", data / "cache", resume=True)

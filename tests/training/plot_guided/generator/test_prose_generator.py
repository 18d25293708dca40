"""A generator of prose: reads plots with names and capitals, and its stories come back as normalised words."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from tokenizers import Tokenizer

from openmeva.metrics.core.text import join_words
from openmeva.training.plot_guided.generator.model import Generator, load_generator
from openmeva.training.plot_guided.generator.sampling import Sampling, StorySampler
from openmeva.training.plot_guided.generator.text import ProseForm, as_generated, story_names
from openmeva.training.plot_guided.generator.trainer import train_generator
from tests.tiny.models import byte_tokenizer, write_gpt2
from tests.tiny.plots import generator_config

PLOT = [["[MALE] ran", "home"], ["lisa ate"]]
STORY = "Tom ran home. Lisa didn't eat."


@pytest.fixture(scope="module")
def tokenizer() -> Tokenizer:
    return byte_tokenizer([STORY, "Mr. Hill said."], ["<|endoftext|>"])


def test_plots_and_stories_are_prose(tokenizer: Tokenizer) -> None:
    form = ProseForm(tokenizer)
    assert form.plot(PLOT, {"[MALE]": "Tom"}) == "Tom ran, home; Lisa ate"
    words = [["[MALE]", "ran", "home", "."], ["[FEMALE]", "did", "n't", "eat", "."]]
    assert form.story(words) == "Tom ran home. Amy didn't eat."
    assert as_generated(form, words) == join_words(words)
    ids = tokenizer.encode(STORY, add_special_tokens=False).ids
    assert form.words(ids) == join_words(words)
    assert ProseForm(tokenizer, delexicalize=False).words(ids) == "tom ran home . lisa did n't eat ."


@pytest.mark.parametrize(
    ("text", "sentences", "kept"),
    [
        ("Tom ran. Lisa", 1, "Tom ran."),
        ("Tom ran.", 1, None),
        ("Tom ran. Lisa", 2, None),
        ('"Tom ran." Lisa', 1, '"Tom ran."'),
        ("Mr. Hill", 1, None),
    ],
)
def test_story_is_complete_once_the_next_sentence_has_begun(
    tokenizer: Tokenizer, text: str, sentences: int, kept: str | None
) -> None:
    form = ProseForm(tokenizer)
    ids: list[int] = []
    ended = False
    for index in tokenizer.encode(text, add_special_tokens=False).ids:
        ids.append(index)
        ended = form.complete(ids, sentences)
        if ended:
            break
    assert ended is (kept is not None)
    if kept:
        assert tokenizer.decode(ids).strip() == kept


def test_names_depend_on_the_key_only() -> None:
    assert story_names((1, 2)) == story_names((1, 2))
    assert len({story_names((1, index))["[MALE]"] for index in range(40)}) > 5


def test_sampler_reads_names_and_writes_placeholders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    base = write_gpt2(tmp_path / "gpt2", [STORY])
    made = byte_tokenizer([STORY], ["<|endoftext|>"])
    from transformers import AutoModelForCausalLM

    generator = Generator(AutoModelForCausalLM.from_pretrained(base).eval(), made, prose=True)
    sampler = StorySampler(generator, Sampling(max_tokens=8), dtype="float32")
    seen: list[str] = []
    monkeypatch.setattr(sampler, "_write_batch", _spy(seen, made))
    keys = [(1, 0), (1, 1)]
    assert sampler.write([PLOT, PLOT], keys) == ["[MALE] ran home . [FEMALE] did n't eat ."] * 2
    assert sorted(seen) == sorted(f"{story_names(key)['[MALE]']} ran, home; Lisa ate\n" for key in keys)


def _spy(seen: list[str], tokenizer: Tokenizer) -> object:
    def write(sources: list[list[int]], *_: object) -> Iterator[list[int]]:
        seen.extend(tokenizer.decode(ids[1:]) for ids in sources)
        return iter([tokenizer.encode(STORY, add_special_tokens=False).ids for _ in sources])

    return write


def test_generator_of_prose_learns_and_is_loaded_as_one(data: Path, tmp_path: Path) -> None:
    stories = [json.loads(line)["story"] for line in (data / "stories.jsonl").open()]
    base = write_gpt2(tmp_path / "gpt2", [*stories, *map(str.title, stories)])
    corpus = {"train": ["stories.jsonl"], "validation": ["held_out.jsonl"], "delexicalize": False}

    def run(stories: int) -> dict:
        changed = generator_config(
            base=str(base),
            stories=stories,
            adapter={"rank": 4, "alpha": 8},
            learning_rate=0.05,
            prose=True,
            corpus=corpus,
        )
        return train_generator(changed, data, tmp_path / f"run{stories}", data / "cache")

    assert run(120)["validation"]["perplexity"] < run(4)["validation"]["perplexity"]
    generator = load_generator(tmp_path / "run120" / "final")
    assert generator.prose
    (text,) = StorySampler(generator, Sampling(max_tokens=30, end_with_plot=True)).write([PLOT], [(1, 0)])
    assert text == text.lower()


def test_prose_needs_names_and_capitals() -> None:
    with pytest.raises(ValueError, match="delexicalize: false"):
        generator_config(prose=True, base="gpt2")
    corpus = {"train": ["stories.jsonl"], "delexicalize": False}
    with pytest.raises(ValueError, match="keeps capitals"):
        generator_config(prose=True, corpus=corpus)

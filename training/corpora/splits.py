"""Corpora as model input: normalised, de-duplicated, cut, and split into training and validation."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from multiprocessing import get_all_start_methods
from pathlib import Path
from typing import Any, ClassVar, Literal

from rich.progress import track

from openmeva.metrics.core.text import Normalizer
from openmeva.training.common.bounds import Positive, Share
from openmeva.training.common.buffered_random import evenly_spaced
from openmeva.training.corpora.named_files import check_judged_files, resolve_corpus_files
from openmeva.training.corpora.notices import (
    MAX_CHECKED_STORIES,
    warn_about_duplicates,
    warn_about_foreign_stories,
)
from openmeva.training.corpora.stories import is_held_out, read_stories, story_key
from openmeva.training.files import checksum, read_rows
from openmeva.training.processes import cores, map_in_processes, world_size

CHUNK = 500  # stories normalised per call
PARALLEL_FROM = 10_000  # number of stories in a file from which several processes normalise them
Sentences = list[list[str]]
Split = Literal["train", "validation"]


@dataclass(frozen=True)
class CorpusConfig:
    """The files of a corpus and how they are read. ROC and WP differ in these settings only.

    Attributes:
        train: training files below the data folder.
        validation: files of held-out stories; if there are none, `validation_share` is held out.
        exclude: files of judged stories (one of the papers' CSV releases, or Story Cloze's), excluded from both splits.
        delexicalize: whether names become `[MALE]`, `[FEMALE]`, `[NEUTRAL]`.
        context: `first_sentence` if the context is the story's first sentence, `prompt` if it is not part of the
            story.
        max_words: a story is cut at the sentence end nearest to this number of words.
        block_words: a longer story is split at sentence ends into blocks of about this number of words.
        max_stories: maximum number of stories read from each file, evenly spaced.
        validation_share: share of the stories (0 to 1), by hash of a story's beginning, that is held out if there
            are no validation files.
    """

    named_in: ClassVar[str] = "corpora"  # the folder below training/configs

    train: tuple[str, ...]
    validation: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    delexicalize: bool = True
    context: Literal["first_sentence", "prompt"] = "first_sentence"
    max_words: Positive | None = None
    block_words: Positive | None = None
    max_stories: Positive | None = None
    validation_share: Share = 0.05

    @classmethod
    def from_mapping(cls, values: dict[str, Any]) -> "CorpusConfig":
        """The configuration that a YAML mapping describes."""
        plain: dict[str, Any] = {key: tuple(v) if isinstance(v, list) else v for key, v in values.items()}
        return cls(**plain)


@dataclass(frozen=True)
class Corpus:
    """Normalised stories of both splits, by sentence, and the key of each training story (`story_key`).

    `duplicates` is the number of stories excluded because they have the same beginning as another one.
    """

    train: list[Sentences] = field(repr=False)
    validation: list[Sentences] = field(repr=False)
    train_keys: list[int] = field(repr=False)
    duplicates: int = 0

    def counts(self, validation: int | None = None) -> dict[str, int]:
        """Story counts for a manifest; `validation`: the number of held-out stories, default: all of them."""
        held_out = len(self.validation) if validation is None else validation
        return {"train": len(self.train), "validation": held_out, "duplicates": self.duplicates}


def data_checksums(corpora: CorpusConfig | Sequence[CorpusConfig], data: Path) -> dict[str, str]:
    """SHA-256 of each file of a corpus, or of several.

    Raises:
        ValueError: a file of human-judged stories is missing (the message says how to go without it).
        FileNotFoundError: another file is missing.
    """
    corpus_list = corpora if isinstance(corpora, Sequence) else [corpora]
    for corpus in corpus_list:
        check_judged_files(corpus.exclude, data)
    return {
        file: checksum(data / file)
        for corpus in corpus_list
        for files in (resolve_corpus_files(corpus.train, data), corpus.validation, corpus.exclude)
        for file in files
    }


def truncate_sentences(sentences: Sentences, max_words: int | None) -> Sentences:
    """The sentences up to the sentence end nearest to `max_words` words; at least one."""
    if max_words is None:
        return sentences
    total, best, distance = 0, 1, float("inf")
    for count, sentence in enumerate(sentences, 1):
        total += len(sentence)
        if abs(total - max_words) < distance:
            best, distance = count, abs(total - max_words)
    return sentences[:best]


def load_corpus(config: CorpusConfig, data: Path, names: Path, needs: Sequence[Split] = ()) -> Corpus:
    """Reads, normalises and splits a corpus, and prints how many stories are excluded or not English.

    Stories with the same beginning count as one. Without validation files, the held-out stories are chosen by hash,
    the same ones in all configurations (`story_key`). With validation files, all other stories are for training.

    Args:
        config: the corpus.
        data: the folder of its files.
        names: the encoder's `names.json`.
        needs: the splits that may not be empty.

    Raises:
        ValueError: a split of `needs` is empty, or a file of judged stories is missing.
    """
    named = Normalizer.load(names)
    normalizer = named if config.delexicalize else Normalizer()
    judged = judged_keys(config.exclude, data, named)
    normalize = partial(_keyed_stories, normalizer, None if config.delexicalize else named)
    counts: Counter[str] = Counter()
    first: list[str] = []

    def keyed(files: Sequence[str]) -> Iterable[tuple[int, Sentences]]:
        for file in files:
            stories = read_evenly_spaced_stories(data / file, config.max_stories)
            first.extend(stories[: MAX_CHECKED_STORIES - len(first)])
            normalized = _in_chunks(normalize, stories)
            for key, sentences in track(normalized, f"normalising {file}", total=len(stories)):
                if sentences:
                    counts.update(read=1, judged=key in judged)
                    yield key, sentences

    seen = set(judged)
    train = resolve_corpus_files(config.train, data)
    validation, rest = (_unique(keyed(files), seen) for files in (config.validation, train))
    kept = len(validation) + len(rest)
    duplicates = counts["read"] - counts["judged"] - kept
    warn_about_duplicates(duplicates, counts["read"])
    warn_about_foreign_stories(first)
    if not config.validation:
        validation = {key: story for key, story in rest.items() if is_held_out(key, config.validation_share)}
        rest = {key: story for key, story in rest.items() if key not in validation}
    share = "" if config.validation else f" (validation_share {config.validation_share:g} of {kept})"
    for split, stories, files, lack in (
        ("train", rest, train, "left to train on"),
        ("validation", validation, config.validation or train, "held out"),
    ):
        if split in needs and not stories:
            raise ValueError(
                f"{', '.join(files) or split}: no story {lack}{share}; give more stories, `validation`, or another share"
            )
    blocks = [(key, block) for key, story in rest.items() for block in _blocks(story, config)]
    return Corpus(
        [block for _, block in blocks],
        [block for story in validation.values() for block in _blocks(story, config)],
        [key for key, _ in blocks],
        duplicates,
    )


def judged_keys(files: Iterable[str], data: Path, named: Normalizer) -> set[int]:
    """Keys of the judged stories in `files` below `data`, which are in no split; `named` delexicalises names.

    Raises:
        ValueError: a file is missing (the message says how to train without it), or no story is found in it.
    """
    files = tuple(files)
    check_judged_files(files, data)
    keys: set[int] = set()
    for file in files:
        found = {story_key(named.sentences(text)) for text in _judged_texts(data / file)}
        if not found:
            raise ValueError(
                f"{data / file}: expected the judged stories that training excludes, in columns 'Input.*' or "
                "'InputSentence1' to 'InputSentence4', got none"
            )
        keys |= found
    return keys


def _blocks(sentences: Sentences, config: CorpusConfig) -> list[Sentences]:
    sentences = truncate_sentences(sentences, config.max_words)
    return [sentences] if config.block_words is None else split_into_blocks(sentences, config.block_words)


def split_into_blocks(sentences: Sentences, words: int) -> list[Sentences]:
    """All sentences in blocks of about `words` words; a last block of under half is merged with the one before."""
    blocks: list[Sentences] = [[]]
    length = 0
    for sentence in sentences:
        if blocks[-1] and length + len(sentence) / 2 > words:
            blocks.append([])
            length = 0
        blocks[-1].append(sentence)
        length += len(sentence)
    if len(blocks) > 1 and length < words / 2:
        last = blocks.pop()
        blocks[-1].extend(last)
    return blocks


def read_evenly_spaced_stories(path: Path, count: int | None) -> list[str]:
    """At most `count` evenly spaced stories of a file (None: all)."""
    stories = list(read_stories(path))
    return stories if count is None else evenly_spaced(stories, count)


def _keyed_stories(
    normalizer: Normalizer, named: Normalizer | None, stories: Sequence[str]
) -> list[tuple[int, Sentences]]:
    """The key of each story, and its sentences by `normalizer`; `named` makes the key if it is another one."""
    keyed = []
    for story in stories:
        sentences = normalizer.sentences(story)
        keyed.append((story_key(named.sentences(story) if named else sentences), sentences))
    return keyed


def _in_chunks(
    normalize: Callable[[Sequence[str]], list[tuple[int, Sentences]]], stories: Sequence[str]
) -> Iterator[tuple[int, Sentences]]:
    """The result of `normalize` for all stories, in order, by several processes if there are many stories."""
    chunks = [stories[start : start + CHUNK] for start in range(0, len(stories), CHUNK)]
    processes = max(1, cores() // world_size())
    if processes == 1 or len(stories) < PARALLEL_FROM or "fork" not in get_all_start_methods():
        for chunk in chunks:
            yield from normalize(chunk)
        return
    with map_in_processes(normalize, chunks, processes, method="fork") as results:
        for result in results:
            yield from result


def _unique(stories: Iterable[tuple[int, Sentences]], seen: set[int]) -> dict[int, Sentences]:
    """The first story of each key that is not in `seen`; adds these keys to `seen`."""
    kept = {}
    for key, sentences in stories:
        if key not in seen:
            seen.add(key)
            kept[key] = sentences
    return kept


def _judged_texts(path: Path) -> Iterable[str]:
    for row in read_rows(path, "csv"):
        if "InputSentence1" in row.values:  # Story Cloze: four sentences and two endings
            first_four = " ".join(str(row.values[f"InputSentence{index}"]) for index in range(1, 5))
            yield from (f"{first_four} {row.values[f'RandomFifthSentenceQuiz{index}']}" for index in (1, 2))
        for name, text in row.values.items():
            if name.startswith("Input.") and text:
                yield text.replace("</s>", " ")

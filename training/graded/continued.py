"""Groups of a long human story and a language model's ways to go on from its beginning.

`python -m training.graded.continued --config wp --data DIR` reads the beginning of a long human story, lets a causal
language model go on as far as the person did, at several temperatures, and writes
`runs/continued-NAME/continued.parquet`. At low temperatures a small model says the same again and again, as the
machine stories do that people judged; at high ones it loses the thread. A stage: what is done is not done again.
"""

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from tokenizers import Tokenizer

from openmeva.metrics.core.text import Normalizer, split_sentences
from openmeva.training.common.backbone import find_backbone, load_causal, names_file
from openmeva.training.common.config import as_mapping, config_file, read_config
from openmeva.training.corpora.splits import CorpusConfig, judged_keys
from openmeva.training.corpora.stories import is_held_out, read_stories, story_key
from openmeva.training.corpora.writing_prompts import cut_text
from openmeva.training.files import checksum
from openmeva.training.negatives.groups import SCHEMA
from openmeva.training.paths import RUNS
from openmeva.training.stages import Stage

Rows = list[dict[str, Any]]


@dataclass(frozen=True, kw_only=True)
class ContinuedConfig:
    """How stories are gone on from.

    Attributes:
        name: of the run.
        corpus: of the stories; judged and held-out ones are left out.
        words: least and greatest length of a whole story in words.
        opening_words: of its beginning, which ends with a sentence.
        stories: how many are drawn.
        temperatures: of the language model; each gives a way to go on from each story.
        top_k: only so many most likely tokens are drawn from.
        batch: stories at once.
        base: the language model: see `training/common/backbone.py`.
        seed: of all draws.
    """

    name: str
    corpus: CorpusConfig
    words: tuple[int, int]
    opening_words: int
    stories: int
    temperatures: tuple[float, ...]
    top_k: int = 40
    batch: int = 32
    base: str
    seed: int = 42


def openings(config: ContinuedConfig, data: Path) -> list[tuple[str, str]]:
    """The beginnings and wholes of the stories that are gone on from; judged and held-out ones are left out.

    Args:
        config: which stories, and how long.
        data: the folder that the corpus lies in.
    """
    normalizer = Normalizer.load(names_file())
    corpus = config.corpus
    seen = judged_keys(corpus.exclude, data, normalizer)
    rng = np.random.default_rng(config.seed)
    low, high = config.words
    texts = [" ".join(text.split()) for file in corpus.train for text in read_stories(data / file)]
    found: list[tuple[str, str]] = []
    for place in rng.permutation(len(texts)).tolist():
        whole = cut_text(texts[place], int(rng.integers(low, high + 1)))
        opening = cut_text(whole, config.opening_words)
        sentences = normalizer.sentences(texts[place])
        key = story_key(sentences)
        if key in seen or is_held_out(key, corpus.validation_share):
            continue
        if not low <= len(whole.split()) <= high or len(opening.split()) > len(whole.split()) / 2:
            continue
        seen.add(key)
        found.append((opening, whole))
        if len(found) == config.stories:
            break
    return found


class Continuer:
    """Goes on from texts with a causal language model, a batch at a time; equal seeds give equal texts.

    Args:
        model, tokenizer: of the language model.
        top_k: only so many most likely tokens are drawn from.
    """

    def __init__(self, model: Any, tokenizer: Tokenizer, top_k: int = 40) -> None:
        self.model = model.eval()  # in float32: one token at a time is no faster in bfloat16 on a processor
        self.tokenizer, self.top_k = tokenizer, top_k

    @torch.inference_mode()
    def __call__(self, texts: list[str], tokens: int, temperature: float, seed: int) -> list[str]:
        """Each text with about `tokens` more tokens, up to the last sentence that ends."""
        rows = [encoding.ids for encoding in self.tokenizer.encode_batch(texts, add_special_tokens=False)]
        longest = max(map(len, rows))
        ids = torch.tensor([[0] * (longest - len(row)) + row for row in rows])
        mask = torch.tensor([[0] * (longest - len(row)) + [1] * len(row) for row in rows])
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            written = self.model.generate(
                input_ids=ids,
                attention_mask=mask,
                do_sample=True,
                temperature=temperature,
                top_k=self.top_k,
                min_new_tokens=tokens,
                max_new_tokens=tokens,
                pad_token_id=0,
            )
        more = self.tokenizer.decode_batch(written[:, longest:].tolist())
        return [
            f"{text} {_whole_sentences(' '.join(new.split()))}" for text, new in zip(texts, more, strict=True)
        ]


def _whole_sentences(text: str) -> str:
    """The text up to its last sentence that ends; all of it where none does."""
    sentences = split_sentences(text)
    ended = sentences if sentences and sentences[-1].rstrip("\"') ")[-1:] in ".!?" else sentences[:-1]
    return " ".join(ended or sentences)


def continued_rows(
    stories: list[tuple[str, str]], temperatures: Sequence[float], go_on: Continuer, seed: int
) -> Rows:
    """The rows of some stories: each as it is, and gone on from at each temperature."""
    groups: dict[int, Rows] = {}
    for number, (_, whole) in enumerate(stories):
        groups[number] = [_row(f"continued-{seed}-{number}", whole, "human", 1)]
    tokens = max(1, int(1.35 * np.mean([len(whole.split()) - len(o.split()) for o, whole in stories])))
    for turn, temperature in enumerate(temperatures):
        texts = go_on([opening for opening, _ in stories], tokens, temperature, seed + turn)
        for number, (text, (_, whole)) in enumerate(zip(texts, stories, strict=True)):
            cut = cut_text(text, len(whole.split()))
            groups[number].append(_row(f"continued-{seed}-{number}", cut, f"continued-{temperature}", 0))
    return [row for rows in groups.values() for row in rows]


def _row(group: str, story: str, source: str, label: int) -> dict[str, Any]:
    level = 0 if label else -1
    return {"group": group, "story": story, "source": source, "label": label, "level": level, "kinds": []}


def make_continued(config: ContinuedConfig, data: Path, run: Path) -> Path:
    """Runs the stage; returns its file.

    Args:
        config: what is gone on from, and how.
        data: the folder that the corpus lies in.
        run: the folder to write to.

    Raises:
        ValueError: the language model is not at hand (the message says how to get it).
    """
    files = [*config.corpus.train, *config.corpus.exclude]
    made_from = {"config": as_mapping(config), "data": {file: checksum(data / file) for file in files}}
    stage = Stage(run, "continued", made_from)
    if stage.is_done():
        return stage.result
    go_on = Continuer(*load_causal(find_backbone(config.base)), top_k=config.top_k)
    stories = sorted(openings(config, data), key=lambda story: len(story[1].split()))
    return stage.run(
        len(stories),
        lambda span: continued_rows(
            [stories[i] for i in span], config.temperatures, go_on, config.seed + span.start
        ),
        config.batch,
        SCHEMA,
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Command line; see the module's description. Returns the exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m training.graded.continued",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--config", required=True, help="a file, or a name in training/configs/continued")
    parser.add_argument("--data", type=Path, required=True, help="the folder that the corpora lie in")
    parser.add_argument("--run", type=Path, help="default: runs/continued-NAME")
    parser.add_argument("--set", nargs="*", default=[], metavar="KEY=VALUE", help="e.g. stories=20 seed=7")
    given = parser.parse_args(arguments)
    try:
        config = read_config(ContinuedConfig, config_file("continued", given.config), given.set)
        print(make_continued(config, given.data, given.run or RUNS / f"continued-{config.name}"))
    except ValueError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())

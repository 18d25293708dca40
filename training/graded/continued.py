"""Groups of a human story and a language model's continuations of its opening.

`python -m training.graded.continued --config wp --data DIR` takes the openings of human stories. A causal language
model continues each to about the length of the human story, at several temperatures. The result is
`runs/continued-NAME/continued.parquet`. At low temperatures a small model repeats itself, like the
machine-generated stories with human judgments; at high ones it becomes incoherent. This is a stage: an interrupted
run resumes, and a finished one is not repeated.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from tokenizers import Tokenizer

from openmeva.metrics.core.classifier import max_positions
from openmeva.metrics.core.files import ADAPTER
from openmeva.metrics.core.runtime import choose_device, choose_dtype
from openmeva.metrics.core.text import split_sentences
from openmeva.metrics.ppl.causal_model import CausalModel
from openmeva.metrics.ppl.texts import NormalizedReader
from openmeva.training.common.backbone import find_backbone, load_causal, load_perplexity
from openmeva.training.common.command import exit_on_bad_input
from openmeva.training.common.config import as_mapping, config_file, read_config
from openmeva.training.corpora.splits import (
    data_checksums,
)
from openmeva.training.corpora.writing_prompts import truncate_text
from openmeva.training.files import checksum
from openmeva.training.graded.openings import ContinuedConfig, sample_openings
from openmeva.training.negatives.groups import SCHEMA
from openmeva.training.paths import RUNS, resolve_path
from openmeva.training.processes import model_processes, progress_to_stderr
from openmeva.training.stages import Stage
from openmeva.training.text.tagged_corpus import text_inputs

Rows = list[dict[str, Any]]


class ContinuationSampler:
    """Continues texts with a causal language model, one batch at a time. On one CPU, equal seeds give equal texts.

    Args:
        model, tokenizer: of the language model.
        top_k: k of top-k sampling.
        start: id of a token to put before each text; None: no token.
        end: id of the end-of-text token; None: every continuation has the requested length.
    """

    def __init__(
        self,
        model: Any,
        tokenizer: Tokenizer,
        top_k: int = 40,
        start: int | None = None,
        end: int | None = None,
    ) -> None:
        device = choose_device(None)
        self.model = model.to(device, choose_dtype("auto", device)).eval()
        self.tokenizer, self.top_k, self.start, self.end = tokenizer, top_k, start, end

    def _rows(self, texts: Sequence[str]) -> list[list[int]]:
        first = [] if self.start is None else [self.start]
        return [
            [*first, *encoding.ids]
            for encoding in self.tokenizer.encode_batch(list(texts), add_special_tokens=False)
        ]

    def check_length(self, texts: Sequence[str], tokens: int) -> None:
        """Raises a ValueError if the model lacks positions for one of the texts with `tokens` new tokens."""
        length, limit = max(map(len, self._rows(texts))) + tokens, max_positions(self.model.config)
        if limit is not None and length > limit:
            raise ValueError(
                f"words: expected openings and continuations of at most {limit} tokens, the positions of the language model, "
                f"got {length}"
            )

    @torch.inference_mode()
    def __call__(self, texts: list[str], tokens: int, temperature: float, seed: int) -> list[str]:
        """Each text with up to `tokens` new tokens (exactly `tokens` if `end` is None), cut after a whole sentence."""
        rows = self._rows(texts)
        longest = max(map(len, rows))
        device = self.model.device
        ids = torch.tensor([[0] * (longest - len(row)) + row for row in rows]).to(device)
        mask = torch.tensor([[0] * (longest - len(row)) + [1] * len(row) for row in rows]).to(device)
        with torch.random.fork_rng(devices=[device] if device.type == "cuda" else []):
            torch.manual_seed(seed)
            written = self.model.generate(
                input_ids=ids,
                attention_mask=mask,
                do_sample=True,
                temperature=temperature,
                top_k=self.top_k,
                max_new_tokens=tokens,
                pad_token_id=0,
                use_cache=True,
                **({"min_new_tokens": tokens} if self.end is None else {"eos_token_id": self.end}),
            )
        new_ids = [
            row[: row.index(self.end)] if self.end in row else row for row in written[:, longest:].tolist()
        ]
        more = self.tokenizer.decode_batch(new_ids, skip_special_tokens=False)
        return [
            f"{text} {_whole_sentences(' '.join(new.split()))}" for text, new in zip(texts, more, strict=True)
        ]


def _whole_sentences(text: str) -> str:
    """The text up to its last complete sentence; the whole text if there is none."""
    sentences = split_sentences(text)
    ended = sentences if sentences and sentences[-1].rstrip("\"') ")[-1:] in ".!?" else sentences[:-1]
    return " ".join(ended or sentences)


def continued_rows(
    stories: Sequence[tuple[str, str]],
    names: Sequence[str],
    temperatures: Sequence[float],
    sampler: ContinuationSampler,
    seed: int,
) -> Rows:
    """One group of rows per story: the human story, and its continuation at each temperature."""
    groups = {name: [_row(name, whole, "human", 1)] for name, (_, whole) in zip(names, stories, strict=True)}
    tokens = tokens_to_write(stories)
    for turn, temperature in enumerate(temperatures):
        texts = sampler([opening for opening, _ in stories], tokens, temperature, seed + turn)
        for name, text, (_, whole) in zip(names, texts, stories, strict=True):
            cut = truncate_text(text, len(whole.split()))
            groups[name].append(_row(name, cut, f"continued-{temperature}", 0))
    return [row for rows in groups.values() for row in rows]


def tokens_to_write(stories: Sequence[tuple[str, str]]) -> int:
    """The number of tokens with which openings are about as long as their whole stories."""
    return max(
        1, int(1.35 * np.mean([len(whole.split()) - len(opening.split()) for opening, whole in stories]))
    )


def _row(group: str, story: str, source: str, label: int) -> dict[str, Any]:
    level = 0 if label else -1
    return {
        "group": group,
        "story": story,
        "source": source,
        "label": label,
        "level": level,
        "error_types": [],
    }


def make_continued(config: ContinuedConfig, data: Path, run: Path, processes: int = 1) -> Path:
    """Runs the stage; returns its file.

    Args:
        config: the stories and how they are continued.
        data: the folder of the corpus.
        run: the folder to write to.
        processes: number of parallel processes.

    Raises:
        ValueError: the language model is not available (the message says how to get it), or no story qualifies.
    """
    made_from: dict[str, Any] = {
        "config": as_mapping(config),
        "data": data_checksums(config.corpus, data),
        "names": text_inputs()["names"],
    }
    adapter = resolve_path(config.base) / ADAPTER  # of perplexity's weights
    made_from["base"] = checksum(adapter) if adapter.is_file() else find_backbone(config.base).sha256
    stage = Stage(run, "continued", made_from)
    if stage.is_done():
        return stage.result
    own = load_perplexity(config.base)
    sampler = _perplexity_sampler(config, *own) if own else _pretrained_sampler(config)
    stories = sorted(
        sample_openings(config, data, normalized=own is not None), key=lambda story: len(story[1].split())
    )
    for begin in range(0, len(stories), config.batch):
        batch = stories[begin : begin + config.batch]
        sampler.check_length([opening for opening, _ in batch], tokens_to_write(batch))
    return stage.run(
        len(stories),
        lambda span: continued_rows(
            stories[span.start : span.stop],
            [f"continued-{config.name}-{number}" for number in span],
            config.temperatures,
            sampler,
            config.seed + span.start,
        ),
        config.batch,
        SCHEMA,
        processes=model_processes(processes),
    )


def _pretrained_sampler(config: ContinuedConfig) -> ContinuationSampler:
    return ContinuationSampler(*load_causal(find_backbone(config.base)), top_k=config.top_k)


def _perplexity_sampler(
    config: ContinuedConfig, scorer: CausalModel, reader: NormalizedReader
) -> ContinuationSampler:
    """The language model in a folder of perplexity's weights, with the start and end tokens of its training."""
    return ContinuationSampler(scorer.model, reader.tokenizer, config.top_k, scorer.start, reader.end)


def main(arguments: Sequence[str] | None = None) -> None:
    """Command line; see the module's description."""
    parser = argparse.ArgumentParser(
        prog="python -m training.graded.continued",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--config", required=True, help="a file, or a name in training/configs/continued")
    parser.add_argument("--data", type=Path, required=True, help="the folder of the corpora")
    parser.add_argument("--run", type=Path, help="default: runs/continued-NAME")
    parser.add_argument("--processes", type=int, default=1, help="number of parallel processes (default: 1)")
    parser.add_argument(
        "--set", nargs="*", action="extend", default=[], metavar="KEY=VALUE", help="e.g. stories=20 seed=7"
    )
    given = parser.parse_args(arguments)
    progress_to_stderr()
    with exit_on_bad_input():
        config = read_config(ContinuedConfig, config_file("continued", given.config), given.set)
        run = given.run or RUNS / f"continued-{config.name}"
        print(make_continued(config, given.data, run, given.processes))


if __name__ == "__main__":
    main()

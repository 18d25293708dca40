"""Cost of the papers' own settings: measured seconds and memory per training step, and the time of the whole run.

    python -m training.papers.manifest                       # on the GPU if available
    python -m training.papers.manifest --device cpu --share .125

The models are untrained, of the published shapes, and the texts are random tokens of the lengths below. Time and memory
depend on shapes only, so neither the Hub nor a corpus is needed. The batch is the configuration's or, with `--share`, a
part of it, whose time is scaled. On a CPU, seconds are CPU time summed over all threads. Each row runs in its own
process, so that its memory can be measured.
"""

import argparse
import math
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from typing import Any

import torch
import transformers
from torch import Tensor

from openmeva.training.common.config import config_file, read_config
from openmeva.training.common.trainer import training_autocast
from openmeva.training.corpora.splits import CorpusConfig
from openmeva.training.plot_coherence.config import PlotCoherenceConfig
from openmeva.training.plot_guided.generator.config import GeneratorConfig
from openmeva.training.plot_guided.negatives.config import PlotNegativesConfig
from openmeva.training.plot_guided.set_counts import PUBLISHED
from openmeva.training.ppl.config import PplConfig
from openmeva.training.processes import peak_memory
from openmeva.training.ruber_bert.config import RuberConfig
from openmeva.training.union.config import UnionConfig

NEGATIVES = {"roc": 24_127, "wp": 1_139}  # stories that make negatives: not the generator's
ROC_WORDS = 60  # of a long story
PIECES = 1.3  # subword tokens per word
SHAPES: dict[str, Callable[[], Any]] = {  # as published
    "bert-base-uncased": transformers.BertConfig,
    "roberta-base": lambda: transformers.RobertaConfig(vocab_size=50265, max_position_embeddings=514),
    "longformer-base-4096": lambda: transformers.LongformerConfig(
        vocab_size=50265, max_position_embeddings=4098
    ),
    "bart-base": lambda: transformers.BartConfig(
        d_model=768,
        encoder_layers=6,
        decoder_layers=6,
        encoder_attention_heads=12,
        decoder_attention_heads=12,
        encoder_ffn_dim=3072,
        decoder_ffn_dim=3072,
    ),
    "gpt2": transformers.GPT2Config,
}
HEADS: dict[str, Any] = {  # task of a step: model class
    "masked": transformers.AutoModelForMaskedLM,
    "frozen": transformers.AutoModel,
    "classify": transformers.AutoModelForSequenceClassification,
    "causal": transformers.AutoModelForCausalLM,
    "rewrite": transformers.AutoModelForSeq2SeqLM,
    "write": transformers.AutoModelForSeq2SeqLM,
}


@dataclass(frozen=True)
class Run:
    """One of the papers' settings.

    Attributes:
        name: configuration, for example `union/roc_paper`.
        base: a key of `SHAPES`.
        task: a key of `HEADS`.
        batch: texts per step.
        tokens: per text; for `rewrite` and `write`, per plot.
        steps: of the whole run.
        story: tokens per story to generate.
    """

    name: str
    base: str
    task: str
    batch: int
    tokens: int
    steps: int
    story: int = 0


@dataclass(frozen=True)
class Measurement:
    """Measurements: parameters in millions, seconds per step, and peak memory in gigabytes."""

    parameters: float
    seconds: float
    gigabytes: float


def paper_runs() -> list[Run]:
    """The configurations of the papers' own settings, with their number of steps."""
    runs = []
    for name in ("roc_paper", "wp_paper"):
        union = _read_config(UnionConfig, "union", name)
        tokens, steps = _tokens(union.max_length, union.corpus), math.ceil(union.pairs / union.batch_pairs)
        runs.append(Run(f"union/{name}", union.base, "masked", 2 * union.batch_pairs, tokens, steps))
    ruber = _read_config(RuberConfig, "ruber_bert", "roc_paper")
    steps = math.ceil(ruber.pairs * ruber.epochs / ruber.batch)
    tokens = _tokens(ruber.max_length, ruber.corpus)
    runs.append(Run("ruber_bert/roc_paper", ruber.base, "frozen", 2 * ruber.batch, tokens, steps))
    for name in ("roc", "wp"):
        coherence = _read_config(PlotCoherenceConfig, "plot_coherence", f"{name}_paper")
        batch = coherence.batch_groups * coherence.group_size
        steps = math.ceil(coherence.epochs * 1000 * PUBLISHED[name]["af_manplts"][0] / batch)
        row = Run(
            f"plot_coherence/{name}_paper", coherence.base, "classify", batch, coherence.max_length, steps
        )
        runs.append(row)
    for name in ("roc_paper", "wp_paper", "roc_gpt2_paper", "wp_gpt2_paper"):
        runs.append(_generator_run(name, _read_config(GeneratorConfig, "generator", name)))
    for name in ("roc_paper", "wp_paper"):
        chain = _read_config(PlotNegativesConfig, "plot_negatives", name)
        texts = NEGATIVES[_folder(chain.corpus)] * chain.candidates
        sampling = chain.sampling
        steps = math.ceil(texts / sampling.batch_size)
        plot, story = _tokens(sampling.max_plot, chain.corpus), _tokens(sampling.max_tokens, chain.corpus)
        runs.append(
            Run(f"plot_negatives/{name}", "bart-base", "write", sampling.batch_size, plot, steps, story)
        )
    for name in ("roc_gpt2_paper", "wp_gpt2_paper"):
        ppl = _read_config(PplConfig, "ppl", name)
        tokens, steps = _tokens(ppl.max_length, ppl.corpus), math.ceil(ppl.stories / ppl.batch)
        runs.append(Run(f"ppl/{name}", ppl.base, "causal", ppl.batch, tokens, steps))
    return runs


def _read_config(kind: type[Any], metric: str, name: str) -> Any:
    return read_config(kind, config_file(metric, name))


def _tokens(limit: int, corpus: CorpusConfig) -> int:
    """Tokens of a long text of a corpus, at most the maximum length."""
    words = ROC_WORDS if _folder(corpus) == "roc" else corpus.max_words
    return min(limit, math.ceil(PIECES * words)) if words else limit


def _folder(corpus: CorpusConfig) -> str:
    """`roc` or `wp`: the folder of a corpus's files."""
    return corpus.train[0].partition("/")[0]


def _generator_run(name: str, config: GeneratorConfig) -> Run:
    plot, story = _tokens(config.max_plot, config.corpus), _tokens(config.max_story, config.corpus)
    steps = math.ceil(config.stories / config.batch)
    if config.base == "gpt2":  # the plot is the prefix of its text
        return Run(f"generator/{name}", config.base, "causal", config.batch, plot + story, steps)
    return Run(f"generator/{name}", config.base, "rewrite", config.batch, plot, steps, story)


def measure(run: Run, device: str = "cpu", steps: int = 2, share: float = 1.0) -> Measurement:
    """Measures a step of a run: loss, gradient and AdamW update in bfloat16 or, for `write`, generating a batch of stories.

    Args:
        run: of `paper_runs`.
        device: "cpu", "cuda", …
        steps: number of measured steps; the first of several is not counted.
        share: share of the batch, above 0 and up to 1.
    """
    torch.manual_seed(0)
    batch = max(1, round(share * run.batch))
    model = HEADS[run.task].from_config(SHAPES[run.base]()).to(device).train(run.task != "write")
    parameters = sum(p.numel() for p in model.parameters())
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-6)
    durations = []
    for _ in range(steps):
        started = _seconds(device)
        with training_autocast(torch.device(device)):
            loss = _loss(model, run, batch, device)
        if loss is not None:
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()
        durations.append(_seconds(device) - started)
    measured = durations[1:] or durations
    return Measurement(
        parameters / 1e6, sum(measured) / len(measured) * run.batch / batch, _gigabytes(device)
    )


def _loss(model: Any, run: Run, batch: int, device: str) -> Tensor | None:
    """Loss of random texts; None for tasks without training."""
    size = model.config.vocab_size
    ids = torch.randint(10, size, (batch, run.tokens), device=device)
    if run.task == "frozen":
        with torch.inference_mode():
            model(ids)
        return None
    if run.task == "write":
        options = {"do_sample": True, "top_k": 50, "min_new_tokens": run.story, "max_new_tokens": run.story}
        model.generate(ids, **options)
        return None
    if run.task == "classify":
        labels = torch.arange(batch, device=device) % 2
    elif run.task == "rewrite":
        labels = torch.randint(10, size, (batch, run.story), device=device)
    else:
        labels = ids
    loss: Tensor = model(ids, labels=labels).loss
    return loss


def _seconds(device: str) -> float:
    if device == "cpu":
        return time.process_time()
    torch.cuda.synchronize(device)
    return time.perf_counter()


def _gigabytes(device: str) -> float:
    if device == "cpu":
        return peak_memory() / 1e9
    return torch.cuda.max_memory_allocated(device) / 1e9


def manifest_row(run: Run, cost: Measurement) -> str:
    """A row of the Markdown table."""
    texts = f"{run.batch} of {run.tokens}" + (f" + {run.story}" if run.story else "")
    hours = cost.seconds * run.steps / 3600
    return (
        f"| `{run.name}` | {run.base}, {cost.parameters:.0f}M | {texts} | {run.steps:,} | {cost.seconds:.3g} | "
        f"{cost.gigabytes:.1f} | {hours:.1f} |"
    )


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        prog="python -m training.papers.manifest",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument(
        "--steps", type=int, default=2, help="measured steps; the first of several is not counted"
    )
    parser.add_argument(
        "--share", type=float, default=1.0, help="share of a batch; its time is scaled, its memory is not"
    )
    runs = {run.name: run for run in paper_runs()}
    parser.add_argument("--runs", nargs="+", choices=runs, default=list(runs), metavar="CONFIGURATION")
    args = parser.parse_args(arguments)
    if args.steps < 1:
        parser.error(f"--steps: expected 1 or more, got {args.steps}")
    if not 0 < args.share <= 1:
        parser.error(f"--share: expected a share above 0 and up to 1, got {args.share:g}")
    print(
        "| configuration | model | texts per step, tokens of each | steps | seconds per step | GB | hours |"
    )
    print("|---|---|---|---|---|---|---|", flush=True)
    with ProcessPoolExecutor(1, get_context("spawn"), max_tasks_per_child=1) as pool:
        for name in args.runs:
            cost = pool.submit(measure, runs[name], args.device, args.steps, args.share).result()
            print(manifest_row(runs[name], cost), flush=True)


if __name__ == "__main__":
    main()

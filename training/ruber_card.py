"""Cards of RUBER-BERT's weights, generated from a run's manifest: `python -m training.ruber_card FOLDER`."""

import argparse
import json
from pathlib import Path
from typing import Any

from training.files import write_text

_CARD = """---
license: apache-2.0
language: en
library_name: evaluate
tags: [story-generation, evaluation, ruber]
---

# RUBER-BERT, `{name}`

Whether a story belongs to its context, 0 to 1, higher is better (Tao et al. 2018; Ghazarian et al. 2019), and the
calibration that blends it with the likeness to a reference.

## Use

```python
import evaluate

ruber = evaluate.load("metrics/ruber_bert", "{name}")
ruber.compute(predictions=["She made a sandwich. She ate it."], contexts=["Ann was hungry."])
```

## Training

{kind} {pairs[train]:,} pairs of a context and its story, {passes:g} passes in {steps:,} steps of {batch}, learning
rate {rate:g}, seed {seed}; {loss}; {in_batch} stories of the same batch and {sampled} drawn one{nearest} as negatives;
{minutes:g} minutes on {threads} thread(s) with torch {torch}.

| file | SHA-256 |
|---|---|
{data}

## Results

On {pairs[validation]:,} held-out pairs the true story scores above a random one in {accuracy:.1%} of cases{near}.
Correlations with human judgments are printed by `make benchmark`, and stand in the project's README.

## Limits

English stories as in its corpus. It looks at what story and context are about: a story on the subject that
contradicts or repeats itself goes unseen. It should not decide on people's writing.

## Data and licence

The weights are Apache-2.0. {source} The stories are not part of this repository.

## Citation

```bibtex
@inproceedings{{ghazarian-etal-2019-better,
    title = "Better Automatic Evaluation of Open-Domain Dialogue Systems with Contextualized Embeddings",
    author = "Ghazarian, Sarik and Wei, Johnny and Galstyan, Aram and Peng, Nanyun",
    booktitle = "Proceedings of the Workshop on Methods for Optimizing and Evaluating Neural Language Generation",
    year = "2019",
    pages = "82--89",
}}
```
"""


def write_ruber_card(folder: Path, manifest: dict[str, Any]) -> None:
    """Writes `README.md` beside the weights."""
    config, validation = manifest["config"], manifest["validation"]
    kinds = {
        "rnn": "A recurrent network over the story encoder's word vectors, and a head.",
        "adapted": "The project's story encoder, adapted, and a head.",
        "frozen": f"A head on the project's story encoder, which stayed frozen; states pooled by {config['pooling']}.",
    }
    kind = "rnn" if config["encoder"] == "rnn" else "adapted" if config["adapter"] else "frozen"
    near = validation.get("accuracy_nearest")
    prompts = config["corpus"].get("context") == "prompt"
    card = _CARD.format(
        name=config["name"],
        kind=kinds[kind],
        pairs=manifest["pairs"],
        passes=config["passes"],
        steps=manifest["steps"],
        batch=config["batch"],
        rate=config["learning_rate"],
        seed=config["seed"],
        loss=f"margin ranking, margin {config['margin']:g}"
        if config["loss"] == "margin"
        else "cross-entropy",
        in_batch=config["in_batch"],
        sampled=config["sampled"],
        nearest=f" (of the {config['nearest']} whose contexts are most alike)" if config["nearest"] else "",
        minutes=manifest["minutes"],
        threads=manifest["threads"],
        torch=manifest["torch"],
        accuracy=validation["accuracy"],
        near=f",\nand above one whose context is alike in {near:.1%}" if near is not None else "",
        source="WritingPrompts (Fan et al. 2018) is text of Reddit's users and may not be passed on."
        if prompts
        else "ROCStories (Mostafazadeh et al. 2016) is distributed by its authors on request and may not be passed on.",
        data="\n".join(f"| `{file}` | `{digest}` |" for file, digest in manifest["data"].items()),
    )
    write_text(folder / "README.md", card)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="weights with their manifest.json")
    folder = parser.parse_args().folder
    write_ruber_card(folder, json.loads((folder / "manifest.json").read_text(encoding="utf-8")))


if __name__ == "__main__":
    main()

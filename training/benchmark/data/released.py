"""Scores that the papers' authors and others released for the judged stories."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from openmeva.training.files import read_json
from openmeva.training.judged.hanna import CRITERIA as HANNA_CRITERIA
from openmeva.training.judged.hanna import read_hanna_scores
from openmeva.training.judged.plot_guided import PREDICTIONS, read_predictions
from openmeva.training.judged.union import FOLDERS as UNION_FOLDERS

# File to title; True if lower is better there, so that scores are negated: perplexity, given as its logarithm.
UNION_FILES = {
    "bleu.txt": ("BLEU", False),
    "moverscore.txt": ("MoverScore", False),
    "ruber_ref_score.txt": ("RUBER-BERT (referenced)", False),
    "ppl.txt": ("PPL (GPT-2, log)", True),
    "ruber_unref_score.txt": ("RUBER-BERT (unreferenced)", False),
    "dis.txt": ("DisScore", False),
    "union.txt": ("UNION", False),
    "union_recon.txt": ("UNION without reconstruction", False),
    "ruber_score.txt": ("RUBER-BERT", False),
    "bleurt.txt": ("BLEURT", False),
}
# The fine-tuned model of Table 5 whose scores the plot-guided authors released.
JUDGES = {"roc": "RoBERTa (filtered manipulated plots)", "wp": "Longformer (filtered manipulated plots)"}
PEERS = {
    "rouge1-f": "ROUGE-1 F1",
    "rouge2-f": "ROUGE-2 F1",
    "rougel-f": "ROUGE-L F1",
    "sentence_bleu": "BLEU",
    "meteor": "METEOR",
    "bertscore-p": "BERTScore-P",
    "bertscore-r": "BERTScore-R",
    "bertscore-f": "BERTScore-F1",
    "fwppl": "PPL (GPT-2)",
    "bartscore": "BARTScore",
    "bartscore_cnn": "BARTScore (CNN)",
    "bartscore_cnn_pa": "BARTScore (CNN, ParaBank)",
    "chatgpt": "ChatGPT as judge",
}

# The most common of the 72 metrics that HANNA's authors released; those where lower is better are negated. The reference
# is the human-written story of the prompt, so that a human-written story is compared with itself.
HANNA_METRICS = {
    "BLEU": "BLEU",
    "ROUGE-L F-Score": "ROUGE-L F1",
    "METEOR": "METEOR",
    "chrF": "chrF",
    "BERTScore F1": "BERTScore-F1",
    "MoverScore": "MoverScore",
    "BARTScore-SH": "BARTScore",
    "SUPERT-SS": "SUPERT",
    "BLANC-Tune-SS": "BLANC",
    "BaryScore-W": "BaryScore",
    "DepthScore": "DepthScore",
    "InfoLM-FisherRao": "InfoLM",
}
_HANNA_NEGATED = {"BaryScore-W", "DepthScore", "InfoLM-FisherRao"}
# The language models that rated HANNA (Chhun et al., TACL 2024), with their simplest prompt, the first of four.
HANNA_JUDGES = {
    "ChatGPT": "ChatGPT as judge",
    "Mistral-7B": "Mistral-7B as judge",
    "OrcaPlatypus": "OrcaPlatypus as judge",
    "Beluga-13B": "Beluga-13B as judge",
    "Llama-13B": "Llama-13B as judge",
}
_HANNA_CRITERIA = dict(zip(HANNA_CRITERIA, ("RE", "CH", "EM", "SU", "EG", "CX"), strict=True))


def released_scores(name: str, rows: list[dict[str, Any]], data: Path | None) -> dict[str, list[float]]:
    """Title to released scores, one per row, higher is better; empty if the set has none or the files are missing.

    Args:
        name: of the set, with a criterion if there is one: then the judges' ratings on that criterion are used.
        rows: of the set.
        data: folder of the papers' data.

    Raises:
        ValueError: a file does not fit the rows.
    """
    base, _, criterion = name.partition(":")
    readers: dict[str, Callable[[Path, list[dict[str, Any]]], dict[str, list[float]]]] = {
        "mans_roc": _peers,
        "hanna": partial(_hanna, criterion),
        **{f"union_{corpus}": partial(_union, corpus) for corpus in UNION_FOLDERS},
        **{f"plot_guided_{corpus}": partial(_plot_guided, corpus) for corpus in PREDICTIONS},
    }
    if data is None or base not in readers:
        return {}
    result = readers[base](data, rows)
    for title, scores in result.items():
        if len(scores) != len(rows):
            raise ValueError(f"released scores of {title}: expected {len(rows)}, got {len(scores)}")
    return result


def _union(corpus: str, data: Path, rows: list[dict[str, Any]]) -> dict[str, list[float]]:
    folder = data / "union" / UNION_FOLDERS[corpus] / "metric_output"
    result = {}
    for name, (title, negated) in UNION_FILES.items():
        if (folder / name).exists():
            values = [float(line) for line in (folder / name).read_text().split()]
            result[title] = [-value for value in values] if negated else values
    return result


def _peers(data: Path, rows: list[dict[str, Any]]) -> dict[str, list[float]]:
    path = data / "mans" / "mans_roc_peer_scores.json"
    if not path.exists():
        return {}
    by_story = {
        f"{entry['doc_id']}-{model}": generated["score"]
        for entry in read_json(path)
        for model, generated in entry["gen"].items()
    }
    absent = [row["story_id"] for row in rows if row["story_id"] not in by_story]
    if absent:
        raise ValueError(f"{path}: {len(absent)} stories have no scores, such as {absent[0]}")
    signs = {key: -1.0 if key == "fwppl" else 1.0 for key in PEERS}
    return {
        title: [signs[key] * float(by_story[row["story_id"]][key]) for row in rows]
        for key, title in PEERS.items()
        if all(by_story[row["story_id"]].get(key) is not None for row in rows)
    }


def _hanna(criterion: str, data: Path, rows: list[dict[str, Any]]) -> dict[str, list[float]]:
    by_story = read_hanna_scores(data / "hanna")
    if not by_story:
        return {}
    absent = [row["story_id"] for row in rows if row["story_id"] not in by_story]
    if absent:
        raise ValueError(f"{data / 'hanna'}: {len(absent)} stories have no scores, such as {absent[0]}")
    short = {name.lower(): code for name, code in _HANNA_CRITERIA.items()}.get(criterion.lower(), "AVG")
    columns = {**HANNA_METRICS, **{f"{model} {short} 1": title for model, title in HANNA_JUDGES.items()}}
    result = {}
    for column, title in columns.items():
        values = [by_story[row["story_id"]].get(column) for row in rows]
        if all(value is not None for value in values):
            sign = -1.0 if column in _HANNA_NEGATED else 1.0
            result[title] = [sign * float(value) for value in values if value is not None]
    return result


def _plot_guided(corpus: str, data: Path, rows: list[dict[str, Any]]) -> dict[str, list[float]]:
    path = data / "plot_guided" / PREDICTIONS[corpus]
    if not path.exists():
        return {}
    scores = read_predictions(path)
    absent = [row["story_id"] for row in rows if row["story"] not in scores]
    if absent:
        raise ValueError(f"{path}: {len(absent)} stories have no scores, such as {absent[0]}")
    return {JUDGES[corpus]: [scores[row["story"]] for row in rows]}

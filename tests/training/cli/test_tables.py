"""Tables of scores on a terminal."""

import inspect
import io
import json
from pathlib import Path

import pytest
from rich.console import Console

from openmeva.training.benchmark.paired import Comparison, compare_metrics
from openmeva.training.cli.comparison import show_comparison
from openmeva.training.cli.tables import MEANINGS, MIN_GAIN, show_reasons, show_scores
from openmeva.training.scoring.loading import metric_names, module_class
from openmeva.training.scoring.results import MetricResult
from openmeva.training.scoring.results import score as scored_by

EXPLAINING = [
    name for name in metric_names() if "explain" in inspect.signature(module_class(name)._compute).parameters
]


def test_story_without_score_shows_a_dash() -> None:
    rows = [{"story": "Ann ran."}, {"story": "Ben fell."}, {"story": "She laughed."}]
    text = io.StringIO()
    scored = MetricResult("llm_judge", {"score": [4.0, None, 3.5]}, None, 3.75, "llm_judge|model:m")
    show_scores(rows, [scored], Console(file=text, width=100))
    lines = text.getvalue().splitlines()
    assert "–" in next(line for line in lines if "Ben fell." in line)
    assert "3.750" in next(line for line in lines if "mean" in line), (
        "the mean over the stories that have a score"
    )
    assert "LLM judge: 1 to 5, higher is better; 1 of 3 stories have none" in lines


def test_control_characters_and_surrogates_of_a_story_are_not_printed() -> None:
    row = {"story_id": "a\x1b[2J", "story": "He ran \ud83d away.\x1b]0;title\x07 She\x9b31m fell."}
    text = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    reasons = {
        "sentences": [{"text": row["story"], "gain": 0.5}],
        "edits": [{"token": "\x1b[2J", "suggestion": ""}],
    }
    result = MetricResult("union", {"score": [0.5]}, [reasons], 0.5, "union|x")
    show_scores([row], [result], Console(file=text, width=100))
    show_reasons([row], result, Console(file=text))
    text.seek(0)
    printed = text.read()
    assert "He ran" in printed
    assert not set(printed) & {"\x1b", "\x07", "\x9b", "\ud83d"}


@pytest.mark.parametrize(("share", "told"), [(0.02, False), (0.25, True)])
def test_repetition_is_told_if_it_costs(share: float, told: bool) -> None:
    reasons = {"sentences": [{"text": "he ran .", "gain": 0.0}], "repetition": share}
    text = io.StringIO()
    result = MetricResult("plot_coherence", {"score": [0.5]}, [reasons], 0.5, "plot_coherence|x")
    show_reasons([{"story": "He ran."}], result, Console(file=text, width=200))
    assert ("25 % of its sequences of four words" in text.getvalue()) == told


@pytest.mark.parametrize("metric", EXPLAINING)
def test_explanations_of_every_metric_are_shown(metric: str) -> None:
    story = "Ann was hungry. She made a whale. The moon sold him a Tuesday."
    result = scored_by(metric, {"predictions": [story]}, explain=True, device="cpu", show_progress=False)
    console = Console(record=True, width=100, file=io.StringIO())
    show_reasons([{"story": story}], result, console)
    output = console.export_text()
    assert result.explanations is not None
    (reasons,) = result.explanations
    for sentence in reasons["sentences"]:
        number = sentence["nll"] if metric == "ppl" else sentence["gain"]
        (line,) = (line for line in output.splitlines() if sentence["text"] in line)
        assert (f"{number:.3f}" in line) == (metric == "ppl" or number > MIN_GAIN)
    costs = any(sentence.get("gain", 0) > MIN_GAIN for sentence in reasons["sentences"])
    assert (MEANINGS["gain"] in output) == costs
    assert (MEANINGS["nll"] in output) == (metric == "ppl")
    assert ("no sentence lowers its score" in output) == (metric != "ppl" and not costs)


@pytest.mark.parametrize("width", [60, 80, 120, 200])
@pytest.mark.parametrize(
    "metrics",
    [
        ["plot_coherence"],
        ["plot_coherence", "union", "overlap"],
        ["plot_coherence", "union", "overlap", "ppl", "bleurt"],
    ],
)
def test_scores_fit_next_to_a_long_story(metrics: list[str], width: int) -> None:
    rows = [{"story_id": "a" * 40, "story": "Ann ran far. " * 24}]
    keys = {"overlap": ["bleu_scores", "rougeL_scores", "meteor_scores"], "ppl": ["perplexities"]}
    results = [
        MetricResult(name, {key: [0.512 + index] for key in keys.get(name, ["score"])}, None, None, name)
        for index, name in enumerate(metrics)
    ]
    text = io.StringIO()
    show_scores(rows, results, Console(file=text, width=width))
    row = next(line for line in text.getvalue().splitlines() if "Ann ran" in line)
    assert [cell for cell in row.split() if cell.endswith(".512")] == [
        f"{index}.512" for index, name in enumerate(metrics) for _ in keys.get(name, ["score"])
    ]
    assert len(row) == width or (len(metrics) > 1 and width < 100)


def test_comparison_shows_only_available_levels(tmp_path: Path) -> None:
    rows = [
        {"story": f"story {k}", "score": k % 7 + k % 3, "prompt": f"p{k // 3}", "source_model": "abc"[k % 3]}
        for k in range(24)
    ]
    for columns, levels in ((("prompt", "source_model"), 3), (("prompt",), 2), ((), 1)):
        shown = [{key: row[key] for key in ("story", "score", *columns)} for row in rows]
        files = [tmp_path / "judged.jsonl", tmp_path / "a.jsonl", tmp_path / "b.jsonl"]
        for index, file in enumerate(files):
            scored = [{**row, "a_score": (k * (index + 2)) % 11} for k, row in enumerate(shown)]
            file.write_text("".join(json.dumps(row) + "\n" for row in scored), encoding="utf-8")
        compared = [f"{file}:a_score" for file in files[1:]]
        text = io.StringIO()
        show_comparison(
            compare_metrics(Comparison(compared, files[0], draws=100)), Console(file=text, width=150)
        )
        titles = [line for line in text.getvalue().splitlines() if "24 stories" in line]
        assert [line.split("; ")[1].split(":")[0] for line in titles] == [
            "pooled",
            "mean over prompts",
            "between systems",
        ][:levels]


def test_compared_file_names_are_not_truncated() -> None:
    names = [f"runs/a_rather_long_folder/of_scores/{letter}.jsonl:score" for letter in "ab"]
    row = {"kind": "own", "pearson": 0.35, "spearman": 0.35, "kendall": 0.35}
    test = {
        "difference": {"pearson": 0.1},
        "bootstrap": {"pearson": {"interval": [0.1, 0.2], "p_value": 0.03, "holm": 0.03}},
        "permutation": {"p_value": 0.02, "holm": 0.02},
        "williams": {},
        "verdict": "better",
    }
    text = io.StringIO()
    comparison = {
        "judgments": "judged.jsonl",
        "n": 40,
        "prompts": 20,
        "rows": dict.fromkeys(names, row),
        "pairs": {"best": names[0], "coefficient": "pearson", "against": {names[1]: test}},
    }
    show_comparison(comparison, Console(file=text, width=80))
    cells = [line.split("│")[1].strip() for line in text.getvalue().splitlines() if "│" in line]
    assert "".join(cells) == "".join([*names, names[1]])
    assert "too narrow" not in text.getvalue()
    show_comparison({**comparison, "prompts": 4}, Console(file=text, width=80))
    assert text.getvalue().endswith("Note: with only 4 prompts, intervals are too narrow.\n")

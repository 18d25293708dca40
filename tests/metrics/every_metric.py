"""Results of every metric on the same rows; needs only evaluate, so that it also runs without the library."""

from collections.abc import Callable
from typing import Any

STORIES = [
    "Ann was hungry. She made a sandwich. She ate it. She felt full. Then she took a nap.",
    "Ann was hungry. She felt full. She felt full. She did not make a castle. The team won its game.",
]
CONTEXTS = ["It was noon.", "It was noon."]
REFERENCES = ["Ann ate a sandwich at noon. Then she slept.", "Ann had lunch. She was no longer hungry."]
STORY_METRICS = ("bleurt", "discriminator", "embedding_similarity", "overlap", "plot_coherence", "ppl", "ruber_bert",
                 "sentavg", "union")  # fmt: skip
NAMES = (*STORY_METRICS, "llm_judge", "openmeva")


def results(load: Callable[..., Any], chat_model: str, cache: str) -> dict[str, dict[str, Any]]:
    """The result of each metric, loaded by name and configuration with `load`.

    Args:
        load: called like `evaluate.load`.
        chat_model: a folder with a model, for the metric without weights.
        cache: a folder for the answers of that model.
    """
    scores = {}
    for name in STORY_METRICS:
        options = {} if name == "overlap" else {"dtype": "float32"}
        scores[name] = load(name).compute(
            predictions=STORIES, contexts=CONTEXTS, references=REFERENCES, **options
        )
    judged = load("llm_judge", chat_model).compute(
        predictions=STORIES, contexts=CONTEXTS, dtype="float32", cache=cache, details=True
    )
    probabilities = [p for row in judged["details"] for p in row["overall"]["probabilities"].values()]
    scores["llm_judge"] = {"reasons": judged["reasons"], "probabilities": probabilities}
    rows = [{"story": f"he ran {k} miles .", "ratings": [k, k + 1], "prompt": k} for k in range(6)]
    result = load("openmeva", "judgments").compute(
        predictions=[0.1, 0.2, 0.3, 0.5, 0.4, 0.6], references=rows, draws=200
    )
    scores["openmeva"] = {key: result[key] for key in ("pearson", "spearman", "kendall", "intervals", "n")}
    return scores

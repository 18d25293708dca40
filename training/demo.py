"""`make demo`: stories and damaged versions of them, scored by UNION, with the reasons, and by other metrics."""

import evaluate
from rich.console import Console
from rich.table import Table

from openmeva.metrics.core.text import split_sentences
from openmeva.training.paths import ROOT

# metrics that judge a story beside its context, here its first sentence: module, result, heading
OTHERS = [
    ("ppl", "perplexities", "perplexity, lower is better"),
    ("ruber_bert", "unreferenced", "RUBER-BERT (unreferenced), 0 to 1, higher is better"),
]

STORIES = [
    (
        "as written",
        "Nora's bike had a flat tire. She walked it to the shop on the corner. The man there patched the tube "
        "in ten minutes. Nora thanked him and paid. She rode home before it got dark.",
    ),
    (
        "a sentence twice",
        "Nora's bike had a flat tire. She walked it to the shop on the corner. She walked it to the shop on the "
        "corner. Nora thanked him and paid. She rode home before it got dark.",
    ),
    (
        "out of order",
        "Nora's bike had a flat tire. She rode home before it got dark. Nora thanked him and paid. The man there "
        "patched the tube in ten minutes. She walked it to the shop on the corner.",
    ),
    (
        "words exchanged",
        "Nora's bike had a flat tire. She walked it to the sea on the corner. The man there patched the lion in "
        "ten minutes. Nora thanked him and paid. She rode home before it got dark.",
    ),
    (
        "negated",
        "Nora's bike had a flat tire. She did not walk it to the shop on the corner. The man there patched the "
        "tube in ten minutes. Nora thanked him and did not pay. She rode home before it got dark.",
    ),
    (
        "another story",
        "Nora's bike had a flat tire. She walked it to the shop on the corner. The whale swam under our boat all "
        "morning. Nora thanked him and paid. The bread came out of the oven burnt.",
    ),
]


def main() -> None:
    union = evaluate.load(str(ROOT / "metrics" / "union"), "roc")
    result = union.compute(predictions=[text for _, text in STORIES], explain=True)
    table = Table(title="UNION, 0 to 1, higher is better", show_lines=True)
    for heading, style in (
        ("story", "bold"),
        ("score", "cyan"),
        ("what costs it most", ""),
        ("it would change", ""),
    ):
        table.add_column(heading, style=style or None)
    for (name, _), score, reasons in zip(STORIES, result["scores"], result["explanations"], strict=True):
        worst = max(reasons["sentences"], key=lambda sentence: sentence["gain"])
        blame = f"{worst['text']}  (+{worst['gain']:.2f} without it)" if worst["gain"] > 0.01 else "-"
        edits = [f"{e['token']} → {e['suggestion'] or '(delete)'}" for e in reasons["edits"]]
        table.add_row(
            name, f"{score:.3f}", blame, ", ".join(edits[:6]) + (" …" if len(edits) > 6 else "") or "-"
        )
    console = Console()
    console.print(table)
    console.print(union.signature(), style="dim", soft_wrap=True)
    console.print(other_metrics())


def other_metrics() -> Table:
    """The same stories by the other metrics, a column each."""
    table = Table(title="The same stories by other metrics")
    table.add_column("story", style="bold")
    sentences = [split_sentences(text) for _, text in STORIES]
    contexts, stories = [s[0] for s in sentences], [" ".join(s[1:]) for s in sentences]
    columns = []
    for module, key, heading in OTHERS:
        metric = evaluate.load(str(ROOT / "metrics" / module), "roc")
        columns.append(metric.compute(predictions=stories, contexts=contexts)[key])
        table.add_column(heading, justify="right")
    for (name, _), *values in zip(STORIES, *columns, strict=True):
        table.add_row(name, *(f"{value:.1f}" if value > 1 else f"{value:.3f}" for value in values))
    return table


if __name__ == "__main__":
    main()

"""Write the results of the benchmark: `results.json`, `report.md`, `tables.tex`, and figures."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from openmeva.training.benchmark.figures.report_figures import write_figures
from openmeva.training.benchmark.results.titles import OURS
from openmeva.training.benchmark.tables.render import to_latex, to_markdown
from openmeva.training.benchmark.tables.sections import main_tables, section_tables
from openmeva.training.files import write_text


def write_report(results: Mapping[str, Any], published: Mapping[str, Any], out: Path) -> Path:
    """All files of the report under `out`; returns the path of `report.md`."""
    out.mkdir(parents=True, exist_ok=True)
    write_text(out / "results.json", json.dumps(results, indent=1, allow_nan=False))
    main, further = main_tables(results, published), section_tables(results, published)
    figures = write_figures(results, published, out / "figures")
    lines = ["# Benchmark", "", _summary(results), ""]
    lines += [f"![{caption}](figures/{path.name})\n\n{caption}\n" for path, caption in figures[:1]]
    lines += ["## Correlation with human judgments", "", *map(to_markdown, main)]
    lines += ["## Figures", ""]
    lines += [f"![{caption}](figures/{path.name})\n\n{caption}\n" for path, caption in figures[1:]]
    lines += ["## Further tables", "", *map(to_markdown, further)]
    if results["skipped"]:
        lines += [
            "## Skipped",
            "",
            *(f"- {name}: {reason}" for name, reason in results["skipped"].items()),
            "",
        ]
    signatures = {
        f"{title}, {name}": signature
        for name, result in results["judged"].items()
        for title, signature in result["signatures"].items()
    }
    if signatures:
        lines += [
            "## Signatures",
            "",
            *(f"- {name}: `{signature}`" for name, signature in signatures.items()),
            "",
        ]
    write_text(out / "report.md", "\n".join(lines))
    write_text(out / "tables.tex", "\n".join(map(to_latex, [*main, *further])))
    return out / "report.md"


def _summary(results: Mapping[str, Any]) -> str:
    """One sentence per metric: on which sets it beats the trivial baselines."""
    sentences = []
    titles = dict.fromkeys(
        title
        for result in results["judged"].values()
        for title, row in result["rows"].items()
        if row["kind"] == OURS
    )
    for title in titles:
        beaten: list[str] = []
        not_beaten: list[str] = []
        for result in results["judged"].values():
            row = result["rows"].get(title)
            if row is None or "undefined" in row:
                continue
            beats = row["beats_trivial"].get("pearson", {}).get("beats")
            if beats is not None:  # otherwise there is no trivial baseline, or no interval
                (beaten if beats else not_beaten).append(result["title"])
        parts = [f"beats every trivial baseline on {', '.join(beaten)}"] if beaten else []
        parts += [f"does not on {', '.join(not_beaten)}"] if not_beaten else []
        if parts:
            sentences.append(f"**{title}** {'; '.join(parts)} (Pearson, paired intervals).")
    settings = results["settings"]
    sentences.append(f"{settings['draws']:,} bootstrap samples of prompts, seed {settings['seed']}.")
    return " ".join(sentences)

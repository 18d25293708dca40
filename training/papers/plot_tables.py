"""Correlation with human judgments by training set: plot-guided's Tables 5, 6 and 7, at a small budget.

    python -m training.papers.plot_tables --data DIR                  # table 5: five training sets, two or three models
    python -m training.papers.plot_tables --data DIR --table 6        # trained on one corpus, evaluated on the other
    python -m training.papers.plot_tables --data DIR --table 7        # without one manipulation at a time

In Table 5, SENTAVG and the fine-tuned model are trained on each set, and UNION's own model on UNION_DATA.
In Table 7, stories that a manipulation touched are replaced by other candidates of the same human story. As in the paper,
`--regenerate` uses sets generated without it: `python -m training.plot_guided.training_sets --config wp --without NAME`.

Each cell is trained on `--stories` stories (default: 10,000; all if there are fewer) of a training set that an earlier
stage wrote to `--sets`. Its scores are correlated (Spearman, Kendall) with the human judgments of the paper's own stories
(`AMT_ROC.CSV`, `AMT_WP.CSV`; 300 each in the whole files). The paper's results are in brackets. A finished cell is not
trained again.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Table

from openmeva.training.benchmark.tables.number_format import format_number
from openmeva.training.common.command import check_data, exit_on_bad_input
from openmeva.training.common.config import config_file, read_config
from openmeva.training.papers.plot_cells import FT_LM, SENTAVG, UNION, Cell, Cells
from openmeva.training.paths import RUNS
from openmeva.training.plot_coherence.config import PlotCoherenceConfig
from openmeva.training.union.config import UnionConfig

Pair = tuple[float, float]  # Spearman, Kendall
TEST = {"roc": "plot_guided_roc", "wp": "plot_guided_wp"}
CORPORA = tuple(TEST)
# Published: by corpus, SENTAVG and the fine-tuned model (RoBERTa for ROC, Longformer for WP)
TABLE_5: dict[str, dict[str, tuple[Pair, Pair]]] = {
    "roc": {
        "HEUR_SENT_SUB": ((0.04, 0.03), (0.10, 0.07)),
        "HEUR_KEY_SUB": ((-0.04, -0.03), (0.31, 0.22)),
        "UNION_DATA": ((0.11, 0.08), (0.46, 0.34)),
        "MANPLTS": ((0.24, 0.16), (0.50, 0.37)),
        "AF_MANPLTS": ((0.22, 0.16), (0.56, 0.41)),
    },
    "wp": {
        "HEUR_SENT_SUB": ((-0.13, -0.10), (0.12, 0.10)),
        "HEUR_KEY_SUB": ((-0.26, -0.18), (0.08, 0.06)),
        "UNION_DATA": ((-0.22, -0.15), (0.49, 0.32)),
        "MANPLTS": ((0.22, 0.20), (0.71, 0.48)),
        "AF_MANPLTS": ((0.25, 0.23), (0.74, 0.52)),
    },
}
TABLE_5_UNION: dict[str, Pair] = {"roc": (0.22, 0.15), "wp": (0.19, 0.15)}  # UNION's own model, on UNION_DATA
# ROC -> WP, WP -> ROC
TABLE_6: dict[str, tuple[Pair, Pair]] = {
    "UNION_DATA": ((0.17, 0.15), (0.12, 0.07)),
    "MANPLTS": ((0.57, 0.39), (0.23, 0.16)),
    "AF_MANPLTS": ((0.60, 0.42), (0.26, 0.18)),
}
# WP; None is MANPLTS whole
TABLE_7: dict[str | None, Pair] = {
    None: (0.71, 0.48),
    "repetition": (0.67, 0.43),
    "contradiction": (0.69, 0.45),
    "wrong_order": (0.65, 0.42),
    "off_topic": (0.68, 0.45),
}


def _columns(cell: Cell | str, published: Pair | None) -> list[str]:
    """Stories, Spearman and Kendall of a cell, with the paper's results in brackets where it has that cell."""
    if isinstance(cell, str):
        return ["", cell, ""]
    values = [format_number(value, 2) for value in (cell.spearman, cell.kendall)]
    papers = [f" ({format_number(paper, 2)})" for paper in published or ()] or ["", ""]
    return [f"{cell.stories:,}", *map("".join, zip(values, papers, strict=True))]


def _table(title: str, *headings: str) -> Table:
    return Table(*headings, "stories", "Spearman", "Kendall", title=title)


def table_5(cells: Cells, corpora: Sequence[str] = CORPORA) -> Table:
    """Training sets by model, on each corpus's own stories; and UNION's model, which makes its own negatives."""
    table = _table(f"Table 5: at most {cells.stories:,} stories a cell", "corpus", "training set", "model")
    for corpus in corpora:
        for name, published in TABLE_5[corpus].items():
            models = dict(zip((SENTAVG, FT_LM), published, strict=True))
            if name == "UNION_DATA":
                models[UNION] = TABLE_5_UNION[corpus]
            for model, paper in models.items():
                cell = _cell_or_reason(cells, name, corpus, model, TEST[corpus])
                table.add_row(corpus.upper(), name, model, *_columns(cell, paper))
    return table


def table_6(cells: Cells, corpora: Sequence[str] = CORPORA) -> Table:
    """The fine-tuned model trained on one corpus, evaluated on the other."""
    table = _table(f"Table 6: at most {cells.stories:,} stories a cell", "shift", "training set")
    for index, (trained, tested) in enumerate((("roc", "wp"), ("wp", "roc"))):
        for name, published in TABLE_6.items():
            if trained in corpora:
                cell = _cell_or_reason(cells, name, trained, FT_LM, TEST[tested])
                shift = f"{trained.upper()} -> {tested.upper()}"
                table.add_row(shift, name, *_columns(cell, published[index]))
    return table


def table_7(cells: Cells, corpora: Sequence[str] = CORPORA) -> Table:
    """Stories from manipulated plots, without one manipulation at a time; the paper has WP only."""
    table = _table(f"Table 7: at most {cells.stories:,} stories a cell", "corpus", "MANPLTS without")
    for corpus in corpora:
        for kind, published in TABLE_7.items():
            cell = _cell_or_reason(cells, "MANPLTS", corpus, FT_LM, TEST[corpus], kind)
            paper = published if corpus == "wp" else None
            table.add_row(corpus.upper(), kind or "(nothing)", *_columns(cell, paper))
    return table


def _cell_or_reason(
    cells: Cells, name: str, corpus: str, model: str, test: str, without: str | None = None
) -> Cell | str:
    """A cell, or the reason why it is missing."""
    try:
        return cells(name, corpus, model, test, without)
    except ValueError as error:
        return f"- ({error})"


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        prog="python -m training.papers.plot_tables",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--data", type=Path, required=True, help="folder with plot_guided/")
    parser.add_argument("--table", type=int, choices=(5, 6, 7), default=5)
    parser.add_argument(
        "--stories", type=int, default=10_000, help="stories of a training set (default: 10,000)"
    )
    parser.add_argument("--corpora", nargs="+", choices=CORPORA, default=CORPORA, help="corpora to train on")
    parser.add_argument("--sets", type=Path, default=RUNS / "plots")
    parser.add_argument(
        "--config", default="tables", help="a file, or a name in training/configs/plot_coherence"
    )
    parser.add_argument(
        "--union-config",
        default="roc_first",
        help="for UNION's row: a file, or a name in training/configs/union",
    )
    parser.add_argument(
        "--regenerate", action="store_true", help="table 7: stories regenerated without each manipulation"
    )
    parser.add_argument(
        "--glove", type=Path, help="word vectors for SENTAVG, as in the paper: a file like glove.6B.300d.txt"
    )
    parser.add_argument("--out", type=Path, default=RUNS / "plot-tables")
    args = parser.parse_args(arguments)
    if args.stories < 4:
        parser.error(f"--stories: expected 4 or more, got {args.stories}")
    with exit_on_bad_input():
        check_data(args.data)
        base = read_config(PlotCoherenceConfig, config_file("plot_coherence", args.config))
        union = read_config(UnionConfig, config_file("union", args.union_config))
        cells = Cells(base, args.stories, args.sets, args.data, args.out, union, args.regenerate, args.glove)
        table = {5: table_5, 6: table_6, 7: table_7}[args.table](cells, args.corpora)
    Console(width=160).print(table)


if __name__ == "__main__":
    main()

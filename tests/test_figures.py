"""Results in READMEs and cards all come from the results files that commands write."""

import re
from pathlib import Path
from typing import Any

import pytest

from openmeva.metrics.openmeva.trivial import TRIVIAL_BASELINES
from openmeva.training.benchmark.data.registry import read_registry
from openmeva.training.benchmark.scoring.checkpoints import checkpoint_digests
from openmeva.training.common.cross_validated import CROSS_VALIDATED
from openmeva.training.hub.figures import (
    PAGES_WITH_TABLES,
    FigureSentences,
    autos_table,
    figure,
    fill_in_page,
    fill_in_sentence,
    pattern,
    write_figures,
)
from openmeva.training.hub.results import read_results
from openmeva.training.paths import ROOT

PAGES = [
    "README.md",
    "metrics/README.md",
    *sorted(f"metrics/{p.parent.name}/README.md" for p in ROOT.glob("metrics/*/README.md")),
]
RESULTS: Any = read_results(ROOT)
FIGURE_SENTENCES = FigureSentences()


@pytest.mark.parametrize("page", sorted(PAGES_WITH_TABLES.union(PAGES, FIGURE_SENTENCES.sentences)))
def test_pages_contain_current_results(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    assert fill_in_page(page, text, RESULTS) == text, "run `make figures`"


@pytest.mark.parametrize("page", PAGES)
def test_every_figure_has_a_source(page: str) -> None:
    """Checks numbers with two or three decimals, as for agreement, outside code and the table."""
    text = (ROOT / page).read_text(encoding="utf-8")
    text = re.sub(r"```.*?```|<!-- agreement:.*?<!-- /agreement -->", "", text, flags=re.DOTALL)
    for sentence in (
        *FIGURE_SENTENCES.sentences.get(page, ()),
        *FIGURE_SENTENCES.other_sources.get(page, ()),
    ):
        text, count = pattern(sentence).subn("", text)
        assert count == 1, f"{page}: {sentence!r} of training/hub/figures.yaml occurs {count} times"
    assert re.findall(r"(?<![\w.])-?\.\d{2,3}(?!\w)", text) == []


def test_pages_and_rows_in_figures_yaml_exist() -> None:
    assert FIGURE_SENTENCES.other_sources.keys() <= set(PAGES)
    titles = {title for entry in read_registry().values() for title in entry.rows} | TRIVIAL_BASELINES.keys()
    for sentences in FIGURE_SENTENCES.sentences.values():
        for slot in re.findall(r"\{([^}]+)\}", " ".join(sentences)):
            title = slot.split(": ")[1]
            assert title in titles or title.endswith(f"({CROSS_VALIDATED})")  # by a command of its own
            assert figure(RESULTS, slot) is not None, slot


def test_results_were_computed_with_current_weights() -> None:
    digests = checkpoint_digests(ROOT)
    changed = [name for name, digest in RESULTS["weights"].items() if digests.get(name) != digest]
    assert changed == [], "measure these again: `make benchmark METRICS=…`, then `make figures`"


def test_new_results_update_sentences(tmp_path: Path) -> None:
    results = {
        "judged": {"a": {"rows": [{"kind": "ours", "title": "M", "pearson": 0.1266, "spearman": -0.5}]}}
    }
    text = fill_in_sentence(
        "It has .99 and\n-.10 here, .7 there.", "has {a: M} and {a: M: spearman} here", results
    )
    assert text == "It has .13 and\n-.50 here, .7 there."
    assert fill_in_sentence("It has .99.", "has {a: Other}.", results) == "It has .99."
    with pytest.raises(ValueError, match="found 0 times"):
        fill_in_sentence("It has none.", "has {a: M}", results)
    with pytest.raises(ValueError, match=r"results\.json"):
        write_figures(tmp_path)


def test_autos_table() -> None:
    human = {"pearson": 0.126, "by_origin": {"human": 0.126, "discrimination": -0.5}}
    rows = [
        {
            "title": "distinct_1",
            "kind": "trivial",
            "aspects": {"synonym": human, "typo": {"pearson": None, "by_origin": {"human": None}}},
        }
    ]
    measured = {"title": "AUTOS", "corpus": "roc", "test": "invariance", "n": 1234, "rows": rows}
    results = {"autos": {"autos_roc_invariance": measured}}
    text = autos_table(results, "autos_roc_invariance")
    assert text.startswith("### AUTOS (1,234 rows): Pearson with the label, near 0 is good\n")
    assert "|  | synonym human | synonym discrimination | typo human | average size |" in text
    assert "| distinct-1 | .126 | -.500 | – | .313 |" in text
    assert "| *UNION (paper)* | *.219* | *.117* | *.602* |" in text
    with pytest.raises(ValueError, match="expected a set among autos_roc_invariance"):
        autos_table(results, "autos_wp_invariance")

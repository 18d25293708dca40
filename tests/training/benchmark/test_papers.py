"""The papers' results from the released scores, to the last printed digit; needs the papers' data."""

import numpy as np
import pytest

from openmeva.metrics.openmeva.agreement import agreement, krippendorff_alpha
from openmeva.metrics.openmeva.ceiling import noise_ceiling
from openmeva.metrics.openmeva.correlation import correlate
from openmeva.metrics.openmeva.error_types import story_error_types
from openmeva.metrics.openmeva.judged import JudgedStories
from openmeva.metrics.ruber_bert.blending import hybrid
from openmeva.training.benchmark.data.released import UNION_FILES, released_scores
from openmeva.training.benchmark.data.sets import TEST_SETS
from openmeva.training.benchmark.results.judged import judged_table
from openmeva.training.benchmark.tables.sections import read_published
from openmeva.training.papers.ablation import PUBLISHED, correlations
from tests.papers_data import DATA

pytestmark = pytest.mark.data


def read(name):
    rows = TEST_SETS[name].read(DATA)
    return rows, JudgedStories.from_rows(rows), released_scores(name, rows, DATA)


def test_union_on_the_available_half_of_wp():
    """Half of the paper's 200 stories, so the results are close to the paper's, not equal."""
    rows, judged, released = read("union_wp")
    assert set(released) == {title for title, _ in UNION_FILES.values()}
    assert all("prompt" not in row and len(row["ratings"]) == 7 for row in rows)
    result = correlate(np.array(released["UNION"]), judged.scores)
    printed = read_published()["correlations"]["union_wp"]["rows"]["UNION"]
    assert result["pearson"] == pytest.approx(printed["pearson"], abs=0.15)


def test_released_union_scores_match_table_7_only_for_all_stories():
    rows, _, released = read("union_roc")
    result = correlations(released["UNION"], rows)
    printed = PUBLISHED["UNION"]
    assert round(result[0], 4) == printed[0]
    assert all(abs(value - paper) > 0.01 for value, paper in zip(result[1:], printed[1:], strict=True))


@pytest.mark.parametrize("title", [title for title, _ in UNION_FILES.values()])
def test_table_5_of_union(title):
    _, judged, released = read("union_roc")
    printed = read_published()["correlations"]["union_roc"]["rows"][title]
    result = correlate(np.array(released[title]), judged.scores)
    assert {name: round(result[name], 4) for name in printed} == printed


def test_perplexity_in_the_union_paper_is_its_logarithm():
    _, judged, released = read("union_roc")
    logs = np.array(released["PPL (GPT-2, log)"])
    printed = read_published()["correlations"]["union_roc"]["rows"]["PPL (GPT-2, log)"]["pearson"]
    assert round(correlate(logs, judged.scores)["pearson"], 4) == printed
    assert round(correlate(-np.exp(-logs), judged.scores)["pearson"], 4) == 0.2568


@pytest.mark.parametrize("corpus", ["roc", "wp"])
def test_ruber_in_the_union_paper_is_the_mean_of_its_raw_parts(corpus):
    _, _, released = read(f"union_{corpus}")
    parts = [released[f"RUBER-BERT ({name})"] for name in ("referenced", "unreferenced")]
    result = hybrid(*parts, {}, "mean", "none")
    assert result == pytest.approx(released["RUBER-BERT"], abs=2e-6)


def test_counts_of_table_7_of_union():
    _, judged, _ = read("union_roc")
    types = story_error_types(judged.error_types, one_error_only=False)
    counts = {
        name: sum(name in story_types for story_types in types)
        for name in ("repeated", "incoherent", "conflicting", "chaotic")
    }
    assert counts == {"repeated": 24, "incoherent": 38, "conflicting": 61, "chaotic": 23}
    assert (judged.scores == 1).sum() == 19


def test_table_5_of_plot_guided():
    _, judged, released = read("plot_guided_roc")
    result = correlate(np.array(released["RoBERTa (filtered manipulated plots)"]), judged.scores)
    assert (round(result["spearman"], 3), round(result["kendall"], 3)) == (0.558, 0.410)


def test_wp_stories_of_plot_guided():
    """.743 on all 300 stories, as in the paper (Table 5: .74); this is for the 160 stories of the available half."""
    rows, judged, released = read("plot_guided_wp")
    result = correlate(np.array(released["Longformer (filtered manipulated plots)"]), judged.scores)
    expected = {160: (0.762, 0.538), 300: (0.743, 0.515)}[len(rows)]
    assert (round(result["spearman"], 3), round(result["kendall"], 3)) == expected
    assert {row["source_model"] for row in rows} == {"human", "machine"}


def test_rater_agreement_on_mans_is_close_to_published():
    for name, printed in (("mans_roc", 0.77), ("mans_wp", 0.71)):
        _, judged, _ = read(name)
        assert krippendorff_alpha(judged.ratings, "interval") == pytest.approx(printed, abs=0.03)
        assert "kendall_w" in agreement(judged.ratings)["refused"]


def test_kappas_of_plot_guided():
    """None of them is the paper's .61 or .56; see the note in `published.yaml`."""
    result = {name: agreement(read(name)[1].ratings) for name in ("plot_guided_roc", "plot_guided_wp")}
    names = ("fleiss_kappa", "linear_kappa", "halves_kappa")
    assert [round(result["plot_guided_roc"][name], 3) for name in names] == [0.389, 0.601, 0.625]
    ratings = read("plot_guided_roc")[1].ratings
    equal = (ratings[:, :, None] == ratings[:, None, :]).sum(axis=(1, 2)) - 5
    assert round(equal.sum() / (20 * len(ratings)), 3) == 0.609
    assert 0.5 < result["plot_guided_wp"]["linear_kappa"] < 0.62


def test_split_half_correlation_on_mans():
    for name, half in (("mans_roc", 0.89), ("mans_wp", 0.85)):
        _, judged, _ = read(name)
        result = noise_ceiling(judged.ratings, np.random.default_rng(0), splits=50)
        assert result["split_half"]["pearson"] == pytest.approx(half, abs=0.01)


def test_released_scores_on_mans_get_intervals_and_paired_tests():
    _, judged, released = read("mans_roc")
    table = judged_table(judged, {}, released, 300, np.random.default_rng(0))
    judge = table["rows"]["ChatGPT as judge"]
    assert judge["pearson"] == pytest.approx(0.4401, abs=5e-5)
    assert judge["intervals"]["pearson"][0] < judge["pearson"] < judge["intervals"]["pearson"][1]
    assert table["pairs"]["best"] == "ChatGPT as judge"
    assert set(table["pairs"]["against"]) == set(released) - {"ChatGPT as judge"}
    assert table["pairs"]["against"]["BLEU"]["williams"]["holm"] < 0.001

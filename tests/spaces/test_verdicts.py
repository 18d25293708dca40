"""Verdicts on one story and on two, and how far to trust each metric."""

import json
from pathlib import Path
from typing import Any

import pytest

from openmeva.metrics.core.description import DEFAULT_METRIC
from openmeva.spaces.catalogue import Number, read_catalogue
from openmeva.spaces.distributions import PercentileRank
from openmeva.spaces.limits import MAX_SENTENCES_WITH_COSTS
from openmeva.spaces.scorer import Score, Scorer
from openmeva.spaces.story_scorer import file_scores, service, views
from openmeva.spaces.story_scorer.markup import headline, metric_row
from openmeva.spaces.story_scorer.reliability import Reliability, ReliabilityTable
from openmeva.spaces.texts import Text
from openmeva.spaces.verdicts import noise_bound, verdict_between, verdict_on

NUMBER = Number("Plot coherence", "scores", "How plausible.", True, 0.0, 1.0)
HUMAN = tuple(place / 100 for place in range(101))
STORY = "Ann was hungry. She made a sandwich. She ate it. She felt full."


def score(value: float | None, group: str = "human") -> Score:
    rank = PercentileRank(group, "human stories", 150, 100 * (value or 0), HUMAN)
    return Score(DEFAULT_METRIC, NUMBER, value, "", (rank,))


@pytest.mark.parametrize(
    ("value", "words", "tone"),
    [
        (0.9, "It holds together well", "good"),
        (0.3, "It holds together as many human stories do", "good"),
        (0.05, "Doubtful: few human stories score so low", "doubtful"),
        (0.005, "Something is wrong with it", "bad"),
        (0.51, "It holds together well", "good"),
        (0.5, "It holds together as many human stories do", "good"),
        (0.11, "It holds together as many human stories do", "good"),
        (0.1, "Doubtful: few human stories score so low", "doubtful"),
        (0.02, "Doubtful: few human stories score so low", "doubtful"),
        (0.01, "Something is wrong with it", "bad"),
    ],
)
def test_verdict_follows_percentile_rank_among_human_stories(value: float, words: str, tone: str) -> None:
    union = Score("union", NUMBER, 0.99)
    verdict = verdict_on([union, score(value)], None)
    assert (verdict.words, verdict.tone, verdict.score and verdict.score.value) == (words, tone, value)
    assert "of 150 human stories" in headline(verdict)


@pytest.mark.parametrize(
    ("correlation", "word"),
    [
        (0.5, "fair"),
        (0.499, "moderate"),
        (0.3, "moderate"),
        (0.299, "weak"),
        (0.15, "weak"),
        (0.149, "hardly any"),
        (-0.5, "hardly any"),
    ],
)
def test_reliability_is_put_in_words(correlation: float, word: str) -> None:
    sentence = Reliability(correlation, (-0.6, 0.6), 20).sentence
    assert sentence.startswith(f"Agreement with people: {word} (correlation {correlation:.2f}, -0.60 to 0.60")
    assert "It ranks" not in sentence
    assert "It ranks 9 of 12 pairs" in Reliability(correlation, (-0.6, 0.6), 20, 9, 12).sentence


def test_no_verdict_on_text_that_may_not_be_a_story() -> None:
    verdict = verdict_on([score(0.95)], "too short: 1 word, a story has at least 10")
    assert (verdict.words, verdict.tone) == ("No verdict", "none")
    assert "too short: 1 word" in verdict.why
    assert verdict_on([score(None)], None).words == "No verdict"
    assert verdict_on([score(0.9, "generated")], None).words == "No verdict"


def test_two_stories_differ_only_beyond_noise() -> None:
    assert noise_bound(HUMAN) == pytest.approx(0.55, abs=0.02)  # of uniform scores: 1 - sqrt(1 - .8)
    clear = verdict_between([score(0.2)], [score(0.9)], [None, None])
    assert clear.words == "The second story holds together better"
    assert "more than noise" in clear.why
    other = verdict_between([score(0.9)], [score(0.2)], [None, None])
    assert other.words == "The first story holds together better"
    assert verdict_between([score(0.4)], [score(0.9)], [None, None]).words == "No clear difference"
    assert verdict_between([score(0.1)], [score(0.9)], [None, "no words: signs"]).words == "No verdict"


def test_reliability_is_read_from_results(tmp_path: Path) -> None:
    entry = read_catalogue()["plot_coherence"]
    row = {
        "title": "Plot coherence (mix, authors' stories)",
        "kind": "ours",
        "pearson": 0.35,
        "intervals": {"pearson": [0.2, 0.5]},
    }
    released = {**row, "kind": "released", "pearson": 0.9}
    results, pairs = tmp_path / "results.json", tmp_path / "pairs.json"
    results.write_text(json.dumps({"judged": {"mans_roc": {"n": 7, "rows": [released, row]}}}))
    pairs.write_text(json.dumps({"pairs": 12, "rows": {row["title"]: {"dull": 2, "wrong": 3}}}))
    reliability = ReliabilityTable(results, pairs).of(entry, entry.numbers[0], "roc")
    assert reliability is not None
    assert reliability.sentence == (
        "Agreement with people: moderate (correlation 0.35, 0.20 to 0.50, on 7 machine-generated stories). It ranks 5 of 12 "
        "pairs of a good and a damaged story correctly."
    )
    assert reliability.sentence in metric_row(entry, score(0.9), reliability)
    assert ReliabilityTable(results, pairs).of(entry, entry.numbers[0], "wp") is None


def test_reliability_of_perplexity_says_that_the_context_is_not_read() -> None:
    catalogue, reliabilities = read_catalogue(), ReliabilityTable()
    there = {
        "roc": "the beginning of a story was read but not scored",
        "wp": "the prompt was read but not scored",
    }
    differing = {}
    for name, entry in catalogue.items():
        for corpus, words in there.items():
            found = reliabilities.of(entry, entry.numbers[0], corpus)
            if found is not None and found.difference:
                differing[name, corpus] = f"There, {words}; here, " in found.sentence
    assert differing == {("ppl", "roc"): True, ("ppl", "wp"): True}


def test_every_metric_states_blind_spots_and_most_a_reliability() -> None:
    reliabilities = ReliabilityTable()
    for entry in read_catalogue().values():
        assert entry.blind.endswith(".")
        first = reliabilities.of(entry, entry.numbers[0], "roc")
        assert first is not None or entry.name == "llm_judge"
    main = read_catalogue()[DEFAULT_METRIC]
    reliability = reliabilities.of(main, main.numbers[0], "roc")
    assert reliability is not None
    assert reliability.pairs == 12
    assert reliability.ranked_correctly is not None


class OneScore(Scorer):
    """Gives every text the same score and a flat explanation, and counts the explanations."""

    def __init__(self, value: float = 0.95) -> None:
        super().__init__()
        self.value, self.explained = value, 0

    def score(self, texts: Any, corpus: str, only: Any = None, due: Any = None) -> list[list[Score]]:
        return [[score(self.value)] for _ in texts]

    def explain(self, text: Any, corpus: str, only: Any = None, due: Any = None) -> dict[str, Any]:
        self.explained += 1
        parts = [part.strip() + " ." for part in text.whole(corpus).lower().rstrip(".").split(".")]
        return {DEFAULT_METRIC: {"sentences": [{"text": part, "gain": 0.0} for part in parts], "edits": []}}


def test_non_story_is_flagged_and_text_without_words_is_rejected() -> None:
    scorer = OneScore()
    short = service.full_answer(scorer, "Hello", "", "", "roc")
    assert short.scores[0].value == 0.95
    html = views.verdict(short, scorer.catalogue, ReliabilityTable())
    assert "No verdict" in html
    assert "too short: 1 word" in html
    assert service.as_dict(short)["warning"].startswith("too short")
    assert "wrong kind" in str(service.full_answer(scorer, STORY * 20, "", "", "roc").warning)
    for text in ("😀 🎉 🚗", "1 2 3 4"):
        with pytest.raises(ValueError, match="has no word in it"):
            service.full_answer(scorer, text, "", "", "roc")
    assert service.full_answer(scorer, STORY, "", "", "roc").warning is None


def test_the_answer_says_why_no_repair_was_tried() -> None:
    found = service.as_dict(service.full_answer(OneScore(0.005), "Ann ran home. " * 25, "", "", "wp"))
    errors = found["likely_errors"]
    assert errors["errors"] == []
    assert errors["untried"] == "Repairs are tried on stories of 2 to 24 sentences, and this one has 25."


def test_repetition_of_the_whole_story_is_told_with_the_costs() -> None:
    class Repetitive(OneScore):
        def explain(self, text: Any, corpus: str, only: Any = None, due: Any = None) -> dict[str, Any]:
            found = super().explain(text, corpus, only, due)
            return {name: {**value, "repetition": 0.125} for name, value in found.items()}

    found = service.full_answer(Repetitive(0.005), STORY, "", "", "roc")
    note = str(service.as_dict(found)["repetition"])
    assert note.startswith("It repeats itself: 12.5 % of its sequences of four words")
    assert note in views.costs(found)
    other = service.full_answer(OneScore(0.005), STORY, "", "", "roc")
    assert service.as_dict(other)["repetition"] is None
    assert "of four words" not in views.costs(other)


def test_the_verdict_comes_before_its_reasons() -> None:
    scorer = OneScore(0.05)
    first, last = service.answer_in_steps(scorer, STORY, "", "", "roc")
    assert "Doubtful" in views.verdict(first, scorer.catalogue, ReliabilityTable())
    assert (first.sentences, last.verdict) == ([], first.verdict)
    waiting, shown = views.reasons(first, "Your story"), views.reasons(last, "Your story")
    assert "Looking for the sentences that cost it points" in waiting
    assert STORY in waiting
    assert "Looking for" not in shown
    assert "costs the story" in shown
    assert "UNION would change it" not in shown  # no word is marked


def test_under_load_only_bad_stories_are_explained_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(Scorer, "is_busy", True)
    doubtful, bad = OneScore(0.05), OneScore(0.0)
    (only,) = service.answer_in_steps(doubtful, STORY, "", "", "roc")
    assert (only.verdict.tone, only.costs_on_request, doubtful.explained) == ("doubtful", True, 0)
    *_, last = service.answer_in_steps(bad, STORY, "", "", "roc")
    assert (last.verdict.tone, last.costs_on_request, bad.explained) == ("bad", False, 1)
    assert last.sentences


def test_sentence_costs_of_good_story_are_computed_on_request() -> None:
    scorer = OneScore()
    (only,) = service.answer_in_steps(scorer, STORY, "", "", "roc")
    assert "It holds together well" in views.verdict(only, scorer.catalogue, ReliabilityTable())
    html = views.reasons(only, "Your story")
    assert STORY in html
    assert "Looking for" not in html
    assert scorer.explained == 0
    assert "costs the story" in views.costs(service.answer_with_costs(scorer, STORY, "", "", "roc"))
    assert service.full_answer(scorer, STORY, "", "", "roc").sentences, "the API always returns them"
    twice = f"Tom went out to the shop. {STORY} Tom went out to the shop."
    *_, last = service.answer_in_steps(scorer, twice, "", "", "roc")
    assert "It repeats itself: sentences 1 and" in views.reasons(last, "Your story")
    assert scorer.explained == 2


def test_overlong_story_gets_a_verdict_without_sentence_costs() -> None:
    scorer = OneScore(0.0)
    story = " ".join(f"She saw {place} dogs." for place in range(MAX_SENTENCES_WITH_COSTS + 1))
    first, *_ = service.answer_in_steps(scorer, story, "", "", "wp")
    assert (first.verdict.tone, first.costs_on_request) == ("bad", True)
    with pytest.raises(ValueError, match=r"at most 150 sentences, and this one has 151\. .*score --explain"):
        service.answer_with_costs(scorer, story, "", "", "wp")
    answer = service.full_answer(scorer, story, "", "", "wp")
    assert (answer.sentences, scorer.explained) == ([], 0)
    shorter = story.partition(". ")[2]
    assert service.answer_with_costs(scorer, shorter, "", "", "wp").sentences


def test_file_table_flags_rows_that_may_not_be_stories() -> None:
    *done, scores = file_scores.score_file(OneScore(), [{"story": STORY}, {"story": "Hello"}], "roc")
    assert done == [0, 2]
    assert isinstance(scores, file_scores.FileScores)
    assert [bool(row["warning"]) for row in scores.rows] == [False, True]
    html = views.file_table(scores, "stories.txt")
    assert "1 of 2 texts may not be stories" in html
    assert "a story has at least 10" in html
    assert "from stories.txt" in html
    assert (
        "half of these stories score between 0.95 and 0.95, half of human stories between 0.25 and 0.75"
        in html
    )
    assert html.count("<rect") == 1, "all in one bin"


def test_columns_of_a_file_are_read_as_by_the_commands() -> None:
    row = {"story": STORY, "prompt": "Tell me.", "references": ["She left."]}
    (text,) = file_scores.file_texts([row], "wp")
    assert (text.context, text.reference) == ("Tell me.", "She left.")
    *_, scores = file_scores.score_file(OneScore(), [row], "wp")
    assert scores.rows[0]["prompt"] == "Tell me."
    assert "prompt</button>" not in views.file_table(scores, "stories.csv"), "it is no score"
    with pytest.raises(ValueError, match=r"Row 1: expected one reference, got 2\. On your own machine"):
        file_scores.file_texts([{"story": STORY, "reference": '["She left.", "She fell."]'}], "wp")
    long = {"story": "She left. " * 990}
    with pytest.raises(ValueError, match="have 504,849 characters; please give at most 500,000"):
        file_scores.file_texts([long] * 51, "wp")
    with pytest.raises(ValueError, match=r"The file has 501 rows; please give at most 500"):
        file_scores.file_texts([row] * 501, "wp")
    assert len(file_scores.file_texts([row] * 500, "wp")) == 500
    for unhashable in (["roc"], {}):
        with pytest.raises(ValueError, match="one of roc, wp"):
            file_scores.file_texts([long], unhashable)  # type: ignore[arg-type]


def test_story_that_begins_with_its_context_is_read_once() -> None:
    first = STORY.partition(". ")[0] + "."
    assert Text(STORY, first).whole("roc") == STORY
    assert Text(STORY.removeprefix(first).strip(), first).whole("roc") == STORY
    assert Text(STORY, first).whole("wp") == STORY


def test_long_stories_of_a_file_are_scored_in_small_parts() -> None:
    texts = [Text("a" * length) for length in [250] * 20 + [6_000, 6_000, 12_000, 10]]
    parts = list(file_scores.chunks(texts))
    assert [text for part in parts for text in part] == texts
    assert [len(part) for part in parts] == [16, 5, 1, 1, 1]

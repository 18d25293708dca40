"""Computes the story scorer's answers; `views` renders them."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from openmeva.metrics.core.description import DEFAULT_METRIC
from openmeva.metrics.core.repetition import repetition_note
from openmeva.metrics.core.text import split_sentences
from openmeva.metrics.core.text_warnings import USUAL_WORD_COUNTS, warning_of
from openmeva.spaces.limits import check_text
from openmeva.spaces.scorer import Patience, Score, Scorer
from openmeva.spaces.story_scorer.alignment import ExplainedSentence, align
from openmeva.spaces.story_scorer.diagnosis import ERROR_TYPES, Diagnosis, diagnose
from openmeva.spaces.texts import Text, check_corpus, why_no_sentence_costs
from openmeva.spaces.verdicts import Verdict, is_low, recommended_score, verdict_on


@dataclass(frozen=True)
class Answer:
    """The answer for one story.

    Attributes:
        text: the story.
        corpus: `roc` or `wp`.
        scores: of every metric, or of the recommended one only.
        warning: why the text may not be a story; `None` where there is no such sign.
        sentences: the cost of each, with the words that UNION would change; empty where this was not requested.
        explained_by: title of the score from which the costs of the sentences are computed.
        repetition: the share of its 4-grams that are repeated; 0 where sentences have no costs.
        diagnosis: the likely errors, found by repairs.
        pending: the part of the answer that is still being computed, as the page names it; empty when complete.
        costs_on_request: whether the costs of the sentences are computed only on request.
        requested_at: time of the request, by `time.monotonic`.
    """

    text: Text
    corpus: str
    scores: list[Score]
    warning: str | None
    sentences: list[ExplainedSentence] = field(default_factory=list)
    explained_by: str = ""
    repetition: float = 0.0
    diagnosis: Diagnosis | None = None
    pending: str = ""
    costs_on_request: bool = False
    requested_at: float = field(default_factory=time.monotonic)

    @property
    def verdict(self) -> Verdict:
        """The verdict on the story."""
        return verdict_on(self.scores, self.warning)


def answer_in_steps(
    scorer: Scorer, story: str, context: str, reference: str, corpus: str
) -> Iterator[Answer]:
    """The answer in steps: the verdict; where it is not good, the costs of the sentences; and the likely errors.

    The costs are left to `answer_with_costs` where the verdict is good or missing, where it is doubtful and the
    load is high, and where the story has too many sentences. Only the recommended metric scores the story; UNION's
    suggestions are added only for stories with a low score.

    Raises:
        ValueError: a text that is blank, has no word or is too long, or an unknown corpus, as a sentence for the user.
    """
    answer = _scored_answer(scorer, story, context, reference, corpus, [DEFAULT_METRIC], Patience.VERDICT)
    tone = answer.verdict.tone
    postponed = tone == "doubtful" and scorer.is_busy
    if tone in ("good", "none") or postponed or why_no_sentence_costs(answer.text, corpus):
        answer = replace(answer, costs_on_request=True)
        yield answer
        repeats = _with_errors(scorer, answer, _explanation_without_costs(answer))
        if repeats.diagnosis:
            yield repeats
        return
    yield replace(answer, pending="the sentences that cost it points")
    main = recommended_score(answer.scores)
    low = main is not None and main.value is not None and is_low(main.value, main)
    # the deadline of the verdict: a user who has waited is not overtaken by later requests
    due = Patience.VERDICT.since(answer.requested_at)
    explained = scorer.explain(answer.text, corpus, None if low else [DEFAULT_METRIC], due)
    answer = _with_sentences(scorer, answer, explained)
    if low and answer.sentences:
        yield replace(answer, pending="likely errors")
    yield _with_errors(scorer, answer, explained)


def answer_with_costs(scorer: Scorer, story: str, context: str, reference: str, corpus: str) -> Answer:
    """The verdict, and the cost of each sentence whatever the verdict is.

    Raises:
        ValueError: as `answer_in_steps`, or too many sentences.
    """
    if why := why_no_sentence_costs(checked_text(story, context, reference, corpus), corpus):
        raise ValueError(why)
    answer = _scored_answer(scorer, story, context, reference, corpus, [DEFAULT_METRIC], Patience.REASONS)
    return _with_sentences(scorer, answer, scorer.explain(answer.text, corpus, [DEFAULT_METRIC]))


def full_answer(scorer: Scorer, story: str, context: str, reference: str, corpus: str) -> Answer:
    """All scores of one story, and the reasons unless it has too many sentences; errors as `answer_in_steps`."""
    answer = _scored_answer(scorer, story, context, reference, corpus)
    if why_no_sentence_costs(answer.text, corpus):
        return _with_errors(scorer, answer, _explanation_without_costs(answer))
    explained = scorer.explain(answer.text, corpus)
    return _with_errors(scorer, _with_sentences(scorer, answer, explained), explained)


def _scored_answer(
    scorer: Scorer,
    story: str,
    context: str,
    reference: str,
    corpus: str,
    only: Sequence[str] | None = None,
    patience: Patience = Patience.MORE,
) -> Answer:
    """Scores and warning, without reasons."""
    text = checked_text(story, context, reference, corpus)
    warning = warning_of(text.whole(corpus), *USUAL_WORD_COUNTS[corpus])
    requested_at = time.monotonic()
    scores = scorer.score([text], corpus, only, patience.since(requested_at))[0]
    return Answer(text, corpus, scores, warning, requested_at=requested_at)


def _with_sentences(scorer: Scorer, answer: Answer, explained: Mapping[str, Any]) -> Answer:
    if DEFAULT_METRIC not in explained:
        return answer
    aligned = align(answer.text.whole(answer.corpus), _joined_explanation(explained))
    return replace(
        answer,
        sentences=aligned,
        explained_by=scorer.catalogue[DEFAULT_METRIC].numbers[0].title,
        repetition=explained[DEFAULT_METRIC].get("repetition", 0.0),
    )


def _with_errors(scorer: Scorer, answer: Answer, explained: Mapping[str, Any]) -> Answer:
    if DEFAULT_METRIC not in explained or answer.warning:
        return answer
    return replace(answer, diagnosis=diagnose_answer(scorer, answer, _joined_explanation(explained)))


def _explanation_without_costs(answer: Answer) -> dict[str, Any]:
    """A substitute for an explanation, for a story whose sentence costs were not computed."""
    sentences = split_sentences(answer.text.whole(answer.corpus))
    return {DEFAULT_METRIC: {"sentences": [{"text": text, "gain": 0.0} for text in sentences]}}


def _joined_explanation(explained: Mapping[str, Any]) -> dict[str, Any]:
    """The recommended metric's sentences, and UNION's edits where available."""
    edits: list[Any] = next((value["edits"] for value in explained.values() if "edits" in value), [])
    return {"sentences": explained[DEFAULT_METRIC]["sentences"], "edits": edits}


def diagnose_answer(scorer: Scorer, answer: Answer, explanation: Mapping[str, Any]) -> Diagnosis | None:
    """The likely errors of a story, by repairs that raise the recommended metric's score; `None` without that score."""
    main = recommended_score(answer.scores)
    if main is None or main.value is None:
        return None
    due = Patience.VERDICT.since(answer.requested_at)

    def rescore(stories: Sequence[str]) -> list[float]:
        rows = scorer.score([Text(story) for story in stories], answer.corpus, [DEFAULT_METRIC], due)
        return [0.0 if row[0].value is None else row[0].value for row in rows]

    whole_story = answer.text.whole(answer.corpus)
    return diagnose(whole_story, explanation, main.value, lambda value: is_low(value, main), rescore)


def checked_text(story: object, context: object, reference: object, corpus: str) -> Text:
    """The texts of one story, checked against the limits; errors as `answer_in_steps`."""
    check_corpus(corpus)
    return Text(
        check_text(story, "The story"),
        check_text(context, "The beginning or prompt", needed=False),
        check_text(reference, "The reference", needed=False),
    )


def as_dict(answer: Answer) -> dict[str, Any]:
    """The answer as a JSON object: what the API's `/score` returns."""
    return {
        "scores": [score_dict(score) for score in answer.scores],
        "sentences": [
            {
                "text": "".join(word.text for word in sentence.words).strip(),
                "costs": round(sentence.gain, 4),
                "edits": [
                    {"word": word.text, "suggestion": word.suggestion}
                    for word in sentence.words
                    if word.suggestion is not None
                ],
            }
            for sentence in answer.sentences
        ],
        "sentences_by": answer.explained_by,
        "repetition": repetition_note(answer.repetition) or None,
        "warning": answer.warning,
        "verdict": {"words": answer.verdict.words, "why": answer.verdict.why},
        "likely_errors": None if answer.diagnosis is None else _diagnosis_dict(answer.diagnosis),
    }


def verdict_dict(answer: Answer) -> dict[str, Any]:
    """The verdict as a JSON object: what the API's `/verdict` returns."""
    main = answer.verdict.score
    return {
        "words": answer.verdict.words,
        "why": answer.verdict.why,
        "warning": answer.warning,
        "score": None if main is None else score_dict(main),
    }


def _diagnosis_dict(diagnosis: Diagnosis) -> dict[str, Any]:
    """The diagnosis as a JSON object.

    `errors` is empty where the story has a low score and no repair helps; or none was tried, and `untried` says why.
    """
    return {
        "errors": [
            {"kind": kind, "meaning": ERROR_TYPES[kind], "sentences": list(sentences)}
            for kind, sentences in diagnosis.errors
        ],
        "score": round(diagnosis.before, 4),
        "score_when_mended": round(diagnosis.after, 4),
        "mended": diagnosis.repaired,
        "untried": diagnosis.untried or None,
    }


def score_dict(score: Score) -> dict[str, Any]:
    """One number as a JSON object."""
    return {
        "metric": score.metric,
        "name": score.number.title,
        "score": score.value,
        "better": score.number.better,
        "note": score.note,
        "better_than_percent": {rank.label: round(rank.better_than, 1) for rank in score.percentile_ranks},
    }

"""The readers of the sets that were added last: HANNA, DeltaScore, StoryER, Story Cloze, LitBench."""

import json
from typing import Any

from openmeva.training.judged.deltascore import CRITERIA as DELTASCORE
from openmeva.training.judged.deltascore import read_deltascore
from openmeva.training.judged.hanna import CRITERIA as HANNA
from openmeva.training.judged.hanna import read_hanna
from openmeva.training.judged.litbench import read_litbench
from openmeva.training.judged.story_cloze import read_story_cloze
from openmeva.training.judged.storyer import read_aspect_ratings
from tests.reader import NO_OBJECTS, NO_STORY, STORY, Reader


def _hanna(story: int, rating: str) -> str:
    return ",".join([str(story), "p", "h", f'"{STORY}"', "GPT", *[rating] * len(HANNA)])


def _half(ratings: Any) -> str:
    texts = dict.fromkeys(("prompt", "human_story", "story", "model"), STORY)
    return json.dumps(
        {"story_id": 3, **texts, "ratings": dict.fromkeys(HANNA, ratings), "metrics": {"BLEU": 1.5}}
    )


def _delta(rating: Any) -> str:
    texts = dict.fromkeys(("title", "story", "model", "reference"), STORY)
    return json.dumps({**texts, **dict.fromkeys(DELTASCORE, rating)}, ensure_ascii=False)


CLOZE = (
    "InputStoryid", *(f"InputSentence{n}" for n in range(1, 5)), "RandomFifthSentenceQuiz1", "RandomFifthSentenceQuiz2",
    "AnswerRightEnding",
)  # fmt: skip
JUDGED_SETS = {
    "hanna": Reader(
        read_hanna,
        "hanna_stories_annotations.csv",
        [",".join(("Story ID", "Prompt", "Human", "Story", "Model", *HANNA)), *[_hanna(n, "3") for n in range(3)]],
        (_hanna(1, "nan"), _hanna(1, ""), _hanna(1, "9"), "1,a"),
        first=1,
    ),
    "hanna's half": Reader(
        read_hanna, "hanna_half.jsonl", [_half([1, 2])] * 3, (*NO_STORY, *map(_half, ([float("nan")], [None], None, ["x"], [])))
    ),
    "deltascore": Reader(
        lambda path: read_deltascore(path.parent.parent, path.parent.name, "roc"),
        "roc.jsonl",
        [_delta(3)] * 3,
        (*NO_STORY, *map(_delta, (None, float("nan"), 9, "x"))),
        packed=False,
    ),
    "storyer's aspects": Reader(
        read_aspect_ratings,
        "test_rate_reason_data.json",
        json.dumps([{"prompt": "p", "story": STORY, "comments": [[3, 4, "good"]]}] * 3, indent=1).split("\n"),
        (*NO_OBJECTS, "[null]", '[{"prompt": "p", "story": null, "comments": [[3, 4, "good"]]}]',
         '[{"prompt": "p", "story": "s", "comments": [[3, NaN, "good"]]}]', '[{"prompt": "p", "story": "s", "comments": null}]'),
        packed=False,
        whole=True,
    ),
    "story cloze": Reader(
        lambda path: [*read_story_cloze(path, "validation")][::2],
        "cloze_spring2016_val.csv",
        [",".join(CLOZE), *[f"{n},a\u2028,b,c,d,e,f,1" for n in range(3)]],
        ("1,a,b,c,d,e,f,3", "1,a,b,c,d,e,f,nan", "1,a,b", "1,a,b,c,d,e,,1"),
        first=1,
    ),
    "litbench": Reader(
        lambda path: read_litbench(path)[::2],
        "rehydrated_test_data.csv",
        ["prompt,chosen_story,rejected_story", *[f'p,"{STORY}",b'] * 3],
        ("p,a", "p,a,b,c"),
        first=1,
    ),
}  # fmt: skip

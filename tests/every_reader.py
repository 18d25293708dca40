"""Every reader of a user's file, with a valid file and invalid lines for each."""

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from openmeva.metrics.core.text import Normalizer
from openmeva.spaces.reference_stories import read_generated
from openmeva.spaces.tables import read_upload
from openmeva.training.benchmark.data.score_files import read_scores
from openmeva.training.benchmark.probes.pairs import read_pairs
from openmeva.training.bleurt.ratings import read_ratings
from openmeva.training.corpora.rocstories import read_rocstories
from openmeva.training.corpora.splits import _judged_texts
from openmeva.training.corpora.stories import read_stories
from openmeva.training.corpora.story_rows import read_story_rows
from openmeva.training.corpora.writing_prompts import read_writing_prompts
from openmeva.training.encoder.names import read_names
from openmeva.training.files import read_rows
from openmeva.training.grammar.data import read_cola
from openmeva.training.judged.judged_file import read_judged_file
from openmeva.training.judged.mans import read_mans
from openmeva.training.judged.plot_guided import read_plot_guided_judgments, read_predictions
from openmeva.training.judged.union import read_union_judgments
from openmeva.training.negatives.groups import read_groups
from openmeva.training.perturbations.paraphrasers.back_translations import BackTranslations
from openmeva.training.plot_guided.filtered_stories import read_filtered_stories
from openmeva.training.plot_guided.plots.published import read_paired, read_storylines
from openmeva.training.ruber_bert.data import prompted_stories
from openmeva.training.scoring import columns
from openmeva.training.text.knowledge.conceptnet_files import read_assertions
from openmeva.training.text.tagger.trainer import read_ewt
from tests.judged_readers import JUDGED_SETS
from tests.reader import NO_OBJECTS, NO_STORY, STORY, Reader, rows_of

SHEET = "WorkerId,Input.text1,Answer.text1\n"


def entries(**changes: Any) -> list[str]:
    """A file of MANS: one object over several lines."""
    story = {"text": STORY, "score": [1, 2, 3, 4, 5], **changes}
    entry = {
        "prompt": "Ann ran.",
        "gold_response": STORY,
        "gen": {"gpt": story, "fusion": story, "s2s": story},
    }
    return json.dumps({"7": entry}, ensure_ascii=False, indent=1).split("\n")


HUGE = "1" + "0" * 400  # an integer past what a float holds


def _rated(rating: str) -> str:
    return f'{{"story": "He ran.", "reference": "He fell.", "ratings": {rating}, "score": {rating}}}'


def _group(label: str, story: str = '"He ran."') -> str:
    return f'{{"group": "a", "story": {story}, "label": {label}}}'


def _judged(story: Any, rating: str = "[1, 2]") -> str:
    return f'{{"story": {json.dumps(story)}, "ratings": {rating}}}'


def _with_other_file(
    name: str, content: str, read: Callable[[Path, Path], Iterable[Any]]
) -> Callable[[Path], Any]:
    """A reader of two files, the other of which is valid."""

    def reader(path: Path) -> Iterable[Any]:
        other = path.parent / name
        other.write_text(content)
        return read(path, other)

    return reader


NAME_LISTS = ("male", "female", "neutral", "capitalized_only")
READERS = {
    "rows": Reader(read_rows, "a.jsonl", rows_of(story=STORY), NO_OBJECTS),
    "table": Reader(read_rows, "a.csv", ["story,n", *[f'"{STORY}",{n}' for n in range(3)]], ("a,b,c", "a"), first=1),
    "scored": Reader(columns.read_stories, "a.jsonl", rows_of(story=STORY), NO_STORY),
    "stories": Reader(columns.read_stories, "a.jsonl", rows_of(story=STORY), NO_STORY),
    "lines": Reader(read_stories, "a.txt", [STORY] * 3, ("", " </s> ")),
    "ids": Reader(lambda path: read_story_rows(path)[0], "a.jsonl", rows_of(story=STORY), NO_STORY),
    "judged": Reader(
        read_judged_file,
        "a.jsonl",
        rows_of(story=STORY, ratings=[1, 2]),
        (*NO_STORY, *(_judged("He ran.", bad) for bad in ("[NaN, null]", f"[{HUGE}]", "[null]", "[]", '["x"]', "{}", "3", "null"))),
    ),
    "judged table": Reader(
        read_judged_file,
        "a.csv",
        ["story,ratings", *[f'"{STORY}",1 2'] * 3],
        ("x,nan NA", "x,", "x,[[1]]", ",1 2", 'x,"{}"'),
        first=1,
    ),
    "mans": Reader(
        lambda path: read_mans(path, "roc"), "mans_roc.json", entries(), NO_OBJECTS, packed=False, whole=True
    ),
    "sheets": Reader(
        read_plot_guided_judgments,
        "AMT_ROC.CSV",
        [SHEET.strip(), *[f'w{n},"{n} {STORY}",{n}' for n in range(3)]],
        ("w,,1", "w,x,nan", "w,x,9", "w,x,"),
        packed=False,
        first=1,
    ),
    "excluded": Reader(
        _judged_texts, "AMT.csv", [SHEET.strip(), *[f'w{n},"{n} {STORY}",{n}' for n in range(3)]], ("a,b",), first=1
    ),
    "predictions": Reader(
        lambda path: list(read_predictions(path).items()),
        "pred.txt",
        [f"{n} {STORY}\t0.{n}" for n in range(3)],
        ("no score", "a story\tnan"),
    ),
    "union": Reader(
        read_union_judgments, "ant_data.txt", [f"{n} ||| {STORY} ||| 1 0 1" for n in range(3)],
        ("1 ||| a", "x ||| a ||| 1", "1 ||| a ||| 7", "1 ||| a ||| nan", "1 |||  ||| 1"),
    ),
    "rocstories": Reader(
        read_rocstories,
        "roc.csv",
        ["storyid,storytitle,sentence1,sentence2,sentence3,sentence4,sentence5"]
        + [f"{n},t,a\u2028 b.,b.,c.,d.,e." for n in range(3)],
        ("1,t,a,b", "1,t,a,,c,d,e"),
        first=1,
    ),
    "rocstories rows": Reader(
        read_rocstories, "roc.jsonl", rows_of(story=STORY), (*NO_STORY, '{"sentences": [1, 2]}', '{"sentences": {"a": 1}}')
    ),
    "writing prompts": Reader(
        _with_other_file("b", "a prompt\n" * 3, lambda path, other: read_writing_prompts(other, path)), "a", [STORY] * 3, ("",)
    ),
    "groups": Reader(
        read_groups,
        "groups.jsonl",
        rows_of(story=STORY, group="a", label=1),
        (*NO_STORY, *map(_group, ("null", "NaN", "2", '"x"', "[]")), _group("1", "null")),
    ),
    "ratings": Reader(
        read_ratings,
        "ratings.jsonl",
        rows_of(story=STORY, reference=STORY, score=1),
        (*NO_STORY, _rated("NaN"), _rated(HUGE), _rated("null"), _rated('"x"')),
    ),
    "prompted": Reader(
        prompted_stories, "a.jsonl", rows_of(story=STORY, prompt="Write."), (*NO_STORY, '{"story": "a", "prompt": 3}')
    ),
    "ewt": Reader(
        read_ewt, "ewt.jsonl", rows_of(tokens=["a"], xpos=["DT"]), (*NO_OBJECTS, '{"tokens": ["a"], "xpos": [null]}')
    ),
    "cola": Reader(lambda path: [*zip(*read_cola(path), strict=True)], "cola.tsv", [f"s\t1\t\t{STORY}"] * 3, ("a\t2\t\tx", "a", "s\t1\t\t")),
    "conceptnet": Reader(read_assertions, "cn.txt", ["Causes\ta\u2028\tb"] * 3, ("Causes\ta",)),
    "conceptnet dump": Reader(
        read_assertions,
        "cn.csv",
        ["/a/x\t/r/Causes\t/c/en/a\u2028/n\t/c/en/b\t{}"] * 3,
        ("/a/x\t/r/Causes\t/c/en/a", "null"),
    ),
    "conceptnet lists": Reader(
        read_assertions, "antonym.txt", ["a\u2028|||/r/Antonym|||b"] * 3, ("a|||/r/Antonym", "a|||Antonym|||b", "null")
    ),
    "names": Reader(read_names, "male.txt", ["Ann", "Mary-Ann", "D'Arcy"], ("7", "Ann, Mary", "{}")),
    "names of an encoder": Reader(
        lambda path: [Normalizer.load(path)] * 3,
        "names.json",
        json.dumps({kind: ["ann\u2028"] for kind in NAME_LISTS}, indent=1).split("\n"),
        ("7", "null", '"text"', "{", "[" * 50_000, "[1]", '{"male": null}', json.dumps({kind: [{}] for kind in NAME_LISTS})),
        whole=True,
    ),
    **JUDGED_SETS,
    "scores of a table": Reader(
        lambda path: read_scores(path, [{"story_id": str(n), "story": STORY} for n in range(3)], "a set").popitem()[1],
        "a.csv",
        ["story_id,score", "0,1", "1,2", "2,-.5"],
        ("1,nan", "1,", "1,x", "1", "7,2"),
        first=1,
    ),
    "storylines": Reader(
        read_storylines, "plots.txt", [f"title <EOT> she ran <EOL> </s> {STORY} </s>"] * 3, ("no marks",)
    ),
    "paired plots": Reader(
        _with_other_file("b", "she ran\n" * 3, lambda path, other: read_paired(path, other)), "a.txt", [STORY] * 3
    ),
    "filtered": Reader(
        read_filtered_stories, "af.tsv", [f"{n}\t1\t{n}\t{STORY}" for n in range(3)], ("1\t1\t1", "1\t5\t1\tx", "1\t1\t1\t ")
    ),
    "back-translations": Reader(
        lambda path: [BackTranslations(path)] * 3,
        "bt.json",
        json.dumps([{STORY: {"trans": STORY}}], ensure_ascii=False, indent=1).split("\n"),
        ("7", "null", '"text"', "{", "[" * 50_000, "[null]", '[{"a": null}]'),
        packed=False,
        whole=True,
    ),
    "upload": Reader(read_upload, "a.jsonl", rows_of(story=STORY), NO_OBJECTS, packed=False),
    "generated": Reader(lambda path: read_generated(path, 3), "a.jsonl", rows_of(story=STORY), NO_STORY),
    "pairs": Reader(read_pairs, "a.jsonl", rows_of(kind="a", good=STORY, damaged=STORY), NO_OBJECTS),
    "scores": Reader(
        lambda path: read_scores(
            path, [{"story_id": str(n), "story": STORY} for n in range(3)], "a set"
        ).popitem()[1],
        "a.jsonl",
        rows_of(story=STORY, score=1),
        (*NO_OBJECTS, '{"story_id": "1", "score": NaN}', '{"story_id": "1", "score": null}', f'{{"story_id": "1", "score": {HUGE}}}'),
    ),
}  # fmt: skip

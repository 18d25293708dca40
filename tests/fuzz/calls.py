"""Command lines of `openmeva` for any file and option, and the files that they find."""

import math
from collections.abc import Callable
from typing import Any, NamedTuple

from hypothesis import strategies as st

from openmeva.metrics.core.writing import json_line
from openmeva.training.cli.space import spaces
from openmeva.training.cli.train import trainable_metrics
from openmeva.training.judged.catalogue import JUDGED_SETS
from openmeva.training.negatives.sampling import TECHNIQUES
from openmeva.training.paths import CONFIGS
from openmeva.training.perturbations import ASPECTS
from tests.every_reader import READERS
from tests.fuzz.inputs import MARKS, RARE, real_stories, texts, weighted, with_words

WORK = "WORK"  # in arguments: the folder of the files


class Call(NamedTuple):
    """A command line, and the files that it finds in its folder."""

    arguments: list[str]
    files: dict[str, bytes]


Calls = Callable[[int], st.SearchStrategy[Call]]
_words = st.sampled_from(
    ["", "-", "--", "nowhere", "x.csv", "3", "-1", "1.5", "none", "union", "roc", *RARE, *MARKS[:12]]
)


def rows_file(longest: int) -> st.SearchStrategy[bytes]:
    """JSONL of stories, mostly good ones of several sentences."""
    readable = st.one_of(real_stories(), with_words(texts(longest)))
    story = weighted((16, readable), (1, texts(longest)), (1, st.sampled_from([None, 3, [], {}, True])))
    further = {"story_id": texts(9), "context": readable, "n": st.floats()}

    def rows_with(columns: set[str]) -> st.SearchStrategy[bytes]:
        row = st.fixed_dictionaries({"story": story, **{name: further[name] for name in sorted(columns)}})
        return st.lists(row, min_size=1, max_size=4).map(lambda rows: b"".join(map(json_line, rows)))

    rows = st.sets(st.sampled_from(sorted(further))).flatmap(rows_with)
    return weighted((12, rows), (1, texts(longest).map(lambda text: text.encode("utf-8", "surrogatepass"))))


def _options(**values: st.SearchStrategy[str]) -> st.SearchStrategy[list[str]]:
    """Up to two options; one in four is invalid or unusual."""

    def option(name: str) -> st.SearchStrategy[list[str]]:
        flag = f"--{name.replace('_', '-')}"
        if name == "skip_bad":
            return st.just([flag])
        return weighted((3, values[name]), (1, _words)).map(lambda value: [flag, value])

    any_option = st.sampled_from(sorted(values)).flatmap(option)
    return st.lists(any_option, max_size=2).map(lambda several: [word for words in several for word in words])


def _on_stories(command: str, longest: int, fixed: st.SearchStrategy[list[str]], **options: Any) -> Any:
    out = st.sampled_from(["out.jsonl", "out.csv", "out.parquet", "out.jsonl.gz", "-"])
    return st.builds(
        lambda content, target, first, further: Call(
            [command, f"{WORK}/in.jsonl", target if target == "-" else f"{WORK}/{target}", *first, *further],
            {"in.jsonl": content},
        ),
        rows_file(longest), out, fixed, _options(**options),
    )  # fmt: skip


_numbers = st.integers(0, 9).map(str)
_techniques = st.sampled_from(list(TECHNIQUES))
# without aspects that check similarity by an embedding model, which takes seconds to load
_QUICK_ASPECTS = [name for name, aspect in ASPECTS.items() if "similarity" not in aspect.needs]


def explain(config: str, longest: int) -> st.SearchStrategy[Call]:
    fixed = st.just(["--metric", "union", "--config", config])
    return _on_stories(
        "explain", longest, fixed, batch_size=st.integers(1, 9).map(str), device=st.just("cpu")
    )


def perturb(longest: int) -> st.SearchStrategy[Call]:
    aspect = weighted((9, st.sampled_from(_QUICK_ASPECTS)), (1, _words)).map(lambda name: ["--aspect", name])
    return _on_stories(
        "perturb", longest, aspect, seed=_numbers, keep=st.sampled_from("01"),
        context=st.sampled_from(["none", "first_sentence"]), skip_bad=st.just(""), technique=_words,
    )  # fmt: skip


def negatives(longest: int) -> st.SearchStrategy[Call]:
    names = st.sampled_from([f"{WORK}/in.jsonl", f"{WORK}/none.json"])
    return _on_stories(
        "negatives", longest, st.just([]), seed=_numbers, keep=_numbers, epoch=_numbers, technique=_techniques,
        names=names,
    )  # fmt: skip


def _judged_rows(longest: int) -> st.SearchStrategy[list[dict[str, Any]]]:
    number = weighted((40, st.integers(1, 5)), (1, st.sampled_from([None, "x", math.nan, [], 10**400])))
    row = st.fixed_dictionaries({"story": with_words(texts(longest)), "score": number, "my_score": number})
    return st.lists(row, min_size=3, max_size=8).map(
        lambda rows: [{"story_id": f"s{n}", "prompt": f"p{n % 3}", **row} for n, row in enumerate(rows)]
    )


def compare(longest: int) -> st.SearchStrategy[Call]:
    def call(rows: list[dict[str, Any]], seed: int, further: list[str]) -> Call:
        other = [{"story_id": row["story_id"], "score": math.sin(seed * n)} for n, row in enumerate(rows)][
            ::-1
        ]
        files = {"a.jsonl": b"".join(map(json_line, rows)), "b.csv": _table(other)}
        return Call(["compare", f"{WORK}/a.jsonl", f"{WORK}/b.csv", "--draws", "100", *further], files)

    options = _options(
        seed=_numbers, corpus=st.just("roc"), dataset=_words, judgments=st.just(f"{WORK}/a.jsonl")
    )
    return st.builds(call, _judged_rows(longest), st.integers(1, 99), options)


def benchmark(longest: int) -> st.SearchStrategy[Call]:
    def call(rows: list[dict[str, Any]], further: list[str]) -> Call:
        arguments = [
            "benchmark",
            "--scores",
            f"{WORK}/b.csv",
            "--judged",
            f"{WORK}/a.jsonl",
            "--draws",
            "100",
        ]
        other = [{"story_id": row["story_id"], "score": row["my_score"]} for row in rows]
        judged = b"".join(json_line({**row, "my_score": 0}) for row in rows)
        return Call(
            [*arguments, "--out", f"{WORK}/report", *further], {"a.jsonl": judged, "b.csv": _table(other)}
        )

    options = _options(
        seed=_numbers, corpus=_words, datasets=_words, metrics=_words, lower_is_better=st.just("all")
    )
    return st.builds(call, _judged_rows(longest), options)


def _table(rows: list[dict[str, Any]]) -> bytes:
    lines = ["story_id,score", *(f"{row['story_id']},{str(row['score'])[:30]}" for row in rows)]
    return "\n".join(lines).encode()


def judged(longest: int) -> st.SearchStrategy[Call]:
    def call(name: str, content: bytes) -> Call:
        known = JUDGED_SETS.get(name)
        files = [part.files[0] for part in known.parts.values()] if known else ["a.jsonl"]
        return Call(["judged", name, "--source", WORK, "--out", f"{WORK}/out"], dict.fromkeys(files, content))

    good = st.sampled_from([("mans", "mans"), ("union", "union"), ("plot_guided", "sheets")])
    valid = good.map(lambda pair: call(pair[0], READERS[pair[1]].bytes()))
    # no set is requested from the Hub: its files are in the folder
    other = weighted(
        (1, st.sampled_from([READERS[name].bytes() for name in ("mans", "rows", "judged", "table")])),
        (1, texts(longest).map(lambda text: text.encode("utf-8", "surrogatepass"))),
    )
    name = weighted((9, st.sampled_from(sorted(JUDGED_SETS))), (1, _words))
    return weighted((1, valid), (2, st.builds(call, name, other)))


def train(longest: int) -> st.SearchStrategy[Call]:
    """A configuration with an unusual line and changes by `--set`; there are no corpora to train on."""
    known = {
        name: sorted((CONFIGS / name).glob("*.yaml")) or [CONFIGS / f"{name}.yaml"]
        for name in trainable_metrics()
    }
    known = {name: files for name, files in known.items() if files[0].is_file()}

    def call(
        name: str, file_number: int, place: float, odd: str, replace_all: bool, changes: list[str]
    ) -> Call:
        lines = known[name][file_number % len(known[name])].read_text(encoding="utf-8").split("\n")
        at = int(place * len(lines))
        content = odd if replace_all else "\n".join([*lines[:at], odd, *lines[at + 1 :]])
        arguments = ["train", name, "--data", f"{WORK}/none", "--config", f"{WORK}/a.yaml"]
        changed = [word for change in changes for word in ("--set", change)]
        return Call(
            [*arguments, *changed], {"a.yaml": content.encode("utf-8", "surrogatepass"), "none/a": b""}
        )

    key = st.sampled_from(
        ["seed", "name", "corpus", "adapter.rank", "adapter", "base", "learning_rate", "x.y", ""]
    )
    value = st.one_of(
        _words, st.sampled_from(["{}", "[1", "1e-4", "{a: 1}", "null", "*a", "!!python/name:os.system"])
    )
    change = st.builds(lambda left, right: f"{left}={right}", key, value)
    odd = st.one_of(change.map(lambda text: text.replace("=", ": ")), texts(longest))
    return st.builds(
        call, st.sampled_from(sorted(known)), st.integers(0, 9), st.floats(0, 0.999), odd,
        weighted((5, st.just(False)), (1, st.just(True))), st.lists(change, max_size=1),
    )  # fmt: skip


def resources(longest: int) -> st.SearchStrategy[Call]:
    line = st.sampled_from(["Antonym\tgood\tbad", "Causes\train\twet street", "hot|||/r/Antonym|||cold"])
    content = st.lists(weighted((6, line), (1, texts(longest))), min_size=1, max_size=5).map("\n".join)
    name = weighted((9, st.sampled_from(["a.txt", "a.tsv", "antonym.txt"])), (1, st.just("a.csv.gz")))
    return st.builds(
        lambda name, text: Call(
            ["resources", "--wordnet-only", "--conceptnet", f"{WORK}/{name}"],
            {name: text.encode("utf-8", "surrogatepass")},
        ),
        name, content,
    )  # fmt: skip


def names(longest: int) -> st.SearchStrategy[Call]:
    """An unknown name instead of a metric, a demo, a configuration or a set."""
    name = st.one_of(_words, texts(min(longest, 300))).filter(lambda text: text not in spaces())
    forms = (
        ["space", "NAME"], ["train", "NAME", "--data", WORK], ["train", "union", "--corpus", "NAME", "--data", WORK],
        ["judged", "NAME"], ["score", f"{WORK}/a.txt", "--metric", "NAME"], ["score", f"{WORK}/a.txt", "--format", "NAME"],
        ["score", f"{WORK}/a.txt", "--metrics", "NAME"], ["compare", "NAME", "NAME"], ["compare", f"{WORK}/a.txt", "NAME"],
        ["benchmark", "--metrics", "NAME"], ["benchmark", "--judged", "NAME"], ["autos", "--stories", "NAME"],
        ["autos", "--config", "NAME", "--stories", f"{WORK}/a.txt"], ["perturb", "NAME", "--aspect", "typo"],
        ["perturb", f"{WORK}/a.txt", "--aspect", "NAME"], ["negatives", f"{WORK}/a.txt", "--technique", "NAME"],
        ["NAME"], ["score", "NAME"], ["explain", f"{WORK}/a.txt", "--metric", "NAME"], ["publish", "--NAME"],
        ["benchmark", "--metric", "NAME", "--judged", f"{WORK}/a.txt"], ["benchmark", "--metric-options", "NAME"],
    )  # fmt: skip
    return st.builds(
        lambda form, name: Call([word.replace("NAME", name) for word in form], {"a.txt": b"Ann ran."}),
        st.sampled_from(forms), name,
    )  # fmt: skip

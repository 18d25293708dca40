"""Inputs that the golden tests score and change: stories of this repository, rows of AUTOS `mini`, and odd inputs."""

import json
from dataclasses import dataclass
from pathlib import Path

from tests.mini_stories import mini

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).parent
AUTOS = ROOT / "datasets" / "autos" / "mini"
EVERY_STORY = 4  # of `datasets/stories/mini.jsonl`: 38 of 152


@dataclass(frozen=True)
class Row:
    """A story to score.

    Attributes:
        name: used in messages about differences.
        context: its first sentence or a prompt.
        story: the whole story.
        rest: the story without its context.
        references: for metrics that need references.
    """

    name: str
    context: str
    story: str
    rest: str
    references: tuple[str, ...]


def mini_rows() -> list[Row]:
    """Every fourth story; its references are its own first half and the previously chosen story."""
    chosen = mini()[::EVERY_STORY]
    halves = [row["story"][: len(row["story"]) // 2] for row in chosen]
    return [
        _row(row["story_id"], row, (half, before["story"]))
        for row, half, before in zip(chosen, halves, [chosen[-1], *chosen], strict=False)
    ]


def autos_rows() -> list[Row]:
    """Rows of AUTOS, perturbed and not; the reference is the human story.

    They are every ninetieth row of a former `mini`, kept in `autos_rows.jsonl`, so that the scored texts do not change
    with the perturbations.
    """
    originals = {row["story_id"]: row["story"] for row in mini()}
    lines = (HERE / "autos_rows.jsonl").read_text(encoding="utf-8").splitlines()
    return [
        _row(
            f"{row['split']}: {row['story_id']}, {row['aspect']}",
            row,
            (originals[row["story_id"].split("/")[0]],),
        )
        for row in map(json.loads, lines)
    ]


def odd_rows() -> list[Row]:
    """The odd inputs, in order, and stories of 60 and of 120 sentences made from the project's own."""
    sentences = [sentence for row in mini()[:60] for sentence in row["sentences"]]
    texts = {**ODD, **{f"{count} sentences": " ".join(sentences[:count]) for count in (60, 120)}}
    return [
        Row(name, ODD_CONTEXTS.get(name, CONTEXT), text, text, REFERENCES) for name, text in texts.items()
    ]


def _row(name: str, row: dict[str, str], references: tuple[str, ...]) -> Row:
    story, context = row["story"], row["context"]
    rest = story.removeprefix(context).strip() or story
    return Row(name, context, story, rest, references)


CONTEXT = "Ann was hungry after work."
ODD_CONTEXTS = {
    "tokenised, lower case": "[MALE] wanted a new bike .",
    "placeholders": "[FEMALE] and [MALE] had moved to a farm .",
    "emoji": "It was her birthday 🎂!",
    "newlines": "The last\nbus had gone.",
    "prompt": "[WP] You find a door in your cellar that was not there yesterday. What do you do?",
    "many scripts": "Στην Αθήνα έβρεχε.",
}
REFERENCES = (
    "Ann was hungry, so she made a sandwich. She ate it and felt full. Then she took a nap.",
    "He walked to the store & bought bread.",
)
ODD = {
    "one word": "Rain",
    "one word and a full stop": "Rain.",
    "one letter": "a",
    "a number": "42",
    "one sentence": "She made a sandwich and ate it.",
    "no full stop": "she made a sandwich and then she ate it and then she felt full and slept",
    "emoji": "Mia got a new puppy 🐶! She was so happy 😀😀. It ran to the park 🏃‍♀️ with her. They slept 💤.",
    "many scripts": (
        "Die Köchin aß Äpfel. Она шла домой. 彼女は猫を見た。 Ο Νίκος έφυγε. 그는 웃었다. "
        "היא שרה שיר. ذهب إلى البيت. เขากินข้าว. वह घर गई। She laughed."
    ),
    "combining marks": "Zoe\u0301 went to a cafe\u0301 in Sa\u0303o Paulo. Z\u0336a\u0336l\u0336g\u0336o came too.",
    "controls and width": "He\u200b ran\u00a0home\u0007. \ufeffShe\u00ad stayed\u2028there. ＦＵＬＬ ｗｉｄｔｈ.",
    "tokenised, lower case": (
        "[MALE] did n't have any money . he mowed lawns all summer . in the fall he counted it . "
        "he bought the bike . he rode it to school ."
    ),
    "placeholders": (
        "[MALE] and [FEMALE] met [NEUTRAL] at the fair. [male] won a bear. [ FEMALE ] was glad. "
        "[NEUTRAL]'s ticket was lost. They weren't sad."
    ),
    "quotes and abbreviations": (
        "\"Where's Dr. Lee?\" Noor asked. 'He left at 5 p.m.,' said Mrs. Hill, ``with J. R. Smith, Jr.'' "
        "“Oh no!” she cried… The U.S. team — all of it — had won 3.5 vs. 2 pts. etc. (Really!)"
    ),
    "newlines": "Tom woke up late.\n\nHe missed the bus.\r\n\tHe ran   all the way.\nHis teacher smiled.\n",
    "capitals": "THE DOG RAN AWAY! THE BOY CRIED?! THE DOG CAME BACK!!! EVERYBODY WAS HAPPY...",
    "repeated": "She ate. She ate. She ate. She ate. She ate. She ate. She ate. She ate.",
    "no sense": "Purple forgets a ladder of. Because swim the, Tuesday under cheese! Not not not.",
    "markup": 'He typed <b>hello</b> & "print(x[0])" at https://example.org/a?b=c. #win @ann [SEP] [CLS] [MASK] .',
    "a long word": "He said " + "pneumono" * 12 + ". Nobody understood.",
    "a long sentence": "She walked " + "and walked " * 50 + "until it was dark. Then she slept.",
    "marks alone": "... ! ? -- ( ) * , ;",
    "prompt": (
        "The door was green and very old. I knocked twice. Somebody on the other side knocked three times. "
        "I went upstairs, locked the cellar, and called my brother. He said that he had the same door."
    ),
    "the first sentence again": "Ann was hungry after work. Ann was hungry after work. She made soup. She ate it.",
}

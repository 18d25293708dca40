"""WritingPrompts as its authors distribute it: two parallel files of prompts and stories, one per line."""

import re
from collections.abc import Iterator
from itertools import zip_longest
from pathlib import Path

from openmeva.metrics.core.text import split_sentences
from openmeva.training.corpora.rocstories import SourceStory
from openmeva.training.corpora.splits import truncate_sentences
from openmeva.training.corpora.stories import without_line_breaks
from openmeva.training.files import read_lines

PROMPT_TAG = re.compile(r"^\s*\[\s*[A-Za-z]{2,3}\s*\]\s*")


def read_writing_prompts(
    source: str | Path, target: str | Path, max_words: int | None = 250
) -> Iterator[SourceStory]:
    """Prompt and story of each line of `*.wp_source` and `*.wp_target`.

    The tags before prompts (`[ WP ]`) and the `<newline>` tokens in stories are removed. A story is cut at the
    sentence end nearest to `max_words` words (OpenMEVA cuts at about 250, UNION at 200).

    Args:
        source, target: the two files.
        max_words: maximum length; None: stories are not cut.

    Raises:
        ValueError: the files have different numbers of lines, or a prompt or story is blank (with the line).
    """
    prompts, stories = ((line for _, line in read_lines(path)) for path in (source, target))
    for number, (prompt, story) in enumerate(zip_longest(prompts, stories), 1):
        if prompt is None or story is None:
            short = source if prompt is None else target
            raise ValueError(f"{short}: ends before line {number}, expected as many lines as the other file")
        prompt, story = PROMPT_TAG.sub("", prompt).strip(), " ".join(without_line_breaks(story).split())
        if not prompt or not story:
            empty = source if not prompt else target
            raise ValueError(f"{empty}, line {number}: expected a text, got a blank line")
        yield {"story_id": str(number), "context": prompt, "story": truncate_text(story, max_words)}


def truncate_text(story: str, max_words: int | None) -> str:
    """The text up to the sentence end nearest to `max_words` words; at least one sentence.

    >>> truncate_text("one two . three four five . six seven eight nine .", 6)
    'one two . three four five .'
    """
    if max_words is None or len(story.split()) <= max_words:
        return story
    sentences = split_sentences(story)
    return " ".join(
        sentences[: len(truncate_sentences([sentence.split() for sentence in sentences], max_words))]
    )

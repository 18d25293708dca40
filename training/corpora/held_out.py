"""The original texts of the stories of a corpus that are held out from training.

Every configuration holds out the same stories. Some shipped weights were trained before that was so, on some of these
stories: the story encoder and embedding similarity. Their cards say so (`held_out` in their manifests).
"""

from collections import Counter
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from openmeva.metrics.core.text import Normalizer
from openmeva.training.corpora.named_files import resolve_corpus_files
from openmeva.training.corpora.notices import warn_about_duplicates
from openmeva.training.corpora.splits import CorpusConfig, judged_keys, split_into_blocks, truncate_sentences
from openmeva.training.corpora.stories import is_held_out, story_key
from openmeva.training.corpora.story_rows import StoryRow, usable_rows
from openmeva.training.corpora.writing_prompts import PROMPT_TAG
from openmeva.training.text.story import Story


def held_out_rows(
    config: CorpusConfig, data: Path, names: Path, limit: int | None = None, passages: bool = False
) -> list[StoryRow]:
    """The validation stories that `splits.load_corpus` finds for the same settings without `max_stories`, as original texts.

    Judged stories, stories with the same beginning or id as another one, and stories of one sentence are excluded. The
    number with the same beginning is printed on standard error. Long stories are cut at the sentence end nearest to
    `config.max_words`. An id is the file's name and the id in the file.

    Args:
        config: the corpus of a metric's training.
        data: folder of the corpora.
        names: the `names.json` that the training used.
        limit: maximum number of rows.
        passages: instead of cutting a story, split it into passages of about `config.block_words` words, one row
            each. From the second passage on, ids end in the passage's number.

    Raises:
        ValueError: a file is missing or damaged, or no story is held out.
    """
    named = Normalizer.load(names)
    judged = judged_keys(config.exclude, data, named)
    context = "first_sentence" if config.context == "first_sentence" else "none"
    counts: Counter[str] = Counter()

    def rows() -> Iterator[StoryRow]:
        seen = set(judged)
        for file in held_out_files(config, data):
            if not (data / file).is_file():
                raise ValueError(f"{data / file}: no such file")
            for row in usable_rows(data / file, context):
                key = story_key(named.sentences(row["story"]))
                if not (config.validation or is_held_out(key, config.validation_share)):
                    continue
                counts.update(read=1, duplicates=key in seen and key not in judged)
                if key in seen:
                    continue
                seen.add(key)
                story_id = f"{Path(file).name.partition('.')[0]}-{row['story_id']}"
                given = PROMPT_TAG.sub("", row["context"])
                texts = (
                    _passages(row["story"], config.block_words)
                    if passages
                    else [_cut(row["story"], config.max_words)]
                )
                for number, text in enumerate(texts, 1):
                    own = story_id if number == 1 else f"{story_id}-{number}"
                    yield {**row, "story_id": own, "context": given, "story": text}

    selected = list(islice(rows(), limit))
    warn_about_duplicates(counts["duplicates"], counts["read"])
    if not selected:
        raise ValueError(f"{data}: expected held-out stories, got none")
    return selected


def held_out_files(config: CorpusConfig, data: Path) -> tuple[str, ...]:
    """The files below `data` that held-out stories are taken from."""
    return config.validation or resolve_corpus_files(config.train, data)


def _cut(text: str, max_words: int | None) -> str:
    sentences = Story(text).sentences
    return text[
        : sentences[len(truncate_sentences([sentence.words for sentence in sentences], max_words)) - 1].end
    ]


def _passages(text: str, words: int | None) -> list[str]:
    """The text in passages of about `words` words, cut at sentence ends, without passages of one sentence."""
    sentences = Story(text).sentences
    if words is None:
        return [text]
    passages = []
    at = 0
    for block in split_into_blocks([sentence.words for sentence in sentences], words):
        if len(block) > 1:
            passages.append(text[sentences[at].start : sentences[at + len(block) - 1].end])
        at += len(block)
    return passages

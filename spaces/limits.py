"""Limits on the size of a Space's inputs, and their error messages."""

from __future__ import annotations

from openmeva.metrics.core.inputs import without_surrogates

MAX_CHARACTERS = 10_000  # of a text: about 2,000 words
MAX_ROWS = 500  # stories of a file
MAX_FILE_CHARACTERS = (
    500_000  # of a file's stories: on two cores they take minutes, and files are scored in turn
)
MAX_BYTES = 2_000_000  # of a file
MAX_CELL_CHARACTERS = 10_000_000  # characters of a file's cells
MAX_SCORES = 20_000  # uploaded to the leaderboard
MAX_COLUMNS = 8  # of scores: each is a metric, compared with every other one
MAX_FIELDS = 200  # columns of uploaded scores, with those that describe a story
MAX_NAME_CHARACTERS = 100  # of a column, or of a source model: figures are as wide as their labels
MAX_SYSTEMS = 50  # source models of uploaded scores: agreement is measured within each
SCORING_THREADS = 2  # threads that score, and other requests that are answered at the same time
MAX_CONCURRENT_USERS = (
    64  # users whose stories are processed at once; the others see their position in the queue
)
MAX_OPEN_PAGES = 500  # open pages of which Gradio keeps the components, .1 MB each
BUSY_QUEUE_LENGTH = (
    8  # items; where more wait, the sentence costs of a doubtful story are computed only on request
)
SCORE_BATCH_SIZE = 16  # stories of a batch
EXPLAIN_BATCH_SIZE = 4  # stories of a batch for sentence costs: each is scored again without each sentence
MAX_BATCHED_SENTENCES = (
    40  # a longer story is explained in a batch of its own, so that verdicts are served in between
)
MAX_SENTENCES_WITH_COSTS = (
    150  # sentences of a story whose costs are computed: 2,000 words have about 130 sentences
)
MAX_CACHED_SHAPES = (
    16  # batch shapes for which PyTorch caches compiled code, .3 MB each; its default is 1,024
)
MAX_CACHED_SCORES = 20_000  # cached scores: about 10 MB


def check_text(text: object, what: str, needed: bool = True) -> str:
    """`text` without surrounding white space.

    Args:
        text: the input.
        what: its name in the message, e.g. `The story`.
        needed: whether it must be given; otherwise it may be absent or blank.

    Raises:
        ValueError: it is not a text, is blank although needed, has no word, or is longer than `MAX_CHARACTERS`.
    """
    if text is None and not needed:
        return ""
    if not isinstance(text, str):
        raise ValueError(f"{what}: expected a text, got {type(text).__name__}.")
    text = without_surrogates(text).strip()
    if len(text) > MAX_CHARACTERS:
        raise ValueError(
            f"{what} has {len(text):,} characters; please give at most {MAX_CHARACTERS:,} (about 2,000 words)."
        )
    if needed and not text:
        raise ValueError(f"{what} is empty: please type or paste one.")
    if text and not any(map(str.isalpha, text)):
        raise ValueError(f"{what} has no word in it.")
    return text


def check_size(size: int) -> None:
    """Raises a `ValueError` for a file above `MAX_BYTES`."""
    if size > MAX_BYTES:
        raise ValueError(
            f"The file has {size / 1e6:.1f} MB; please give at most {MAX_BYTES / 1e6:.0f} MB, or use the "
            "metrics on your own machine."
        )

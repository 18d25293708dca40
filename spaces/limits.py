"""Limits on the size of a Space's inputs, and their error messages."""

from __future__ import annotations

MAX_CHARACTERS = 10_000  # a text: about 2,000 words
MAX_ROWS = 500  # stories of a file
MAX_BYTES = 2_000_000  # a file
MAX_UNPACKED = 10_000_000  # characters of its cells
MAX_SCORES = 20_000  # scores placed on the leaderboard
MOST_COLUMNS = 8  # of scores: each is a metric, compared with every other one
MOST_SYSTEMS = 50  # that wrote the stories of placed scores: agreement is measured within each
AT_ONCE = 2  # threads that score, and requests of other kinds that are answered at the same time
MOST_ANSWERED = 64  # users whose stories are looked at together; the others see their place in the queue
MOST_PAGES = 500  # open pages of which Gradio remembers the components, .1 MB each
MOST_WAITING = 8  # readings; where more wait, a doubtful story's sentences are weighed on request alone
MOST_SCORED = 16  # stories that a metric reads at once
MOST_EXPLAINED = 4  # the same where it reads each again without each sentence
MANY_SENTENCES = 40  # a story of more is read so by itself: verdicts get their turn between two such
MOST_WEIGHED = 150  # sentences of a story that are weighed: one of 2,000 words has about 130
MOST_SHAPES = 16  # of batches for which PyTorch keeps compiled code, .3 MB each; by itself it keeps 1,024
MOST_REMEMBERED = 20_000  # scores: about 10 MB


def check_text(text: object, what: str, needed: bool = True) -> str:
    """`text` without blanks around it.

    Args:
        text: what came.
        what: its name in the message, e.g. `The story`.
        needed: whether it may be absent or blank.

    Raises:
        ValueError: it is no text, blank although needed, has no word, or is longer than `MAX_CHARACTERS`.
    """
    if text is None and not needed:
        return ""
    if not isinstance(text, str):
        raise ValueError(f"{what}: expected a text, got {type(text).__name__}.")
    text = text.encode("utf-8", "replace").decode().strip()
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

"""The lexicon gives the same answers in forked processes that look words up at the same time."""

from multiprocessing import get_context

from openmeva.training.text.knowledge.lexicon import wordnet

WORDS = (
    "good dog house run walk eat small old new time man day school friend water book child world hand eye"
).split()


def definitions(start: int) -> list[str]:
    """Definitions of all senses of the words, from `start` on, read from WordNet's files."""
    rotated = WORDS[start % len(WORDS) :] + WORDS[: start % len(WORDS)]
    return [f"{word}: {synset.definition()}" for word in rotated for synset in wordnet().synsets(word)]


def test_forked_processes_read_wordnet_independently() -> None:
    wordnet().synsets("begin")  # the files are open before the fork
    with get_context("fork").Pool(4) as pool:
        answers = pool.map(definitions, range(24), chunksize=1)
    for start, answer in enumerate(answers):
        assert answer == definitions(start)

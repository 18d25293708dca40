"""Negative samples and part-of-speech tags a second."""

from openmeva.metrics.core.text import Normalizer
from openmeva.training.negatives import tag_corpus
from openmeva.training.paths import ENCODER, ROOT
from openmeva.training.speed.negatives import negatives_per_second
from openmeva.training.speed.parts import Rows, bench_stories
from openmeva.training.speed.tagging import tagging_speed


def sampling_rows() -> Rows:
    """Negative samples and tags a second."""
    normalizer = Normalizer.load(ENCODER / "names.json")
    stories = [normalizer.sentences(text) for text in bench_stories(4000)]
    tagged = tag_corpus(stories, ROOT / ".cache" / "tags", progress=False)
    rate = negatives_per_second(tagged, processes=2)
    tags = tagging_speed(1000)
    return [
        (
            "UNION's negative samples, tagged ROC-like stories, 2 processes",
            f"{rate:.0f} a second",
            "-",
            "2000",
        ),
        (
            "part-of-speech tagging, 1 process, against NLTK's own loop",
            f"{tags['batched']:.0f} stories/s",
            f"{tags['batched'] / tags['nltk']:.1f}",
            "",
        ),
    ]

"""Negative samples and part-of-speech tags a second."""

from metrics.inference import Normalizer
from training.bench.parts import Rows, bench_stories
from training.encoder import ENCODER, ROOT
from training.language.speed import tagging_speed
from training.negatives import tag_corpus
from training.negatives.speed import negatives_per_second


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

"""The properties of the samples on stories of ROCStories, if they are available."""

from itertools import islice

import pytest

from openmeva.metrics.core.text import Normalizer
from openmeva.training.corpora.stories import read_stories
from openmeva.training.negatives import UnionSampler, UnionSampling, tag_corpus
from openmeva.training.text.knowledge.english import English
from tests.papers_data import DATA

FILE = DATA / "roc" / "validation.jsonl.gz"


@pytest.mark.data
@pytest.mark.parametrize("keep", [0, 1])
def test_sample_properties_on_rocstories(tmp_path, check_origins, keep):
    texts = list(islice(read_stories(FILE), 300))
    stories = tag_corpus([Normalizer().sentences(text) for text in texts], tmp_path, progress=False)
    samples = list(UnionSampler(stories, English(), UnionSampling(keep=keep)).sample_all())
    for story, sample in zip(stories, samples, strict=True):
        if sample is None:
            assert len(story) <= keep, "every story with a sentence that may change has a sample"
            continue
        assert sample.words != story.words
        assert sample.words[:keep] == story.words[:keep]
        assert len(sample.words) == len(story.words)
        check_origins(sample, story)

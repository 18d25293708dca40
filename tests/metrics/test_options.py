"""An option that no row could be scored with is refused before rows that were added are touched."""

from pathlib import Path
from typing import Any

import evaluate
import pytest

from openmeva.training.paths import ROOT
from tests.metrics.every_metric import CONTEXTS, REFERENCES, STORIES

DEVICE, DTYPE = {"device": "cpux"}, {"dtype": "float64"}
WRONG = {
    "union": [DEVICE, DTYPE],
    "bleurt": [DEVICE, DTYPE],
    "ppl": [DEVICE, DTYPE, {"padding_side": "middle"}],
    "ruber_bert": [DEVICE, DTYPE, {"blend": "sum"}, {"normalization": "rank"}],
    "embedding_similarity": [
        DEVICE,
        DTYPE,
        {"layer": 99},
        {"scores": "bert"},
        {"rescale_with_baseline": "yes"},
    ],
    "overlap": [{"scores": ["bleu", "bleu-5"]}],
    "llm_judge": [{"method": "guess"}, {"aspects": "humour"}, {"tries": 0}],
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_options_leave_added_rows(name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    module: Any = evaluate.load(str(ROOT / "metrics" / name), cache_dir=str(tmp_path))
    module.add_batch(predictions=STORIES, contexts=CONTEXTS, references=REFERENCES)
    for options in WRONG[name]:
        (option,) = options
        with pytest.raises(ValueError, match=option):
            module.compute(**options)
    options = {"dry_run": True} if name == "llm_judge" else {}
    result = module.compute(**options)
    assert (
        len(result.get("prompts") or next(value for value in result.values() if isinstance(value, list))) == 2
    )


WITH_NAMES = {
    "overlap": {"scores": ["rouge1"]},
    "embedding_similarity": {"scores": ["vector_average"]},
    "llm_judge": {"aspects": ["fluency", "overall"], "dry_run": True},
}


@pytest.mark.parametrize("name", WITH_NAMES)
def test_names_from_a_generator_are_read_once(name: str, tmp_path: Path) -> None:
    module: Any = evaluate.load(str(ROOT / "metrics" / name), cache_dir=str(tmp_path))
    columns = {"predictions": STORIES, "contexts": CONTEXTS, "references": REFERENCES}
    listed = module.compute(**columns, **WITH_NAMES[name])
    generated = {
        option: (one for one in value) if isinstance(value, list) else value
        for option, value in WITH_NAMES[name].items()
    }
    assert module.compute(**columns, **generated) == listed

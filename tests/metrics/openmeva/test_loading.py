"""The rows of the test sets, from any working directory."""

import shutil
from pathlib import Path

import evaluate
import pyarrow.parquet as pq
import pytest

from openmeva.metrics.openmeva import loading
from openmeva.metrics.openmeva.loading import load_rows

ROOT = Path(__file__).resolve().parents[3]
MINI = ROOT / "datasets" / "autos" / "mini" / "discrimination.parquet"


def test_mini_is_loaded_from_another_working_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert load_rows("autos_discrimination", subset="mini") == pq.read_table(MINI).to_pylist()


def test_folder_in_the_working_directory_precedes_the_checkout(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "datasets" / "autos"
    (folder / "mini").mkdir(parents=True)
    shutil.copy(ROOT / "datasets" / "autos" / "README.md", folder)
    table = pq.read_table(MINI)
    monkeypatch.chdir(tmp_path)
    for count in (3, 5):  # the second build is not that of the cache
        for split in ("discrimination", "invariance"):
            pq.write_table(table.slice(0, count), folder / "mini" / f"{split}.parquet")
        assert len(load_rows("autos_discrimination", subset="mini")) == count


@pytest.mark.parametrize(
    ("configuration", "subset", "advice"),
    [
        ("autos_discrimination", "mini", "dataset=…, the folder datasets/autos of a checkout"),
        ("autos_discrimination", None, "build the set: `openmeva autos --data FOLDER`"),
        ("mans_roc", None, "build the set: `openmeva judged mans --source FOLDER --out datasets/mans`"),
    ],
)
def test_advice_for_a_missing_set(
    configuration: str, subset: str | None, advice: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(loading, "__file__", str(tmp_path / "modules" / "hash" / "loading.py"))
    monkeypatch.setattr(loading, "_cached", lambda *_: None)
    monkeypatch.setattr(loading.datasets, "load_dataset", _unreachable)
    with pytest.raises(ValueError, match="found no rows") as raised:
        load_rows(configuration, subset=subset)
    assert advice in str(raised.value)


def _unreachable(*_: object, **__: object) -> None:
    raise ConnectionError("Couldn't reach the Hub")


def test_multiple_processes_are_rejected():
    """Each process would report only on its own share of the rows."""
    with pytest.raises(ValueError, match="num_process: expected 1"):
        evaluate.load(
            str(ROOT / "metrics" / "openmeva"), "judgments", num_process=2, process_id=0, experiment_id="x"
        )

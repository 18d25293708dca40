"""Commands go on working by the names that they had before."""

import runpy
import subprocess
import sys

import pytest

from openmeva.training.paths import ROOT

FORMER = {
    "perturb": "perturbations",
    "generator": "plot_guided.generator",
    "plots": "plot_guided.plots",
    "adversarial_filtering": "plot_guided.adversarial_filtering",
    "plot_training_sets": "plot_guided.training_sets",
    "ablation": "papers.ablation",
    "plot_tables": "papers.plot_tables",
    "negatives.plot_guided": "plot_guided.negatives",
    "graded.groups": "plot_coherence.groups",
}


def test_every_file_stands_for_one() -> None:
    here = {path.stem for path in (ROOT / "training" / "former").glob("*.py")}
    assert here == {name for name in FORMER if "." not in name}


@pytest.mark.parametrize(("former", "now"), FORMER.items())
def test_what_is_run_is_the_present_module(former: str, now: str, monkeypatch: pytest.MonkeyPatch) -> None:
    # one process each would take minutes on a busy machine: the module that is run says what it would run
    run, asked = runpy.run_module, []
    monkeypatch.setattr(runpy, "run_module", lambda name, **how: asked.append((name, how["run_name"])))
    run(f"training.{former}", run_name="__main__")
    assert asked == [(f"openmeva.training.{now}", "__main__")]


def test_one_of_them_in_full() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "training.perturb", "--help"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "--aspect" in done.stdout

"""Commands go on working by the names that they had before."""

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
}


def test_every_file_stands_for_one() -> None:
    here = {path.stem for path in (ROOT / "training" / "former").glob("*.py")}
    assert here == {name for name in FORMER if "." not in name}


@pytest.mark.parametrize(("former", "now"), FORMER.items())
def test_help_is_that_of_the_present_name(former: str, now: str) -> None:
    # one process each would take minutes on a busy machine: the module that is run says what it would run
    asked = (
        "import runpy, sys; sys.path.insert(0, '.'); real = runpy.run_module\n"
        "runpy.run_module = lambda name, **how: print(name, how)\n"
        f"real('training.{former}', run_name='__main__')"
    )
    done = subprocess.run(
        [sys.executable, "-c", asked], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.stdout.split(" ")[0] == f"openmeva.training.{now}", done.stderr
    assert "'run_name': '__main__'" in done.stdout


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

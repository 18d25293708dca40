"""`python -m training.perturb`: the former name of `training.perturbations`."""

import runpy

if __name__ == "__main__":
    runpy.run_module("openmeva.training.perturbations", run_name="__main__", alter_sys=True)

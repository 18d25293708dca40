"""`python -m training.ablation`: the former name of `training.papers.ablation`."""

import runpy

if __name__ == "__main__":
    runpy.run_module("openmeva.training.papers.ablation", run_name="__main__", alter_sys=True)

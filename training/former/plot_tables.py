"""`python -m training.plot_tables`: the former name of `training.papers.plot_tables`."""

import runpy

if __name__ == "__main__":
    runpy.run_module("openmeva.training.papers.plot_tables", run_name="__main__", alter_sys=True)

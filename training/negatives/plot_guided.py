"""`python -m training.negatives.plot_guided`: the former name of `training.plot_guided.negatives`."""

import runpy

if __name__ == "__main__":
    runpy.run_module("openmeva.training.plot_guided.negatives", run_name="__main__", alter_sys=True)

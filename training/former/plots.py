"""`python -m training.plots`: the former name of `training.plot_guided.plots`."""

import runpy

if __name__ == "__main__":
    runpy.run_module("openmeva.training.plot_guided.plots", run_name="__main__", alter_sys=True)

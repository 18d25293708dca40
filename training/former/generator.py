"""`python -m training.generator`: the former name of `training.plot_guided.generator`."""

import runpy

if __name__ == "__main__":
    runpy.run_module("openmeva.training.plot_guided.generator", run_name="__main__", alter_sys=True)

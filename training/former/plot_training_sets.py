"""`python -m training.plot_training_sets`: the former name of `training.plot_guided.training_sets`."""

import runpy

if __name__ == "__main__":
    runpy.run_module("openmeva.training.plot_guided.training_sets", run_name="__main__", alter_sys=True)

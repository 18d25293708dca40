"""`python -m training.adversarial_filtering`: the former name of `training.plot_guided.adversarial_filtering`."""

import runpy

if __name__ == "__main__":
    runpy.run_module(
        "openmeva.training.plot_guided.adversarial_filtering", run_name="__main__", alter_sys=True
    )

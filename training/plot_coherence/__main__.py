"""`python -m training.plot_coherence`: see `trainer.py`."""

from collections.abc import Sequence

from openmeva.training.classifier.prerequisites import weights_folder
from openmeva.training.common.command import trainer_command
from openmeva.training.plot_coherence import trainer
from openmeva.training.plot_coherence.config import PlotCoherenceConfig

PRINTED_KEYS = ("groups", "stories", "steps", "validation", "groups_per_second", "minutes")


def main(arguments: Sequence[str] | None = None) -> None:
    """Reads the command line and trains."""
    trainer_command(
        "plot_coherence",
        PlotCoherenceConfig,
        lambda call: trainer.train(call.config, call.data, call.out, call.run, call.cache, call.resume),
        PRINTED_KEYS,
        trainer.__doc__,
        out=lambda config: weights_folder(PlotCoherenceConfig, config),
        arguments=arguments,
        default_out="metrics/METRIC/weights/NAME; for a stage of a training, the folder that the next stage reads",
    )


if __name__ == "__main__":
    main()

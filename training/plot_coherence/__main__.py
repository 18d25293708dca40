"""`python -m training.plot_coherence`: see `trainer.py`."""

from collections.abc import Sequence

from openmeva.training.classifier.parts import weights_folder
from openmeva.training.common.command import trainer_command
from openmeva.training.plot_coherence import trainer
from openmeva.training.plot_coherence.config import PlotCoherenceConfig

SHOWN = ("groups", "stories", "steps", "validation", "groups_a_second", "minutes")


def main(arguments: Sequence[str] | None = None) -> None:
    """Reads the command line and trains."""
    trainer_command(
        "plot_coherence",
        PlotCoherenceConfig,
        lambda call: trainer.train(call.config, call.data, call.out, call.run, call.cache, call.resume),
        SHOWN,
        trainer.__doc__,
        out=lambda config: weights_folder(PlotCoherenceConfig, config),
        arguments=arguments,
        out_told="metrics/METRIC/weights/NAME; of a part of a training, where the next part looks for it",
    )


if __name__ == "__main__":
    main()

"""`python -m training.union`: see `trainer.py`."""

from collections.abc import Sequence

from openmeva.training.classifier.prerequisites import weights_folder
from openmeva.training.common.command import trainer_command
from openmeva.training.union import trainer
from openmeva.training.union.config import UnionConfig

PRINTED_KEYS = ("stories", "steps", "validation", "minutes")


def main(arguments: Sequence[str] | None = None) -> None:
    """Reads the command line and trains."""
    trainer_command(
        "union",
        UnionConfig,
        lambda call: trainer.train(call.config, call.data, call.out, call.run, call.cache, call.resume),
        PRINTED_KEYS,
        trainer.__doc__,
        out=lambda config: weights_folder(UnionConfig, config),
        arguments=arguments,
        default_out="metrics/METRIC/weights/NAME; for a stage of a training, the folder that the next stage reads",
    )


if __name__ == "__main__":
    main()

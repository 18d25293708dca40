"""`python -m training.bleurt`: see `trainer.py`."""

from collections.abc import Sequence

from openmeva.training.bleurt import trainer
from openmeva.training.bleurt.config import BleurtConfig
from openmeva.training.common.command import trainer_command

PRINTED_KEYS = ("pairs", "steps", "validation", "minutes")


def main(arguments: Sequence[str] | None = None) -> None:
    """Reads the command line and trains."""
    trainer_command(
        "bleurt",
        BleurtConfig,
        lambda call: trainer.train(call.config, call.data, call.out, call.run, call.cache, call.resume),
        PRINTED_KEYS,
        trainer.__doc__,
        arguments=arguments,
    )


if __name__ == "__main__":
    main()

"""`python -m training.sentavg`: see `trainer.py`."""

from collections.abc import Sequence

from openmeva.training.common.command import trainer_command
from openmeva.training.sentavg import trainer
from openmeva.training.sentavg.config import SentAvgConfig

PRINTED_KEYS = ("stories", "losses", "validation", "minutes")


def main(arguments: Sequence[str] | None = None) -> None:
    """Reads the command line and trains."""
    trainer_command(
        "sentavg",
        SentAvgConfig,
        lambda call: trainer.train(call.config, call.data, call.out, call.run, call.cache),
        PRINTED_KEYS,
        trainer.__doc__,
        arguments=arguments,
        shared=False,
    )


if __name__ == "__main__":
    main()

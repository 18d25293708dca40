"""`python -m training.discriminator`: see `trainer.py`."""

from collections.abc import Sequence

from openmeva.training.common.command import trainer_command
from openmeva.training.discriminator import trainer
from openmeva.training.discriminator.config import DiscriminatorConfig

PRINTED_KEYS = ("groups", "stories", "steps", "validation", "groups_per_second", "minutes")


def main(arguments: Sequence[str] | None = None) -> None:
    """Reads the command line and trains."""
    trainer_command(
        "discriminator",
        DiscriminatorConfig,
        lambda call: trainer.train(call.config, call.data, call.out, call.run, call.cache, call.resume),
        PRINTED_KEYS,
        trainer.__doc__,
        arguments=arguments,
    )


if __name__ == "__main__":
    main()

"""`python -m training.ppl`: see `trainer.py`."""

from collections.abc import Sequence

from openmeva.training.common.command import trainer_command
from openmeva.training.ppl import trainer
from openmeva.training.ppl.config import PplConfig

PRINTED_KEYS = ("stories", "tokens", "steps", "validation", "stories_per_second", "minutes")


def main(arguments: Sequence[str] | None = None) -> None:
    """Reads the command line and trains."""
    trainer_command(
        "ppl",
        PplConfig,
        lambda call: trainer.train(call.config, call.data, call.out, call.run, call.resume),
        PRINTED_KEYS,
        trainer.__doc__,
        cached=False,
        arguments=arguments,
    )


if __name__ == "__main__":
    main()

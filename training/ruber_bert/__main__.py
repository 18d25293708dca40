"""`python -m training.ruber_bert`: see `trainer.py`."""

from collections.abc import Sequence

from openmeva.training.common.command import trainer_command
from openmeva.training.paths import CACHE
from openmeva.training.ruber_bert import trainer
from openmeva.training.ruber_bert.config import RuberConfig

PRINTED_KEYS = ("pairs", "steps", "validation", "minutes")


def main(arguments: Sequence[str] | None = None) -> None:
    """Reads the command line and trains."""
    trainer_command(
        "ruber_bert",
        RuberConfig,
        lambda call: trainer.train(call.config, call.data, call.out, call.run, call.cache, call.resume),
        PRINTED_KEYS,
        trainer.__doc__,
        cache=CACHE / "ruber",
        arguments=arguments,
    )


if __name__ == "__main__":
    main()

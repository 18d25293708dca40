"""`python -m training.encoder`: see `trainer.py`."""

from collections.abc import Sequence

from openmeva.training.common.command import trainer_command
from openmeva.training.encoder import trainer
from openmeva.training.encoder.config import EncoderConfig
from openmeva.training.paths import ENCODER

PRINTED_KEYS = ("blocks", "tokens", "steps", "masked_loss_before", "masked_loss_after", "minutes")


def main(arguments: Sequence[str] | None = None) -> None:
    """Reads the command line and trains."""
    trainer_command(
        "encoder",
        EncoderConfig,
        lambda call: trainer.train(call.config, call.data, call.out, call.run, call.resume),
        PRINTED_KEYS,
        trainer.__doc__,
        default="default",
        out=lambda config: ENCODER,
        default_out="metrics/weights/encoder",
        cached=False,
        arguments=arguments,
    )


if __name__ == "__main__":
    main()

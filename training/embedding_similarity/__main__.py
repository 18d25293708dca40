"""`python -m training.embedding_similarity`: see `trainer.py`."""

from collections.abc import Sequence

from openmeva.training.common.command import trainer_command
from openmeva.training.embedding_similarity import trainer
from openmeva.training.embedding_similarity.config import SimilarityConfig

PRINTED_KEYS = ("texts", "steps", "validation", "minutes")


def main(arguments: Sequence[str] | None = None) -> None:
    """Reads the command line and trains."""
    trainer_command(
        "embedding_similarity",
        SimilarityConfig,
        lambda call: trainer.train(call.config, call.data, call.out, call.run, call.resume),
        PRINTED_KEYS,
        trainer.__doc__,
        default="default",
        cached=False,
        arguments=arguments,
    )


if __name__ == "__main__":
    main()

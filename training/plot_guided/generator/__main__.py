"""`python -m training.plot_guided.generator --config roc --data DIR` trains the generator and writes its card.

Weights stay in `final` below the run's folder (`--run`, default runs/generator-NAME), which is not part of the
repository; card and manifest go to `--out` (default training/weights/generator-NAME).
"""

from collections.abc import Sequence
from typing import Any

from openmeva.training.common.checkpoint import save_manifest
from openmeva.training.common.command import TrainerArguments, trainer_command
from openmeva.training.paths import WEIGHTS
from openmeva.training.plot_guided.generator.card import write_generator_card
from openmeva.training.plot_guided.generator.config import GeneratorConfig
from openmeva.training.plot_guided.generator.trainer import train_generator
from openmeva.training.processes import one_writer
from openmeva.training.text.knowledge.events import check_event_model

SHOWN = ("stories", "steps", "validation", "minutes")


def train(call: TrainerArguments) -> dict[str, Any]:
    """Trains, and writes manifest and card, whose samples need a model of events."""
    check_event_model()
    manifest = train_generator(call.config, call.data, call.run, call.cache, call.resume)
    with one_writer() as writes:
        if writes:
            save_manifest(call.run / "final", manifest)
            write_generator_card(call.run / "final", call.out)
    return manifest


def main(arguments: Sequence[str] | None = None) -> None:
    """Reads the command line and trains."""
    trainer_command(
        "generator",
        GeneratorConfig,
        train,
        SHOWN,
        __doc__,
        weights=lambda call: call.run / "final",
        out=lambda config: WEIGHTS / f"generator-{config.name}",
        default_out="training/weights/generator-NAME; here only of card and manifest",
        arguments=arguments,
        module="plot_guided.generator",
    )


if __name__ == "__main__":
    main()

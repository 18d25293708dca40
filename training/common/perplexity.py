"""Loads the causal language model in a folder of perplexity's weights, for stages that write text with it."""

from openmeva.metrics.core.files import ADAPTER
from openmeva.metrics.ppl.causal_model import CausalModel
from openmeva.metrics.ppl.loading import load_model
from openmeva.metrics.ppl.texts import NormalizedReader
from openmeva.training.paths import resolve_path


def load_perplexity(name: str) -> tuple[CausalModel, NormalizedReader] | None:
    """The causal language model in a folder of perplexity's weights, and its text reader; None if `name` is not such a folder.

    Args:
        name: the folder, as a configuration names it (`resolve_path`).

    Raises:
        ValueError: the model in the folder is not causal.
    """
    folder = resolve_path(name)
    if not (folder / ADAPTER).is_file():
        return None
    loaded = load_model(str(folder), {})
    model, reader = loaded.model, loaded.reader
    if not isinstance(model, CausalModel) or not isinstance(reader, NormalizedReader):
        raise ValueError(f"base: expected weights of a causal language model, got {name}")
    return model, reader

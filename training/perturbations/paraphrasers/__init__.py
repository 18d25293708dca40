"""Sources of paraphrases: rules (default), a file of back-translations, a model, or two translation models.

All implement `training.perturbations.engine.paraphraser.Paraphraser`. Which of their paraphrases are accepted is
decided in `training.perturbations.engine.paraphrasing`.
"""

from openmeva.training.perturbations.engine.paraphraser import Paraphraser
from openmeva.training.perturbations.paraphrasers.back_translations import BackTranslations
from openmeva.training.perturbations.paraphrasers.back_translator import BackTranslator
from openmeva.training.perturbations.paraphrasers.rules import RuleParaphraser
from openmeva.training.perturbations.paraphrasers.sequence_model import SequenceModel

__all__ = ["BackTranslations", "BackTranslator", "RuleParaphraser", "SequenceModel", "find_paraphraser"]


def find_paraphraser(name: str) -> Paraphraser:
    """The source of paraphrases by name: `rules`, a `.json` file of back-translations, a model, or two, `THERE+BACK`.

    Raises:
        ValueError: a file in another format.
        FileNotFoundError: the file is missing.
    """
    if name == "rules":
        return RuleParaphraser()
    if name.endswith(".json"):
        return BackTranslations(name)
    forward, _, backward = name.partition("+")
    return BackTranslator(forward, backward) if forward and backward else SequenceModel(name)

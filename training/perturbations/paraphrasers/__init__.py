"""Sources of paraphrases: rules (the default, which needs nothing), a file of back-translations, one model or two.

All have the form of `training.perturbations.engine.paraphraser.Paraphraser`; which of their paraphrases serve is
decided in one place, `training.perturbations.engine.paraphrasing`.
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
        ValueError, FileNotFoundError: a file that is missing or in another form.
    """
    if name == "rules":
        return RuleParaphraser()
    if name.endswith(".json"):
        return BackTranslations(name)
    there, _, back = name.partition("+")
    return BackTranslator(there, back) if there and back else SequenceModel(name)

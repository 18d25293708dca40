"""Sources of paraphrases: rules (the default, which needs nothing), a file of back-translations, a model.

All have the form of `training.perturbations.engine.paraphraser.Paraphraser`; which of their paraphrases serve is
decided in one place, `training.perturbations.engine.paraphrasing`.
"""

from openmeva.training.perturbations.paraphrasers.back_translations import BackTranslations
from openmeva.training.perturbations.paraphrasers.rules import RuleParaphraser
from openmeva.training.perturbations.paraphrasers.sequence_model import SequenceModel

__all__ = ["BackTranslations", "RuleParaphraser", "SequenceModel"]

"""Sources of paraphrases: rules (the default, which needs nothing), a file of back-translations, a model.

All have the form of `training.perturbations.paraphraser.Paraphraser`; which of their paraphrases serve is
decided in one place, `training.perturbations.paraphrasing`.
"""

from .back_translations import BackTranslations
from .rules import RuleParaphraser
from .sequence_model import SequenceModel

__all__ = ["BackTranslations", "RuleParaphraser", "SequenceModel"]

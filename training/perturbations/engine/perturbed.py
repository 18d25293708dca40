"""The result of a perturbation."""

from dataclasses import dataclass
from typing import Any

from openmeva.training.text.edits import Span


@dataclass(frozen=True, slots=True)
class Perturbed:
    """A story changed in one aspect; never equal to its original.

    Attributes:
        story: the new text; outside the spans it equals the original, byte for byte.
        aspect: a name of `registry.ASPECTS`.
        technique: one of the aspect's techniques.
        spans: the changes, in order, as character offsets in both texts.
    """

    story: str
    aspect: str
    technique: str
    spans: tuple[Span, ...]

    def row(self, story_id: str, context: str) -> dict[str, Any]:
        """A dataset row with label 0; its id combines the original's id and the aspect."""
        return {
            "story_id": f"{story_id}/{self.aspect}",
            "context": context,
            "story": self.story,
            "aspect": self.aspect,
            "technique": self.technique,
            "label": 0,
            "perturbed_from": story_id,
            "changed_spans": [span._asdict() for span in self.spans],
        }

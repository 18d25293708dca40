"""What a perturbation returns."""

from dataclasses import dataclass

from .edits import Span


@dataclass(frozen=True, slots=True)
class Perturbed:
    """A story changed in one aspect; never equal to its original.

    Attributes:
        story: the new text; outside the spans it is the original's, byte for byte.
        aspect: what was changed, a name of `registry.ASPECTS`.
        technique: how, one of the aspect's techniques.
        spans: the changes, in order, as characters of both texts.
    """

    story: str
    aspect: str
    technique: str
    spans: tuple[Span, ...]

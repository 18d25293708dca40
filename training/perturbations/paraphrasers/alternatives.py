"""Alternatives to replacements of the table in `words.py`, sampled so that no single phrase marks a paraphrase."""

ALTERNATIVES: dict[str, tuple[str, ...]] = {
    "and for that reason": ("and so", "which is why", "and that was why", "and as a result"),
    "since": ("as", "due to the fact that", "for the reason that", "because"),
    "made the decision": ("chose", "resolved"),
    "made an attempt": ("made an effort", "attempted"),
    "yet": ("but", "but"),
    "the following day": ("a day later", "one day later"),
    "before long": ("in a short time", "in no time"),
    "at last": ("in the end", "eventually"),
}

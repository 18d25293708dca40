"""Alternatives to replacements of the table in `words.py`, sampled so that no single phrase marks a paraphrase."""

ALTERNATIVES: dict[str, tuple[str, ...]] = {
    "and for that reason": ("and so", "which is why", "and that was why", "and as a result"),
    "there happened to be a": ("there was this",),
    "since": ("as", "because", "because"),
    "yet": ("but", "but", "though"),
    "the following day": ("a day later", "one day later"),
    "on one occasion": ("some time ago",),
    "before long": ("in a short time", "in no time"),
    "at last": ("in the end", "eventually"),
    "all of a sudden": ("out of nowhere",),
}

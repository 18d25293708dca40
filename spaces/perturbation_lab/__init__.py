"""Space: a story perturbed in one aspect, what changed, and what each metric makes of it."""

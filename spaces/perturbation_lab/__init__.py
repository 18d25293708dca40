"""Space: a story perturbed in one aspect, what changed, and each metric's scores before and after."""

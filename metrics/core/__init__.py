"""Code shared by the metrics: text, checkpoints, running a model, evaluate modules and scoring files."""

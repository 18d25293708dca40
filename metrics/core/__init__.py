"""What the metrics share: text, checkpoints, running a model, evaluate modules and the scoring of files."""

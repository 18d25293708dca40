"""What the benchmark compares: test sets, metrics and their contexts, and scores computed elsewhere."""

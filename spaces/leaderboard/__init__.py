"""Space: the benchmark's results, and where a metric of yours stands among them."""

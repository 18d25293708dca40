"""Space: the benchmark's results, and the rank of your own metric among them."""

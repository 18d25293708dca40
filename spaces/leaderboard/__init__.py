"""Space: the benchmark's results, and where one's own metric would stand among them."""

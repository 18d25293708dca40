"""Speed benchmarks, as ratios within one run: one file per part, each with a function that returns its rows."""

"""Speed, as ratios within one run: one file a part, each with a function that returns its rows."""

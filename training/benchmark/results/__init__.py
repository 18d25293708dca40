"""Results on one set as JSON-serialisable dicts: agreement, levels, rankings, preferences, drift."""

"""Space: the scores of a story by every metric, their percentiles among reference stories, and the reasons."""

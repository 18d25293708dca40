"""Space: a story's score by every metric, where it falls among reference stories, and why."""

"""What the project publishes, and how it reaches the Hub and a user's caches; `hub.yaml` is the description."""

"""Publishing to the Hub, and installation into a user's caches; `hub.yaml` describes the repositories."""

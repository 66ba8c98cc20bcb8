"""Serving: requests, the queue, and the step that runs them on a prefix cache. Standard library only."""

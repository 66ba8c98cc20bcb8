"""A story told with requests: its file, read and checked, and the player that runs it."""

"""Questions: what the author asks before a frame is shown, with the right answer computed from the run."""

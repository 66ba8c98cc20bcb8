"""From a frame to what is seen: pure functions that return DOT, SVG, HTML and sentences."""

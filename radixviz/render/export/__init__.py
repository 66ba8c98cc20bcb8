"""Files that a reader takes along, made from a timeline."""

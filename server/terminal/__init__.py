"""What is drawn in a terminal: the map of a context, the browser of a tree."""

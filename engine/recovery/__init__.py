"""Recovery: the originals behind refs, and the tree of what was pruned."""

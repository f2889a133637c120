"""The catalog: which sources, packs and segments there are."""

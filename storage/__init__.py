"""The index store: records, refs, blocks, plans and bodies."""

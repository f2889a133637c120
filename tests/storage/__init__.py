"""Tests of the index store."""

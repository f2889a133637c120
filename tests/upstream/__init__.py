"""Behaviours that users of the pi extensions rely on, beside those that other folders prove."""

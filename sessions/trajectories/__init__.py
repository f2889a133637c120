"""Trajectories of mini-swe-agent and SWE-agent."""

"""Agents that walk the tested way: on a thread, drawn as capsules of the agent's size, or baked to actions."""

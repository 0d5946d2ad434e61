"""The panel of found links: their list, what can be decided about each, and what each saves."""

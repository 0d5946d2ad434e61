"""Measurements side by side with other programs; never part of the tests."""

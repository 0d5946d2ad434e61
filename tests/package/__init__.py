"""Tests of the zips in dist/: they need `python3 dev.py package`, which runs them."""

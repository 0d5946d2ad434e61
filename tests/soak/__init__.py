"""Random and hostile input for as long as you like: `python3 dev.py soak`, `fuzz` and `lives`. docs/reliability.md tells."""

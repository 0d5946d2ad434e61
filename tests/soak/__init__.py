"""Random and hostile input for as long as you like: `dev.py soak` and `fuzz`; figures are in docs/reliability.md."""

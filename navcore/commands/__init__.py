"""The commands of `python -m navcore`, one file each; imported only when run."""

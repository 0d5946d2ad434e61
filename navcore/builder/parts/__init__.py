"""A level of parts that come, go and move: what changed is built again, and nothing else."""

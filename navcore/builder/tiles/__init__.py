"""Tiles handed out: to threads, to processes, to a Dask cluster, and taken back in order."""

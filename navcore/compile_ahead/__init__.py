"""Compiling kernels ahead of the first build that needs them, and which ones those are."""

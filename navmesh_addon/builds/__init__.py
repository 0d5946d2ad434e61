"""Builds that run: requests, the thread, waiting for kernels, the navmeshes that are finished."""

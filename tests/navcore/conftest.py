"""Tests compile kernels themselves: whoever tests that other processes do says so."""

import os

os.environ.setdefault("NAVMESH_KERNEL_PROCESSES", "0")

"""Tests compile kernels themselves: whoever tests that other processes do, or that they are shipped, says so."""

import os

os.environ.setdefault("NAVMESH_KERNEL_PROCESSES", "0")
os.environ.setdefault("NAVMESH_SHIPPED_KERNELS", "0")

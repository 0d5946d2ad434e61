"""Tests compile kernels themselves: whoever tests that other processes do, or that they are shipped, says so."""

import os

import pytest

os.environ.setdefault("NAVMESH_KERNEL_PROCESSES", "0")
os.environ.setdefault("NAVMESH_SHIPPED_KERNELS", "0")


@pytest.fixture(autouse=True)
def nobody_is_told_what_is_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where kernels are not kept yet, what a test reads of standard error must not depend on that."""
    from navcore.compile_ahead import said_meanwhile

    monkeypatch.setattr(said_meanwhile, "_FIRST", float("inf"))

"""The peer, where it can be had."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from benchmarks.run import install_peer


@pytest.fixture(scope="session")
def peer() -> None:
    """The npm packages of benchmarks/peer, fetched where that is possible."""
    if shutil.which("node") is None or shutil.which("npm") is None:
        pytest.skip("Node.js is not installed: there is no peer to compare with")
    try:
        install_peer(180)
    except (subprocess.CalledProcessError, subprocess.TimeoutExpired):
        pytest.skip("npm could not fetch the peer: there is none to compare with")

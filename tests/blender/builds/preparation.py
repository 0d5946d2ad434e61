"""Stands in for the processes that compile."""

from __future__ import annotations

import time
from typing import Any

TELLS = "import sys, time; print('{line}'); sys.stdout.flush(); time.sleep({seconds})"


def wait_for_its_first_line(started: Any) -> None:
    until = time.monotonic() + 30
    while not started.fraction and time.monotonic() < until:
        time.sleep(0.02)

"""What every command that builds returns to the shell. Light: neither NumPy nor Numba is imported."""

from __future__ import annotations

from ..errors import Cancelled, NavmeshError
from .acceptance_gates import GateFailed

DONE, FAILED, WRONG_USAGE, GATE_FAILED, CANCELLED = 0, 1, 2, 3, 130  # argparse gives 2, too


def exit_status(*errors: NavmeshError | None) -> int:
    """The status after these errors; of several the one that a person has to look at first counts."""
    raised = [error for error in errors if error is not None]
    if any(isinstance(error, Cancelled) for error in raised):
        return CANCELLED
    if any(not isinstance(error, GateFailed) for error in raised):
        return FAILED
    return GATE_FAILED if raised else DONE

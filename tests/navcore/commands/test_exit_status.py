"""Exit statuses: which error decides, and that nothing heavy is imported for them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from navcore.commands.acceptance_gates import GateFailed
from navcore.commands.exit_status import CANCELLED, DONE, FAILED, GATE_FAILED, exit_status
from navcore.errors import BadInput, Cancelled, NavmeshError

ROOT = Path(__file__).resolve().parents[3]


@pytest.mark.parametrize(
    ("errors", "status"),
    [
        ((), DONE),
        ((None,), DONE),
        ((BadInput("no"),), FAILED),
        ((GateFailed("no"),), GATE_FAILED),
        ((Cancelled(),), CANCELLED),
        ((GateFailed("no"), BadInput("no"), None), FAILED),
        ((GateFailed("no"), BadInput("no"), Cancelled()), CANCELLED),
    ],
)
def test_the_worst_error_decides(errors: tuple[NavmeshError | None, ...], status: int) -> None:
    assert exit_status(*errors) == status


def test_neither_numpy_nor_numba_is_imported_for_it() -> None:
    code = "import sys; import navcore.commands.exit_status; sys.exit('numpy' in sys.modules or 'numba' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT).returncode == 0

"""The names of targets: one list for messages and menus, which waits for nothing."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from navcore.formats import targets
from navcore.formats.target_names import TARGET_NAMES

ROOT = Path(__file__).resolve().parents[3]


def test_every_target_has_its_name_ending_and_label_from_the_list() -> None:
    listed = [(target.name, target.ending, target.label) for target in TARGET_NAMES]
    assert [(name, target.ending, target.label) for name, target in targets().items()] == listed


def test_texts_fit_a_menu() -> None:
    assert all(target.menu_label and 0 < len(target.for_whom) <= 80 for target in TARGET_NAMES)


SCRIPT = """
import sys
import navcore.formats.target_names
print(*(name for name in sys.modules if name.partition(".")[0] in ("navcore", "numpy", "numba")))
"""


def test_neither_numpy_nor_numba_is_imported_with_them() -> None:
    done = subprocess.run([sys.executable, "-c", SCRIPT], cwd=ROOT, capture_output=True, text=True, check=True)
    assert set(done.stdout.split()) == {
        "navcore", "navcore.above", "navcore.build_warning", "navcore.errors", "navcore.formats",
        "navcore.formats.target_names",
    }  # fmt: skip

"""The example of the guide says what the guide says, and every view of cells and every reason is in it."""

from __future__ import annotations

import contextlib
import io
import re
from pathlib import Path

from navcore.views.catalog import CELL_VIEWS
from navcore.views.reason_cells import PAINTS, REASONS

GUIDE = Path(__file__).resolve().parents[3] / "docs/guide/views.md"
TEXT = GUIDE.read_text(encoding="utf-8")


def test_the_example_says_what_the_guide_says() -> None:
    (example,) = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        exec(compile(example, str(GUIDE), "exec"), {})
    lines = said.getvalue().splitlines()
    assert len(lines) == 3 and all(f"`{line}`" in TEXT for line in lines), lines


def test_every_view_every_variant_and_every_reason_is_explained() -> None:
    names = [name for view in CELL_VIEWS for name in (view.name, *(variant for variant, _ in view.variants[1:]))]
    assert not [name for name in names if f"`{name}`" not in TEXT]
    assert tuple(PAINTS) == REASONS
    labels = [PAINTS[name].label for name in REASONS if name != "BORDER"]  # whose cells are not drawn
    assert not [label for label in labels if f"| {label} |" not in TEXT]

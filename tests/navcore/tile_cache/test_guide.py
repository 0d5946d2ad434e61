"""The example of the guide runs, and says what the guide says."""

from __future__ import annotations

import contextlib
import io
import re
from pathlib import Path

GUIDE = Path(__file__).resolve().parents[3] / "docs/guide/obstacles.md"


def test_the_example_says_what_the_guide_says() -> None:
    text = GUIDE.read_text(encoding="utf-8")
    [example] = [code for code in re.findall(r"```python\n(.*?)```", text, re.DOTALL) if "bpy." not in code]
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        exec(compile(example, str(GUIDE), "exec"), {})
    assert f"It says `{said.getvalue().strip()}`" in text, said.getvalue()

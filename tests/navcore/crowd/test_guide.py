"""The examples of the guide run, and say what the guide says."""

from __future__ import annotations

import contextlib
import io
import re
from pathlib import Path

GUIDE = Path(__file__).resolve().parents[3] / "docs/guide/crowd.md"


def test_the_examples_say_what_the_guide_says() -> None:
    text = GUIDE.read_text(encoding="utf-8")
    said = io.StringIO()
    names: dict[str, object] = {}  # the second example goes on with what the first has made
    with contextlib.redirect_stdout(said):
        for example in re.findall(r"```python\n(.*?)```", text, re.DOTALL):
            exec(compile(example, str(GUIDE), "exec"), names)
    lines = said.getvalue().splitlines()
    assert len(lines) == 3 and all(f"`{line}`" in text for line in lines), lines

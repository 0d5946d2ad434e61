"""The examples of the guide run, and say what the guide says."""

from __future__ import annotations

import contextlib
import io
import re
from pathlib import Path

GUIDE = Path(__file__).resolve().parents[3] / "docs/guide/queries.md"


def test_the_example_says_what_the_guide_says() -> None:
    text = GUIDE.read_text(encoding="utf-8")
    examples = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    said = io.StringIO()
    names: dict[str, object] = {}  # later examples go on with what earlier ones have made
    with contextlib.redirect_stdout(said):
        for example in examples:
            exec(compile(example, str(GUIDE), "exec"), names)
    lines = said.getvalue().splitlines()
    assert len(lines) == 6 and all(f"`{line}`" in text for line in lines), lines

"""Icons of tools are what their code draws, and Blender can read them."""

from __future__ import annotations

import pytest

from tools import tool_icons


@pytest.mark.parametrize("name", tool_icons.ICONS)
def test_the_file_is_what_is_drawn(name: str) -> None:
    content = (tool_icons.FOLDER / f"{name}.dat").read_bytes()
    assert content == tool_icons.drawn(name), "run tools/tool_icons.py"
    assert content[:8] == b"VCO\0\xff\xff\0\0"
    triangles, rest = divmod(len(content) - 8, 3 * (2 + 4))
    assert rest == 0 and triangles > 20


def test_every_file_is_drawn_by_code() -> None:
    assert {path.stem for path in tool_icons.FOLDER.iterdir()} == set(tool_icons.ICONS)

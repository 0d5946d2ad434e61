"""The workflows run words that dev.py knows; what they collect is where those words leave it."""

import re
from pathlib import Path

import pytest

import dev

WORKFLOWS = sorted((dev.ROOT / ".github/workflows").glob("*.yml"))


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_every_command_is_a_word_of_dev(path: Path) -> None:
    commands = re.findall(r"^ *- run: (.*)$", path.read_text(encoding="utf-8"), re.MULTILINE)
    assert commands
    for command in commands:
        assert re.fullmatch(r"python dev\.py (\w+)", command), f"{command}: one command of dev.py, nothing else"
        assert command.split()[-1] in dev.WORDS

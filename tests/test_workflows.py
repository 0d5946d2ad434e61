"""The workflows run words that dev.py knows, and noxfile.py does each of them."""

import ast
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


def test_every_word_is_a_session_that_no_environment_takes_the_name_of() -> None:
    """nox lists what is done by default: a word whose name an environment has, too, is not found."""
    tree = ast.parse((dev.ROOT / "noxfile.py").read_bytes())
    sessions = {
        node.name
        for node in tree.body
        if isinstance(node, ast.FunctionDef)
        and [ast.unparse(decorator) for decorator in node.decorator_list] == ["nox.session(venv_backend='none')"]
    }
    environments = {
        node.args[0].value
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "add_environment"
        if isinstance(node.args[0], ast.Constant)
    }
    assert sessions == set(dev.WORDS) and "core" in environments
    assert not sessions & environments

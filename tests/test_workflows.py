"""The workflows run words that dev.py knows, and noxfile.py does each of them. One job publishes, by a tag alone."""

import ast
import re
from pathlib import Path

import pytest

import dev
from tools.versions import CORE_NUMPY, WHEEL_NUMPY

WORKFLOWS = sorted((dev.ROOT / ".github/workflows").glob("*.yml"))
PUBLISHING = re.compile(r"^  publish:.*\Z", re.MULTILINE | re.DOTALL)  # the last job


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_every_command_is_a_word_of_dev(path: Path) -> None:
    commands = commands_in(PUBLISHING.sub("", path.read_text(encoding="utf-8")))
    assert commands
    for command in commands:
        assert re.fullmatch(r"python dev\.py (\w+)", command), f"{command}: one command of dev.py, nothing else"
        assert command.split()[-1] in dev.WORDS


def test_a_tag_and_nothing_else_publishes_what_the_word_release_left() -> None:
    texts = {path.stem: path.read_text(encoding="utf-8") for path in WORKFLOWS}
    assert [name for name, text in texts.items() if PUBLISHING.search(text)] == ["release"]
    found = PUBLISHING.search(texts["release"])
    assert found is not None
    job = found[0]
    assert "    if: github.ref_type == 'tag'\n" in job and "    needs: package\n" in job
    assert sum(text.count("contents: write") for text in texts.values()) == job.count("contents: write") == 1
    assert "python dev.py release" in commands_in(texts["release"].removesuffix(job))
    published = commands_in(job)[-1]
    assert published.startswith('cd */ && gh release create "$GITHUB_REF_NAME" --verify-tag --notes-file NOTES.md ')
    assert set(published.split()[-4:]) == {"*.zip", "index.json", "SHA256SUMS", "python/*"}


def commands_in(text: str) -> list[str]:
    return re.findall(r"^ *- run: (.*)$", text, re.MULTILINE)


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


@pytest.mark.parametrize("running", ["3.9", "3.11", "3.12", "3.13", "3.14"])
def test_whichever_python_runs_dev_there_is_one_for_each_environment(running: str) -> None:
    """Tests take one that their pins know; the site any that there is."""
    tree = ast.parse((dev.ROOT / "noxfile.py").read_bytes())
    chosen = ("CORE_PYTHON", "SITE_PYTHON")
    lines = [node for node in tree.body if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) in chosen]
    found = dict.fromkeys([*CORE_NUMPY, *WHEEL_NUMPY], "python")
    names = {"CORE_NUMPY": CORE_NUMPY, "WHEEL_NUMPY": WHEEL_NUMPY, "PYTHONS": found, "RUNNING": running}
    exec("\n".join(map(ast.unparse, lines)), names)
    assert names["CORE_PYTHON"] in CORE_NUMPY and names["SITE_PYTHON"] == (running if running in found else "3.11")

"""The Python reference says something of every parameter, and its examples run in their order."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from tools.docs_site import api_reference
from tools.docs_site.parameters_and_examples import examples, parameter_words, parameters_of, words_for

NOT_RUN = {"prepare": "it compiles for minutes"}
# Functions whose example is a page of its own: they need a world, a track of many agents, or a level with doors.
ON_PAGES = {
    "build_world", "plan_world", "check_world", "read_world", "walk_heat", "write_heat", "doors_of_navmesh", "show",
}  # fmt: skip


def functions() -> Iterator[tuple[str, ast.FunctionDef, bool]]:
    """Public functions, and the methods of public classes."""
    for name in api_reference.public_names():
        found = api_reference.find("navcore", name)
        if isinstance(found.node, ast.FunctionDef):
            yield name, found.node, False
        elif isinstance(found.node, ast.ClassDef):
            module, told = api_reference._module_of(found.path), set[str]()
            for node in (found.node, *api_reference._bases(module, found.node)):
                for method in api_reference._methods(node):
                    if method.name not in told:
                        yield f"{name}.{method.name}", method, True
                    told.add(method.name)


FUNCTIONS = {name: (node, of_class) for name, node, of_class in functions()}


def test_every_parameter_is_explained() -> None:
    silent = [
        f"{function}.{name}"
        for function, (node, of_class) in FUNCTIONS.items()
        for name in parameters_of(node, of_class=of_class)
        if not words_for(function, name, ast.get_docstring(node) or "")
    ]
    assert not silent, "give them a row in tools/docs_site/parameters.txt"


def test_every_row_explains_a_parameter() -> None:
    there = {
        said
        for function, (node, of_class) in FUNCTIONS.items()
        for name in parameters_of(node, of_class=of_class)
        for said in (name, f"{function}.{name}")
    }
    assert set(parameter_words()) <= there and len(parameter_words()) > 60


def test_every_function_has_an_example_that_stands_below_it() -> None:
    plain = {name for name, (_, of_class) in FUNCTIONS.items() if not of_class}
    assert plain - set(examples()) <= ON_PAGES and set(examples()) - {""} <= set(FUNCTIONS)
    page = api_reference.api_page()
    assert all(code in page for code in examples().values())
    assert "- `weld`: " in page and "- `tile_size`" not in page


def test_the_examples_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each goes on from those before it, in a folder of its own."""
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    for name, code in examples().items():
        if name not in NOT_RUN:
            exec(compile(code, f"example of {name}", "exec"), names)

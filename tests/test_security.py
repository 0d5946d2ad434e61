"""What SECURITY.md promises and can be read from the sources: nothing foreign is run, few places write."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.house import ADDON, NAVCORE, ROOT, absolute_imports, name_of

FOREIGN = {
    "code", "codeop", "dill", "ftplib", "http", "imaplib", "marshal", "multiprocessing", "pickle", "poplib", "pty",
    "requests", "runpy", "shelve", "smtplib", "socket", "socketserver", "ssl", "subprocess", "telnetlib", "urllib",
    "webbrowser", "xmlrpc",
}  # fmt: skip
"""Modules that run what they are given, start programs or talk to other machines."""
WITH_REASON = {
    # Jobs for the caller's own Dask cluster; what arrives there was sent by this very package.
    ("navcore/builder/tiles/tile_jobs.py", "pickle"),
    ("navcore/builder/tiles/tile_jobs.py", "socket"),  # the host's name, for a message
    ("navcore/world/on_workers.py", "socket"),  # likewise
    ("navcore/page/write_page.py", "webbrowser"),  # opens the page that it has just written, by its path
    ("navmesh_addon/files/page_operators.py", "webbrowser"),  # likewise
    (
        "navcore/compile_ahead/starter.py",
        "subprocess",
    ),  # the Python that runs, to compile our kernels; see the test below
}
RUNS_CODE = {"eval", "exec", "compile", "__import__"}
RUNS_PROGRAMS = {
    "system",
    "popen",
    "startfile",
    "fork",
    "forkpty",
    "posix_spawn",
    "execv",
    "execve",
    "spawnv",
    "spawnl",
}
OPENS_FOR_WRITING = {"write_text", "write_bytes", "touch", "savez", "savez_compressed", "save", "tofile"}
WRITERS = {
    "navcore/files/atomic_write.py",  # every file that was asked for, whole or not at all
    "navcore/files/npz.py",  # into memory
    "navcore/world/blender_levels.py",  # into memory; atomic_write keeps it
    "navcore/builder/tile_store/pack_files.py",  # new packs, in a folder that says that it is a tile store
    "navcore/compile_ahead/processes.py",  # a stamp among the kernels
    "navcore/compile_ahead/starter.py",  # what that process says, in a temporary folder of its own
}


def called(tree: ast.AST) -> Iterator[tuple[int, str, str]]:
    """Line, owner and name of everything that is called: (7, "os", "system") for os.system(…)."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            yield node.lineno, "", node.func.id
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            yield node.lineno, ast.unparse(node.func.value), node.func.attr


@pytest.mark.parametrize("path", [*NAVCORE, *ADDON, ROOT / "__init__.py"], ids=name_of)
def test_nothing_foreign_is_run(path: Path) -> None:
    """No eval, no pickles, no programs, no network; NumPy unpickles only where it is told to."""
    tree = ast.parse(path.read_bytes())
    wrong = [
        f"line {line}: import {name}"
        for line, name in absolute_imports(path)
        if name in FOREIGN and (name_of(path), name) not in WITH_REASON
    ]
    for line, owner, name in called(tree):
        runs = (not owner and name in RUNS_CODE) or (owner == "os" and name in RUNS_PROGRAMS)
        if runs or (owner in ("np", "numpy") and name in ("load", "fromfile", "memmap")):
            wrong.append(f"line {line}: {owner}.{name}")
    wrong += [f"line {n.lineno}" for n in ast.walk(tree) if isinstance(n, ast.keyword) and n.arg == "shell"]
    assert not wrong


def test_the_page_for_reviewers_names_every_exception() -> None:
    page = (ROOT / "docs/reviewers.md").read_text(encoding="utf-8")
    assert not [path for path, _ in WITH_REASON if f"`{path}`" not in page]
    assert not [module for path, module in WITH_REASON if "tile_jobs" in path and f"`{module}`" not in page]


def test_the_one_program_that_is_started_is_our_own_python() -> None:
    """Isolated from the environment (-I), with a script that stands in the source."""
    tree = ast.parse((ROOT / "navcore/compile_ahead/starter.py").read_bytes())
    started = [
        node for node in ast.walk(tree) if isinstance(node, ast.Call) and "subprocess." in ast.unparse(node.func)
    ]
    assert [ast.unparse(node.args[0]) for node in started] == [
        "[sys.executable, '-I', '-c', _SCRIPT, path, task, str(folder), self._aside, str(self.manner.nice)]"
    ]
    (script,) = [n for n in tree.body if isinstance(n, ast.Assign) and ast.unparse(n.targets[0]) == "_SCRIPT"]
    assert isinstance(script.value, ast.Constant)


@pytest.mark.parametrize("path", ADDON, ids=name_of)
def test_no_expression_of_a_file_is_run(path: Path) -> None:
    """Drivers and texts of a .blend can hold code: none is made, none is run."""
    wrong = [
        f"line {line}: {n}" for line, _, n in called(ast.parse(path.read_bytes())) if n in ("driver_add", "as_module")
    ]
    assert not wrong


@pytest.mark.parametrize("path", NAVCORE + ADDON, ids=name_of)
def test_files_are_written_in_few_places(path: Path) -> None:
    """Each of them writes where the user pointed, or into folders of our own."""
    if name_of(path) in WRITERS or path.parent.name == "kernels":
        return
    tree = ast.parse(path.read_bytes())
    wrong = [f"line {line}: {name}" for line, _, name in called(tree) if name in OPENS_FOR_WRITING]
    opened = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and called_open(node)]
    opened = [node for node in opened if "os.devnull" not in ast.unparse(node)]
    wrong += [f"line {node.lineno}: open" for node in opened if not only_reads(node)]
    assert not wrong


def called_open(node: ast.Call) -> bool:
    return (isinstance(node.func, ast.Name) and node.func.id == "open") or (
        isinstance(node.func, ast.Attribute) and node.func.attr in ("open", "fdopen")
    )


def only_reads(node: ast.Call) -> bool:
    modes = [value.value for value in node.args if isinstance(value, ast.Constant) and isinstance(value.value, str)]
    modes += [k.value.value for k in node.keywords if k.arg == "mode" and isinstance(k.value, ast.Constant)]
    return not any(set(mode) & set("wax+") for mode in modes if len(mode) <= 3)


def test_nothing_is_run_when_a_file_is_opened() -> None:
    """Before and after a file is loaded builds are given up, what is known is forgotten, settings are renamed, and
    what objects are called is noted."""
    tree = ast.parse((ROOT / "navmesh_addon/watch/blender_handlers.py").read_bytes())
    named = {node.name: node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
    table = next(n for n in ast.walk(tree) if isinstance(n, ast.Assign) and ast.unparse(n.targets[0]) == "HANDLERS")
    pairs = [[ast.unparse(part) for part in pair.elts] for pair in table.value.elts]  # type: ignore[attr-defined]
    on_load = [function for event, function in pairs if "load_" in event]
    calls = {f"{owner}.{name}".lstrip(".") for f in on_load for _, owner, name in called(named[f])}
    assert len(on_load) == 2
    known = {"active_build.cancel", "finished_navmeshes.clear", "level_changes.forget", "forget_names", "learn_names"}
    assert calls == {*known, "migrate"}

"""What the reference says of each parameter of a function, and its example.

Of a parameter stands what the docstring says, or else the row of parameters.txt with its name. Examples are pieces of
examples.txt, each below a comment with the name of what it shows; a test runs them in their order.
"""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

_HERE = Path(__file__).resolve().parent
EXAMPLES = _HERE / "examples.txt"
_BEGINS = re.compile(r"^# --- ([\w.]+)$", re.MULTILINE)


@cache
def parameter_words() -> dict[str, str]:
    """The rows of parameters.txt."""
    lines = (_HERE / "parameters.txt").read_text(encoding="utf-8").splitlines()
    rows = [line.partition(": ") for line in lines if line.strip() and not line.startswith("#")]
    return {name: text for name, _, text in rows}


@cache
def examples() -> dict[str, str]:
    """Code by the name of what it shows, in the order in which it runs; `""` is what comes before all."""
    first, *parts = _BEGINS.split(EXAMPLES.read_text(encoding="utf-8"))
    pieces = {"": first, **dict(zip(parts[::2], parts[1::2], strict=True))}
    return {name: code.strip("\n") for name, code in pieces.items()}  # in the order of the file


def parameters_of(node: ast.FunctionDef | ast.AsyncFunctionDef, *, of_class: bool = False) -> list[str]:
    """Names of the parameters, in their order."""
    given = node.args
    names = [part.arg for part in (*given.posonlyargs, *given.args, *given.kwonlyargs)]
    bound = of_class and not any(ast.unparse(d) == "staticmethod" for d in node.decorator_list)
    return names[1:] if bound else names


def words_for(function: str, name: str, doc: str) -> str:
    """What is said of a parameter; nothing where nobody has said anything."""
    words = parameter_words()
    return words.get(f"{function}.{name}") or _said(name, doc) or words.get(name, "")


def _said(name: str, doc: str) -> str:
    """The part of a docstring that begins with a parameter: as far as the next one, or the end of the sentence."""
    text = " ".join(doc.split())
    found = re.search(rf"(?:^|[.;:] )`{re.escape(name)}`[,:]? ([^`.;]{{8,}}?)(?=[.;]|, `|$)", text)
    return found[1].strip() if found else ""


def parameter_lines(
    function: str, node: ast.FunctionDef | ast.AsyncFunctionDef, *, of_class: bool = False
) -> list[str]:
    """A list of parameters in Markdown."""
    doc, names = ast.get_docstring(node) or "", parameters_of(node, of_class=of_class)
    rows = [f"- `{name}`: {words_for(function, name, doc)}" for name in names]
    return ["", "Parameters:", "", *rows, ""] if rows else []


def example_lines(name: str) -> list[str]:
    """The example of a function, if there is one."""
    code = examples().get(name)
    return [] if code is None else ["", "```python", code, "```", ""]

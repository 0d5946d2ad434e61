"""Whether the packages that kernels need are here, in versions that they work with: one sentence where not.

Asked when the first name is used that needs them. Only their descriptions are read: importing takes longer.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec

NEEDED = {"numpy": ((1, 24), None), "numba": ((0, 62, 1), (0, 69))}  # from, and the first that is too new
"""As pyproject.toml has them; a test compares."""


@cache
def check_versions() -> None:
    """Raises ImportError."""
    wrong = [said for name in NEEDED for said in _wrong(name)]
    if wrong:
        raise ImportError(" ".join(wrong))


def _wrong(name: str) -> Iterator[str]:
    lowest, above = NEEDED[name]
    wanted = f"{name}>={_dotted(lowest)}" + (f",<{_dotted(above)}" if above else "")
    cure = f'pip install "{wanted}"'
    try:
        text = version(name)
    except PackageNotFoundError:
        if find_spec(name) is None:
            yield f"navcore needs {name}, which is not installed here: {cure}."
        return  # a package without a description: nobody can say which it is
    numbers = tuple(int(part) for part in re.findall(r"\d+", text.partition("+")[0])[:3])
    if numbers < lowest or (above is not None and numbers >= above):
        yield f"navcore needs {wanted}, and {name} {text} is installed here: {cure}."


def _dotted(numbers: tuple[int, ...]) -> str:
    return ".".join(map(str, numbers))

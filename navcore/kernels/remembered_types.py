"""Types that Numba works out again and again while it compiles, worked out once.

What `+` on two integers gives is looked up anew wherever it stands, through dozens of rules: ten times for every
answer, a fifth of all compiling. The answers depend on nothing but the operation and the types of its operands. (Calls
of kernels are not remembered: an answer there is a compiled kernel, which may be given up later.)
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from numba.core import types

_answers: dict[tuple[Any, Any], Any] = {}  # only looked at by who holds Numba's lock


@contextmanager
def remembered(context: Any) -> Iterator[None]:
    """While this lasts, `context` remembers its answers. Only for who holds the compiler's lock."""
    method = "resolve_function_type"
    if method in vars(context):  # one kernel is compiled inside another
        yield
        return
    ask = getattr(context, method)

    def answer(function: Any, arguments: Any, named: Any) -> Any:
        if named or (isinstance(function, types.Type) and not isinstance(function, types.BaseFunction)):
            return ask(function, arguments, named)
        question = function, arguments
        try:
            known = _answers.get(question)
        except TypeError:  # something that has no hash
            return ask(function, arguments, named)
        if known is None:
            known = ask(function, arguments, named)
            if known is not None:
                _answers[question] = known
        return known

    setattr(context, method, answer)
    try:
        yield
    finally:
        delattr(context, method)

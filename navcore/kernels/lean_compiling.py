"""What Numba does while it compiles, done with less: the code of our kernels is the same, but for the texts of errors.

All of it lasts only while a kernel of ours is compiled, by who holds the compiler's lock.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from types import CodeType, NoneType
from typing import Any

from numba.core import compiler, ir
from numba.np import arrayobj

_NO_VARIABLES = frozenset((str, int, float, bool, NoneType, ir.Loc))


@contextmanager
def leaner(context: Any) -> Iterator[None]:
    """While this lasts, errors have short texts, and the variables of a statement are found sooner."""
    long, short = _texts(context)
    before = [(template, template._overload_func, template._impl_cache) for template in long]
    method = ir.Inst._rec_list_vars
    for template in long:
        template._overload_func, template._impl_cache = staticmethod(short), _made[template]
    ir.Inst._rec_list_vars = _variables_in
    try:
        yield
    finally:
        ir.Inst._rec_list_vars = method
        for template, function, made in before:
            template._overload_func, template._impl_cache = staticmethod(function), made


# --- `a[…] = b` between arrays says in its error which shapes do not fit: half of what some kernels were compiled to.

_made: dict[Any, dict[Any, Any]] = {}  # what each template has compiled for our kernels; others' stays their own


@cache
def _texts(context: Any) -> tuple[list[Any], Callable[..., Any]]:
    """The templates of the error with the long text, and what makes one with a short text. Raises what Numba likes."""
    context.refresh()  # it may know nothing of arrays yet
    of_target: dict[str, list[Any]] = {}
    for template in context.resolve_value_type(arrayobj.raise_with_shape_context).templates:
        of_target.setdefault(template.metadata.get("target", ""), []).append(template)
    if not of_target.keys() >= {"CPU", "generic"}:
        raise ValueError("this Numba makes the texts of errors in another way")
    _made.update({template: {} for template in of_target["CPU"]})
    return of_target["CPU"], of_target["generic"][0]._overload_func


# --- Numba asks again and again which variables a statement has, and made a list for each of its parts.


def _variables_in(_self: Any, value: Any) -> list[Any]:
    found: list[Any] = []
    _add_variables(value, found)
    return found


def _add_variables(value: Any, found: list[Any]) -> None:
    kind = type(value)
    if kind in _NO_VARIABLES:
        return
    if isinstance(value, ir.Var):
        found.append(value)
    elif isinstance(value, ir.Inst):
        found += value.list_vars()
    elif isinstance(value, dict):
        for part in value.values():
            _add_variables(part, found)
    elif isinstance(value, list | tuple):
        for part in value:
            _add_variables(part, found)


# --- Of Numba's thirty passes over a function a dozen look for what kernels have not: closures, `with`, `raise`,
# literals that decide types, parallel loops. Each takes its share of the time all the same.

_IDLE = frozenset((
    "WithLifting", "InlineClosureLikes", "RewriteDynamicRaises", "MakeFunctionToJitFunction", "FindLiterallyCalls",
    "LiteralUnroll", "LiteralPropagationSubPipelinePass", "InlineOverloads", "DumpParforDiagnostics",
))  # fmt: skip
_ONCE = "DeadBranchPrune"  # again after closures were put into place, and after each of their literals was known


class FewerPasses(compiler.CompilerBase):  # type: ignore[misc]
    """Numba's passes without those that find nothing in a kernel."""

    def define_pipelines(self) -> list[Any]:
        whole = compiler.DefaultPassBuilder.define_nopython_pipeline(self.state)
        if not any(isinstance(constant, CodeType) for constant in self.state.func_id.code.co_consts):
            names = [kind.__name__ for kind, _ in whole.passes]
            whole.passes = [
                each
                for number, each in enumerate(whole.passes)
                if names[number] not in _IDLE and not (names[number] == _ONCE and _ONCE in names[:number])
            ]
            whole.finalize()
        return [whole]

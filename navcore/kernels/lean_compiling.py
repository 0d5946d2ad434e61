"""What Numba does while it compiles, done with less: the code of our kernels is the same, but for the texts of errors.

All of it lasts only while a kernel of ours is compiled, by who holds the compiler's lock.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from functools import cache, wraps
from inspect import getattr_static
from types import BuiltinFunctionType, CodeType, FunctionType, ModuleType, NoneType
from typing import Any

from llvmlite import binding
from numba.core import compiler, ir, pythonapi, serialize
from numba.np import arrayobj

_VARIABLE = ir.Var
_NO_VARIABLES = frozenset((
    str, int, float, bool, NoneType, ir.Loc, BuiltinFunctionType, FunctionType, ModuleType, type,
))  # fmt: skip


@contextmanager
def leaner(context: Any) -> Iterator[None]:
    """While this lasts, Numba compiles with less, and the same in every process."""
    if ir.Inst._rec_list_vars is _variables_in:  # one kernel is compiled inside another
        yield
        return
    long, short = _texts(context)
    with ExitStack() as lasting:
        for template in long:
            lasting.enter_context(_replaced(template, "_overload_func", staticmethod(short)))
            lasting.enter_context(_replaced(template, "_impl_cache", _made[template]))
        lasting.enter_context(_replaced(ir.Inst, "_rec_list_vars", _variables_in))
        for name in _NAMING:
            naming = _naming_by_content(getattr(pythonapi.PythonAPI, name))
            lasting.enter_context(_replaced(pythonapi.PythonAPI, name, naming))
        lasting.enter_context(_nobody_listening())
        yield


@contextmanager
def _replaced(holder: Any, name: str, value: Any) -> Iterator[None]:
    before = getattr_static(holder, name)
    setattr(holder, name, value)
    try:
        yield
    finally:
        setattr(holder, name, before)


# --- Numba tells of every call of LLVM when it begins and ends, also where nobody wants to know.


@contextmanager
def _nobody_listening() -> Iterator[None]:
    listeners = _listeners()
    before = listeners[:]
    listeners.clear()
    try:
        yield
    finally:
        listeners += before


def _listeners() -> list[Any]:
    """Who is called before and after every call of LLVM."""
    found = getattr(getattr(binding.ffi.lib, "_lock", None), "_cblist", None)
    return found if isinstance(found, list) else []


# --- Numba names the exceptions that it writes into code by where they lie in memory: no two processes made the same.

_NAMING = ("serialize_object", "serialize_uncached")


def _naming_by_content(method: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(method)
    def named(self: Any, value: Any) -> Any:
        before = vars(pythonapi).get("id", id)
        pythonapi.id = _number_of  # in the place of Python's own, for nothing but names
        try:
            return method(self, value)
        finally:
            pythonapi.id = before

    return named


def _number_of(value: Any) -> int:
    return int.from_bytes(hashlib.sha256(serialize.dumps(value)).digest()[:8], "little")


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
    if kind is _VARIABLE:
        found.append(value)
    elif kind is dict or isinstance(value, dict):
        _add_variables_of(value.values(), found)
    elif kind is list or kind is tuple or isinstance(value, list | tuple):
        _add_variables_of(value, found)
    elif isinstance(value, ir.Inst):
        found += value.list_vars()
    elif isinstance(value, ir.Var):
        found.append(value)


def _add_variables_of(values: Iterable[Any], found: list[Any]) -> None:
    """The same of each: most are variables, or none for sure."""
    for value in values:
        kind = type(value)
        if kind is _VARIABLE:
            found.append(value)
        elif kind not in _NO_VARIABLES:
            _add_variables(value, found)


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

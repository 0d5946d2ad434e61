"""What is left out while kernels of ours are compiled: long texts of errors, for nobody else and not for longer."""

from __future__ import annotations

import re
from typing import Any

import numba
import numpy as np
import pytest
from numba.core import ir, pythonapi
from numba.core.registry import cpu_target

from navcore.jit import kernel
from navcore.kernels import lean_compiling
from navcore.kernels.lean_compiling import leaner


def _assign(a: np.ndarray, b: np.ndarray) -> None:
    a[:2] = b[:2]


def test_errors_about_shapes_have_short_texts_in_our_kernels_alone() -> None:
    ours, others = kernel(_assign), numba.njit(_assign)
    room, few = np.zeros(3), np.zeros(0)
    with pytest.raises(ValueError, match="cannot assign slice from input of different size"):
        ours(room, few)
    with pytest.raises(ValueError, match=r"cannot assign slice of shape \(.*\) from input of shape"):
        others(room, few)
    sizes = [len(next(iter(code.inspect_llvm().values()))) for code in (ours, others)]
    assert sizes[0] < sizes[1] / 2, "no code that makes texts"
    ours(room, np.ones(3))
    assert room.tolist() == [1, 1, 0]


def test_all_is_as_it_was_afterwards() -> None:
    context, method = cpu_target.typing_context, ir.Inst._rec_list_vars
    long, _ = lean_compiling._texts(context)
    before = [(template._overload_func, template._impl_cache) for template in long]
    listeners, naming = lean_compiling._listeners()[:], pythonapi.PythonAPI.serialize_object
    assert long and listeners
    for _ in range(2):
        with leaner(context), leaner(context):
            assert ir.Inst._rec_list_vars is not method and not lean_compiling._listeners()
        assert ir.Inst._rec_list_vars is method
    with pytest.raises(KeyError), leaner(context):
        raise KeyError
    assert ir.Inst._rec_list_vars is method
    assert lean_compiling._listeners() == listeners and pythonapi.PythonAPI.serialize_object is naming
    assert [(template._overload_func, template._impl_cache) for template in long] == before


def test_constants_are_named_by_what_they_are_for_our_kernels_alone() -> None:
    def some(n: int) -> Any:
        return np.empty(n)

    def names(function: Any) -> set[str]:
        function(3)
        return set(re.findall(r"pickledata\.\d+", next(iter(function.inspect_llvm().values()))))

    assert names(kernel(some)) and names(kernel(some)) == names(kernel(some))
    assert names(numba.njit(some)) - names(kernel(some))


def test_the_variables_of_a_statement_are_those_that_numba_finds() -> None:
    place, scope = ir.unknown_loc, ir.Scope(None, ir.unknown_loc)
    a, b, c = (ir.Var(scope, name, place) for name in "abc")
    call = ir.Expr.call(a, [b, c], [("x", b)], place)
    odd = type("Odd", (ir.Var,), {})(scope, "odd", place)
    listed = type("Listed", (list,), {})([a, odd])
    assigned = {"v": ir.Assign(call, a, place)}
    for value in (a, odd, listed, call, [a, (b, {"k": c})], assigned, 3, None, "a", len, np, ir.Const(1, place)):
        assert lean_compiling._variables_in(call, value) == ir.Inst._rec_list_vars(call, value)


def _passes(function: Any, *arguments: Any) -> set[str]:
    """The names of Numba's passes over it."""
    function(*arguments)
    (result,) = function.overloads.values()
    return {name.partition("_")[2] for name in result.metadata["pipeline_times"]["nopython"]}


def test_a_kernel_has_fewer_passes_and_one_with_a_closure_all_of_them() -> None:
    def plain(a: int) -> int:
        return a + 1

    def closed(a: int) -> int:
        more = lambda b: b + 1  # noqa: E731 - a closure
        return more(a)

    whole = _passes(numba.njit(plain), 3)
    few = _passes(kernel(plain), 3)
    assert kernel(plain)(3) == 4 and few < whole and len(whole - few) >= 8
    closing = kernel(closed)
    assert _passes(closing, 3) == whole and closing(3) == 4


def test_where_a_pass_had_something_to_do_the_kernel_is_compiled_with_all(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever Numba then says of it is what it has to say."""
    monkeypatch.setattr(lean_compiling, "_IDLE", frozenset({"ReconstructSSA", "NopythonTypeInference"}))

    def plain(a: int) -> int:
        return a + 2

    def wrong(a: int) -> int:
        return a.nothing  # type: ignore[attr-defined, no-any-return]

    assert kernel(plain)(3) == 5
    with pytest.raises(numba.core.errors.TypingError, match="nothing"):
        kernel(wrong)(3)

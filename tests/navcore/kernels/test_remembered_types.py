"""What the compiler is asked is asked once, and only where the answer cannot change."""

from __future__ import annotations

from typing import Any

from numba.core import types

from navcore.kernels.dispatcher import remembered


class Context:
    """Stands in for Numba's."""

    def __init__(self) -> None:
        self.asked: list[Any] = []

    def resolve_function_type(self, function: Any, arguments: Any, named: Any) -> Any:
        self.asked.append((function, arguments, named))
        return None if function == "unknown" else object()


def asked_twice(function: Any, arguments: Any, named: Any) -> int:
    context = Context()
    with remembered(context), remembered(context):
        first = context.resolve_function_type(function, arguments, named)
        assert context.resolve_function_type(function, arguments, named) is first or len(context.asked) == 2
    return len(context.asked)


def test_an_answer_is_remembered() -> None:
    assert asked_twice("an operation of this test", (types.int64, types.float32), {}) == 1


def test_what_has_no_answer_is_asked_again() -> None:
    assert asked_twice("unknown", (types.int64,), {}) == 2


def test_calls_of_kernels_with_names_and_without_a_hash_are_asked_again() -> None:
    assert asked_twice(types.undefined, (types.int64,), {}) == 2
    assert asked_twice("an operation with names", (types.int64,), {"axis": types.int64}) == 2
    assert asked_twice("an operation without a hash", ([],), {}) == 2


def test_nothing_is_left_behind() -> None:
    context = Context()
    with remembered(context):
        assert "resolve_function_type" in vars(context)
    assert vars(context).keys() == {"asked"}

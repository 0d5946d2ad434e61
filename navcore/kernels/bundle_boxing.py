"""How a compiled kernel makes a bundle for Python, without a word about where its class was when it was compiled.

Numba pickles the class into the object code, by the name of its module; that name is another one in an installed
extension. Here the class is one of the kernel's constants, as the types of arrays are, which loading fills in.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from numba.core import types
from numba.core.boxing import box_tuple
from numba.core.pythonapi import _boxers

_BUNDLES = (types.NamedTuple, types.NamedUniTuple)


@contextmanager
def classes_as_constants() -> Iterator[None]:
    """While this lasts, all that is compiled makes bundles so. Only for who holds the compiler's lock."""
    before = {kind: _boxers.functions[kind] for kind in _BUNDLES}
    _boxers.functions.update(dict.fromkeys(_BUNDLES, _box_bundle))
    try:
        yield
    finally:
        _boxers.functions.update(before)


def _box_bundle(kind: Any, value: Any, code: Any) -> Any:
    """The code that calls the class with the values."""
    class_ = code.env_manager.read_const(code.env_manager.add_const(kind.instance_class))  # borrowed
    whole = box_tuple(kind, value, code)
    bundle = code.pyapi.call(class_, whole)
    code.pyapi.decref(whole)
    return bundle

"""Types and constants of compiled kernels as JSON has them: all that an entry says about them is in these words."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np
from numba.core import types
from numba.np import numpy_support

_PACKAGE = __package__.rpartition(".")[0]  # ours, whatever it is called here
_SCALARS = {str(kind): kind for kind in (*types.number_domain, types.boolean, types.none)}


class NotStorable(ValueError):
    """A compile result that holds more than code, plain types and bundles of ours."""


def of_type(kind: Any) -> Any:
    """A type in words."""
    if isinstance(kind, types.Array):
        return {"array": of_type(kind.dtype), "flags": [kind.ndim, kind.layout, kind.mutable, kind.aligned]}
    if isinstance(kind, types.Record):
        return {"record": _fields_of(numpy_support.as_dtype(kind))}
    if type(kind) in (types.UniTuple, types.Tuple):
        return [of_type(part) for part in kind.types]
    if type(kind) in (types.NamedUniTuple, types.NamedTuple):
        return {"bundle": _name_of(kind.instance_class), "of": [of_type(part) for part in kind.types]}
    name = str(kind)
    if _SCALARS.get(name) != kind:
        raise NotStorable(f"returns {name}")
    return name


def to_type(words: Any) -> Any:
    """The type that these words mean."""
    if isinstance(words, list):
        return types.BaseTuple.from_types([to_type(part) for part in words])
    if isinstance(words, str):
        return _SCALARS[words]
    if "record" in words:
        return numpy_support.from_dtype(_dtype(words["record"]))
    if "array" in words:
        dimensions, layout, mutable, aligned = words["flags"]
        return types.Array(to_type(words["array"]), dimensions, layout, readonly=not mutable, aligned=aligned)
    return types.BaseTuple.from_types([to_type(part) for part in words["of"]], _class_named(words["bundle"]))


def bundles_in(kind: Any) -> set[Any]:
    """The classes that Python gets with a value of this type."""
    own = {kind.instance_class} if isinstance(kind, types.NamedTuple | types.NamedUniTuple) else set()
    return own.union(*(bundles_in(part) for part in kind.types)) if isinstance(kind, types.BaseTuple) else own


def constants(values: list[Any]) -> list[Any]:
    """What a kernel's environment holds, in words: types of arrays, and classes of bundles, that it gives to Python."""
    return [_constant(value) for value in values]


def to_constants(words: list[Any]) -> list[Any]:
    return [_to_constant(word) for word in words]


def _constant(value: Any) -> Any:
    if isinstance(value, np.dtype):
        return value.str if value.names is None else {"record": _fields_of(value)}
    if isinstance(value, type):
        return _name_of(value)
    raise NotStorable(f"keeps {value}")


def _to_constant(words: Any) -> Any:
    if isinstance(words, str):
        return np.dtype(words)
    return _dtype(words["record"]) if isinstance(words, dict) else _class_named(words)


def _fields_of(kind: np.dtype[Any]) -> list[Any]:
    """The fields of a record: name and type of each."""
    fields = [list(field) for field in kind.descr]
    if _dtype(fields) != kind or kind.isalignedstruct:
        raise NotStorable(f"has records with gaps or nested fields: {kind}")
    return fields


def _dtype(fields: list[Any]) -> np.dtype[Any]:
    return np.dtype([(name, kind, *map(tuple, shape)) for name, kind, *shape in fields])


def _name_of(bundle: type) -> list[str]:
    """Module and name of a class of ours."""
    module = bundle.__module__
    if not module.startswith(f"{_PACKAGE}.") or "." in bundle.__qualname__:
        raise NotStorable(f"returns {bundle}, which is none of ours")
    return [module[len(_PACKAGE) :], bundle.__qualname__]


def _class_named(name: list[str]) -> Any:
    return getattr(importlib.import_module(name[0], _PACKAGE), name[1])

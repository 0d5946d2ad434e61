"""Between Numba's compile results and entries. All private parts of Numba that storing needs are used here.

Whatever goes wrong here raises, and the kernel is compiled: see `dispatcher`.
"""

from __future__ import annotations

import importlib
import zlib
from collections.abc import Callable
from typing import Any

import llvmlite.binding
import numpy as np
from numba.core import types, typing
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompileResult
from numba.core.environment import Environment, lookup_environment
from numba.core.funcdesc import FunctionDescriptor, PythonFunctionDescriptor
from numba.np import numpy_support

from .entry_bytes import Entry

# --- Types and constants of compiled kernels as JSON has them: all that an entry says about them is in these words.

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


def of_constants(values: list[Any]) -> list[Any]:
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


_ENVIRONMENT = "_ZN08NumbaEnv"  # how the names of environments begin
_DESCRIBED = ("mangled_name", "unique_name", "env_name", "qualname", "inline", "noalias", "abi_tags", "uid")
_SLOTS = {
    *_DESCRIBED, "native", "modname", "doc", "typemap", "calltypes", "args", "kws", "restype", "argtypes",
    "global_dict",
}  # fmt: skip


class PartLibrary(JITCodeLibrary):  # type: ignore[misc]
    """The code of a kernel that so far only kernels call.

    It is linked into its callers, which optimize it together with their own code: emitting machine code and optimizing
    it alone was a third of all compiling.
    """

    def _optimize_final_module(self) -> None:
        pass

    def _finalize_final_module(self) -> None:
        if any(value.name.startswith(".numba.unresolved$") for value in self._final_module.global_variables):
            raise NotStorable("kernels that call each other in circles")
        self._finalize_dynamic_globals()
        self._verify_declare_only_symbols()
        self._finalized = True


class StoredPart(PartLibrary):
    """A part from its bitcode."""

    def __init__(self, codegen: Any, name: str, bitcode: bytes) -> None:
        super().__init__(codegen, name)
        self._final_module = llvmlite.binding.parse_bitcode(bitcode)
        self._finalize_final_module()


class StoredLibrary(JITCodeLibrary):  # type: ignore[misc]
    """A kernel's object code. Its bitcode is only looked at when a kernel that is being compiled calls it.

    Shipped kernels have none: see `can_be_linked`.
    """

    def __init__(self, codegen: Any, name: str, code: bytes, bitcode: bytes) -> None:
        super().__init__(codegen, name)
        self._bitcode, self._shared_module = bitcode, None
        self.enable_object_caching()
        self._set_compiled_object(code)
        self._finalize_final_module()

    @property
    def has_bitcode(self) -> bool:
        return bool(self._bitcode)

    def _get_module_for_linking(self) -> Any:
        if self._shared_module is None:
            self._shared_module = llvmlite.binding.parse_bitcode(zlib.decompress(self._bitcode))
        return self._shared_module

    def get_pointer_to_function(self, name: str) -> int:
        return int(self._codegen._engine.get_function_address(name))  # Numba knows the symbols of bitcode only


def is_part(result: CompileResult) -> bool:
    return isinstance(result.library, PartLibrary)


def can_be_linked(result: CompileResult) -> bool:
    """Whether kernels that are being compiled can take it in. Where not, they compile it as a part of theirs."""
    return not isinstance(result.library, StoredLibrary) or result.library.has_bitcode


def entry_of(result: CompileResult) -> Entry:
    """What to store of a compile result. Raises NotStorable where something would be lost."""
    library, descriptor = result.library, result.fndesc
    if result.objectmode or result.lifted or result.reload_init or library.has_dynamic_globals:
        raise NotStorable(descriptor.qualname)
    module = library._get_module_for_linking()
    references = sorted(value.name for value in module.global_variables if value.name.startswith(_ENVIRONMENT))
    constants = {
        name: of_constants(environment.consts) for name in references if (environment := lookup_environment(name))
    }
    names = {name: getattr(descriptor, name) for name in _DESCRIBED}
    names |= {"library": library.name, "args": list(descriptor.args), "constants": constants}
    code = b"" if is_part(result) else library._get_compiled_object()
    returned = result.signature.return_type
    if code and not bundles_in(returned) <= set(filter(callable, result.environment.consts)):
        raise NotStorable(f"{returned} was compiled by a Numba that writes the modules of classes into the code")
    return Entry(names, of_type(returned), code, zlib.compress(module.as_bitcode()))


def compile_result(entry: Entry, arguments: tuple[Any, ...], function: Callable[..., Any], target: Any) -> Any:
    """Numba's compile result from an entry, for `function` as it is called and placed here."""
    descriptor = _descriptor(entry, arguments, function)
    references = [_environment(name, constants, function) for name, constants in entry.names["constants"].items()]
    environment = _environment(descriptor.env_name, [], function)
    codegen, name = target.codegen(), entry.names["library"]
    library: Any
    if entry.code:
        library = StoredLibrary(codegen, name, entry.code, entry.bitcode)
        callable_ = target.get_executable(library, descriptor, environment)
        for reference in references:
            codegen.set_env(reference.env_name, reference)
    else:
        library = StoredPart(codegen, name, zlib.decompress(entry.bitcode))
        callable_ = part_key()
        target.insert_user_function(callable_, descriptor, [library])
    return CompileResult(
        typing_context=target.typing_context, target_context=target, entry_point=callable_, typing_error=None,
        type_annotation="", signature=typing.signature(descriptor.restype, *arguments), objectmode=False, lifted=(),
        fndesc=descriptor, library=library, call_helper=None, environment=environment, metadata=None, reload_init=(),
        referenced_envs=references,
    )  # fmt: skip


def with_environments_of_parts(result: CompileResult) -> CompileResult:
    """Tell a new kernel's machine code where the environments of its parts are, and keep them alive with it."""
    references = result._find_referenced_environments()
    for reference in references:
        result.library.codegen.set_env(reference.env_name, reference)
    return result._replace(referenced_envs=references)


def part_key() -> object:
    """What Numba finds a part by, where it finds other kernels by what Python calls."""
    return object()


def _descriptor(entry: Entry, arguments: tuple[Any, ...], function: Callable[..., Any]) -> Any:
    if set(FunctionDescriptor.__slots__) != _SLOTS:
        raise NotStorable("this Numba describes functions in another way")
    descriptor = PythonFunctionDescriptor.__new__(PythonFunctionDescriptor)
    for name in _DESCRIBED:
        setattr(descriptor, name, entry.names[name])
    descriptor.native, descriptor.modname, descriptor.doc = True, function.__module__, ""
    descriptor.typemap = descriptor.calltypes = descriptor.global_dict = None
    descriptor.args, descriptor.kws = tuple(entry.names["args"]), ()
    descriptor.restype, descriptor.argtypes = to_type(entry.result), arguments
    return descriptor


def _environment(name: str, constants: list[Any], function: Callable[..., Any]) -> Any:
    """The environment of that name: every kernel has one, with the types of the arrays it returns."""
    environment = lookup_environment(name)
    if environment is None:
        environment = Environment(function.__globals__)
        environment.env_name = name
        environment.consts[:] = to_constants(constants)
        Environment._memo[name] = environment
    return environment

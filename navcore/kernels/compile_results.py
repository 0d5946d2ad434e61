"""Between Numba's compile results and entries. All private parts of Numba that storing needs are used here.

Whatever goes wrong here raises, and the kernel is compiled: see `dispatcher`.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from typing import Any

import llvmlite.binding
from numba.core import typing
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompileResult
from numba.core.environment import Environment, lookup_environment
from numba.core.funcdesc import FunctionDescriptor, PythonFunctionDescriptor

from . import types_in_json
from .entry_bytes import Entry
from .types_in_json import NotStorable

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
    """A kernel's object code. Its bitcode is only looked at when a kernel that is being compiled calls it."""

    def __init__(self, codegen: Any, name: str, code: bytes, bitcode: bytes) -> None:
        super().__init__(codegen, name)
        self._bitcode, self._shared_module = bitcode, None
        self.enable_object_caching()
        self._set_compiled_object(code)
        self._finalize_final_module()

    def _get_module_for_linking(self) -> Any:
        if self._shared_module is None:
            self._shared_module = llvmlite.binding.parse_bitcode(zlib.decompress(self._bitcode))
        return self._shared_module

    def get_pointer_to_function(self, name: str) -> int:
        return int(self._codegen._engine.get_function_address(name))  # Numba knows the symbols of bitcode only


def is_part(result: CompileResult) -> bool:
    return isinstance(result.library, PartLibrary)


def entry_of(result: CompileResult) -> Entry:
    """What to store of a compile result. Raises NotStorable where something would be lost."""
    library, descriptor = result.library, result.fndesc
    if result.objectmode or result.lifted or result.reload_init or library.has_dynamic_globals:
        raise NotStorable(descriptor.qualname)
    module = library._get_module_for_linking()
    references = sorted(value.name for value in module.global_variables if value.name.startswith(_ENVIRONMENT))
    constants = {
        name: types_in_json.constants(environment.consts)
        for name in references
        if (environment := lookup_environment(name))
    }
    names = {name: getattr(descriptor, name) for name in _DESCRIBED}
    names |= {"library": library.name, "args": list(descriptor.args), "constants": constants}
    code = b"" if is_part(result) else library._get_compiled_object()
    returned = result.signature.return_type
    if code and not types_in_json.bundles_in(returned) <= set(filter(callable, result.environment.consts)):
        raise NotStorable(f"{returned} was compiled by a Numba that writes the modules of classes into the code")
    return Entry(names, types_in_json.of_type(returned), code, zlib.compress(module.as_bitcode()))


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
    descriptor.restype, descriptor.argtypes = types_in_json.to_type(entry.result), arguments
    return descriptor


def _environment(name: str, constants: list[Any], function: Callable[..., Any]) -> Any:
    """The environment of that name: every kernel has one, with the types of the arrays it returns."""
    environment = lookup_environment(name)
    if environment is None:
        environment = Environment(function.__globals__)
        environment.env_name = name
        environment.consts[:] = types_in_json.to_constants(constants)
        Environment._memo[name] = environment
    return environment

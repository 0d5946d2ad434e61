"""A kernel as Numba calls it: loaded from the store where it is there, compiled as lean as it can be where not.

What only other kernels call is compiled as a part of them: no wrapper for Python, no machine code of its own. When
Python calls it after all, it is compiled once more, as a kernel.
"""

from __future__ import annotations

import itertools
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from numba.core import bytecode, compiler, errors, sigutils, types
from numba.core.boxing import box_tuple
from numba.core.caching import NullCache
from numba.core.compiler_lock import global_compiler_lock
from numba.core.dispatcher import _FunctionCompiler
from numba.core.pythonapi import _boxers
from numba.core.registry import CPUDispatcher
from numba.core.runtime import rtsys

from . import compile_results
from .kernel_store import STORE, Kernel
from .lean_compiling import FewerPasses, leaner
from .loaded_to_stay import without_collecting
from .plain_python import Way, is_for_compiler, stand_in, way_here

# --- How a compiled kernel makes a bundle for Python, without a word about where its class was when it was compiled.
#
# Numba pickles the class into the object code, by the name of its module; that name is another one in an installed
# extension. Here the class is one of the kernel's constants, as the types of arrays are, which loading fills in.

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


# --- Types that Numba works out again and again while it compiles, worked out once.
#
# What `+` on two integers gives is looked up anew wherever it stands, through dozens of rules: ten times for every
# answer, a fifth of all compiling. The answers depend on nothing but the operation and the types of its operands.
# (Calls of kernels are not remembered: an answer there is a compiled kernel, which may be given up later.)

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


_depth = [0]  # kernels being compiled, one inside the other; only looked at by who holds Numba's lock

_lean = [True]  # until it turns out that this Numba cannot leave something out


class KernelDispatcher(CPUDispatcher):  # type: ignore[misc]
    """Numba's dispatcher, asking the store, and compiling parts for kernels and kernels for Python."""

    def __init__(self, function: Callable[..., Any], options: dict[str, Any], *, kept: bool) -> None:
        super().__init__(function, targetoptions=options)
        standard = self._compiler
        self._compiler: Any = _LeanCompiler(
            function, standard.targetdescr, standard.targetoptions, standard.locals, standard.pipeline_class
        )
        self._only_called: dict[tuple[Any, ...], Any] = {}  # kernels that Python goes on calling, beside their parts
        if kept:
            self._cache = _StoreCache(function)
            STORE.tally.known += 1

    def compile(self, sig: Any) -> Any:
        with global_compiler_lock:
            self._leave_what_cannot_be_called(sig, by_kernel=_depth[0] > 0)
            _depth[0] += 1
            try:
                # It makes millions of small objects and next to no garbage in circles: looking for it took a sixth.
                with without_collecting():
                    return super().compile(sig)
            finally:
                _depth[0] -= 1
                if _depth[0] == 0:
                    STORE.release()

    def add_overload(self, cres: Any) -> None:
        if compile_results.is_part(cres):  # nothing that Python could call
            self.overloads[tuple(cres.signature.args)] = cres
        else:
            super().add_overload(cres)

    def _compile_for_args(self, *arguments: Any, **names: Any) -> Any:
        """What Numba's dispatcher calls now, and in place of looking for it again once it is compiled."""
        if way_here() is not Way.COMPILE and not self.is_kept(arguments) and not is_for_compiler(self):
            STORE.tally.stood_in.append(f"{self.__module__}.{self.__qualname__}")
            return stand_in(self)
        return super()._compile_for_args(*arguments, **names)

    def is_kept(self, arguments: tuple[Any, ...]) -> bool:
        """Whether the kernel for such arguments need not be compiled."""
        try:
            kinds = tuple(self.typeof_pyval(argument) for argument in arguments)
        finally:
            self._types_active_call.clear()  # as Numba does after every call
        return STORE.load(Kernel(self.py_func, kinds, False)) is not None

    def _leave_what_cannot_be_called(self, signature: Any, *, by_kernel: bool) -> None:
        """A part has nothing that Python could call, a shipped kernel nothing that could be linked into others."""
        arguments = tuple(sigutils.normalize_signature(signature)[0])
        result = self.overloads.get(arguments)
        if result is None:
            return
        if not by_kernel and compile_results.is_part(result):
            del self.overloads[arguments]
            if arguments in self._only_called:  # Python calls it all the same, as it did before
                self.overloads[arguments] = self._only_called[arguments]
        elif by_kernel and not compile_results.can_be_linked(result):
            self._only_called[arguments] = self.overloads.pop(arguments)


class _LeanCompiler(_FunctionCompiler):  # type: ignore[misc]
    """Leaves out what kernels don't need: wrappers for C always, and for parts whatever only Python would call."""

    def _compile_core(self, args: Any, return_type: Any) -> Any:
        if _lean[0]:
            try:
                return self._compile_lean(args, return_type, FewerPasses)
            except errors.NumbaError:  # one of the passes that were left out may have had something to do
                return self._compile_lean(args, return_type, self.pipeline_class)
            except (AttributeError, TypeError, ValueError):  # what another Numba's insides would raise
                _lean[0] = False
        return super()._compile_core(args, return_type)

    def _compile_lean(self, args: Any, return_type: Any, passes: Any) -> Any:
        flags = compiler.Flags()
        self.targetdescr.options.parse_as_flags(flags, self.targetoptions)
        flags.no_cfunc_wrapper = True
        target, library = self.targetdescr.target_context, None
        if _depth[0] > 1:
            flags.no_cpython_wrapper = flags.no_compile = True
            library = compile_results.PartLibrary(target.codegen(), self.py_func.__qualname__)
        context = self.targetdescr.typing_context
        with classes_as_constants(), remembered(context), leaner(context):
            result = compiler.compile_extra(
                context, target, self.py_func, args=args, return_type=return_type, flags=flags,
                locals=self.locals, library=library, pipeline_class=passes,
            )  # fmt: skip
        if library is not None:
            result = result._replace(entry_point=compile_results.part_key())
            target.insert_user_function(result.entry_point, result.fndesc, [library])
            return result
        return compile_results.with_environments_of_parts(result)


class _StoreCache(NullCache):  # type: ignore[misc]
    """The store behind Numba's cache interface. Numba calls it with its lock held."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        # Not `target_context.refresh()`, which imports seventy modules that only compiling needs (and does for itself).
        rtsys.initialize(target_context)
        kernel = self._kernel(sig)
        STORE.tally.seen.add(f"{self._function.__module__}.{self._function.__qualname__}")
        result = self._stored_result(kernel, target_context)
        if not kernel.part:
            if result is None:
                STORE.tell_compiling()
                STORE.claim(kernel)
                result = self._stored_result(kernel, target_context)
                STORE.tally.waited_for += [kernel.name] * (result is not None)
            if result is not None:
                STORE.tally.loaded.append(kernel.name)
        return result

    def _stored_result(self, kernel: Kernel, target_context: Any) -> Any:
        try:
            entry = STORE.load(kernel)
            if entry is None and kernel.part:
                entry = STORE.load_for_linking(kernel)
            if entry is None:
                return None
            return compile_results.compile_result(entry, kernel.arguments, self._function, target_context)
        except Exception:  # noqa: BLE001 - whatever a foreign entry or another Numba raises, the answer is to compile
            return None

    def save_overload(self, sig: Any, cres: Any) -> None:
        kernel = self._kernel(sig)
        if not kernel.part:
            STORE.tally.compiled.append(kernel.name)
        try:
            STORE.save(kernel, compile_results.entry_of(cres))
        except Exception as reason:  # noqa: BLE001 - what can't be kept works all the same
            STORE.tally.not_kept.append(f"{kernel.name}: {reason}")

    def _kernel(self, signature: Any) -> Kernel:
        arguments, _ = sigutils.normalize_signature(signature)
        return Kernel(self._function, tuple(arguments), _depth[0] > 1)


def number_functions_from(start: int) -> None:
    """Let Numba number what it compiles from here.

    The numbers are part of symbols, and object code of another process that is loaded beside ours must not bring the
    symbol of another function under the same name.
    """
    bytecode.FunctionIdentity._unique_ids = itertools.count(start)


number_functions_from(secrets.randbits(48))

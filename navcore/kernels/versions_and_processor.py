"""What a compiled kernel was made for: versions, flags, processor. Anything that differs means compiling."""

from __future__ import annotations

import re
import sys
from functools import cache

import llvmlite
import llvmlite.binding
import numba
import numpy as np
from numba.core import config

FORMAT = 1  # of an entry
# Numba's private parts that are used here look the same in all of these. In others kernels compile as Numba likes.
_KNOWN = ((0, 62), (0, 68))
_FLAGS = ("OPT", "BOUNDSCHECK", "DEBUGINFO_DEFAULT", "LOOP_VECTORIZE", "SLP_VECTORIZE", "ENABLE_AVX")


def numba_is_known() -> bool:
    """Whether compiled kernels can be stored and loaded at all."""
    version = tuple(int(number) for number in re.findall(r"\d+", numba.__version__)[:2])
    return _KNOWN[0] <= version <= _KNOWN[1]


@cache
def environment() -> str:
    """Everything but sources and processor that decides what a kernel compiles to.

    NumPy is not a part of it: compiled kernels call nothing of it, and Numba makes the same code beside 1 and 2.
    """
    # Without the release of the system, which Darwin has in there.
    triple = re.sub(r"[\d.]+$", "", llvmlite.binding.get_process_triple())
    flags = " ".join(f"{name}={getattr(config, name, None)}" for name in _FLAGS)
    return (
        f"format {FORMAT}, Numba {numba.__version__}, llvmlite {llvmlite.__version__}, {sys.implementation.cache_tag}, "
        f"{triple}, {numpys()}, {flags}"
    )


def numpys() -> str:
    """The NumPys that kernels are the same beside: those of which that was seen, or else this one's alone."""
    major = np.__version__.partition(".")[0]
    return "NumPy 1 and 2" if major in ("1", "2") else f"NumPy {major}"


@cache
def processor() -> str:
    """The processor that Numba compiles for here, with what it can do."""
    name = config.CPU_NAME or llvmlite.binding.get_host_cpu_name()
    features = config.CPU_FEATURES
    return f"{name} {features if features is not None else ' '.join(sorted(host_features()))}"


@cache
def host_features() -> frozenset[str]:
    """What this processor can do, in LLVM's words."""
    return frozenset(name for name, there in llvmlite.binding.get_host_cpu_features().items() if there)

"""Where another LLVM is in the process, an old llvmlite is refused instead of crashing."""

import ctypes
import sys
from types import SimpleNamespace

import llvmlite
import pytest

from navcore.kernels.llvm_clash import refuse_llvm_clash


class Process:
    """What ctypes finds in the process: with another LLVM, or without."""

    def __init__(self, *symbols: str) -> None:
        self.library = SimpleNamespace(**dict.fromkeys(symbols, 0))

    def __call__(self, name: None) -> SimpleNamespace:
        assert name is None, "the process itself, no library"
        return self.library


WITH_LLVM, WITHOUT = Process("LLVMContextCreate"), Process()


def refused(monkeypatch: pytest.MonkeyPatch, version: str, process: Process, system: str = "linux") -> str | None:
    monkeypatch.setattr(llvmlite, "__version__", version)
    monkeypatch.setattr(ctypes, "CDLL", process)
    monkeypatch.setattr(sys, "platform", system)
    try:
        refuse_llvm_clash()
    except ImportError as refusal:
        return str(refusal)
    return None


def test_old_llvmlite_is_refused_beside_another_llvm(monkeypatch: pytest.MonkeyPatch) -> None:
    said = refused(monkeypatch, "0.45.1", WITH_LLVM)
    assert said is not None and "0.45.1" in said and "0.46 or newer" in said and "\n" not in said


@pytest.mark.parametrize(
    ("version", "process", "system"),
    [
        ("0.45.1", WITHOUT, "linux"),
        ("0.46.0", WITH_LLVM, "linux"),
        ("0.50.0rc1", WITH_LLVM, "linux"),
        ("1.0.0", WITH_LLVM, "linux"),
        ("0.45.1", WITH_LLVM, "darwin"),  # libraries there name the one that each function comes from
        ("0.45.1", WITH_LLVM, "win32"),  # likewise
    ],
)
def test_everything_else_is_taken(monkeypatch: pytest.MonkeyPatch, version: str, process: Process, system: str) -> None:
    assert refused(monkeypatch, version, process, system) is None


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only there can libraries be mistaken for each other")
def test_this_process_holds_no_other_llvm() -> None:
    """Numba's own is not seen by the rest of the process: the question stays right after Numba was loaded."""
    import numba  # noqa: F401

    assert not hasattr(ctypes.CDLL(None), "LLVMContextCreate")

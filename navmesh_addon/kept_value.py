"""What a module keeps between two calls of Blender's: one value, until it is forgotten."""

from __future__ import annotations

from typing import Generic, TypeVar

_Value = TypeVar("_Value")


class KeptValue(Generic[_Value]):
    """Kept for this session alone; nothing of it is in the file."""

    def __init__(self, usual: _Value) -> None:
        self.value = self._usual = usual

    def forget(self) -> None:
        """Another file, the end of the extension, or it no longer counts."""
        self.value = self._usual

"""Names that only type checkers look at closely."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bpy.stub_internal.rna_enums import OperatorReturnItems

    Answer = set[OperatorReturnItems]
else:
    Answer = set  # what operators return

"""Stamps: beside an output, what it was made from, so that a build can be left out when nothing changed.

File times are never asked: a fresh checkout has them all new.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ..files.atomic_write import write_whole
from ..files.strict_json import json_object, json_text
from ..formats import files_of
from ..version import code_fingerprint

ENDING = ".stamp.json"


def fingerprint(parts: Iterable[Any]) -> str:
    """A hash of arrays, bytes, plain values and this version; equal for equal content on every machine."""
    whole = hashlib.sha256(code_fingerprint().encode())
    for part in parts:
        for piece in _pieces(part):
            whole.update(len(piece).to_bytes(8, "little") + piece)
    return whole.hexdigest()


def _pieces(part: Any) -> Iterable[bytes]:
    if isinstance(part, np.ndarray):
        yield f"{part.dtype.newbyteorder('<').str} {part.shape}".encode()
        yield np.ascontiguousarray(part, part.dtype.newbyteorder("<")).tobytes()
    elif isinstance(part, bytes):
        yield part
    else:
        yield json.dumps(part, sort_keys=True).encode()


def unchanged(outputs: Sequence[Path], made_from: str) -> dict[str, Any] | None:
    """The report of the build that made `outputs`, where all are still what a build from `made_from` would make."""
    report: dict[str, Any] | None = None
    for output in outputs:
        stamp = json_object(_beside(output), "stamp")  # where it is missing or damaged, the output is built again
        if stamp.get("fingerprint") != made_from or stamp.get("content") != _content(output):
            return None
        report = stamp.get("report")
        if not isinstance(report, dict):
            return None
    return report


def write_stamps(outputs: Sequence[Path], made_from: str, report: Mapping[str, Any]) -> None:
    """Leave a stamp beside each output, once all of them are written."""
    for output in outputs:
        stamp = {"fingerprint": made_from, "content": _content(output), "report": report}
        write_whole(_beside(output), json_text(stamp))


def _beside(output: Path) -> Path:
    return output.with_name(output.name + ENDING)


def _content(output: Path) -> str | None:
    """A hash of an output with what lies beside it; None where anything of it is missing."""
    try:
        return hashlib.sha256(b"".join(path.read_bytes() for path in files_of(output))).hexdigest()
    except OSError:
        return None

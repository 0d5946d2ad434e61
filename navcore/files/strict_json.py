"""JSON of untrusted origin: bounded in size and depth, and nothing in it that another reader would read differently."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

from ..errors import BadInput

# --- JSON for people and programs: indented, no NaN, one trailing newline.


def json_text(content: Any) -> bytes:
    return (json.dumps(content, indent=2, allow_nan=False) + "\n").encode()


MOST_BYTES = 16 << 20
MOST_DEPTH = 64
_MOST_DIGITS = 300  # of a whole number: what a float can still hold
_BRACKETS = b"[]{}"


def load_json(path_or_bytes: str | Path | bytes, what: str, most_bytes: int = MOST_BYTES) -> object:
    """The value in a file or in bytes; `what` it is ("scene", "settings") begins the message of everything refused.

    Refused are other encodings than UTF-8, doubled keys, NaN, Infinity, and numbers that no float can hold.
    """
    if isinstance(path_or_bytes, bytes):
        what, data = f"The {what} JSON", path_or_bytes
    else:
        what = f"The {what} file {Path(path_or_bytes).name!r}"
        data = _read(Path(path_or_bytes), what, most_bytes)
    if len(data) > most_bytes:
        raise _refused(what, f"is larger than {most_bytes >> 20} MiB, the most that is read")
    if _depth(data) > MOST_DEPTH:
        raise _refused(what, f"is nested more than {MOST_DEPTH} levels deep")
    try:
        return json.loads(
            data.decode("utf-8-sig"),
            parse_constant=_no_constant,
            parse_int=_whole,
            parse_float=_fraction,
            object_pairs_hook=_without_doubles,
        )
    except UnicodeDecodeError as error:
        raise _refused(what, f"is not UTF-8 text: byte {error.start} is wrong") from None
    except json.JSONDecodeError as error:
        raise _refused(what, f"is not JSON: {error.msg} in line {error.lineno}, column {error.colno}") from None
    except _Unreadable as error:
        raise _refused(what, str(error)) from None


def json_object(path: Path, what: str, most_bytes: int = MOST_BYTES) -> dict[str, Any]:
    """The object in a file that may be missing or damaged, or hold something else: then it is empty."""
    try:
        content = load_json(path, what, most_bytes)
    except BadInput:
        return {}
    return content if isinstance(content, dict) else {}


class _Unreadable(ValueError):
    """Raised where only the value is known, not the file."""


def _refused(what: str, why: str) -> BadInput:
    return BadInput(f"{what} {why}.", "BAD_JSON")


def _read(path: Path, what: str, most_bytes: int) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(most_bytes + 1)
    except OSError as error:
        raise BadInput(f"{what}: could not read {path}: {error.strerror or error}.", "CANNOT_READ") from None
    except ValueError as error:  # a NUL in the name
        raise BadInput(f"{what}: could not read {path}: {error}.", "CANNOT_READ") from None


def _depth(data: bytes) -> int:
    """How deep brackets nest, those in strings left out; in time and memory that grow with the length only."""
    quoted = data.replace(b"\\\\", b"").replace(b'\\"', b"").split(b'"')
    others = bytes(set(range(256)) - set(_BRACKETS))
    brackets = np.frombuffer(b"".join(quoted[::2]).translate(None, others), np.uint8)
    steps = np.where((brackets == ord("[")) | (brackets == ord("{")), np.int8(1), np.int8(-1))
    return int(np.cumsum(steps, dtype=np.int32).max(initial=0))


def _no_constant(name: str) -> NoReturn:
    raise _Unreadable(f"holds {name}, which is no JSON number")


def _whole(digits: str) -> int:
    if len(digits) > _MOST_DIGITS:
        raise _Unreadable(f"holds a number of {len(digits)} digits")
    return int(digits)


def _fraction(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        raise _Unreadable(f"holds {digits[:40]}, which is beyond what a float can hold")
    return number


def _without_doubles(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) < len(pairs):
        seen: set[str] = set()
        double = next(name for name, _ in pairs if name in seen or seen.add(name))  # type: ignore[func-returns-value]
        raise _Unreadable(f"has the key {double[:60]!r} twice in one object")
    return result

"""The bytes of a glTF level: its JSON, and its buffers from the file itself, from text, or from files beside it."""

from __future__ import annotations

import base64
import binascii
import re
from pathlib import Path
from typing import NoReturn

from ...errors import BadInput
from ...files.strict_json import load_json
from .glb import BINARY_CHUNK, JSON_CHUNK, MAGIC, VERSION
from .gltf_values import GltfValues

MOST_JSON = 256 << 20  # bytes: buffers may stand in it as text
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
_ESCAPED = re.compile(rb"%([0-9A-Fa-f]{2})")
_DATA = re.compile(r"data:[^,]{0,200};base64,", re.IGNORECASE)


def load_gltf(path: Path) -> tuple[GltfValues, list[bytes]]:
    """The JSON of an .glb or .gltf file, and its buffers. Raises BadInput, OSError."""
    content = path.read_bytes()
    chunk = None
    if path.suffix.lower() == ".glb" or content[:4] == b"glTF":
        content, chunk = _chunks(path.name, content)
    values = GltfValues(path.name, load_json(content, f"“{path.name}”", MOST_JSON))
    _check_version(values)
    return values, _buffers(path, values, chunk)


def _chunks(file: str, content: bytes) -> tuple[bytes, bytes | None]:
    """The JSON and, where there is one, the binary buffer."""
    magic, version, length, size, kind = (int.from_bytes(content[at : at + 4], "little") for at in range(0, 20, 4))
    if magic != MAGIC:
        raise BadInput(f"{file} is no .glb file: it does not begin with “glTF”. Export the level again.")
    if len(content) >= 20 and version != VERSION:
        raise BadInput(f"{file} is glTF {version}, and glTF 2 is read. Export the level as glTF 2.", "BAD_VERSION")
    if len(content) < 20 or length > len(content) or 20 + size > length:
        _cut_off(file, max(length, 20 + size), len(content))
    if kind != JSON_CHUNK:
        raise BadInput(f"{file} is no .glb file: its first part is no JSON. Export the level again.")
    text, at, chunk = content[20 : 20 + size], 20 + size, None
    while at + 8 <= length and chunk is None:
        size, kind = (int.from_bytes(content[begin : begin + 4], "little") for begin in (at, at + 4))
        if at + 8 + size > length:
            _cut_off(file, at + 8 + size, length)
        if kind == BINARY_CHUNK:  # others are passed over, as the specification wants it
            chunk = content[at + 8 : at + 8 + size]
        at += 8 + size + -size % 4
    return text, chunk


def _cut_off(file: str, wanted: int, there: int) -> NoReturn:
    raise BadInput(
        f"{file} ends too early: it should have {wanted:,} bytes and has {there:,}. Copy or export it again.",
        "TRUNCATED",
    )


def _check_version(values: GltfValues) -> None:
    version = values.text(values.row(None, "asset"), "version")
    if not version.startswith("2."):
        shown = f"glTF {version[:20]}" if version else "no glTF (it has no version)"
        values.refuse(f"it is {shown}, and glTF 2 is read", "BAD_VERSION")


def _buffers(path: Path, values: GltfValues, chunk: bytes | None) -> list[bytes]:
    buffers: list[bytes] = []
    for number, row in enumerate(values.rows("buffers")):
        wanted = values.number(row, "byteLength")
        if "uri" in row:
            data = _from_uri(path, values, values.text(row, "uri"))
        elif number == 0 and chunk is not None:
            data = chunk
        else:
            values.refuse(f"buffer {number} has no bytes in it")
        if len(data) < wanted:
            _cut_off(f"Buffer {number} of {path.name}", wanted, len(data))
        buffers.append(data[:wanted])
    return buffers


def _from_uri(path: Path, values: GltfValues, uri: str) -> bytes:
    """From base64 text, or from a file in the level's own folder or below it: nothing else is ever opened."""
    if match := _DATA.match(uri):
        try:
            return base64.b64decode(uri[match.end() :], validate=True)
        except (binascii.Error, ValueError):
            values.refuse("a buffer that stands in it as text is no base64")
    name = _ESCAPED.sub(lambda found: bytes([int(found[1], 16)]), uri.encode()).decode("utf-8", "replace")
    shown = f"its buffer {name[:80]!r}"
    if _SCHEME.match(name) or name.startswith(("/", "\\")) or "\0" in name or not name:
        values.refuse(f"{shown} is an address, and buffers are read from files in the level's own folder only")
    folder = path.resolve().parent
    buffer = (folder / name.replace("\\", "/")).resolve()
    if not buffer.is_relative_to(folder):
        values.refuse(f"{shown} lies outside of the level's own folder, and is not opened. Put it beside the level")
    if not buffer.is_file():
        values.refuse(f"{shown} is not there; a .gltf needs the files that were exported with it", "CANNOT_READ")
    return buffer.read_bytes()

"""One compiled kernel as bytes: a digest, a header in JSON, object code and bitcode. No pickle."""

from __future__ import annotations

import hashlib
import json
import zlib
from typing import Any, NamedTuple

from .versions_and_processor import FORMAT

_MAGIC = b"navkern%d" % FORMAT
_DIGEST = hashlib.sha256().digest_size
_LENGTH = 4  # bytes of the header's length


class BadEntry(ValueError):
    """These bytes are no entry, or not the one that was asked for."""


class Entry(NamedTuple):
    """What is needed to call a compiled kernel from Python, and to link it into others."""

    names: dict[str, Any]  # its names among LLVM's, and those of the environments it refers to
    result: Any  # type of what it returns, see `compile_results`
    code: bytes  # object code; empty for a part, which only other kernels call
    bitcode: bytes  # compressed: few are ever linked again; empty for a kernel that is shipped


def packed(key: str, entry: Entry) -> bytes:
    """An entry as bytes that know their key."""
    code = zlib.compress(entry.code)
    header = {"key": key, "names": entry.names, "result": entry.result, "code": len(code)}
    text = json.dumps(header, sort_keys=True).encode()
    body = len(text).to_bytes(_LENGTH, "little") + text + code + entry.bitcode
    return _MAGIC + hashlib.sha256(body).digest() + body


def without_bitcode(data: bytes, key: str) -> bytes:
    """The same entry, which cannot be linked into others any more."""
    return packed(key, unpacked(data, key)._replace(bitcode=b""))


def unpacked(data: bytes, key: str) -> Entry:
    """The entry in `data`. Raises BadEntry where it is damaged, or was stored under another key."""
    start = len(_MAGIC) + _DIGEST
    body = data[start:]
    if data[: len(_MAGIC)] != _MAGIC or data[len(_MAGIC) : start] != hashlib.sha256(body).digest():
        raise BadEntry("damaged")
    text = _LENGTH + int.from_bytes(body[:_LENGTH], "little")
    header = json.loads(body[_LENGTH:text])
    if header["key"] != key:
        raise BadEntry("another kernel")
    code = body[text : text + header["code"]]
    return Entry(header["names"], header["result"], zlib.decompress(code), body[text + header["code"] :])

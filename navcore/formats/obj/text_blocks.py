"""The text of an OBJ file in blocks of whole lines, so that memory does not grow with the file."""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from typing import BinaryIO

from ...errors import BadInput

BLOCK = 1 << 20  # bytes that are read at once
_WIDE = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)  # UTF-32 in Intel's order begins like UTF-16


def text_blocks(file: BinaryIO, name: str) -> Iterator[bytes]:
    """Whole lines, each ending in a newline alone; a line that a backslash continues is never cut in two.

    `name` is the file's, for what is said. Raises BadInput.
    """
    first, rest = file.read(4), b""
    if first.startswith(_WIDE) or b"\0" in first:
        raise BadInput(
            f"{name} begins like text in UTF-16, and OBJ files are read as UTF-8 or ASCII. Save it as UTF-8, in a text "
            "editor or with `iconv -f UTF-16 -t UTF-8`.",
            "WRONG_ENCODING",
        )
    first = first.removeprefix(codecs.BOM_UTF8)
    # A line of any length is searched for its end only a few times, as ever more is read.
    while more := first + file.read(max(BLOCK, len(rest))):
        first = b""
        while more.endswith(b"\r") and (half := file.read(1)):
            more += half  # of the end of this line, as it may be
        text = rest + _with_newlines(more)
        end = _end_of_lines(text)
        rest = text[end:]
        if end:
            yield text[:end]
    if rest:
        yield rest + b"\n"


def _with_newlines(text: bytes) -> bytes:
    """Lines of Windows and of old Macs as they are everywhere else."""
    return text.replace(b"\r\n", b"\n").replace(b"\r", b"\n") if b"\r" in text else text


def _end_of_lines(text: bytes) -> int:
    """Where the last line ends that does not go on in the next."""
    end = text.rfind(b"\n")
    while end > 0 and text[end - 1 : end] == b"\\":
        end = text.rfind(b"\n", 0, end)
    return end + 1


def end_of_line(text: bytes, begin: int) -> int:
    """Where the line that begins there ends, with all that it goes on in; the newline is the last byte before."""
    end = text.index(b"\n", begin) + 1
    if text[begin:end].lstrip().startswith(b"#"):
        return end  # comments end with folders of Windows, and what follows them is not to be lost
    while text[end - 2 : end - 1] == b"\\" and end < len(text):
        end = text.index(b"\n", end) + 1
    return end

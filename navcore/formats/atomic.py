"""Write a file completely or not at all."""

from __future__ import annotations

import os
import secrets
from pathlib import Path

from ..errors import NavmeshError


class CannotWrite(NavmeshError):
    """The file system did not take the file."""

    code = "CANNOT_WRITE"


def write_whole(path: Path, content: bytes) -> None:
    """Replace `path` by `content` in one step; on any error the file that was there stays as it was."""
    path = Path(path)
    temporary = path.with_name(f".{path.name[:40]}.{secrets.token_hex(4)}.part")
    try:
        with open(temporary, "xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except OSError as reason:
        raise CannotWrite(
            f"Could not write {path}: {reason.strerror or reason}. Choose another place or free some space."
        ) from None
    finally:
        temporary.unlink(missing_ok=True)

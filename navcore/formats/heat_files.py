"""The heat of a walk as JSON, and what a page reads of it again."""

from __future__ import annotations

import json
from os import PathLike
from pathlib import Path

from ..crowd.heat.heat import Heat
from ..errors import BadInput
from ..files.atomic_write import check_folder, write_whole

ENDING = ".json"


def check_heat_file(path: Path, others: tuple[str, ...] = ()) -> None:
    """Refuse, before anybody walks, what could not be written afterwards; `others`: endings that may be, too."""
    known = (ENDING, *others)
    if path.suffix.lower() not in known:
        raise BadInput(f"{path.name}: a heat is written to {', '.join(known)}. Take one of these.", "UNKNOWN_FORMAT")
    check_folder(path)


def write_heat(heat: Heat, path: str | PathLike[str]) -> None:
    """Write the heat of a walk as `navcore walk --heat NAME.json` does. Raises NavmeshError."""
    path = Path(path)
    check_heat_file(path)
    write_whole(path, (json.dumps(heat.to_mapping(), allow_nan=False) + "\n").encode())

"""The heat of a walk as JSON, and what a page reads of it again."""

from __future__ import annotations

import json
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from ..crowd.heat.heat import Heat, HeatColumns
from ..crowd.heat.narrow_places import Chokepoint
from ..errors import BadInput
from ..files.atomic_write import check_folder, write_whole
from ..files.strict_json import load_json
from ..types import F64

ENDING = ".json"
_MOST_BYTES = 256 << 20
_MAPS = ("density", "time_lost", "waiting")
_IN_A_ROW = 6  # numbers of a column


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


def read_heat(path: str | PathLike[str]) -> Heat:
    """A heat as JSON has it; what each agent lost is not in it. Raises BadInput."""
    content = load_json(Path(path), "heat", _MOST_BYTES)
    try:
        if not isinstance(content, dict) or content["format"] != 1:
            raise ValueError
        return _heat_of(content)
    except (KeyError, TypeError, ValueError, IndexError):
        raise BadInput(
            f"{Path(path).name} is no heat of a walk. Give the file that `navcore walk --heat NAME.json` wrote.",
            "BAD_HEAT",
        ) from None


def _heat_of(content: dict[str, Any]) -> Heat:
    density, time_lost, waiting = (_map(content[name]) for name in _MAPS)
    if not density.shape == time_lost.shape == waiting.shape:
        raise ValueError
    rows = _numbers(content["columns"]["rows"]).reshape(-1, _IN_A_ROW)
    columns = HeatColumns(_length(content["columns"]["cell"]), rows[:, :3], rows[:, 3], rows[:, 4], rows[:, 5])
    x, z = map(float, _numbers(content["origin"]))
    return Heat(
        _length(content["cell"]), (x, z), density, time_lost, waiting,
        tuple(_chokepoint(place) for place in content["chokepoints"]), np.zeros(0), columns,
    )  # fmt: skip


def _chokepoint(place: dict[str, Any]) -> Chokepoint:
    x, y, z = map(float, _numbers(place["at"]))
    width, seconds, agents = map(float, _numbers([place["width"] or 0.0, place["seconds"], place["agents"]]))
    width = np.inf if place["width"] is None else width
    return Chokepoint((x, y, z), width, seconds, int(agents))


def _map(rows: Any) -> F64:
    """The rows of a map; there is none where nobody was on the way."""
    return _numbers(rows).reshape(len(rows), -1) if rows != [] else np.zeros((0, 0))


def _numbers(values: Any) -> F64:
    """What is nothing but numbers: no null, which NumPy takes for NaN, and no text."""
    found = np.array(values)
    if found.dtype.kind not in "if":
        raise ValueError
    return found.astype(np.float64)


def _length(value: Any) -> float:
    metres = float(_numbers([value])[0])
    if metres <= 0:
        raise ValueError
    return metres

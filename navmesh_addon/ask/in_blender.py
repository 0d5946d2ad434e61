"""Questions and answers in the coordinates and units of a scene."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import bpy
import numpy as np

from ..axes import to_blender
from .asked_navmesh import asked_navmesh, usual_filter
from .path_questions import Answered, Question, answer

Point = Sequence[float]


def to_navcore(point: Point, metres: float) -> tuple[float, float, float]:
    """A place of the scene in metres, y up."""
    x, y, z = (float(part) * metres for part in point)
    return x, z, -y


def answer_in_scene(scene: bpy.types.Scene, mode: str, start: Point, end: Point) -> Answered:
    """Ask the navmesh of the active setup. Raises NavmeshError."""
    return answer(asked_navmesh(scene), question_in_scene(scene, mode, start, end))


def question_in_scene(scene: bpy.types.Scene, mode: str, start: Point, end: Point) -> Question:
    """What is asked, as a thread takes it."""
    metres = scene.unit_settings.scale_length
    return Question(mode, to_navcore(start, metres), to_navcore(end, metres), usual_filter(scene))


def in_blenders_coordinates(answered: Answered, metres: float) -> dict[str, Any]:
    """What is answered, for scripts: points in the scene's coordinates; lengths stay metres."""
    points = np.array(answered.facts.get("points", []), np.float32).reshape(-1, 3)
    return {
        **answered.facts,
        "points": to_blender(points, metres).astype(np.float64).tolist(),
        "sentence": answered.sentence,
    }

"""Questions and answers in the coordinates and units of a scene."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import bpy
import numpy as np

from ..axes import to_blender
from ..gather.scene_intent import in_metres
from ..objects.navmesh_objects import metres_of
from .asked_navmesh import asked_navmesh, asked_size, usual_filter
from .path_questions import Answered, Question, answer

BlendersPoint = Sequence[float]


def answer_in_scene(scene: bpy.types.Scene, mode: str, start: BlendersPoint, end: BlendersPoint) -> Answered:
    """Ask the navmesh of the active setup. Raises NavmeshError."""
    return answer(asked_navmesh(scene), question_in_scene(scene, mode, start, end))


def question_in_scene(scene: bpy.types.Scene, mode: str, start: BlendersPoint, end: BlendersPoint) -> Question:
    """What is asked, as a thread takes it."""
    metres = metres_of(scene)
    return Question(mode, in_metres(start, metres), in_metres(end, metres), usual_filter(scene), asked_size(scene))


def in_blenders_coordinates(answered: Answered, metres: float) -> dict[str, Any]:
    """What is answered, for scripts: points in the scene's coordinates; lengths stay metres."""
    points = np.array(answered.facts.get("points", []), np.float32).reshape(-1, 3)
    return {
        **answered.facts,
        "points": to_blender(points, metres).astype(np.float64).tolist(),
        "sentence": answered.sentence,
    }

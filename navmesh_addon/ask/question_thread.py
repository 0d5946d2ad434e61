"""Questions to navmeshes are answered on a thread of their own. Nothing here may touch bpy."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import CancelledError, Future, wait
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from ..background import OneWorker
from ..views.overlay_colors import MEANT_POLYGON, MISSING, PATH, TAKEN_LINK

if TYPE_CHECKING:
    from ...navcore.questions.nav_query import NavQuery
    from ...navcore.result.navmesh import NavMesh
    from ...navcore.views.picture import Picture
    from ..builds.run_builds import BuildJob
    from .door_states import DoorStates
    from .path_questions import Answered, Question

# --- An answer as a picture: the way in the colors of areas, what is missing dashed, and the polygons that are meant.

F32 = npt.NDArray[np.float32]
U8 = npt.NDArray[np.uint8]
_ABOVE, _MEANT_ABOVE = 0.08, 0.03  # metres, so that neither the navmesh nor the ground hides it
_DASH = 0.3  # metres
_A_MOMENT = 0.05  # seconds
_PALER = 0.5  # how far an area's color goes towards white, so that the way stands out from its ground


def answer_picture(query: NavQuery, answered: Answered, area_colors: Mapping[int, tuple[float, ...]]) -> Picture:
    """`area_colors`: red, green and blue of each area as runtime data has them, 0 to 1."""
    from ...navcore.views.picture import Picture

    colors = _colors_of(query, answered, area_colors)
    dashes = _dashed(answered.missing)
    lines = np.concatenate([answered.lines, dashes]) + np.array([0, _ABOVE, 0], np.float32)
    colors = np.concatenate([colors, np.tile(np.array(MISSING, np.uint8), (len(dashes), 1))])
    faces = _draped(query, answered.polygons)
    return Picture(faces, np.tile(np.array(MEANT_POLYGON, np.uint8), (len(faces), 1)), lines.astype(np.float32), colors)


def _colors_of(query: NavQuery, answered: Answered, area_colors: Mapping[int, tuple[float, ...]]) -> U8:
    """Plain ground's way is yellow; other areas show in their colors, links in orange."""
    table = np.tile(np.array(PATH, np.uint8), (256, 1))
    for area, color in area_colors.items():
        if area:
            table[area, :3] = [round(255 * (part + _PALER * (1 - part))) for part in color[:3]]
    colors = table[query.areas(answered.over)]
    colors[answered.over == 0] = TAKEN_LINK
    return np.asarray(colors, np.uint8)


def _dashed(lines: F32) -> F32:
    """Every other piece of each line."""
    pieces = [np.zeros((0, 2, 3), np.float32)]
    for start, end in lines.astype(np.float64):
        count = max(1, int(np.ceil(np.linalg.norm(end - start) / _DASH)))
        at = np.arange(0, count, 2)[:, None] / count
        until = np.minimum(at + 1 / count, 1)
        pieces.append(np.stack([start + at * (end - start), start + until * (end - start)], axis=1))
    return np.concatenate(pieces).astype(np.float32)


def _draped(query: NavQuery, references: npt.NDArray[np.uint32]) -> F32:
    """(., 4, 3) polygons as they lie on the ground, in triangles, each with its last corner twice."""
    faces: F32 = query.draped(references).triangles[:, [0, 1, 2, 2]] + np.array([0, _MEANT_ABOVE, 0], np.float32)
    return faces


worker = OneWorker("navmesh-ask")


class Answer(NamedTuple):
    """What is answered, and its picture."""

    answered: Answered
    picture: Picture


QuerySoon = Future["NavQuery"]
AnswerSoon = Future[Answer]


def make_ready(navmesh: NavMesh) -> QuerySoon:
    """A navmesh that can be asked, soon."""
    return worker.ask(_ready, navmesh)


def make_ready_after(job: BuildJob) -> QuerySoon:
    """The same of a navmesh that is being built."""
    return worker.ask(_ready_after, job)


def make_ready_with(query: QuerySoon, doors: DoorStates) -> QuerySoon:
    """The same with doors in these states; who asks the one before goes on with it as it is."""
    return worker.ask(_ready_with, query, doors)


def ask(query: QuerySoon, question: Question, area_colors: Mapping[int, tuple[float, ...]]) -> AnswerSoon:
    """The answer, soon: after what was asked before."""
    return worker.ask(_answer, query, question, area_colors)


def is_there(future: AnswerSoon, seconds: float | None) -> bool:
    """Wait for at most so long (None: for as long as it takes)."""
    wait([future], seconds)
    return future.done()


def _ready(navmesh: NavMesh) -> NavQuery:
    from ...navcore.questions.nav_query import NavQuery

    return NavQuery(navmesh)


def _ready_after(job: BuildJob) -> NavQuery:
    while not job.wait(_A_MOMENT) and not job.cancelled:
        pass  # a kernel that is being compiled ends unseen
    if job.error is not None:
        raise job.error
    if job.result is None:
        raise CancelledError
    return _ready(job.result[0].navmesh)


def _ready_with(query: QuerySoon, doors: DoorStates) -> NavQuery:
    own = query.result().as_it_is()  # it was made before, by this thread
    for name, closed in doors:
        if name in own.doors:  # one of which no ground is left has no polygon
            own.set_door(name, closed)
    return own


def _answer(query: QuerySoon, question: Question, area_colors: Mapping[int, tuple[float, ...]]) -> Answer:
    from .path_questions import answer
    from .question_thread import answer_picture

    answered = answer(query.result(), question)  # it was made before, by this thread
    return Answer(answered, answer_picture(query.result(), answered, area_colors))

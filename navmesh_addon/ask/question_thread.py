"""Questions to navmeshes are answered on a thread of their own. Nothing here may touch bpy."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import Future, wait
from typing import TYPE_CHECKING, NamedTuple

from ..background import OneWorker

if TYPE_CHECKING:
    from ...navcore.questions.nav_query import NavQuery
    from ...navcore.result.navmesh import NavMesh
    from ...navcore.views.picture import Picture
    from .path_questions import Answered, Question

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


def _answer(query: QuerySoon, question: Question, area_colors: Mapping[int, tuple[float, ...]]) -> Answer:
    from .answer_picture import answer_picture
    from .path_questions import answer

    answered = answer(query.result(), question)  # it was made before, by this thread
    return Answer(answered, answer_picture(query.result(), answered, area_colors))

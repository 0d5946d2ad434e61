"""Rows that have filters of their own: asked filter by filter, and put together again in their order."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias, TypeVar

import numpy as np

from ..errors import BadInput
from ..geometry.arrays import numbers_in_ranges
from ..types import I64, AnyArray, ArrayLike
from .answers import Corridors, Nearest, Paths, Rays
from .batches import as_points, as_references, offsets_of
from .query_filter import QueryFilter

Filters: TypeAlias = QueryFilter | Sequence[QueryFilter]
_Answer = TypeVar("_Answer", Nearest, Corridors, Paths, Rays)
# Which offsets cut an array whose items are not rows.
_CUT_BY = {
    Nearest: {},
    Corridors: {"references": "offsets"},
    Rays: {"references": "offsets"},
    Paths: {"points": "offsets", "flags": "offsets", "references": "offsets", "polygons": "polygon_offsets"},
}


def by_filter(
    question: Callable[..., _Answer], filters: Filters, filter_of: ArrayLike | None,
    rows: Mapping[str, ArrayLike], **options: Any,
) -> _Answer:  # fmt: skip
    """Ask for the rows of each filter; the answers in the order of all rows. `rows` are the arguments cut into rows."""
    if isinstance(filters, QueryFilter) or filter_of is None:
        raise BadInput(
            "filter and filter_of do not fit together. Give one QueryFilter, or several and in filter_of which of them "
            "each row has.",
            "WRONG_QUESTION",
        )
    if not len(filters) or not all(isinstance(each, QueryFilter) for each in filters):
        raise BadInput("filter is no list of filters. Give one QueryFilter, or several.", "WRONG_QUESTION")
    count = None
    whole: dict[str, AnyArray] = {}
    for name, given in rows.items():
        whole[name] = (as_references if name.endswith("references") else as_points)(name, given, count)
        count = len(whole[name])
    number = as_references("filter_of", filter_of, count)
    unknown = number[(number < 0) | (number >= len(filters))]
    if len(unknown):
        raise BadInput(
            f"filter_of names filter {unknown[0]}, and there are {len(filters)}. Count from 0.", "WRONG_QUESTION"
        )
    chosen = [(own, np.flatnonzero(number == k)) for k, own in enumerate(filters)]
    asked = [(own, part) for own, part in chosen if len(part)] or chosen[:1]
    answers = [
        question(**{name: values[part] for name, values in whole.items()}, filter=own, **options) for own, part in asked
    ]
    return _together([part for _, part in asked], answers, len(number))


def _together(chosen: list[I64], answers: list[_Answer], rows: int) -> _Answer:
    kind = type(answers[0])
    cut_by: dict[str, str] = _CUT_BY[kind]
    offsets, places = {}, {}
    for name in set(cut_by.values()):
        counts = np.zeros(rows, np.int64)
        for own, answer in zip(chosen, answers, strict=True):
            counts[own] = np.diff(getattr(answer, name))
        offsets[name] = offsets_of(counts)
        places[name] = [numbers_in_ranges(offsets[name][own], counts[own]) for own in chosen]

    def whole(name: str) -> AnyArray:
        if name in offsets:
            return offsets[name]
        parts: list[AnyArray] = [getattr(answer, name) for answer in answers]
        to = places[cut_by[name]] if name in cut_by else chosen
        together = np.empty((sum(map(len, parts)), *parts[0].shape[1:]), parts[0].dtype)
        for place, part in zip(to, parts, strict=True):
            together[place] = part
        return together

    return kind(*(whole(name) for name in kind._fields))

"""Found links as arrays, a row for each, and what was decided about them. Needs no bpy: coordinates are navcore's."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from ...navcore.wide_links import LinkEdits, WideLink

Chosen = npt.NDArray[np.bool_] | npt.NDArray[np.int64]
KINDS = ("drop", "jump", "climb")  # by number, as files hold it
FOUND, PINNED, MOVED, REJECTED = 0, 1, 2, 3  # states, as files hold them
SAME = 1e-3  # metres: corners that lie nearer were not moved
_LEVEL = 0.05  # metres: jumps that lead less far up or down are level
_DIGITS = 5  # of metres in files


class LinkRows(NamedTuple):
    """One row for each link. `corners`: start left, start right, end left, end right."""

    ids: npt.NDArray[np.uint32]  # (N,)
    kinds: npt.NDArray[np.uint8]  # (N,) into KINDS
    corners: npt.NDArray[np.float32]  # (N, 4, 3) metres, y up
    two_way: npt.NDArray[np.bool_]  # (N,)
    areas: npt.NDArray[np.int32]  # (N,)
    flags: npt.NDArray[np.int32]  # (N,)
    states: npt.NDArray[np.uint8]  # (N,)

    def of(self, rows: Chosen) -> LinkRows:
        """Some of them."""
        return _of_columns(column[rows] for column in self)

    @property
    def starts(self) -> npt.NDArray[np.float64]:
        """(N, 3) the middles of the edges that they begin at."""
        return np.asarray(self.corners[:, :2].mean(axis=1, dtype=np.float64))

    @property
    def ends(self) -> npt.NDArray[np.float64]:
        """(N, 3) the middles of the edges that they lead to."""
        return np.asarray(self.corners[:, 2:].mean(axis=1, dtype=np.float64))

    @property
    def lengths(self) -> npt.NDArray[np.float64]:
        """(N,) metres, straight."""
        return np.asarray(np.linalg.norm(self.ends - self.starts, axis=1))

    @property
    def rises(self) -> npt.NDArray[np.float64]:
        """(N,) metres from the start up to the end; below 0 down."""
        return np.asarray((self.ends - self.starts)[:, 1])

    @property
    def reaches(self) -> npt.NDArray[np.float64]:
        """(N,) metres from the start to the end, as seen from above."""
        return np.asarray(np.linalg.norm((self.ends - self.starts)[:, ::2], axis=1))

    def in_words(self, row: int) -> str:
        """What a link is: how far down or up it leads, and how far ahead."""
        rise, reach = float(self.rises[row]), float(self.reaches[row])
        kind = KINDS[self.kinds[row]]
        height = f"{'falls' if rise < 0 or kind == 'drop' else 'rises'} {abs(rise):.1f} m"
        if kind == "jump":
            return f"Jump {reach:.1f} m" if abs(rise) < _LEVEL else f"Jump {reach:.1f} m, {height}"
        return f"{kind.capitalize()}: {height}, reaches {reach:.1f} m"

    @property
    def widths(self) -> npt.NDArray[np.float64]:
        """(N,) metres: that of the narrower end."""
        edges = self.corners[:, 1::2].astype(np.float64) - self.corners[:, ::2]
        return np.asarray(np.linalg.norm(edges, axis=2).min(axis=1))


_TYPES = (np.uint32, np.uint8, np.float32, np.bool_, np.int32, np.int32, np.uint8)  # of its columns


class Decisions(NamedTuple):
    """What there is now, how each came of a build, and what nobody wants."""

    shown: LinkRows  # FOUND, PINNED or MOVED
    generated: LinkRows  # of each of them
    rejected: LinkRows

    def edits(self) -> LinkEdits:
        """What the next build has to know. Where one was moved away, none is to be found again."""
        from ...navcore.wide_links import LinkEdits

        moved, kept = self.shown.states == MOVED, self.shown.states != FOUND
        gone = joined([self.rejected, self.generated.of(moved)])
        return LinkEdits(rejected=wide_links(gone), kept=wide_links(self.shown.of(kept)))


def _of_columns(columns: Iterable[npt.NDArray[Any]]) -> LinkRows:
    listed: list[Any] = list(columns)  # each of its column's own type
    return LinkRows(*listed)


def _typed(columns: Iterable[Sequence[Any]]) -> LinkRows:
    """Each column of its own type."""
    rows = _of_columns(np.array(column, kind) for column, kind in zip(columns, _TYPES, strict=True))
    return rows._replace(corners=rows.corners.reshape(len(rows.ids), 4, 3))


def no_rows() -> LinkRows:
    """None at all."""
    return rows_of(())


def rows_of(links: Iterable[WideLink], state: int = FOUND) -> LinkRows:
    """Links as a build has found them."""
    rows = [
        (one.id, KINDS.index(one.kind), one.corners, one.bidirectional, one.area, one.flags, state) for one in links
    ]
    return _typed(zip(*rows, strict=True) if rows else [()] * len(_TYPES))


def wide_links(rows: LinkRows) -> tuple[WideLink, ...]:
    """The same as builds take them; their points follow from the rest."""
    from ...navcore.wide_links import WideLink

    columns = zip(*(column.tolist() for column in rows[:-1]), strict=True)
    return tuple(
        WideLink(
            kind=KINDS[kind],  # type: ignore[arg-type] # one of its kinds
            corners=tuple(map(tuple, corners)),  # type: ignore[arg-type] # four of three
            bidirectional=two_way, area=area, flags=flags, id=number, points=(),
        )
        for number, kind, corners, two_way, area, flags in columns
    )  # fmt: skip


def joined(parts: Iterable[LinkRows]) -> LinkRows:
    """One after the other."""
    return _of_columns(np.concatenate(columns) for columns in zip(*parts, strict=True))


def decided(faces: LinkRows, ledger: LinkRows) -> Decisions:
    """Compare what the mesh shows with what builds wrote into it.

    An id without a face was rejected; a face unlike its entry was moved; one whose id another face has, or no entry,
    was drawn by hand: it is pinned, under an id of its own.
    """
    order = np.argsort(ledger.ids, kind="stable")
    at = np.searchsorted(ledger.ids[order], faces.ids)
    entry = order[np.minimum(at, len(order) - 1)] if len(order) else np.zeros(len(faces.ids), np.int64)
    known = ledger.ids[entry] == faces.ids if len(order) else np.zeros(len(faces.ids), bool)
    same = known & _alike(faces, ledger.of(entry)) if len(order) else known
    sorted_faces = np.lexsort((np.arange(len(faces.ids)), ~same, faces.ids))
    first = np.ones(len(faces.ids), bool)
    first[1:] = faces.ids[sorted_faces][1:] != faces.ids[sorted_faces][:-1]
    owner = np.zeros(len(faces.ids), bool)
    owner[sorted_faces] = first
    owner &= known
    states = np.where(owner, np.where(same, np.where(faces.states == PINNED, PINNED, FOUND), MOVED), PINNED)
    ids = faces.ids.copy()
    ids[~owner] = _new_ids(faces.corners[~owner], {*ledger.ids.tolist(), *faces.ids.tolist()})
    shown = faces._replace(ids=ids, states=states.astype(np.uint8))
    generated = _replaced(shown, owner, ledger, entry)
    gone = ~np.isin(ledger.ids, ids[owner])
    rejected = ledger.of(gone)
    return Decisions(shown, generated, rejected._replace(states=np.full(int(gone.sum()), REJECTED, np.uint8)))


def _replaced(shown: LinkRows, owner: npt.NDArray[np.bool_], ledger: LinkRows, entry: npt.NDArray[Any]) -> LinkRows:
    """The rows of the ledger where there is one."""
    columns: list[npt.NDArray[Any]] = [column.copy() for column in shown]
    entries: list[npt.NDArray[Any]] = [*ledger]
    for column, written in zip(columns, entries, strict=True):
        column[owner] = written[entry[owner]]
    return _of_columns(columns)


def _alike(faces: LinkRows, written: LinkRows) -> npt.NDArray[np.bool_]:
    apart = np.abs(faces.corners.astype(np.float64) - written.corners).max(axis=(1, 2))
    alike = apart <= SAME
    for name in ("kinds", "two_way", "areas", "flags"):
        alike &= getattr(faces, name) == getattr(written, name)
    return np.asarray(alike)


def _new_ids(corners: npt.NDArray[np.float32], taken: set[int]) -> list[int]:
    """Ids that nothing has, the same whenever the same is asked."""
    import zlib

    ids = []
    for one in corners:
        number = zlib.crc32(one.tobytes()) or 1
        while number in taken:
            number = number % 0xFFFF_FFFF + 1
        taken.add(number)
        ids.append(number)
    return ids


def to_columns(rows: LinkRows) -> dict[str, list[Any]]:
    """Ready for JSON."""
    corners = np.round(rows.corners.astype(np.float64), _DIGITS).reshape(len(rows.ids), 12)
    return {**{name: column.tolist() for name, column in rows._asdict().items()}, "corners": corners.tolist()}


def from_columns(columns: dict[str, list[Any]]) -> LinkRows:
    """From JSON. Raises KeyError, TypeError or ValueError where it is none of ours."""
    rows = _typed(columns[name] for name in LinkRows._fields)
    if any(len(column) != len(rows.ids) for column in rows) or (rows.kinds >= len(KINDS)).any():
        raise ValueError
    return rows


def points_along(rows: LinkRows, row: int, spacing: float) -> list[tuple[npt.NDArray[Any], npt.NDArray[Any]]]:
    """Starts and ends of the links that stand for a wide one where there are only points: one every `spacing`."""
    count = max(1, math.floor(float(rows.widths[row]) / spacing))
    left_start, right_start, left_end, right_end = rows.corners[row].astype(np.float64)
    parts = [(k + 0.5) / count for k in range(count)]
    return [
        (left_start + part * (right_start - left_start), left_end + part * (right_end - left_end)) for part in parts
    ]
